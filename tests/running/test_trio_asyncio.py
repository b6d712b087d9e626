"""Reads in a program in which trio and asyncio share one loop, with trio-asyncio."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from helpers.media import drawing, encoded

# trio-asyncio changes asyncio for the whole process.
PROGRAM = """
import asyncio, sys, trio, trio_asyncio, anyread
from trio_asyncio import aio_as_trio, trio_as_aio

async def read(reader, paths):
    return [(await reader.read(path)).kind for path in paths]

async def read_at_once(reader, paths):
    return [page.kind for page in await asyncio.gather(*map(reader.read, paths))]

async def main(paths):
    async with trio_asyncio.open_loop():
        for limits in (anyread.Limits(), anyread.Limits(inline_bytes=1)):
            reader = anyread.Reader(limits=limits)
            print("trio:", *await read(reader, paths))
            print("asyncio:", *await aio_as_trio(read_at_once)(reader, paths))
            print("trio in asyncio:", *await aio_as_trio(trio_as_aio(read))(reader, paths))

trio.run(main, sys.argv[1:])
"""


@pytest.mark.skipif(find_spec("trio_asyncio") is None, reason="needs trio-asyncio")
def test_reads_in_tasks_of_both_kinds(tmp_path: Path, poem: Path) -> None:
    """A read in a task of asyncio ended the whole run with `TrioInternalError`."""
    loads = [sys.executable, "-c", "import trio_asyncio"]
    if sys.version_info >= (3, 14) and subprocess.run(loads, capture_output=True, check=False).returncode:
        pytest.skip("trio-asyncio 0.16 cannot be imported by Python 3.14")
    png = tmp_path / "a.png"
    png.write_bytes(encoded(drawing(20, 20), "PNG"))
    command = [sys.executable, "-c", PROGRAM, *[str(poem)] * 20, str(png)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    kinds = " ".join(["text"] * 20 + ["image"])
    assert (
        ran.stdout.splitlines() == [f"{way}: {kinds}" for way in ("trio", "asyncio", "trio in asyncio")] * 2
    )

"""P5: a small file from an event loop, read by anyread and two rivals in turn, in a separate process.

`python -m benches.async_small PATH` prints the medians as JSON.
`on_overlay` runs it in a new mount namespace, in which the file is in the lower layer of an overlay,
like the files of a container image.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

import aiofiles
from benches import inputs
from benches.usual import numbered, usual_python

import anyread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_ROOT = Path(__file__).parent.parent
_ROUNDS = 200
_CALLS = 10
"""Calls of one reader before the next one's turn; each call is timed separately."""
_MOUNT = 'mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3" "$4" && shift 4 && exec "$@"'

READER = anyread.Reader(gutter=anyread.Gutter.CAT_N)


async def with_anyread(path: str) -> str:
    page = await READER.read(path)
    return page.text


async def with_thread(path: str) -> str:
    return await asyncio.to_thread(usual_python, path)


async def with_aiofiles(path: str) -> str:
    async with aiofiles.open(path, encoding="utf-8", errors="replace") as file:
        text = await file.read()
    return numbered(text)


READERS: dict[str, Callable[[str], Awaitable[str]]] = {
    "anyread": with_anyread,
    "asyncio.to_thread": with_thread,
    "aiofiles": with_aiofiles,
}


async def race(path: str) -> dict[str, float]:
    """Return the median nanoseconds of each reader; exit if their answers differ."""
    times: dict[str, list[int]] = {name: [] for name in READERS}
    for name, read in READERS.items():
        if await read(path) != usual_python(path):
            raise SystemExit(f"{name} returns a different answer for {path}")
    for _ in range(_ROUNDS):
        for name, read in READERS.items():
            for _ in range(_CALLS):
                started = perf_counter_ns()
                await read(path)
                times[name].append(perf_counter_ns() - started)
    return {name: statistics.median(taken) for name, taken in times.items()}


def on_disk() -> dict[str, float]:
    """Race on the file system of the inputs."""
    return _output(_race_command(inputs.source_file()))


def on_overlay() -> dict[str, float] | None:
    """Race on an overlay mount; return `None` if this machine does not permit one."""
    with tempfile.TemporaryDirectory(dir=inputs.DATA) as directory:
        layers = [Path(directory, name) for name in ("lower", "upper", "work", "merged")]
        for layer in layers:
            layer.mkdir()
        shutil.copy(inputs.source_file(), layers[0])
        privileges = [] if os.geteuid() == 0 else ["--map-root-user"]
        inside = ["unshare", "--mount", *privileges, "sh", "-c", _MOUNT, "sh", *map(str, layers)]
        if (
            shutil.which("unshare") is None
            or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode
        ):
            return None
        return _output([*inside, *_race_command(layers[3] / inputs.source_file().name)])


def _race_command(path: Path) -> list[str]:
    return [sys.executable, "-m", "benches.async_small", str(path)]


def _output(command: list[str]) -> dict[str, float]:
    found: dict[str, float] = json.loads(
        subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=_ROOT).stdout
    )
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(race(sys.argv[1]))))

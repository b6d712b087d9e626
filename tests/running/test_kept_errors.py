"""Cancellation exceptions that a caller keeps: their tracebacks must not keep files or decoders."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

import anyread
from media import drawing, encoded, text_pdf
from waiting import descriptors_of, until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def _no_collection() -> Iterator[None]:
    """Disable garbage collection: an idle server does not collect reference cycles either."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def written(directory: Path, name: str) -> Path:
    path = directory / name
    if name == "a.pdf":
        path.write_bytes(text_pdf(40))
    elif name == "a.png":
        path.write_bytes(encoded(drawing(3_000, 3_000), "PNG"))
    else:
        # A sparse file, which takes minutes to scan.
        path.write_bytes(b"begun\n" * 5_000)
        os.truncate(path, 1 << 40)
    return path


@pytest.mark.parametrize("name", ["a.pdf", "a.png", "a.log"])
@pytest.mark.parametrize("is_tool", [False, True])
async def test_kept_cancellation_keeps_no_file_open(tmp_path: Path, name: str, is_tool: bool) -> None:
    """The frames in the traceback held the pending work, and with it the open file."""
    path = written(tmp_path, name)
    tool = anyread.tool("anyread")
    kept: list[BaseException] = []

    async def read() -> None:
        try:
            offset = 10**9 if name == "a.log" else 1
            if is_tool:
                await tool.call({"path": str(path), "offset": offset})
            else:
                await anyread.read(path, offset=offset)
        except BaseException as error:
            kept.append(error)
            raise

    for _ in range(5):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            while not descriptors_of(path):
                await anyio.sleep(0)
            group.cancel_scope.cancel()
        until(lambda: not descriptors_of(path))
    assert len(kept) == 5

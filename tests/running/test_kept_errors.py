"""Exceptions that a caller keeps: their tracebacks must not keep files or decoders."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

import anyread
from anyread import Reader, ReadError
from helpers.media import drawing, encoded, text_pdf
from helpers.waiting import descriptors_of, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READS: dict[str, Callable[[Reader, Path], object]] = {
    "sync": lambda reader, path: reader.read_sync(path),
    "loop": lambda reader, path: asyncio.run(reader.read(path)),
    "pages": lambda reader, path: next(reader.pages_sync(path)),
}
"""Ways to read a file and raise its error."""


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
        path.write_bytes(text_pdf(8))
    elif name == "a.png":
        path.write_bytes(encoded(drawing(1_200, 1_200), "PNG"))
    else:
        # A sparse file, which takes minutes to scan.
        path.write_bytes(b"begun\n" * 5_000)
        os.truncate(path, 1 << 40)
    return path


@pytest.mark.anyio
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

    for _ in range(2):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            while not descriptors_of(path):
                await anyio.sleep(0)
            group.cancel_scope.cancel()
        until(lambda: not descriptors_of(path))
    assert len(kept) == 2


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.png"
    path.write_bytes(encoded(drawing(300, 200), "PNG")[:500])
    return path


@pytest.mark.parametrize("read", READS)
def test_kept_error_keeps_no_file_open(read: str, broken: Path) -> None:
    """An error on an event loop is part of a reference cycle of asyncio, and that held the open file."""
    with pytest.raises(ReadError) as kept:
        READS[read](Reader(limits=anyread.Limits(timeout_s=60)), broken)
    assert kept.value.code
    assert not descriptors_of(broken)


@pytest.mark.parametrize("read", [*READS, "many"])
def test_error_that_the_caller_handles_keeps_its_frames(read: str, broken: Path) -> None:
    """`read_many` removed the traceback of the error that was being handled when it was called."""

    def fail() -> None:
        mark = "kept"
        raise ValueError(mark)

    try:
        fail()
    except ValueError:
        handled = sys.exc_info()[2]
        assert handled is not None
        if read == "many":
            list(Reader().read_many_sync([broken]))
        else:
            with pytest.raises(ReadError):
                READS[read](Reader(), broken)
        inner = handled.tb_next
        assert inner is not None
        assert inner.tb_frame.f_locals == {"mark": "kept"}

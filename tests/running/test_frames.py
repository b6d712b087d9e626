"""An error that somebody keeps does not keep the file of its read open."""

from __future__ import annotations

import asyncio
import gc
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import anyread
from anyread import Failed, Reader, ReadError
from media import drawing, encoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

READS: dict[str, Callable[[Reader, Path], object]] = {
    "sync": lambda reader, path: reader.read_sync(path),
    "loop": lambda reader, path: asyncio.run(reader.read(path)),
    "pages": lambda reader, path: next(reader.pages_sync(path)),
}


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.png"
    path.write_bytes(encoded(drawing(300, 200), "PNG")[:500])
    return path


def open_files() -> list[str]:
    names = []
    for entry in Path("/proc/self/fd").iterdir():
        # The descriptor of the listing itself is closed by now.
        with suppress(FileNotFoundError):
            names.append(str(entry.readlink()))
    return names


@pytest.fixture
def _without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("_without_collector")
@pytest.mark.parametrize("read", READS)
def test_kept_error_does_not_keep_the_file_open(read: str, broken: Path) -> None:
    with pytest.raises(ReadError) as kept:
        READS[read](Reader(limits=anyread.Limits(timeout_s=60)), broken)
    assert kept.value.code
    assert str(broken) not in open_files()


@pytest.mark.usefixtures("_without_collector")
def test_kept_result_of_several_files_does_not_keep_the_file_open(broken: Path) -> None:
    (failed,) = list(Reader().read_many_sync([broken]))
    assert isinstance(failed, Failed)
    assert failed.error.__traceback__ is not None
    assert str(broken) not in open_files()


@pytest.mark.parametrize("read", [*READS, "many"])
def test_error_that_the_caller_handles_keeps_its_frames(read: str, broken: Path) -> None:
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

"""Reads of an opened file after it was replaced, removed, appended to, truncated or rewritten."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from anyread import _native
from anyread.errors import FileChangedError
from helpers.numbered_lines import SIZES, numbered

LINES = _native.Layout(line_ends="detected", bom="drop")

Open = Callable[[Path], _native.Opened]


@pytest.fixture(params=list(SIZES.values()), ids=list(SIZES))
def data(request: pytest.FixtureRequest) -> bytes:
    """Return the content of a file of each size class."""
    return numbered(request.param)


@pytest.fixture
def path(tmp_path: Path, data: bytes) -> Path:
    """Return a file with that content."""
    path = tmp_path / "a.log"
    path.write_bytes(data)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("change", ["replaced", "removed", "appended"])
def test_change_after_opening_is_not_read(change: str, path: Path, data: bytes, opened: Open) -> None:
    file = opened(path)
    if change == "replaced":
        (path.parent / "next").write_bytes(b"other\n")
        (path.parent / "next").replace(path)
    elif change == "removed":
        path.unlink()
    else:
        with path.open("ab") as stream:
            stream.write(b"more\n")
    lines = data.decode().splitlines()
    window = file.window(-1, 1, LINES, may_wait=True)
    assert (window.text, window.total_lines) == (lines[-1], len(lines))
    assert file.window(2, 1, LINES, may_wait=True).text == lines[1]
    assert file.sha256(may_wait=True) == hashlib.sha256(data).hexdigest()
    assert file.check_utf8(may_wait=True).is_valid
    assert file.find_nul(may_wait=True) == -1
    assert not file.recheck()


@pytest.mark.slow
def test_truncated_file_raises_unless_it_is_in_memory(path: Path, data: bytes, opened: Open) -> None:
    file = opened(path)
    was_in_memory = file.is_whole
    os.truncate(path, 5_000)
    if was_in_memory:
        assert file.window(-1, 1, LINES, may_wait=True).text == data.decode().splitlines()[-1]
        assert file.sha256(may_wait=True) == hashlib.sha256(data).hexdigest()
        return
    for fact in (file.sha256, file.check_utf8, file.find_nul, partial(file.window, -1, 1, LINES)):
        with pytest.raises(FileChangedError, match="truncated"):
            fact(may_wait=True)
    with pytest.raises(BlockingIOError):
        file.window(-1, 1, LINES, may_wait=False)

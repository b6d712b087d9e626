"""Bytes at an offset of an opened file, and its current size."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread import _native


@pytest.mark.parametrize(("offset", "maximum"), [(0, 3), (2, 100), (9, 1), (10, 5), (1 << 40, 5), (4, 0)])
def test_bytes_are_those_of_the_file(
    tmp_path: Path, opened: Callable[[Path], _native.Opened], offset: int, maximum: int
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"0123456789")
    assert opened(path).read_at(offset, maximum) == b"0123456789"[offset : offset + maximum]


def test_appended_bytes_are_read_and_counted(
    tmp_path: Path, opened: Callable[[Path], _native.Opened]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    file = opened(path)
    with path.open("ab") as appending:
        appending.write(b"two\n")
    assert (file.size_bytes, file.current_size()) == (4, 8)
    assert file.read_at(2, 100) == b"e\ntwo\n"


def test_bytes_that_cannot_be_read_are_an_error(
    tmp_path: Path, opened: Callable[[Path], _native.Opened]
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    file = opened(path)
    # A file that cannot be read takes the number of the descriptor.
    directory = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    os.dup2(directory, file.fileno())
    os.close(directory)
    with pytest.raises(anyread.FileSystemError) as raised:
        file.read_at(0, 4)
    assert (raised.value.path, raised.value.operation) == (str(path), "read")

"""What a profile gets of a file, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import anyread
from anyread.running import threads
from anyread.tools.files import INLINE_BYTES, File, open_file

if TYPE_CHECKING:
    from pathlib import Path


def opened(path: Path) -> File:
    return threads.run(open_file(anyread.Reader(), str(path)))


@pytest.mark.parametrize(
    ("size", "is_whole"), [(0, True), (1, True), (INLINE_BYTES, True), (INLINE_BYTES + 1, False)]
)
def test_file_brings_its_bytes_if_it_is_short(tmp_path: Path, size: int, is_whole: bool) -> None:
    (tmp_path / "a").write_bytes(b"x" * size)
    file = opened(tmp_path / "a")
    assert (file.whole() == b"x" * size) is is_whole
    assert file.size_bytes == size


def test_what_was_made_of_a_version_is_kept_while_the_file_has_it(tmp_path: Path, settled: Any) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * (INLINE_BYTES + 1))
    settled(path)
    file, made = opened(path), []
    for _ in range(2):
        assert file.kept("a test", lambda: made.append(1)) is None
    assert len(made) == 1
    path.write_bytes(b"y" * (INLINE_BYTES + 1))
    for _ in range(2):
        file.kept("another test", lambda: made.append(1))
    assert len(made) == 3

"""Roots, deny rules and path repair through the public `Reader`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from anyread import errors

# Reads are declared to return any kind of page; the files of these tests are text.
from helpers.texts import TextReader


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A directory with a file and a directory, next to a file outside."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("inside\n")
    (root / "top.txt").write_text("top\n")
    (tmp_path / "outside.txt").write_text("outside\n")
    return root


def content(reader: Any, path: str | bytes | os.PathLike[str]) -> str:
    """Read a file's content."""
    text: str = reader.text(path).content
    return text


def test_root_is_named_by_its_normalized_path(root: Path) -> None:
    """Messages named a root as it was passed, such as `/repo/src/../`, which models copy."""
    for spelling in (f"{root}//./", f"{root}/src/..", f"{root}/src/../"):
        with pytest.raises(errors.OutsideRootError) as caught:
            TextReader(roots=[spelling]).text("/etc/passwd")
        assert caught.value.roots == (str(root),)
        assert caught.value.hint == f"read a path inside `{root}`"


def test_root_with_dots_after_a_link_is_relative_to_its_target(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root / "src")
    assert content(TextReader(roots=[f"{tmp_path}/link/.."]), "top.txt") == "top\n"


@pytest.mark.posix("4,095 bytes of a path")
@pytest.mark.parametrize("length", [4_096, 100_000, 3_000_000])
def test_path_beyond_path_max_is_refused_at_once(root: Path, length: int) -> None:
    """The search for names like a path of 400 KB took minutes, and the error repeated the whole path."""
    for reader in (TextReader(), TextReader(roots=[root])):
        with pytest.raises(errors.BadPathError) as caught:
            reader.text("a/" * (length // 2))
        assert "longer than 4,095 bytes" in str(caught.value)
        assert len(str(caught.value)) < 5_000
        assert len(caught.value.path) < 5_000


def test_names_that_look_alike_are_named_instead_of_read(root: Path) -> None:
    names = ["a\u00a0b.txt", "a\u202fb.txt"]
    for name in names:
        (root / name).write_text("one of two\n")
    with pytest.raises(errors.AmbiguousPathError) as caught:
        TextReader(roots=[root]).text("a b.txt")
    assert sorted(caught.value.candidates) == names


async def test_denied_file_is_refused_in_every_way_of_reading_and_not_suggested(root: Path) -> None:
    """The second read by its path is the one that is tried on the event loop."""
    (root / "link").symlink_to("src")
    reader = TextReader(roots=[root], deny=[f"{root}/link/*.py", "**/top.*"])
    for path in ("src/a.py", "link/a.py", root / "src" / "a.py", "src/a.py"):
        with pytest.raises(errors.DeniedError):
            reader.text(path)
        with pytest.raises(errors.DeniedError) as caught:
            await reader.read(path)
        assert caught.value.rule == f"{root}/link/*.py"
    with pytest.raises(errors.NotFoundError) as missing:
        reader.text("topp.txt")
    assert missing.value.near == ()
    with pytest.raises(errors.OutsideRootError):
        await reader.read("../outside.txt")

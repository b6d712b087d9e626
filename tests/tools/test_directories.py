"""Directories as contracts list them, and the order of their names."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import pytest

import anyread
from anyread.errors import DeniedError, FileSystemError, NotFoundError, OutsideRootError, TooLargeError
from anyread.running import threads
from anyread.tools import directories
from anyread.tools.collation import collation_key
from anyread.tools.directories import list_directory
from anyread.tools.system_errors import stat_errno


def listed(reader: anyread.Reader, path: Path | str) -> dict[str, str]:
    return {entry.name: entry.kind for entry in threads.run(list_directory(reader, str(path)))}


def test_entries_have_the_kind_of_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("12345")
    (tmp_path / "file").symlink_to("a.txt")
    (tmp_path / "way").symlink_to("sub")
    (tmp_path / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    expected = {"sub": "directory", "a.txt": "file", "file": "file", "way": "directory"}
    assert listed(anyread.Reader(), tmp_path) == {**expected, "broken": "link", "pipe": "other"}
    found = {entry.name: entry for entry in threads.run(list_directory(anyread.Reader(), str(tmp_path)))}
    assert [found[name].size_bytes for name in ("a.txt", "file", "broken")] == [5, 5, 0]
    assert found["way"].is_directory
    assert found["way"].is_link
    assert not found["a.txt"].is_link


def test_names_that_are_not_utf8_are_listed(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe")).write_text("")
    [entry] = threads.run(list_directory(anyread.Reader(), str(tmp_path)))
    assert os.fsencode(entry.name) == b"\xff\xfe"


def test_denied_entries_are_not_listed(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("")
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "d").mkdir()
    reader = anyread.Reader(roots=[tmp_path], deny=["**/.env", "d"])
    assert listed(reader, tmp_path) == {"a.txt": "file"}
    with pytest.raises(DeniedError):
        listed(reader, tmp_path / "d")


def test_directories_outside_of_the_roots_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "out").symlink_to(tmp_path)
    reader = anyread.Reader(roots=[tmp_path / "in"])
    assert listed(reader, tmp_path / "in") == {"out": "link"}
    for path in (tmp_path, tmp_path / "in" / "out", tmp_path / "in" / ".."):
        with pytest.raises(OutsideRootError):
            listed(reader, path)


def test_files_and_missing_directories_are_errors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises((FileSystemError, NotFoundError)):
        listed(anyread.Reader(), tmp_path / "a.txt")
    with pytest.raises(NotFoundError):
        listed(anyread.Reader(), tmp_path / "gone")


def test_directory_with_too_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directories, "MAX_ENTRIES", 3)
    for number in range(4):
        (tmp_path / str(number)).write_text("")
    with pytest.raises(TooLargeError, match="4 entries"):
        listed(anyread.Reader(), tmp_path)


def test_errno_of_a_path_is_the_one_of_stat(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    codes = {
        name: threads.run(stat_errno(anyread.Reader(), str(tmp_path / name)))
        for name in ("a.txt", "gone", "a.txt/x", "loop", "\0")
    }
    assert codes == {"a.txt": 0, "gone": 2, "a.txt/x": 20, "loop": 40, "\0": 0}


def test_names_are_sorted_as_icu_sorts_them() -> None:
    order = ["_x", "-y", ".git2/", ".hidden", "😀", "1", "10", "2", "ä", "a b", "a-b", "a.txt", "A.txt", "ab"]
    order += ["b", "é.txt", "ss", "ß", "sub/", "Z.txt", "日本"]
    shuffled = order.copy()
    random.Random(7).shuffle(shuffled)
    assert sorted(shuffled, key=collation_key) == order


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", "A"),
        ("A", "b"),
        ("e", "é"),
        ("é", "f"),
        ("a", "a/"),
        ("a-b", "ab"),
        ("_", "-"),
        ("~", "$"),
        ("$", "0"),
        ("9", "a"),
        ("10", "2"),
        ("o", "ö"),
        ("oe", "œ"),
        ("z", "ω"),
        ("", "a"),
        ("\u0301", "a"),
    ],
)
def test_first_name_is_sorted_before_the_second(first: str, second: str) -> None:
    assert collation_key(first) < collation_key(second)


def test_directories_are_listed_on_event_loops_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    tool = anyread.tool("opencode", cwd=tmp_path)
    answer = asyncio.run(tool.call({"filePath": str(tmp_path)}))
    assert answer == tool.call_sync({"filePath": str(tmp_path)})
    assert answer["metadata"]["display"]["entries"] == ["a.txt"]

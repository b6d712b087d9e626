"""Directories as contracts list them, and the order of their names."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread._native import Cancel
from anyread.errors import DeniedError, OutsideRootError, TooLargeError
from anyread.registry import TEXT_EDITORS
from anyread.running.calls import Abandoned, Call, WorkTarget
from anyread.tools.parts import directories, files
from anyread.tools.parts.collation import collation_key
from anyread.tools.parts.directories import DirectoryEntry, list_directory, visible_entries


def listed(reader: anyread.Reader, path: Path | str) -> dict[str, str]:
    return {entry.name: entry.kind for entry in list_directory(reader, str(path))}


def test_entries_have_the_kind_of_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.txt").write_text("12345")
    (tmp_path / "file").symlink_to("a.txt")
    (tmp_path / "way").symlink_to("sub")
    (tmp_path / "broken").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    expected = {"sub": "directory", "a.txt": "file", "file": "file", "way": "directory"}
    assert listed(anyread.Reader(), tmp_path) == {**expected, "broken": "link", "pipe": "other"}
    found = {entry.name: entry for entry in list_directory(anyread.Reader(), str(tmp_path))}
    assert [found[name].size_bytes for name in ("a.txt", "file", "broken")] == [5, 5, 0]
    assert found["way"].is_directory
    assert found["way"].is_link
    assert not found["a.txt"].is_link


def test_roots_and_deny_rules_apply_to_lists(tmp_path: Path) -> None:
    (tmp_path / "in" / "d").mkdir(parents=True)
    (tmp_path / "in" / "out").symlink_to(tmp_path)
    (tmp_path / "in" / ".env").write_text("")
    reader = anyread.Reader(roots=[tmp_path / "in"], deny=["**/.env", "**/d"])
    assert listed(reader, tmp_path / "in") == {"out": "link"}
    with pytest.raises(DeniedError):
        listed(reader, tmp_path / "in" / "d")
    with pytest.raises(OutsideRootError):
        listed(reader, tmp_path / "in" / "out")


def test_directory_with_too_many_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directories, "MAX_ENTRIES", 3)
    for number in range(4):
        (tmp_path / str(number)).write_text("")
    with pytest.raises(TooLargeError, match="4 entries"):
        listed(anyread.Reader(), tmp_path)


def test_names_are_sorted_as_icu_sorts_them() -> None:
    order = ["_x", "-y", ".git2/", ".hidden", "😀", "1", "10", "2", "ä", "a b", "a-b", "a.txt", "A.txt", "ab"]
    order += ["b", "é.txt", "ss", "ß", "sub/", "Z.txt", "日本"]
    shuffled = order.copy()
    random.Random(7).shuffle(shuffled)
    assert sorted(shuffled, key=collation_key) == order


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("opencode", {"filePath": "."}),
        ("opencode", {"filePath": "missing"}),
        *((name, {"command": "view", "path": "."}) for name in TEXT_EDITORS),
        ("mcp-filesystem", {"path": "e\u0301"}),
    ],
)
def test_directories_are_listed_and_sorted_outside_of_the_event_loop(
    name: str, arguments: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory of 100,000 entries stopped the loop for eight seconds, because it was sorted there."""
    directory = tmp_path / "memories"
    directory.mkdir()
    (directory / "a.txt").write_text("")
    tool = anyread.tool(name, cwd=directory)
    if name == "anthropic-memory":
        tool, directory = anyread.tool(name, cwd=tmp_path), Path("/memories")
    path = next(each for each in arguments if each != "command")
    call = {**arguments, path: os.path.normpath(directory / arguments[path]).replace(os.sep, "/")}
    expected = tool.call_sync(call)
    threads_of_entries = set()

    def noted(*fields: Any) -> Any:
        threads_of_entries.add(threading.get_ident())
        return DirectoryEntry(*fields)

    monkeypatch.setattr(directories, "DirectoryEntry", noted)
    assert asyncio.run(tool.call(call)) == expected
    assert threads_of_entries
    assert threading.get_ident() not in threads_of_entries


def test_abandoned_listing_ends(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    call = Call()

    def listing() -> None:
        entries = visible_entries(anyread.Reader(), str(tmp_path), levels=2)
        next(entries)
        call.is_abandoned = True
        list(entries)

    with pytest.raises(Abandoned):
        call.run_at("thread", Cancel(), listing)


def test_mount_that_may_hang_is_listed_without_its_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that lists a directory must not wait for a server that another one needs."""
    for name in ("local", "remote"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("")

    def target_of(reader: anyread.Reader, path: str) -> WorkTarget:
        return files.target_of(reader, path)._replace(remote_mount=lambda: 7 if "remote" in path else None)

    monkeypatch.setattr(directories, "target_of", target_of)

    def names(path: Path) -> list[str]:
        found = visible_entries(anyread.Reader(), str(path), levels=2, is_sorted=True)
        return [name for name, _ in found]

    assert names(tmp_path) == ["local", "local/a.txt", "remote"]
    assert names(tmp_path / "remote") == ["a.txt"]

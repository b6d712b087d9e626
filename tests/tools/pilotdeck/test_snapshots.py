"""Stubs for unchanged files, and files that must be read before they are written."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.errors import StaleReadError

STUB = "File unchanged since the last read. Refer to the earlier read_file result instead of re-reading it."
CHANGED = "File has changed since the last read. Read it again before writing to it."


def is_stub(output: Any) -> bool:
    found = output["content"] == [{"type": "text", "text": STUB}]
    assert found is (output.get("metadata") == {"unchanged": True})
    assert found is output["data"].get("unchanged", False)
    return bool(found)


def touch(path: Path, seconds: float = 10) -> None:
    moved = path.stat().st_mtime_ns + int(seconds * 1e9)
    os.utime(path, ns=(moved, moved))


def refused(deck: Any, path: Any) -> str | None:
    try:
        deck.tool.assert_fresh(path)
    except StaleReadError as error:
        return error.message
    return None


def test_stub_ends_when_the_modification_time_changes(deck: Any) -> None:
    path = deck.write("a.txt", "one")
    deck.read("a.txt")
    stat = path.stat()
    path.write_text("two")
    os.utime(path, ns=(stat.st_mtime_ns, stat.st_mtime_ns + 400_000 // 1_000_000))
    assert is_stub(deck.read("a.txt"))
    touch(path)
    assert deck.text("a.txt") == "1|two"


@pytest.mark.parametrize(
    ("name", "data", "hashed"),
    [
        ("a.txt", b"\xef\xbb\xbfone", b"one"),
        ("a.txt", b"a\xffb", "a\ufffdb".encode()),
        ("a.ipynb", json.dumps({"cells": []}).encode(), json.dumps({"cells": []}).encode()),
    ],
)
def test_snapshot_has_the_hash_of_the_decoded_text(deck: Any, name: str, data: bytes, hashed: bytes) -> None:
    path = deck.write(name, data)
    deck.read(name)
    snapshot = deck.tool.session.snapshot(path).facts["write_snapshot"]
    assert snapshot.content_hash == hashlib.sha256(hashed).hexdigest()


@pytest.mark.parametrize(
    ("other", "argument"), [("mycode", "file_path"), ("forge", "path"), ("anyread", "path")]
)
def test_file_that_another_tool_of_the_session_read_may_be_written_until_it_changes(
    deck: Any, other: str, argument: str
) -> None:
    """Only reads by this tool counted, so a file that the model had just seen could not be written."""
    path = deck.write("a.txt", "one\ntwo")
    second = anyread.tool(other, cwd=deck.directory, session=deck.tool.session)
    second.call_sync({argument: "a.txt"})
    assert refused(deck, "a.txt") is None
    path.write_text("three, and longer")
    assert refused(deck, "a.txt") == CHANGED
    deck.read("a.txt")
    second.call_sync({argument: "a.txt"})
    assert refused(deck, "a.txt") is None

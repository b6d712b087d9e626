"""Which files mycode's `Read` accepts, and how it refuses the others."""

from __future__ import annotations

import os
from typing import Any

import pytest

import anyread
from anyread.errors import AccessError

ABSENT = {"success": False, "error": "File does not exist"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, path: Any, **more: Any) -> Any:
    return tool.call_sync({"file_path": str(path), **more})


def test_file_in_a_directory_without_permission_does_not_exist(
    tool: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    path = str(tmp_path / "a.txt")
    refuse_to_open(monkeypatch, tool, AccessError(path, part=str(tmp_path)))
    assert read(tool, path) == ABSENT


def refuse_to_open(monkeypatch: Any, tool: Any, error: Any) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(tool._context.reader._engine, "open", refuse)


def test_file_over_50_mib_is_refused(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "large.log"
    path.touch()
    os.truncate(path, 50 * 1024 * 1024 + 1)
    assert read(tool, path, limit=1) == {
        "success": False,
        "error": "File is too large: 52,428,801 bytes (limit: 52,428,800 bytes)",
    }


def test_file_without_a_size_is_limited_by_the_bytes_read(tmp_path: Any) -> None:
    tool = anyread.tool("mycode", cwd="/proc", settings={"max_file_bytes": 4})
    assert "too large" in read(tool, "/proc/self/status")["error"]


def test_reads_are_recorded_and_writes_are_never_refused(tool: Any, tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    assert not tool.session.has_read(tmp_path / "a.txt")
    read(tool, "a.txt", limit=1)
    record = tool.session.snapshot(tmp_path / "a.txt")
    assert (record.kind, record.form, record.offset, record.limit) == ("text", "text", 1, 1)
    read(tool, "no.txt")
    assert len(tool.session.records) == 1
    tool.assert_fresh(tmp_path / "never-read.txt")

"""Which files mycode's `Read` accepts, and how it refuses the others."""

from __future__ import annotations

import os
from typing import Any

import pytest

import anyread
from anyread.errors import AccessError

ABSENT = {"success": False, "error": "File does not exist"}
BINARY = {"success": False, "error": "Binary files cannot be read as text"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("mycode", cwd=tmp_path)


def read(tool: Any, path: Any, **more: Any) -> Any:
    return tool.call_sync({"file_path": str(path), **more})


def test_answer_has_these_fields_in_this_order(tool: Any, tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    os.utime(tmp_path / "a.txt", ns=(0, 1_700_000_000_123_600_000))
    answer = read(tool, "a.txt")
    assert list(answer) == ["success", "content", "contentType", "lineCount", "truncated", "metadata"]
    # Milliseconds are rounded, as in Node.
    assert answer["metadata"] == {"size": 3, "modified": "2023-11-14T22:13:20.124Z", "encoding": "utf-8"}


@pytest.mark.parametrize("path", ["a.txt", "./sub/../a.txt", "nowhere/../a.txt", "{}/a.txt"])
def test_relative_path_starts_from_the_working_directory_and_is_normalized(
    tool: Any, tmp_path: Any, path: Any
) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    assert read(tool, path.format(tmp_path))["content"] == "1\tone"


@pytest.mark.parametrize(
    "path", ["no.txt", "no/a.txt", "a.txt/b", "x" * 300, "nul\0.txt", "no.bin", "\udc80\ud800"]
)
def test_file_that_cannot_be_found_does_not_exist(tool: Any, tmp_path: Any, path: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    assert read(tool, path) == ABSENT


def test_directory_is_refused_in_nodes_wording(tool: Any, tmp_path: Any) -> None:
    (tmp_path / "sub.png").mkdir()
    expected = {"success": False, "error": "EISDIR: illegal operation on a directory, read"}
    assert read(tool, "") == expected
    assert read(tool, "sub.png") == expected
    (tmp_path / "sub.zip").mkdir()
    assert read(tool, "sub.zip") == BINARY


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


@pytest.mark.parametrize("path", ["../a.txt", "{}/a.txt", "link", "sub/../../a.txt"])
def test_file_outside_the_working_directory_is_refused_by_default(tmp_path: Any, path: Any) -> None:
    """Every file could be read, although the proposal (docs/contracts/mycode.md) forbids such paths."""
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "a.txt").write_bytes(b"one")
    (inside / "link").symlink_to("../a.txt")
    tool = anyread.tool("mycode", cwd=inside)
    answer = read(tool, path.format(tmp_path))
    assert answer["success"] is False
    assert "outside" in answer["error"]
    unconfined = anyread.tool("mycode", cwd=inside, settings={"allow_outside_cwd": True})
    assert read(unconfined, path.format(tmp_path))["content"] == "1\tone"


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(60), b"\x7fELF\x02\x01\x01" + bytes(60)])
def test_binary_of_a_known_format_is_refused_whatever_its_extension(tmp_path: Any, data: Any) -> None:
    """Archives and programs without one of the binary extensions were shown as text."""
    (tmp_path / "a.txt").write_bytes(data)
    assert read(anyread.tool("mycode", cwd=tmp_path), "a.txt") == BINARY
    unchecked = anyread.tool("mycode", cwd=tmp_path, validate_media=False)
    assert read(unchecked, "a.txt")["success"] is True


@pytest.mark.parametrize("name", ["a.exe", "a.bin", "A.ZIP", "a.tar", "a.woff2", "a.dat", "a.jar"])
def test_binary_extension_is_refused_whatever_the_file_contains(tool: Any, tmp_path: Any, name: Any) -> None:
    (tmp_path / name).write_bytes(b"plain text\n")
    assert read(tool, name) == BINARY


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "bin", ".bin", "zip.", "a.bin.txt", "a.docx", "Makefile"])
def test_any_other_extension_is_read_as_text(tool: Any, tmp_path: Any, name: Any) -> None:
    (tmp_path / name).write_bytes(b"%PDF-\x00\xff")
    assert read(tool, name)["content"] == "1\t%PDF-\0\ufffd"


def test_file_over_50_mib_is_refused(tool: Any, tmp_path: Any) -> None:
    path = tmp_path / "large.log"
    path.touch()
    os.truncate(path, 50 * 1024 * 1024 + 1)
    assert read(tool, path, limit=1) == {
        "success": False,
        "error": "File is too large: 52,428,801 bytes (limit: 52,428,800 bytes)",
    }


def test_size_limit_is_a_setting_and_inclusive(tmp_path: Any) -> None:
    tool = anyread.tool("mycode", cwd=tmp_path, settings={"max_file_bytes": 4})
    (tmp_path / "a.txt").write_bytes(b"four")
    (tmp_path / "b.ipynb").write_bytes(b"{    }")
    assert read(tool, "a.txt")["success"] is True
    assert "too large" in read(tool, "b.ipynb")["error"]


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


def test_text_and_errors_are_text_blocks(tool: Any, tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    assert tool.blocks(read(tool, "a.txt")) == [anyread.TextBlock("1\tone")]
    assert tool.blocks(ABSENT) == [anyread.TextBlock("File does not exist")]

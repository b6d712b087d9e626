"""The `read` of opencode 2, of which there are no recorded calls: what its source says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.tools import Tool
from helpers.media import drawing, encoded


@pytest.fixture
def tool(tmp_path: Path) -> Tool:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "b").mkdir()
    (tmp_path / "caf\u00e9 x.txt").write_text("found\n")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "a.bin").write_bytes(b"\0")
    return anyread.tool("opencode-2", cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ({"path": "a.txt"}, "Read file a.txt, lines 1-3\n1: one\n2: two\n3: three"),
        (
            {"path": "a.txt", "offset": 2, "limit": 1},
            "Read file a.txt, lines 2-2\n2: two\n[Output truncated. Continue reading with offset: 3]",
        ),
        ({"path": "empty.txt"}, "Read file empty.txt, 0 lines"),
        ({"path": "cafe\u0301\u00a0x.txt"}, "Read file cafe\u0301\u00a0x.txt, lines 1-1\n1: found"),
        ({"path": "b"}, "Read directory b, 0 entries"),
        (
            {"path": ".", "limit": 2},
            "Read directory ., entries 1-2\nb/\na.bin\n[Output truncated. Continue reading with offset: 3]",
        ),
        ({"path": ".", "offset": 3}, "Read directory ., entries 3-5\na.txt\ncaf\u00e9 x.txt\nempty.txt"),
    ],
)
def test_text_and_directories(tool: Tool, arguments: dict[str, Any], output: str) -> None:
    answer = tool.call_sync(arguments)
    assert answer["output"] == output
    assert answer["metadata"] == {"truncated": "Output truncated" in output}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"path": "nothing"}, "File not found: nothing"),
        ({"path": "a.tx"}, "File not found: a.tx\n\nDid you mean one of these?\n${DIR}/a.txt"),
        ({"path": "a.bin"}, "Cannot read binary file: a.bin"),
        ({"path": "a.txt", "offset": 9}, "Offset 9 is out of range"),
        ({"path": "a.txt/x"}, "Unable to read a.txt/x"),
    ],
)
def test_errors(tool: Tool, tmp_path: Path, arguments: dict[str, Any], error: str) -> None:
    answer = tool.call_sync(arguments)
    assert answer == {"is_error": True, "error": error.replace("${DIR}", str(tmp_path))}


@pytest.mark.parametrize("arguments", [{"filePath": "a"}, {"path": 1}, {"path": "a", "limit": 2_001}])
def test_arguments_that_violate_the_schema_are_refused(tool: Tool, arguments: dict[str, Any]) -> None:
    assert "SchemaError" in tool.call_sync(arguments)["error"]


def test_image_is_attached_with_its_path(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(30, 20), "PNG"))
    answer = tool.call_sync({"path": "a.png"})
    assert answer["output"] == "Image read successfully"
    assert {**answer["attachments"][0], "url": ""} == {
        "type": "file",
        "mime": "image/png",
        "url": "",
        "name": "a.png",
    }

"""The arguments and definitions of forge's tools."""

from __future__ import annotations

from typing import Any

import pytest

import anyread

PATH = {"path": "a.txt"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return anyread.tool("forge", cwd=tmp_path)


def body(answer: Any) -> Any:
    return answer["values"][0]["text"].partition("CDATA[")[2].removesuffix("]]>\n</file>")


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (PATH, "1:one\n2:two\n3:three"),
        ({"file_path": "a.txt"}, "1:one\n2:two\n3:three"),
        ({**PATH, "start_line": 2}, "2:two\n3:three"),
        ({**PATH, "start_line": "2", "end_line": " 2 "}, "2:two"),
        ({**PATH, "start_line": 2.0, "end_line": 2.0}, "2:two"),
        ({**PATH, "end_line": 0}, "1:one"),
        ({**PATH, "start_line": None, "end_line": None, "file_type": None}, "1:one\n2:two\n3:three"),
        ({**PATH, "show_line_numbers": False}, "one\ntwo\nthree"),
        ({**PATH, "show_line_numbers": "False"}, "one\ntwo\nthree"),
        ({**PATH, "show_line_numbers": None}, "1:one\n2:two\n3:three"),
        ({**PATH, "start_line": 2**31 - 1}, "2147483647:three"),
        ({**PATH, "file_type": ""}, "1:one\n2:two\n3:three"),
        ({**PATH, "color": "blue"}, "1:one\n2:two\n3:three"),
    ],
)
def test_valid_arguments_are_accepted(tool: Any, arguments: Any, shown: Any) -> None:
    assert tool.validate(arguments) is None
    assert body(tool.call_sync(arguments)) == shown


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "missing field `path`"),
        ({"path": None}, "missing field `path`"),
        ({"path": 3}, "invalid type: integer `3`, expected a string for `path`"),
        ({**PATH, "start_line": -1}, "invalid value: integer `-1`, `start_line` counts from 1"),
        ({**PATH, "end_line": "-5"}, "invalid value: integer `-5`, `end_line` counts from 1"),
        ({**PATH, "end_line": "five"}, 'invalid type: string "five", expected i32 for `end_line`'),
        ({**PATH, "end_line": 1.5}, "invalid type: floating point `1.5`, expected i32 for `end_line`"),
        ({**PATH, "end_line": True}, "invalid type: boolean `true`, expected i32 for `end_line`"),
        ({**PATH, "end_line": [1]}, "invalid type: sequence, expected i32 for `end_line`"),
        ({**PATH, "end_line": 2**31}, "invalid value: integer `2147483648`, expected i32 for `end_line`"),
        (
            {**PATH, "end_line": 1 << 4_000},
            "invalid value: integer `of 4,001 bits`, expected i32 for `end_line`",
        ),
        (
            {**PATH, "show_line_numbers": 1},
            "invalid type: integer `1`, expected a boolean for `show_line_numbers`",
        ),
        ({**PATH, "file_type": {}}, "invalid type: map, expected a string for `file_type`"),
    ],
)
def test_arguments_that_break_the_schema_are_errors(tool: Any, arguments: Any, error: Any) -> None:
    assert tool.validate(arguments) == {"is_error": True, "text": error}
    assert tool.call_sync(arguments) == {"is_error": True, "text": error}


def test_second_tool_is_deprecated_in_one_sentence(tool: Any) -> None:
    [read, read_image] = tool.definitions()
    assert (read.name, read_image.name) == ("read", "read_image")
    assert "`read`" in read_image.description
    assert read_image.description.count(".") == 1
    assert read_image.input_schema["required"] == ["path"]


def test_settings_change_the_limits_of_a_text(tmp_path: Any) -> None:
    (tmp_path / "a.txt").write_text("abcdef\nb\nc\n")
    tool = anyread.tool("forge", cwd=tmp_path, settings={"max_read_lines": 2, "max_line_bytes": 3})
    assert body(tool.call_sync(PATH)) == "1:abc... [truncated, line exceeds 3 chars]\n2:b"

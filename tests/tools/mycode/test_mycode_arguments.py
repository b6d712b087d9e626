"""The arguments of mycode's `Read`, and the wording of its schema checker."""

from __future__ import annotations

import math
from typing import Any

import pytest

import anyread

PATH = {"file_path": "a.txt"}


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    return anyread.tool("mycode", cwd=tmp_path)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "file_path: Invalid input: expected string, received undefined"),
        ({"file_path": None}, "file_path: Invalid input: expected string, received null"),
        ({"file_path": 3}, "file_path: Invalid input: expected string, received number"),
        ({"file_path": ["a"]}, "file_path: Invalid input: expected string, received array"),
        ({"file_path": {}}, "file_path: Invalid input: expected string, received object"),
        ({**PATH, "offset": 0}, "offset: Too small: expected number to be >0"),
        ({**PATH, "offset": -1}, "offset: Too small: expected number to be >0"),
        ({**PATH, "limit": 0}, "limit: Too small: expected number to be >0"),
        ({**PATH, "offset": 1.5}, "offset: Invalid input: expected int, received number"),
        ({**PATH, "offset": "1"}, "offset: Invalid input: expected number, received string"),
        ({**PATH, "offset": True}, "offset: Invalid input: expected number, received boolean"),
        ({**PATH, "limit": None}, "limit: Invalid input: expected number, received null"),
        ({**PATH, "limit": math.nan}, "limit: Invalid input: expected number, received NaN"),
        ({**PATH, "limit": math.inf}, "limit: Invalid input: expected number, received Infinity"),
        ({**PATH, "limit": 2**53}, "limit: Too big: expected int to be <=9007199254740991"),
        ({**PATH, "limit": 10**400}, "limit: Too big: expected int to be <=9007199254740991"),
        (
            {**PATH, "offset": 0, "limit": 1.5},
            (
                "offset: Too small: expected number to be >0; "
                "limit: Invalid input: expected int, received number"
            ),
        ),
    ],
)
def test_arguments_that_break_the_schema_are_refused_in_the_checkers_wording(
    tool: Any, arguments: dict[str, Any], error: Any
) -> None:
    assert tool.validate(arguments) == {"success": False, "error": error}
    assert tool.call_sync(arguments) == {"success": False, "error": error}


@pytest.mark.parametrize(
    "arguments",
    [
        PATH,
        {**PATH, "offset": 1},
        {**PATH, "limit": 2**53 - 1},
        {**PATH, "offset": 2.0, "limit": 1.0},
        {**PATH, "color": "blue"},
    ],
)
def test_valid_arguments_are_accepted(tool: Any, arguments: dict[str, Any]) -> None:
    assert tool.validate(arguments) is None
    assert tool.call_sync(arguments)["success"] is True


def test_call_without_an_object_has_no_path(tool: Any) -> None:
    assert tool.call_sync("a.txt")["error"].endswith("received undefined")


def test_tool_describes_itself(tool: Any) -> None:
    assert (tool.name, tool.aliases, tool.kind) == ("Read", (), "read")
    assert (tool.read_only, tool.concurrency_safe, tool.max_result_bytes) == (True, True, None)
    assert tool.input_schema["required"] == ["file_path"]
    assert set(tool.input_schema["properties"]) == {"file_path", "offset", "limit"}
    assert tool.input_schema["properties"]["limit"]["default"] == 2_000
    assert "2,000" in tool.description
    assert "52,428,800" in tool.description


def test_unknown_setting_is_a_type_error_that_lists_the_known_ones() -> None:
    with pytest.raises(TypeError, match="max_line_units"):
        anyread.tool("mycode", settings={"max_line_unit": 3})

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

"""What `read_file` refuses before it opens any file."""

from __future__ import annotations

from typing import Any

import pytest

from anyread.tools.pilotdeck.arguments import is_blocked_device


def issues(deck: Any, arguments: Any) -> tuple[str, list[tuple[str, str, str]]]:
    output = deck.tool.call_sync(arguments)
    assert output["type"] == "error"
    assert output == deck.tool.validate(arguments)
    error = output["error"]
    assert error["code"] == "invalid_tool_input"
    found = error["details"]["issues"]
    return error["message"], [(issue["path"], issue["code"], issue["message"]) for issue in found]


def test_definition_names_the_arguments_and_their_limits(deck: Any) -> None:
    (definition,) = deck.tool.definitions()
    assert (definition.name, deck.tool.aliases) == ("read_file", ("Read",))
    schema = definition.input_schema
    assert schema["required"] == ["file_path"]
    assert schema["additionalProperties"] is False
    assert {name: rule["type"] for name, rule in schema["properties"].items()} == {
        "file_path": "string",
        "offset": "integer",
        "limit": "integer",
        "pages": "string",
    }
    assert "20 pages" in definition.description
    assert (deck.tool.read_only, deck.tool.concurrency_safe, deck.tool.max_result_bytes) == (
        True,
        True,
        200_000,
    )


@pytest.mark.parametrize("value", [1.5, "2", True, None, [1]])
def test_value_that_is_not_an_integer_is_refused(deck: Any, value: Any) -> None:
    _, found = issues(deck, {"file_path": "a.txt", "offset": value})
    assert found == [("$.offset", "invalid_type", "$.offset must be integer.")]


def test_number_without_fraction_is_an_integer(deck: Any) -> None:
    deck.write("a.txt", "one\ntwo")
    assert deck.text("a.txt", offset=2.0) == "2|two"


@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        ({"offset": 0}, "offset", "offset must be a 1-based line number (>= 1)."),
        ({"offset": -1}, "offset", "offset must be a 1-based line number (>= 1)."),
        ({"limit": -1}, "limit", "limit must be greater than or equal to 0."),
        ({"offset": 0, "limit": -1}, "offset", "offset must be a 1-based line number (>= 1)."),
        ({"pages": ""}, "pages", 'pages must use formats like "1-5" or "3".'),
        ({"pages": "5-2"}, "pages", 'pages must use formats like "1-5" or "3".'),
        ({"pages": "0"}, "pages", 'pages must use formats like "1-5" or "3".'),
        ({"pages": "2-"}, "pages", 'pages must use formats like "1-5" or "3".'),
        ({"pages": "1,3"}, "pages", 'pages must use formats like "1-5" or "3".'),
        ({"pages": "1-21"}, "pages", "pages exceeds the maximum of 20 pages per request."),
        ({"pages": "2-25"}, "pages", "pages exceeds the maximum of 20 pages per request."),
        (
            {"file_path": "/dev/zero"},
            "file_path",
            "device files that block or stream infinitely are not readable.",
        ),
        ({"file_path": "a.zip"}, "file_path", "binary files are not supported by read_file."),
    ],
)
def test_only_the_first_invalid_value_is_an_issue(
    deck: Any, arguments: dict[str, Any], path: str, message: str
) -> None:
    summary, found = issues(deck, {"file_path": "doc.pdf", **arguments})
    assert summary == "Tool read_file rejected the input."
    assert found == [(path, "invalid_schema", message)]


def test_twenty_pages_are_accepted(deck: Any) -> None:
    assert deck.tool.validate({"file_path": "doc.pdf", "pages": "2-21"}) is None


BLOCKED = [
    *[f"/dev/{name}" for name in ["zero", "random", "urandom", "full", "stdin", "tty", "console"]],
    *["/dev/stdout", "/dev/stderr", "/dev/fd/0", "/dev/fd/1", "/dev/fd/2"],
    *["/proc/self/fd/0", "/proc/1/fd/1", "/proc/1/task/2/fd/2"],
    *["CON", "NUL", "PRN", "AUX", "COM1", "LPT1", "CON.txt", "NUL.log", "nul", "Con", "/src/aux.rs"],
    *["/a/com9.tar", "/a/lpt9"],
]
ALLOWED = [
    *["/dev/null", "/dev/fd/3", "/dev/zero/x", "/proc/self/fd/3", "/x/proc/self/fd/0"],
    *["COM0", "COM10", "console", "nul.tar.gz", ".nul", "/src/auxiliary.rs"],
]


def test_devices_are_blocked_and_other_paths_are_not() -> None:
    assert [path for path in BLOCKED if not is_blocked_device(path)] == []
    assert [path for path in ALLOWED if is_blocked_device(path)] == []

"""What `read_file` refuses before it opens any file."""

from __future__ import annotations

from typing import Any

from anyread.tools.pilotdeck.arguments import is_blocked_device


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

"""Places in the reports that tools write as JSON: ruff, ESLint, mypy, `rg --json`, SARIF, LSP and others.

Their shapes differ, their words hardly do: an object has a file, or is below one that has, and a line.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from anyread.arguments.places import decoded

LONGEST = 4_000_000
"""The length in characters up to which a report is read; a longer one is searched like other texts."""
_FILES = (
    "file", "filename", "filePath", "file_name", "Filename", "path", "uri", "targetUri", "artifactLocation",
    "Pos",
)  # fmt: skip
_LINES = (
    "line",
    "row",
    "line_number",
    "lineNumber",
    "startLine",
    "start_line",
    "line_start",
    "Line",
    "begin",
)
_ENDS = ("endLine", "end_line", "line_end", "last_line", "endLineNumber", "end")
_COLUMNS = ("column", "col", "character", "startColumn", "column_start", "start_column", "Column")
_END_OBJECTS = ("end", "end_location", "finish")
_SKIPPED = {
    *_END_OBJECTS, "fix", "fixes", "suggestions", "edits", "contextRegion", "targetSelectionRange",
    "submatches", "suppressedMessages",
}  # fmt: skip
"""Where an object ends, and what it proposes to write."""
_MESSAGES = ("message", "extra", "text", "lines")

_DECODER = json.JSONDecoder()


class Reported(NamedTuple):
    """A place, and what the report says of it."""

    path: str
    line: int
    end_line: int | None
    column: int | None
    message: str


class _Node(NamedTuple):
    value: Any
    path: str = ""
    message: str = ""
    end: int | None = None


def found(text: str) -> tuple[list[Reported], int]:
    """Return the places of the JSON value that a text begins with, and its length; none if it is no JSON."""
    try:
        value, length = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return [], 0
    reported = []
    left = [_Node(value)]
    while left:
        node = left.pop()
        below: list[_Node] = []
        if isinstance(node.value, list):
            below = [node._replace(value=value) for value in node.value]
        elif isinstance(node.value, dict):
            names = node.value
            # Some call a rule, or the text of a file, its source.
            path = _path(names, _FILES) or node.path or _path(names, ("source",))
            message = _message(names) or node.message
            line = _number(names, _LINES)
            end = _number(names, _ENDS) or node.end
            if line is not None and path:
                # The protocol of language servers counts from 0, and is the only one that has characters.
                add = int("character" in names)
                column = _number(names, _COLUMNS)
                last = end if end and end > line + add else None
                reported.append(
                    Reported(path, line + add, last, None if column is None else column + add, message)
                )
            for name, value in names.items():
                if name not in _SKIPPED and isinstance(value, dict | list):
                    # PHPStan and edits of workspaces have files as names.
                    file = name if "/" in name or "." in name else path
                    below.append(_Node(value, decoded(file), message, _end_of(names)))
        left += reversed(below)
    return reported, length


def _path(names: dict[str, Any], keys: tuple[str, ...]) -> str:
    for name in keys:
        value, key = names.get(name), name
        if isinstance(value, dict):
            key = next((key for key in ("text", "uri", "Filename") if key in value), "")
            value = value.get(key)
        if isinstance(value, str) and value and "\n" not in value:
            is_relative = key in {"uri", "targetUri"} and "://" not in value
            return decoded(f"file://{value}" if is_relative else value)
    return ""


def _number(names: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = names.get(key)
        if type(value) is int and 0 <= value < 10**15:
            return value
    return None


def _end_of(names: dict[str, Any]) -> int | None:
    """Return the last line of the object in which a start and an end are objects."""
    for key in _END_OBJECTS:
        end = names.get(key)
        if isinstance(end, dict):
            line = _number(end, _LINES)
            if line is None or "character" not in end:
                return line
            # The end is exclusive: at the start of a line, the line before is the last.
            return line + bool(end["character"])
    return None


def _message(names: dict[str, Any]) -> str:
    for key in _MESSAGES:
        value = names.get(key)
        if isinstance(value, dict):
            value = value.get("message", value.get("text"))
        if isinstance(value, str):
            return value
    return ""

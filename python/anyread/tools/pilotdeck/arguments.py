"""The arguments of `read_file`: their schema, and what is wrong with those that break it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from .answers import NAME, Json, error
from .names import has_binary_extension, is_blocked_device

MAX_PAGES: Final = 20
"""Pages of a PDF a call."""

SCHEMA: Final[Json] = {
    "type": "object",
    "required": ["file_path"],
    "additionalProperties": False,
    "properties": {
        "file_path": {
            "type": "string",
            "description": "Path of the file, relative to the workspace or absolute; it must lie inside it.",
        },
        "offset": {
            "type": "integer",
            "description": "First line to read, counted from 1. Leave it out unless the file is too large.",
        },
        "limit": {
            "type": "integer",
            "description": "How many lines to read. Leave it out unless the file is too large.",
        },
        "pages": {
            "type": "string",
            "description": (
                f'Pages of a PDF, such as "1-5", "3" or "10-20"; at most {MAX_PAGES} a call. For PDFs only.'
            ),
        },
    },
}

_TYPES: Final = {name: rule["type"] for name, rule in SCHEMA["properties"].items()}
_PAGES = re.compile(r"([0-9]+)(?:\s*-\s*([0-9]+))?")
_BLANKS = " \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""What JavaScript trims."""
_MAX_DIGITS = 20
"""A number with more digits is past the end of every PDF, whatever the digits are."""


class PageRange(NamedTuple):
    """Pages of a PDF."""

    first: int
    """The first, counted from 1."""
    last: int
    """The last, itself included."""


class Asked(NamedTuple):
    """Arguments that were found good."""

    file_path: str
    offset: int | None
    """First line, counted from 1; `None`: not given."""
    limit: int | None
    """Lines; `None`: all."""
    pages: str | None
    """Pages as they were given."""


def asked(arguments: Mapping[str, Any]) -> Asked:
    """Name arguments that passed `fault`."""
    offset, limit = arguments.get("offset"), arguments.get("limit")
    return Asked(
        arguments["file_path"],
        None if offset is None else int(offset),
        None if limit is None else int(limit),
        arguments.get("pages"),
    )


def page_range(pages: str) -> PageRange | None:
    """Read a range of pages; `None`: it is none."""
    found = _PAGES.fullmatch(pages.strip(_BLANKS))
    if found is None:
        return None
    first = _number(found[1])
    last = first if found[2] is None else _number(found[2])
    return PageRange(first, last) if 1 <= first <= last else None


def _number(digits: str) -> int:
    return int(digits.lstrip("0")[:_MAX_DIGITS] or "0")


def schema_fault(arguments: object) -> Json | None:
    """Find everything that breaks the schema, as an error; `None`: nothing does."""
    issues = _issues(arguments)
    if not issues:
        return None
    label = "issue" if len(issues) == 1 else "issues"
    lines = "\n".join(map(_sentence, issues))
    message = f"{NAME} failed due to the following {label}:\n{lines}"
    return error("invalid_tool_input", message, {"issues": issues})


def _issues(arguments: object) -> list[Json]:
    if not isinstance(arguments, Mapping):
        return [_issue("$", "invalid_type", "$ must be object.")]
    missing = [name for name in SCHEMA["required"] if name not in arguments]
    unknown = [name for name in arguments if name not in _TYPES]
    mistyped = [
        (name, kind)
        for name, kind in _TYPES.items()
        if name in arguments and not _fits(arguments[name], kind)
    ]
    if not (missing or unknown or mistyped):
        return []
    return [
        *(_issue(f"$.{name}", "required", f"$.{name} is required.") for name in missing),
        *(_issue(f"$.{name}", "unknown_property", f"$.{name} is not allowed.") for name in unknown),
        *(_issue(f"$.{name}", "invalid_type", f"$.{name} must be {kind}.") for name, kind in mistyped),
    ]


def _fits(value: object, kind: str) -> bool:
    if kind == "string":
        return isinstance(value, str)
    # JSON does not tell 2.0 from 2, and true is no number.
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )


def _issue(path: str, code: str, message: str) -> Json:
    return {"path": path, "code": code, "message": message}


def _sentence(issue: Json) -> str:
    parameter = issue["path"].removeprefix("$").removeprefix(".")
    if issue["code"] == "required":
        return f"The required parameter `{parameter}` is missing"
    if issue["code"] == "unknown_property":
        return f"An unexpected parameter `{parameter}` was provided"
    return f"The parameter `{parameter}` has an invalid type: {issue['message']}"


def value_fault(asked: Asked, absolute: str) -> Json | None:
    """Find the first value that is refused before the file is looked at, as an error.

    Args:
        asked: The arguments, which fit the schema.
        absolute: The path that they lead to.
    """
    found = _refused(asked, absolute)
    if found is None:
        return None
    issue = _issue(found[0], "invalid_schema", found[1])
    return error("invalid_tool_input", f"Tool {NAME} rejected the input.", {"issues": [issue]})


def _refused(asked: Asked, absolute: str) -> tuple[str, str] | None:
    found = _refused_range(asked)
    if found is not None:
        return found
    if is_blocked_device(absolute):
        return "file_path", "device files that block or stream infinitely are not readable."
    if has_binary_extension(absolute):
        return "file_path", "binary files are not supported by read_file."
    return None


def _refused_range(asked: Asked) -> tuple[str, str] | None:
    if asked.offset is not None and asked.offset < 1:
        return "offset", "offset must be a 1-based line number (>= 1)."
    if asked.limit is not None and asked.limit < 0:
        return "limit", "limit must be greater than or equal to 0."
    if asked.pages is not None:
        # Also of a text, where they are not used.
        pages = page_range(asked.pages)
        if pages is None:
            return "pages", 'pages must use formats like "1-5" or "3".'
        if pages.last - pages.first >= MAX_PAGES:
            return "pages", f"pages exceeds the maximum of {MAX_PAGES} pages per request."
    return None

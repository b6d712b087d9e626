"""The arguments of Claude Code's Read, and its words for those that it refuses."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread.arguments.page_range import PageRange
from anyread.tools.parts import schemas
from anyread.tools.parts.javascript import type_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_PDF_PAGES: Final = 20
"""The most pages of a PDF per call."""
BOOLEANS: Final = {"true": True, "false": False}
_MAX_INTEGER: Final = 2**53 - 1

SCHEMA: Final = schemas.closed(
    schemas.arguments(
        "file_path",
        file_path=("string", "The absolute path of the file"),
        offset=schemas.argument(
            "integer", "The first line to read, counted from 1", minimum=0, maximum=_MAX_INTEGER
        ),
        limit=schemas.argument(
            "integer", "The number of lines to read", exclusiveMinimum=0, maximum=_MAX_INTEGER
        ),
        pages=("string", f'Pages of a PDF, such as "1-5", "3" or "10-20"; at most {MAX_PDF_PAGES}'),
        allow_large=("boolean", "Whether a text may be larger than the limits"),
    )
)
_TYPES: Final = {
    name: "number" if rules["type"] == "integer" else rules["type"]
    for name, rules in SCHEMA["properties"].items()
}


class ClaudeArguments(NamedTuple):
    """The checked arguments of a call; they are also the key of its record in the session."""

    path: str
    offset: int | None
    limit: int | None
    pages: PageRange | None
    allow_large: bool
    """Whether the limits on text are lifted."""

    @property
    def is_ranged(self) -> bool:
        """Whether a range of lines was requested."""
        return self.offset is not None or self.limit is not None


def fault(arguments: Mapping[str, Any]) -> str | None:
    """Word what is wrong with the names, types and ranges of arguments; `None`: nothing."""
    faults = list(_faults(arguments))
    if faults:
        issues = "issues" if len(faults) > 1 else "issue"
        return "\n".join([f"Read failed due to the following {issues}:", *faults])
    big = [
        {
            "code": "too_big",
            "maximum": _MAX_INTEGER,
            "note": "Integers must be within the safe integer range.",
            "origin": "int",
            "inclusive": True,
            "path": [name],
            "message": f"Too big: expected int to be <={_MAX_INTEGER}",
        }
        for name in ("offset", "limit")
        if (_number(arguments.get(name)) or 0) > _MAX_INTEGER
    ]
    return json.dumps(big, indent=2) if big else None


def _faults(arguments: Mapping[str, Any]) -> Iterator[str]:
    if "file_path" not in arguments:
        yield "The required parameter `file_path` is missing"
    for name, value in arguments.items():
        expected, number = _TYPES.get(name), _number(value)
        received = type_name(value)
        if expected is None:
            yield f"An unexpected parameter `{name}` was provided"
        elif expected == "number" and number is not None:
            if number % 1 != 0:
                yield f"The parameter `{name}` type is expected as `int` but provided as `number`"
        elif received != expected and not (
            expected == "boolean" and received == "string" and value in BOOLEANS
        ):
            yield f"The parameter `{name}` type is expected as `{expected}` but provided as `{received}`"


def _number(value: object) -> float | None:
    """Return a number, also from its text or a list of only it; `None` for anything else."""
    if isinstance(value, list) and len(value) == 1:
        [value] = value
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"\s*[+-]?[0-9]{1,18}(\.[0-9]{1,18})?\s*", value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def positive(value: object) -> int | None:
    """Return a number of lines, or that of a line; `None`: there is none, or it is ignored."""
    number = _number(value)
    return int(number) if number is not None and number > 0 else None


def pages_fault(pages: str) -> str | None:
    """Word what is wrong with a range of pages; `None`: nothing."""
    found = PageRange.parse(pages)
    if found is None or not found.is_rising:
        example = 'Use formats like "1-5", "3", or "10-20". Pages are 1-indexed.'
        return f'Invalid pages parameter: "{pages}". {example}'
    if found.last is None or found.last - found.first >= MAX_PDF_PAGES:
        exceeds = f"exceeds maximum of {MAX_PDF_PAGES} pages per request."
        return f'Page range "{pages}" {exceeds} Please use a smaller range.'
    return None

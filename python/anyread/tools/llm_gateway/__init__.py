"""The profile `llm-gateway`: `read` with 0-based offsets, a `<file>` element, and FileTime.

Source: the documentation page of the tool, a design document supplied with the project (read 2026-11-21),
and where that is silent the tool's code,
https://github.com/hvent90/llm-gateway/blob/ec0d81d60c5f401a7c603da881a176914671265d/packages/ai/tools/read.ts

docs/tools.md lists the deviations from them, with reasons.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from anyread.errors import NotFoundError, ReadError
from anyread.gutter import Gutter
from anyread.tools.files import open_file
from anyread.tools.lines import LineReader
from anyread.tools.profile import Context, Definition, Output, Profile

from . import media
from .element import (
    MAX_LINE_UNITS,
    MAX_TEXT_UNITS,
    SEPARATOR,
    as_double,
    element,
    formatted,
    sliced,
    units,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import FileState, Steps

__all__ = ["LlmGateway", "LlmGatewaySettings"]

DEFAULT_LIMIT = 2000
"""Lines that a call shows unless it says otherwise."""
_BINARY_WINDOW_BYTES = 8192
# A UTF-16 unit takes at most three bytes of UTF-8; what ends a window earlier is over the budget already.
_WINDOW_BYTES = 4 * (MAX_TEXT_UNITS + 2 * MAX_LINE_UNITS)

_WORDINGS: dict[str, str] = {
    "unread": "{path} must be read before patching",
    "deleted": "{path} was deleted after last read",
    "modified": "{path} has been modified externally since last read. Please re-read before patching.",
}


@dataclass(frozen=True, slots=True)
class LlmGatewaySettings:
    """The profile has nothing to set."""


class LlmGateway(Profile[LlmGatewaySettings]):
    """The contract of llm-gateway's `read`.

    Example:
        >>> read = anyread.tool("llm-gateway")
        >>> print(read.call_sync({"filePath": "/repo/notes.txt", "limit": 1})["context"])
        <file path="/repo/notes.txt" lines="1-1" total="12">
           1 | Notes
        </file>
    """

    name: ClassVar[str] = "read"
    may_create: ClassVar[bool] = False
    Settings: ClassVar[type[Any]] = LlmGatewaySettings

    def __init__(self, context: Context[LlmGatewaySettings]) -> None:
        super().__init__(context)
        self._lines = LineReader(
            context.reader,
            gutter=Gutter.PIPE,
            max_line_chars=MAX_LINE_UNITS,
            max_bytes=_WINDOW_BYTES,
            keeps_returns=True,
        )

    def definitions(self) -> list[Definition]:
        """Give the one tool."""
        return [Definition(self.name, _DESCRIPTION, _SCHEMA)]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Refuse arguments of another type; unknown ones are ignored, as the reference strips them."""
        faults = [
            fault
            for key, expected in (("filePath", "string"), ("offset", "number"), ("limit", "number"))
            if (fault := _fault(key, arguments, expected)) is not None
        ]
        return {"context": "Invalid arguments: " + "; ".join(faults)} if faults else None

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Read a picture or a PDF by its extension, anything else as text."""
        path = arguments["filePath"]
        # The contract takes absolute paths only, and has no message of its own for others.
        if not os.path.isabs(path):  # noqa: PTH117 - a `Path` would take as long as the opening
            return {"context": f"File not found: {path}"}
        kind = media.kind_of(path)
        try:
            file = yield from open_file(self.context.reader, path)
            if kind is not None:
                return (yield from media.read(self.context, file, path, kind))
            offset = as_double(arguments.get("offset", 0))
            limit = as_double(arguments.get("limit", DEFAULT_LIMIT))
            return (yield from self._text(file, path, offset, limit))
        except NotFoundError:
            return {"context": f"File not found: {path}"}
        except ReadError as error:
            return {"context": f"Cannot read {kind.noun if kind else 'file'}: {path}: {error.message}"}

    def blocks(self, output: Output) -> list[Block]:
        """Give the context as text, and its pictures and documents as what they are."""
        return media.blocks(output)

    def failed(self, output: Output) -> bool:
        """Look for what only success has: the element of a text, or the parts of anything else."""
        return "result" not in output and not output["context"].startswith("<file path=")

    def freshness(self, state: FileState, path: str) -> str | None:
        """Word what FileTime says of a patch to the file."""
        wording = _WORDINGS.get(state)
        return None if wording is None else wording.format(path=path)

    def _text(self, file: File, path: str, offset: float, limit: float) -> Steps[Output]:
        if b"\0" in file.head(_BINARY_WINDOW_BYTES):
            return {"context": f"Cannot read binary file: {path}"}
        if isinstance(offset, int) and isinstance(limit, int) and offset >= 0 and limit >= 0:
            window = yield from self._lines.window(file, path, offset, limit)
        else:
            # Where a negative or broken number leads depends on the total, and the numbers are odd ones.
            rows = sliced(offset, limit, (yield from self._lines.total(file, path)))
            window = yield from self._lines.window(file, path, rows.start, len(rows))
            window = window.unnumbered(SEPARATOR)
        body = window.numbered
        if body is not None and len(body) < units(body):
            # Lines that are within the length in characters may be over it in units.
            window, body = window.unnumbered(SEPARATOR), None
        if body is None and window.lines:
            body = "\n".join(formatted(window.lines, offset, window.longer))
        context = element(path, body, offset=offset, total=window.total)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", offset, limit))
        return {"context": context}


def _fault(key: str, arguments: Mapping[str, Any], expected: str) -> str | None:
    """Say what is wrong with an argument in the words of the reference's schema library."""
    value = arguments.get(key)
    if key not in arguments:
        received = "undefined" if expected == "string" else None
    elif expected == "string":
        received = None if isinstance(value, str) else _type_name(value)
    else:
        received = None if _is_number(value) else _type_name(value)
    return received and f"{key}: Invalid input: expected {expected}, received {received}"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(float(value))
    except OverflowError:
        return False


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        if _is_number(value):
            return "number"
        return "NaN" if value != value else "Infinity"  # noqa: PLR0124 - what NaN is known by
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list | tuple) else "object"


_DESCRIPTION = (
    "Read a file. Text comes back as a <file> element whose lines carry their numbers, counted from 1; "
    "pictures (.png, .jpg, .jpeg, .gif, .webp) and PDFs (.pdf) come back as themselves, up to 5 MB each. "
    "One call shows at most 2000 lines and 50 KB of text, and lines over 2000 characters are cut; pass "
    "offset and limit to read on. Binary files are refused. A file must be read before it is patched."
)
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "filePath": {
            "type": "string",
            "description": "Absolute path of the file; relative paths are not supported.",
        },
        "offset": {
            "type": "number",
            "description": "Lines of a text to skip: 0 (the default) starts at its first line.",
        },
        "limit": {"type": "number", "description": "Lines of a text to show at most (default 2000)."},
    },
    "required": ["filePath"],
}

"""Lines of a file as opencode divides, cuts and numbers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.tools.parts.utf8 import incomplete_end

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile

_CUT: Final[dict[str, Any]] = {
    "line_ends": "lf+crlf+cr",
    "clip_unit": "utf16",
    "clip_length": 2000,
    "clip_marker": "... (line truncated to 2000 chars)",
    "budget": 50 * 1024,
    "budget_of": "text",
    "bom": "drop",
    "total": "known",
}
_LINES: Final = Layout(**_CUT)
_NUMBERED_LINES: Final = Layout(**_CUT, separator=": ")
_NUMBERED: Final = Layout(line_ends="lf", separator=": ")
_COUNTED: Final = Layout(line_ends="lf+crlf+cr", bom="drop", total="always")


class OpencodeLines(NamedTuple):
    """Lines of a file."""

    text: str
    """The lines, joined by LF."""
    numbered: str
    """The same, with their numbers."""
    last: int
    """The number of the last line; if there are no lines, that of the line before the requested ones."""
    total: int
    """The number of lines of the file; after a cut, only one line more is counted."""
    is_over_budget: bool
    """Whether the budget of bytes ended the lines."""


def read_lines(file: OpenFile, offset: int, limit: int) -> OpencodeLines:
    """Read lines from `offset` on, counted from 1."""
    window = file.window(offset, limit, _NUMBERED_LINES, encoding="utf-8")
    plain, numbered = file.plain_text(window), window.text
    if plain is None:
        window = file.window(offset, limit, _LINES, encoding="utf-8")
    text, last = window.text if plain is None else plain, window.last_line
    if window.is_over_budget:
        total = last + 1
    else:
        total = window.total_lines or file.window(1, 0, _COUNTED, encoding="utf-8").total_lines or 0
        if plain is None or window.next is not None or last < offset:
            # The tool drops an incomplete character at the end of a file.
            end = file.read_range(max(0, file.size_bytes - 5), 5)
            incomplete = incomplete_end(end)
            if incomplete:
                text = text.removesuffix("\ufffd") if last == total else text
                if end[:-incomplete].endswith((b"\n", b"\r")) or len(end) == incomplete:
                    text = text.removesuffix("\n") if last == total else text
                    total -= 1
                    last = min(last, total)
    last = max(last, offset - 1)
    if last < offset:
        numbered = ""
    elif plain is None:
        numbered = _NUMBERED.window(f"{text}\n".encode(), 1, LARGEST, first_number=offset).text
    return OpencodeLines(text, numbered, last, total, window.is_over_budget)

"""Lines of a file as `str.splitlines` divides it, and what Deep Agents makes of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread._native import Layout, Window
from anyread.arguments.request import LARGEST
from anyread.reading.open_file import HEAD_BYTES

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile

_ASCII_SEPARATORS: Final = "\v\f\x1c\x1d\x1e"
"""The characters of ASCII, besides LF and CR, that end a line in `str.splitlines`."""
_FIRST_BYTES: Final = 64


class SourceLines(NamedTuple):
    """Lines of a file, as `str.splitlines` divides it."""

    body: str
    """The lines, joined by LF, without a final one; other line separators are kept."""
    first: int
    """The number of the first line, counted from 1."""
    last: int
    """The number of the last line."""
    total: int
    """The number of lines of the file."""
    first_row_chars: int
    """The characters up to the first LF, of which `body` may have fewer."""


class RawLines(NamedTuple):
    """Lines of a file with their own separators, but LF in place of CR LF and CR."""

    content: str
    """The lines, with the line ending of the last one."""
    window: Window
    """Their numbers and offsets."""
    is_complete: bool
    """Whether `content` has all of the last line."""


def raw_lines(file: OpenFile, offset: int, limit: int, max_chars: int | None) -> RawLines:
    """Return lines of a UTF-8 file from `offset`, counted from 0; past the end, there are none.

    With `max_chars`, the last line is the one that exceeds it, which need not be complete.
    """
    window = file.window(min(offset + 1, LARGEST), min(limit, LARGEST), _layout(max_chars), encoding="utf-8")
    size = window.end_byte - window.start_byte
    maximum = size if max_chars is None else min(size, 4 * (max_chars + 1))
    data = file.read_range(window.start_byte, maximum)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    content = data.decode("utf-8", "ignore")
    return RawLines(content, window, maximum == size)


def source_lines(file: OpenFile, offset: int, limit: int, max_chars: int | None) -> SourceLines:
    """Return the lines of `raw_lines` as the tool shows them."""
    content, window, is_complete = raw_lines(file, offset, limit, max_chars)
    body = content.removesuffix("\n")
    end = content.find("\n")
    chars = len(content) if end < 0 else end
    if is_complete:
        # A line separator other than LF does not start a row, so the tool adds empty rows.
        if not content.isascii() or any(separator in content for separator in _ASCII_SEPARATORS):
            rows = content.count("\n") + (not content.endswith("\n")) if content else 0
            lines = window.last_line - window.first_line + 1
            body += "\n" * (lines - max(rows, 1))
    elif end < 0 or end == len(content) - 1:
        chars = file.work(partial(_row_chars, file, window.start_byte, window.end_byte))
    total = window.total_lines or 0
    return SourceLines(body, window.first_line, window.last_line, total, chars)


_LAYOUTS: Final[dict[int | None, Layout]] = {}


def _layout(max_chars: int | None) -> Layout:
    if max_chars not in _LAYOUTS:
        clip = None if max_chars is None else max_chars + 1
        _LAYOUTS[max_chars] = Layout(
            line_ends="splitlines",
            clip_length=clip,
            budget=max_chars,
            budget_unit="chars",
            budget_of="text",
            over_budget="after",
        )
    return _LAYOUTS[max_chars]


def _row_chars(file: OpenFile, start: int, end: int) -> int:
    """Count the characters up to the first LF or CR between two offsets."""
    chars = 0
    for text in file.decoded(start, end, "ignore"):
        ends = [at for at in (text.find("\n"), text.find("\r")) if at >= 0]
        chars += min(ends, default=len(text))
        if ends:
            break
    return chars


def is_blank(file: OpenFile) -> bool:
    """Return whether a UTF-8 file has only whitespace."""
    for size in (_FIRST_BYTES, HEAD_BYTES):
        if file.head(size).decode("utf-8", "ignore").strip():
            return False
    if file.size_bytes <= HEAD_BYTES:
        return True
    return file.work(lambda: not any(map(str.strip, file.decoded(0, file.size_bytes, "ignore"))))

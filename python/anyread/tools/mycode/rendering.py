"""What mycode's `Read` makes of bytes: numbered lines, the size of a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread.results.blocks import inspected
from anyread.tools.byte_lines import moved_right, numbered_lines, skip_lines

if TYPE_CHECKING:
    from anyread.tools.lines import Window

SEPARATOR = "\t"
_LINE_MARKER = "... (truncated)"
_BMP_HEADER_BYTES = 26
_BMP_CORE_HEADER_BYTES = 12
"""The length of the header that OS/2 gave to the format, with sizes of two bytes."""


class Numbered(NamedTuple):
    """A window of lines as the contract shows it."""

    content: str
    """The lines, each behind its number and a tab."""
    line_count: int
    """How many they are."""
    is_truncated: bool
    """Whether a line was cut, or lines follow; lines before the window do not count."""


def numbered_window(window: Window, offset: int, limit: int, *, room: int, max_line_units: int) -> Numbered:
    """Show what was read of a file: numbers as wide as the file's last one, long lines cut.

    Behind a file's last line feed is one more, empty line.

    Args:
        window: What was read.
        offset: The first line, counted from 1.
        limit: Lines, 1 or more.
        room: Columns that the numbers in `window` have, as was guessed before the file's lines were known.
        max_line_units: UTF-16 units after which a line is cut.
    """
    total = window.total + (window.has_final_newline or not window.total)
    last = min(offset - 1 + limit, total)
    if offset > last:
        return Numbered("", 0, is_truncated=False)
    width, is_cut = len(str(total)), False
    if window.numbered is not None and len(str(last)) <= room and not _has_pairs(window.numbered):
        shown = [moved_right(window.numbered, width - room)]
    else:
        lines, longer = window.unnumbered(SEPARATOR).lines, window.longer
        cut = [_cut(line, max_line_units, is_longer=index in longer) for index, line in enumerate(lines)]
        is_cut = cut != lines or bool(longer)
        shown = numbered_lines(cut, offset, width=width, separator=SEPARATOR)
    if last > window.total:
        shown.append(f"{total:>{width}}{SEPARATOR}")
    return Numbered("\n".join(shown), last - offset + 1, is_cut or last < total)


def numbered(data: bytes, offset: int, limit: int, *, max_line_units: int) -> Numbered:
    """Do the same with all bytes of a file."""
    total = data.count(b"\n") + 1
    if offset > total:
        return Numbered("", 0, is_truncated=False)
    last = min(offset - 1 + limit, total)
    start = skip_lines(data, 0, offset - 1)
    end = len(data) if last == total else skip_lines(data, start, last - offset + 1) - 1
    # No character of UTF-8 holds the byte of an LF, so that the window decodes as the whole would.
    lines = data[start:end].decode("utf-8", "replace").split("\n")
    cut = [_cut(line, max_line_units) for line in lines]
    shown = numbered_lines(cut, offset, width=len(str(total)), separator=SEPARATOR)
    return Numbered("\n".join(shown), len(lines), cut != lines or last < total)


def _has_pairs(text: str) -> bool:
    """Tell whether a text has characters of two UTF-16 units."""
    return not text.isascii() and len(text.encode("utf-16-le")) > 2 * len(text)


def _cut(line: str, max_units: int, *, is_longer: bool = False) -> str:
    if len(line) * 2 <= max_units and not is_longer:
        return line
    # A unit is two bytes; half of a pair at the end is dropped.
    units = line[: max_units + 1].encode("utf-16-le")
    if len(units) <= 2 * max_units and not is_longer:
        return line
    return units[: 2 * max_units].decode("utf-16-le", "ignore") + _LINE_MARKER


def dimensions(data: bytes) -> tuple[int, int] | None:
    """Read width and height from the header of a PNG, JPEG, GIF, WebP or BMP; `None`: it has no such."""
    if data.startswith(b"BM") and len(data) >= _BMP_HEADER_BYTES:
        if int.from_bytes(data[14:18], "little") == _BMP_CORE_HEADER_BYTES:
            return int.from_bytes(data[18:20], "little"), int.from_bytes(data[20:22], "little")
        # A negative height means that rows stand from top to bottom.
        width, height = (int.from_bytes(data[at : at + 4], "little", signed=True) for at in (18, 22))
        return (width, abs(height)) if width > 0 and height else None
    try:
        _, width, height = inspected(data)
    except ValueError:
        return None
    return width, height

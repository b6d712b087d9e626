"""Which lines forge's `read` shows of a text, and the element that it shows them in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread.tools.byte_lines import may_have_line_over, moved_right, numbered_lines, skip_lines

if TYPE_CHECKING:
    from anyread.tools.lines import Window

SEPARATOR = ":"


class LineRange(NamedTuple):
    """Lines from `start` to `end`, both included, counted from 1; the file may have fewer."""

    start: int
    end: int


def resolved_range(start: int | None, end: int | None, max_lines: int) -> LineRange:
    """Make a range of what was asked for: reversed ends are swapped, and a long range is shortened."""
    first = max(1, 1 if start is None else start)
    last = first + max_lines - 1 if end is None else end
    first, last = sorted((first, last))
    first = max(1, first)
    return LineRange(first, max(first, min(last, first + max_lines - 1)))


class Shown(NamedTuple):
    """The lines of a range as the contract shows them."""

    body: str
    total_lines: int
    """Lines of the file; a final line feed begins no further one."""


def shown_window(
    window: Window, lines: LineRange, *, room: int, has_numbers: bool, max_line_bytes: int
) -> Shown:
    """Show the lines of a range.

    The reference's oddities are kept: a start behind the end shows the last line under the number asked
    for, and with numbers a blank line at the end of the range vanishes.

    Args:
        window: What was read of them; of a range behind the end, the last line.
        lines: Which were asked for.
        room: Columns that the numbers in `window` have, as was guessed before the file's lines were known.
        has_numbers: Whether each has its number before it.
        max_line_bytes: Bytes after which a line is cut.
    """
    numbered = window.numbered
    if has_numbers and numbered and lines.start <= window.total and _is_plain(numbered, max_line_bytes):
        last = min(lines.end, window.total)
        head, _, tail = numbered.rpartition("\n")
        if tail == f"{last:>{room}}{SEPARATOR}":
            numbered, last = head, last - 1
        if len(str(last)) <= room:
            return Shown(moved_right(numbered, len(str(last)) - room) if numbered else "", window.total)
    found = window.unnumbered(SEPARATOR).lines
    text = "\n".join(
        truncated_line(line, max_line_bytes, is_longer=index in window.longer)
        for index, line in enumerate(found)
    )
    return Shown(numbered_text(text, lines.start) if has_numbers else text, window.total)


def shown_lines(data: bytes, lines: LineRange, *, has_numbers: bool, max_line_bytes: int) -> Shown:
    """Do the same with all bytes of a file, which is UTF-8."""
    total = data.count(b"\n") + (not data.endswith(b"\n") if data else 0)
    if not total:
        return Shown("", 0)
    first, last = min(lines.start, total), min(lines.end, total)
    begin = skip_lines(data, 0, first - 1)
    end = len(data) if last == total else skip_lines(data, begin, last - first + 1)
    found = rust_lines(data[begin:end].decode("utf-8", "replace"))
    text = "\n".join(truncated_line(line, max_line_bytes) for line in found)
    return Shown(numbered_text(text, lines.start) if has_numbers else text, total)


def rust_lines(text: str) -> list[str]:
    """Split as Rust's `str::lines` does: at LF, with a CR before it; nothing stands behind the last LF."""
    lines = text.split("\n")
    last = lines.pop()
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def truncated_line(line: str, max_bytes: int, *, is_longer: bool = False) -> str:
    """Cut a line of over `max_bytes` bytes behind the character that reaches them.

    Args:
        line: The line, or its first `max_bytes` characters or more.
        max_bytes: Bytes of UTF-8.
        is_longer: Whether it goes on.
    """
    if len(line) * 4 <= max_bytes and not is_longer:
        return line
    data = line[: max_bytes + 1].encode()
    if len(data) <= max_bytes and not is_longer:
        return line
    end = max_bytes
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return f"{data[:end].decode()}... [truncated, line exceeds {max_bytes} chars]"


def numbered_text(text: str, first: int) -> str:
    """Number the lines of a text from `first`, right-aligned to the last number that is shown."""
    lines = rust_lines(text)
    width = len(str(first + len(lines) - 1))
    return "\n".join(numbered_lines(lines, first, width=width, separator=SEPARATOR))


def _is_plain(text: str, max_line_bytes: int) -> bool:
    """Tell whether no line needs to be cut, or looked at for carriage returns that are dropped in turn."""
    if "\r" in text:
        return False
    # A character takes four bytes at most.
    return text.isascii() or not may_have_line_over(text, max_line_bytes // 4)


def element(path: str, lines: LineRange, shown: Shown) -> str:
    """Put lines in their element; neither path nor lines are escaped, as in the reference."""
    return (
        f'<file\n  path="{path}"\n  display_lines="{lines.start}-{lines.end}"\n'
        f'  total_lines="{shown.total_lines}"\n><![CDATA[{shown.body}]]>\n</file>'
    )

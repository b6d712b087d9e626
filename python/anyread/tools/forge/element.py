"""Which lines forge's `read` shows of a text, and the element that it shows them in."""

from __future__ import annotations

from typing import NamedTuple

from anyread.tools.byte_lines import may_have_line_over, numbered_lines, skip_lines


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


def shown_lines(data: bytes, lines: LineRange, *, has_numbers: bool, max_line_bytes: int) -> Shown:
    """Show a range of lines.

    The reference's oddities are kept: a start behind the end shows the last line under the number asked
    for, and with numbers a blank line at the end of the range vanishes.

    Args:
        data: The file, which must be UTF-8.
        lines: Which of them.
        has_numbers: Whether each has its number before it.
        max_line_bytes: Bytes after which a line is cut.

    Raises:
        UnicodeDecodeError: It is not UTF-8, anywhere.
    """
    is_complete = not data or data.endswith(b"\n")
    total = data.count(b"\n") + (not is_complete)
    if not data.isascii():
        data.decode()
    if not total:
        return Shown("", 0)
    first, last = min(lines.start, total), min(lines.end, total)
    begin = skip_lines(data, 0, first - 1)
    end = len(data) if last == total else skip_lines(data, begin, last - first + 1)
    window = data[begin:end].decode()
    found = rust_lines(window)
    # A character takes four bytes at most.
    if may_have_line_over(window, max_line_bytes // 4):
        found = [truncated_line(line, max_line_bytes) for line in found]
    text = "\n".join(found)
    return Shown(numbered_text(text, lines.start) if has_numbers else text, total)


def rust_lines(text: str) -> list[str]:
    """Split as Rust's `str::lines` does: at LF, with a CR before it; nothing stands behind the last LF."""
    lines = text.split("\n")
    last = lines.pop()
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def truncated_line(line: str, max_bytes: int) -> str:
    """Cut a line of over `max_bytes` bytes behind the character that reaches them."""
    if len(line) * 4 <= max_bytes:
        return line
    data = line[: max_bytes + 1].encode()
    if len(data) <= max_bytes:
        return line
    end = max_bytes
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return f"{data[:end].decode()}... [truncated, line exceeds {max_bytes} chars]"


def numbered_text(text: str, first: int) -> str:
    """Number the lines of a text from `first`, right-aligned to the last number that is shown."""
    lines = rust_lines(text)
    width = len(str(first + len(lines) - 1))
    return "\n".join(numbered_lines(lines, first, width=width, separator=":"))


def element(path: str, lines: LineRange, shown: Shown) -> str:
    """Put lines in their element; neither path nor lines are escaped, as in the reference."""
    return (
        f'<file\n  path="{path}"\n  display_lines="{lines.start}-{lines.end}"\n'
        f'  total_lines="{shown.total_lines}"\n><![CDATA[{shown.body}]]>\n</file>'
    )

"""Lines of bytes and texts in memory: where they begin, how long they are, and numbers before them."""

from __future__ import annotations

from functools import lru_cache
from operator import add

from anyread._native import count_lines

_BLOCK_BYTES = 1 << 16
_NUMBERED_TOGETHER = 2_000
"""How many numbers are made ahead: the lines that most contracts show unless asked otherwise."""


def skip_lines(data: bytes, start: int, count: int) -> int:
    """Find the byte at which the line begins that is `count` lines after the one at `start`.

    Raises:
        ValueError: There are not so many line feeds.
    """
    # Whole blocks are counted first: finding each line feed would cost a call of its own.
    while start < len(data) and (found := data.count(b"\n", start, start + _BLOCK_BYTES)) < count:
        count -= found
        start += _BLOCK_BYTES
    for _ in range(count):
        start = data.index(b"\n", start) + 1
    return start


def numbered_lines(lines: list[str], first: int, *, width: int, separator: str) -> list[str]:
    """Put its number, right-aligned in `width` columns, and a separator before each line."""
    numbered: list[str] = []
    for start in range(0, len(lines), _NUMBERED_TOGETHER):
        some = lines[start : start + _NUMBERED_TOGETHER] if len(lines) > _NUMBERED_TOGETHER else lines
        numbered += map(add, _numbers(first + start, width, separator), some)
    return numbered


@lru_cache(maxsize=16)
def _numbers(first: int, width: int, separator: str) -> list[str]:
    """Make the numbers of many lines; formatting them costs several times what the rest of a line does."""
    return [f"{number:>{width}}{separator}" for number in range(first, first + _NUMBERED_TOGETHER)]


def estimated_lines(head: bytes, size_bytes: int) -> int:
    """Estimate the lines of a file from its first bytes; exact if those are all."""
    return count_lines(head) * max(size_bytes, len(head)) // max(1, len(head)) + 1


def moved_right(text: str, columns: int) -> str:
    """Indent all lines of a text, or take as many spaces from each if `columns` is negative."""
    if columns < 0:
        return text[-columns:].replace("\n" + " " * -columns, "\n")
    pad = " " * columns
    return pad + text.replace("\n", "\n" + pad) if pad else text


def may_have_line_over(text: str, length: int) -> bool:
    """Return whether there may be a line of over `length` characters: if not, none need be measured.

    Such a line fills a whole stretch of half its length, wherever it begins: only those are looked at.
    """
    step = max(1, length // 2)
    return any(text.find("\n", start, start + step) < 0 for start in range(0, len(text) - step + 1, step))

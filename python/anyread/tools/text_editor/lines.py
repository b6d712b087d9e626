"""Lines of a file as the dialects select, count and number them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread._native import Layout
from anyread.arguments import LARGEST

if TYPE_CHECKING:
    from anyread.open_file import OpenFile


class TextLines(NamedTuple):
    """Lines of a file as text."""

    text: str
    """The lines, joined by LF."""
    total: int
    """The number of lines of the file."""
    ends_with_newline: bool
    """Whether the last line of the file has a line ending."""


def range_fault(first: int, last: int, total: int) -> tuple[int, str] | None:
    """Return which rule for ranges of lines is violated, from 0, and how; `None`: none is."""
    if not 1 <= first <= total:
        within = f"within the range of lines of the file: [1, {total}]"
        return 0, f"Its first element `{first}` should be {within}"
    if last > total:
        most = f"smaller than the number of lines in the file: `{total}`"
        return 1, f"Its second element `{last}` should be {most}"
    if last != -1 and last < first:
        return 2, f"Its second element `{last}` should be larger or equal than its first `{first}`"
    return None


def read_lines(
    file: OpenFile, layout: Layout, first: int = 1, last: int | None = None, *, encoding: str | None = "utf-8"
) -> TextLines:
    """Read the lines from `first` to `last`; `None`: to the end."""
    limit = LARGEST if last is None else max(0, last - first + 1)
    window = file.window(first, limit, layout, encoding=encoding)
    return TextLines(window.text, window.total_lines or 0, window.final_newline)


def count_lines(file: OpenFile, layout: Layout, *, encoding: str | None = "utf-8") -> int:
    """Count the lines of a file."""
    return file.window(1, 0, layout, encoding=encoding).total_lines or 0


def numbered(text: str, first: int, layout: Layout) -> str:
    """Number the lines of a text, each of which is divided from the next one by LF."""
    return layout.window(text.encode(), 1, LARGEST, first_number=first).text

"""Lines that are recognized in any format, by a marker at their beginning.

A line of a test file begins with `zq`, its number in at least six digits, and `x`. Whatever a reader puts in
front of it on the same line is its gutter: a number with a tab, an arrow, a pipe, an XML tag, or the key of a
JSON object. So the rules need to know nothing about the format of a reader.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MARKER = re.compile(r"zq(\d{6,})x")
_NUMBER = re.compile(r"\d+")
_LINE_START = re.compile(r"[^\r\n\f\v\x1c-\x1e\x85\u2028\u2029]*\Z")


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """One marker in an answer, and what is next to it."""

    line_number: int
    """Which line of the file it is, from its marker."""
    shown_number: int | None
    """The first number in front of it; `None` if there is none."""
    gutter: str
    """The text in front of it on its line."""


def marker(line_number: int) -> str:
    """Return the beginning of a line of a test file."""
    return f"zq{line_number:06d}x"


def line_of(line_number: int) -> str:
    """Return a line of a test file, without its ending."""
    return f"{marker(line_number)} some words of this line"


def text_of(first: int, last: int, ending: str = "\n") -> str:
    """Return the lines from `first` to `last`, each with its ending."""
    return "".join(f"{line_of(number)}{ending}" for number in range(first, last + 1))


def shown_lines(text: str) -> list[MarkedLine]:
    """Return every marked line in an answer, in the order of the answer.

    Example:
        >>> from anyread_conformance.lines import shown_lines
        >>> [(line.line_number, line.shown_number) for line in shown_lines("  7| zq000007x words")]
        [(7, 7)]
    """
    found = []
    for match in MARKER.finditer(text):
        start = max(0, match.start() - 80)
        before = _LINE_START.search(text[start : match.start()])
        gutter = before[0] if before is not None else ""
        number = _NUMBER.search(gutter)
        found.append(MarkedLine(int(match[1]), int(number[0]) if number else None, gutter))
    return found


def difference(text: str, expected: Iterable[int]) -> str | None:
    """Return how the lines of an answer differ from the expected ones, in words, or `None`."""
    wanted = list(expected)
    shown = [line.line_number for line in shown_lines(text)]
    if shown == wanted:
        return None
    seen, inside = set(shown), set(wanted)
    missing = [number for number in wanted if number not in seen]
    if missing:
        return f"{_named(missing)} missing from the window"
    outside = [number for number in shown if number not in inside]
    if outside:
        return f"{_named(outside)} shown, which the window does not contain"
    twice = [number for number, times in Counter(shown).items() if times > 1]
    if twice:
        return f"{_named(twice)} shown more than once"
    return "the lines are not in their order"


def wrong_number(text: str) -> str | None:
    """Return the first line whose shown number is not its number, in words, or `None`."""
    for line in shown_lines(text):
        if line.shown_number is not None and line.shown_number != line.line_number:
            return f"line {line.line_number} has the number {line.shown_number}"
    return None


def _named(numbers: Sequence[int]) -> str:
    few = ", ".join(str(number) for number in numbers[:3])
    if len(numbers) == 1:
        return f"line {few} is"
    return f"lines {few}{' and others' if len(numbers) > 3 else ''} are"

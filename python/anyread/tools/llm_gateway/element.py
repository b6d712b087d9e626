"""The `<file>` element of llm-gateway: which lines are in it, how they are cut, and when it ends.

The tool is written in JavaScript, and its arithmetic is part of the contract: lengths count UTF-16
units, and a window is what `Array.prototype.slice` makes of two numbers, negative and broken ones
included.
"""

from __future__ import annotations

from bisect import bisect_right
from decimal import Decimal
from itertools import accumulate

MAX_LINE_UNITS = 2000
"""UTF-16 units of one line that are shown."""
MAX_TEXT_UNITS = 50 * 1024
"""UTF-16 units of all formatted lines, line feeds not counted: what the contract calls 50 KB."""
SEPARATOR = " | "
CLIP_MARK = " [truncated]"
BUDGET_NOTICE = "\n[Output truncated at 50KB. Use offset/limit to read more.]"


def as_double(value: float) -> float:
    """Give a number as JavaScript holds it: an integer only as far as a double is exact.

    Raises:
        OverflowError: No double is that large.
    """
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return value
    double = float(value)
    return int(double) if double.is_integer() and abs(double) <= 2**53 else double


def spelled(value: float) -> str:
    """Write a number as JavaScript's `String` does."""
    value = as_double(value)
    if isinstance(value, int):
        return str(value)
    if 1e-6 <= abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def sliced(offset: float, limit: float, total: int) -> range:
    """Tell which of `total` lines `slice(offset, offset + limit)` takes, as indexes."""

    def index(place: float) -> int:
        whole = int(place)
        return max(0, total + whole) if whole < 0 else min(whole, total)

    return range(index(offset), index(offset + limit))


def units(text: str) -> int:
    """Count the UTF-16 units of a text."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def clipped(line: str, *, is_longer: bool = False) -> str:
    """Cut a line after `MAX_LINE_UNITS`; half of a surrogate pair at the cut is dropped.

    Args:
        line: The line, or its first `MAX_LINE_UNITS` characters or more.
        is_longer: Whether it goes on.
    """
    line = line[: MAX_LINE_UNITS + 1]
    if not is_longer and units(line) <= MAX_LINE_UNITS:
        return line
    kept = line.encode("utf-16-le")[: 2 * MAX_LINE_UNITS]
    return kept.decode("utf-16-le", "ignore") + CLIP_MARK


def formatted(lines: list[str], offset: float, longer: frozenset[int] = frozenset()) -> list[str]:
    """Put its number before each line, counted from 1, cut where it is too long.

    Args:
        lines: The lines after the first `offset`.
        offset: How many lines are left out before.
        longer: Which of the lines, from 0, go on.
    """
    return [
        f"{spelled(offset + index + 1):>4}{SEPARATOR}{clipped(line, is_longer=index in longer)}"
        for index, line in enumerate(lines)
    ]


def within_budget(body: str) -> tuple[str, int]:
    """Keep the formatted lines of a text that fit the budget; give them and how many they are."""
    newlines = body.count("\n")
    used = units(body)
    if used - newlines <= MAX_TEXT_UNITS:
        return body, newlines + 1
    if used > len(body):
        lines = body.split("\n")
        kept = bisect_right(list(accumulate(map(units, lines))), MAX_TEXT_UNITS)
        return "\n".join(lines[:kept]), kept
    # Every character is a unit: step to where the budget ends, further by each line feed on the way.
    end, passed = MAX_TEXT_UNITS, body.count("\n", 0, MAX_TEXT_UNITS)
    feeds = passed
    while passed:
        end, passed = end + passed, body.count("\n", end, end + passed)
        feeds += passed
    if body[end] == "\n":
        return body[:end], feeds + 1
    return body[: body.rindex("\n", 0, end)], feeds


def element(path: str, body: str | None, *, offset: float, total: int) -> str:
    """Wrap formatted lines; `None` is a window without any.

    The notice that the budget ended them stands behind the element, and a limit gives none.
    """
    text, shown, notice = "", 0, ""
    if body is not None:
        text, shown = within_budget(body)
        notice = BUDGET_NOTICE if len(text) < len(body) else ""
    numbers = f"{spelled(offset + 1)}-{spelled(offset + shown)}"
    return f'<file path="{path}" lines="{numbers}" total="{total}">\n{text}\n</file>{notice}'

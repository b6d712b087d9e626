"""The numbers that pi takes from a model, and the lines that they select."""

from __future__ import annotations

from typing import Any, NamedTuple

from anyread.tools.coercion import as_number
from anyread.tools.javascript import sliced, spelled


class Selection(NamedTuple):
    """The lines that a call selects."""

    start: int
    """The first line, counted from 0."""
    length: int
    """The number of lines."""
    total: int
    """The number of lines of the file; a final newline starts one more."""


def selection(offset: Any, limit: Any, total: int) -> tuple[float, Selection]:
    """Return the index of the first line as the tool computes it, and the lines that it selects.

    The tool passes numbers to JavaScript's `slice`, which cuts off fractions and counts negative numbers from
    the end. A `limit` that is a string is appended to the index in place of being added.
    """
    first = max(0, _value(offset) - 1) if offset else 0
    stop = total if limit is None else stop_of(first, limit, total)
    return first, Selection(*sliced(first, stop, total), total)


def stop_of(first: float, limit: Any, total: int) -> float:
    """Return the index after the last line as the tool computes it, at most the number of lines."""
    last = _value(spelled(first) + limit) if isinstance(limit, str) else first + _value(limit)
    return min(last, total)


def _value(argument: Any) -> float:
    number = as_number(argument)
    return 0 if number is None else number


def shown(argument: object) -> str:
    """Return an offset as messages show it."""
    return argument if isinstance(argument, str) else spelled(_value(argument))

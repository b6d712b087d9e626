"""The lines that the numbers of a call to pi select."""

from __future__ import annotations

from typing import NamedTuple

from anyread.tools.javascript import sliced


class Selection(NamedTuple):
    """The lines that a call selects."""

    start: int
    """The first line, counted from 0."""
    length: int
    """The number of lines."""
    total: int
    """The number of lines of the file; a final newline starts one more."""


def selection(offset: float | None, limit: float | None, total: int) -> tuple[float, Selection]:
    """Return the index of the first line as the tool computes it, and the lines that it selects.

    The tool passes numbers to JavaScript's `slice`, which cuts off fractions and counts negative numbers from
    the end.
    """
    first = max(0, offset - 1) if offset else 0
    stop = total if limit is None else min(first + limit, total)
    return first, Selection(*sliced(first, stop, total), total)

"""Texts in which each character says where it is."""

from __future__ import annotations

from functools import cache
from itertools import count, islice


def counted(start: str, length: int, marks: str = ".") -> str:
    """Return a text of a length in which each number is that of its word."""
    return (start + _words(marks, length.bit_length()))[:length]


@cache
def _words(marks: str, bits: int) -> str:
    """Return words whose length together is at least the largest number of so many bits."""
    return "".join(f"{number}{marks[number % len(marks)]}" for number in islice(count(1), 1 << bits >> 1))

"""Texts in which each character says where it is."""

from __future__ import annotations

from itertools import count, islice


def counted(start: str, length: int, marks: str = ".") -> str:
    """Return a text of a length in which each number is that of its word."""
    words = (f"{number}{marks[number % len(marks)]}" for number in count(1))
    return (start + "".join(islice(words, length)))[:length]

"""Texts in which each character says where it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import count, islice

DIGITS = "~;?%$@|#`^"
"""What texts have instead of the digits: nothing that anyread writes has one of these."""
_OTHERS = re.compile(f"[^{DIGITS}é日😀]+")
_WRITTEN = str.maketrans("0123456789", DIGITS)


def counted(start: str, length: int, marks: str = ".") -> str:
    """Return a text of a length in which each number, written with `DIGITS`, is that of its word."""
    return (start + _words(marks, length.bit_length()))[:length]


def lines_of(parts: Sequence[Sequence[int]]) -> list[str]:
    """Return the lines of a text, of which the parts are the lengths."""
    return [counted(f"{number}:", length, ".é日😀") for number, (length,) in enumerate(parts, 1)]


def letters(text: str) -> str:
    """Return only the characters that no word of anyread has, and each text of a file does."""
    return _OTHERS.sub("", text)


@cache
def _words(marks: str, bits: int) -> str:
    """Return words whose length together is at least the largest number of so many bits."""
    numbers = islice(count(1), 1 << bits >> 1)
    return "".join(f"{str(number).translate(_WRITTEN)}{marks[number % len(marks)]}" for number in numbers)

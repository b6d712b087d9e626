"""The order of names in listings that JavaScript's `localeCompare` sorts."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

_PUNCTUATION: Final = "_-,;:!?.'\"()[]{}@*/\\&#%"
_SYMBOLS: Final = "`^+<=>|~"
_LATIN: Final = {
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ð": "d",
    "đ": "d",
    "ħ": "h",
    "ł": "l",
    "ø": "o",
    "þ": "th",
    "ŧ": "t",
}
"""Letters that are sorted as others, and that Unicode does not decompose."""
# The groups of characters, in order.
_SPACE, _PUNCTUATION_MARK, _SYMBOL, _CURRENCY, _DIGIT, _LETTER = range(6)


def collation_key(name: str) -> tuple[tuple[str, ...], str]:
    """Return a key that sorts names as the Unicode collation of English: a, A, b, é, f.

    Letters outside the Latin script are sorted by their code points.
    """
    levels = zip(*map(_levels, unicodedata.normalize("NFD", name)), strict=True)
    return tuple(map("".join, levels)), name


@lru_cache(maxsize=4096)
def _levels(character: str) -> tuple[str, str, str]:
    """Return what a character adds to each level of a key: weights, marks, and whether it is a capital."""
    category = unicodedata.category(character)
    if category.startswith("M"):
        return "", character, ""
    if category.startswith("C") and not character.isspace():
        return "", "", ""
    lower = character.lower()
    base = _LATIN.get(lower) or unicodedata.normalize("NFKD", lower)
    # The zero ends the marks of the character before.
    marks = "\0" if base == lower else f"\0{character}"
    return "".join(map(_weight, base)), marks, str(int(character != lower))


def _weight(character: str) -> str:
    """Return the group of a character and its place in that group, as one character each."""
    category = unicodedata.category(character)
    if character in _PUNCTUATION:
        return chr(_PUNCTUATION_MARK) + chr(_PUNCTUATION.index(character))
    if character in _SYMBOLS:
        return chr(_SYMBOL) + chr(_SYMBOLS.index(character))
    if character.isdecimal():
        return chr(_DIGIT) + chr(unicodedata.decimal(character))
    groups = {"Z": _SPACE, "C": _SPACE, "P": _PUNCTUATION_MARK, "S": _SYMBOL}
    return chr(_CURRENCY if category == "Sc" else groups.get(category[0], _LETTER)) + character

"""The order of names in listings that JavaScript's `localeCompare` sorts."""

from __future__ import annotations

import unicodedata
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

Weights = tuple[tuple[int, int], ...]


def collation_key(name: str) -> tuple[Weights, tuple[str, ...], tuple[bool, ...], str]:
    """Return a key that sorts names as the Unicode collation of English: a, A, b, é, f.

    Letters outside the Latin script are sorted by their code points.
    """
    weights: list[tuple[int, int]] = []
    marks: list[str] = []
    capitals: list[bool] = []
    for character in unicodedata.normalize("NFD", name):
        category = unicodedata.category(character)
        if category.startswith("M"):
            marks[-1:] = [marks[-1] + character] if marks else [character]
            continue
        if category.startswith("C") and not character.isspace():
            continue
        lower = character.lower()
        base = _LATIN.get(lower) or unicodedata.normalize("NFKD", lower)
        weights += [_weight(part) for part in base]
        marks.append("" if base == lower else character)
        capitals.append(character != lower)
    return tuple(weights), tuple(marks), tuple(capitals), name


def _weight(character: str) -> tuple[int, int]:
    category = unicodedata.category(character)
    if character in _PUNCTUATION:
        return _PUNCTUATION_MARK, _PUNCTUATION.index(character)
    if character in _SYMBOLS:
        return _SYMBOL, _SYMBOLS.index(character)
    if character.isdecimal():
        return _DIGIT, unicodedata.decimal(character)
    groups = {"Z": _SPACE, "C": _SPACE, "P": _PUNCTUATION_MARK, "S": _SYMBOL}
    return _CURRENCY if category == "Sc" else groups.get(category[0], _LETTER), ord(character)

"""Odd values of arguments: depth, digits, lone surrogates, numbers that are none, wrong types."""

from __future__ import annotations

import json
from typing import Any

DEEP, DEEPER, DIGITS = "deep", "deeper", "digits"
"""Stand for values that `json` cannot write: 990 and 50,000 lists in one another, and 5,000 digits."""
TEXTS = [
    *("", "0", "-1", "1e999", "\0", "\ud800", "~\ud800", "\ud800:1", "a.txt:1\ud800", "a.txt:1-\ud800"),
    *("a.txt:-1", "9" * 5000, *(f"a.txt{before}{'9' * 4400}" for before in (":", ":1-", ":1,", "#L", "(1,"))),
]
NUMBERS = [
    *(0, 1, -1, 2**31, 2**63, -(2**64), 10**25, 10**400, 0.5, -0.0, 1e25, -1e308),
    *map(float, ("nan", "inf", "-inf")),
]
SINGLE = [None, True, False, {}, {"a": DIGITS}, {"\ud800": DEEP}, DEEP, DEEPER, DIGITS, *TEXTS, *NUMBERS]
VALUES: list[Any] = [
    *(*SINGLE, []),
    *(value for each in SINGLE for value in ([each], [each, each], [each, 1, 1, 1], [[each, 2]])),
]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


_OBJECTS = {DEEP: nested(990), DEEPER: nested(50_000), DIGITS: 10**5000}
_WRITTEN = {DEEP: "[" * 990 + "]" * 990, DEEPER: "[" * 50_000 + "]" * 50_000, DIGITS: "9" * 5000}


def as_object(value: Any) -> Any:
    """Return the value that one of `VALUES`, or arguments with it, stands for."""
    if isinstance(value, dict):
        return {name: as_object(item) for name, item in value.items()}
    if isinstance(value, list):
        return [as_object(item) for item in value]
    return _OBJECTS.get(value, value) if isinstance(value, str) else value


def as_json(value: Any) -> str:
    """Write the value that one of `VALUES`, or arguments with it, stands for."""
    text = json.dumps(value)
    for name, written in _WRITTEN.items():
        text = text.replace(f'"{name}"', written)
    return text

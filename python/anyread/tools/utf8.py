"""Answers that can be encoded as UTF-8, and texts that end within a character."""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast

T = TypeVar("T")

_CHUNK_CHARS = 256 * 1024
_SURROGATES = re.compile("[\ud800-\udfff]")


def non_ascii_chars(value: Any) -> int:
    """Count the characters in those strings of an answer that are not pure ASCII.

    Keys are not checked: they are the contract's own, and ASCII.
    """
    kind = type(value)
    if kind is str:
        return 0 if value.isascii() else len(value)
    if kind is not dict and kind is not list:
        return 0
    total = 0
    for item in value.values() if kind is dict else value:
        if type(item) is str:
            # Most items are strings; a recursive call would take several times as long as the check.
            total += 0 if item.isascii() else len(item)
        elif type(item) is dict or type(item) is list:
            total += non_ascii_chars(item)
    return total


def encodable(value: T) -> T:
    """Return an answer with U+FFFD in place of each lone surrogate, which UTF-8 cannot encode."""
    replaced: Any = value
    if isinstance(value, str):
        replaced = value if _is_encodable(value) else _SURROGATES.sub("\ufffd", value)
    elif isinstance(value, dict):
        replaced = {name: encodable(item) for name, item in value.items()}
    elif isinstance(value, list):
        replaced = [encodable(item) for item in value]
    return cast("T", replaced)


def _is_encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        for start in range(0, len(text), _CHUNK_CHARS):
            text[start : start + _CHUNK_CHARS].encode()
    except UnicodeEncodeError:
        return False
    return True


def incomplete_end(data: bytes) -> int:
    """Return how many bytes at the end of a UTF-8 text begin a character that is not complete."""
    for length in range(1, min(3, len(data)) + 1):
        first = data[-length]
        if first >= 0xC0:
            try:
                data[-length:].decode()
            except UnicodeDecodeError as error:
                return length if error.reason == "unexpected end of data" else 0
            return 0
        if first < 0x80:
            return 0
    return 0

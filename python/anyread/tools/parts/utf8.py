"""Answers that can be encoded as UTF-8, and texts that end within a character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")

_CHUNK_CHARS = 256 * 1024
_SURROGATES = re.compile("[\ud800-\udfff]")


def encodable(value: T) -> T:
    """Return an answer with U+FFFD in place of each lone surrogate, which UTF-8 cannot encode.

    An answer without any is returned as it is.
    """
    return value if is_encodable((value,)) else cast("T", _replaced(value))


def is_encodable(value: dict[str, Any] | Sequence[Any]) -> bool:
    """Return whether no text in a value has a lone surrogate; keys are not checked."""
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, str):
            # Most items are strings; a call for each takes several times as long as the check.
            if not item.isascii() and not _has_utf8(item):
                return False
        elif isinstance(item, (dict, list, tuple)) and not is_encodable(item):
            return False
    return True


def _has_utf8(text: str) -> bool:
    try:
        for start in range(0, len(text), _CHUNK_CHARS):
            text[start : start + _CHUNK_CHARS].encode()
    except UnicodeEncodeError:
        return False
    return True


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _replaced(item) for name, item in value.items()}
    return [_replaced(item) for item in value] if isinstance(value, list) else value


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

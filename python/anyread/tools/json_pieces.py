"""The JSON of a notebook, decoded cell by cell.

One call of `json.loads` holds the interpreter until it returns, which for a notebook of a million cells
takes seconds in which no event loop runs, whichever thread makes the call.
Here one call decodes one item of a list or one member of an object.
The memory that values take is limited by their number, which is counted before any of them is decoded.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, Final, NoReturn

from anyread._native import count_values

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_VALUES: Final = 1_000_000
"""The maximum number of values of a notebook; each takes up to a hundred times as much memory as its text."""
_DECODED_BYTES: Final = 256 * 1024
"""Bytes that are decoded with one call."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")


def _refuse_constant(name: str) -> NoReturn:
    # `json` accepts NaN and Infinity, which JSON does not have.
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant)


class TooManyValuesError(Exception):
    """A notebook has more than `MAX_VALUES` values; the text says so, as a clause."""


def notebook_json(data: bytes) -> JsonText:
    """Return a cursor in the bytes of a notebook, of which those that are not UTF-8 are replaced.

    Raises:
        TooManyValuesError: It has more than `MAX_VALUES` values.
    """
    if count_values(data) > MAX_VALUES:
        raise TooManyValuesError(f"it has over {MAX_VALUES:,} values")
    decoder = getincrementaldecoder("utf-8")("replace")
    pieces = (data[start : start + _DECODED_BYTES] for start in range(0, len(data), _DECODED_BYTES))
    return JsonText("".join([*map(decoder.decode, pieces), decoder.decode(b"", final=True)]))


class JsonText:
    """A cursor in a JSON text.

    `members` walks an object in place: after each name, the caller consumes exactly one value.

    Args:
        text: The whole text.

    Raises:
        ValueError: From every method: the text is not JSON.
        RecursionError: From every method: it is nested too deeply.
    """

    __slots__ = ("_at", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next_char(self) -> str:
        """Return the first character of the next value; empty at the end of the text."""
        match = _SPACE.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
        return self._text[self._at : self._at + 1]

    def members(self) -> Iterator[str]:
        """Walk the object at the cursor: yield each name, with the cursor at its value."""
        is_done = self._enter("{", "}")
        while not is_done:
            if self.next_char() != '"':
                self._fail("Expecting property name enclosed in double quotes")
            name = self.value()
            self._take(":")
            yield name
            is_done = self._leave("}")

    def items(self) -> Iterator[Any]:
        """Walk the list at the cursor: yield each item, decoded."""
        is_done = self._enter("[", "]")
        while not is_done:
            yield self.value()
            is_done = self._leave("]")

    def value(self) -> Any:
        """Decode the value at the cursor and move past it."""
        self.next_char()
        value, self._at = _DECODER.raw_decode(self._text, self._at)
        return value

    def end(self) -> None:
        """Require the end of the text."""
        if self.next_char():
            self._fail("Extra data")

    def _enter(self, opening: str, closing: str) -> bool:
        """Move to the first value of a container; if it is empty, move past it and return true."""
        self._take(opening)
        if self.next_char() != closing:
            return False
        self._at += 1
        return True

    def _leave(self, closing: str) -> bool:
        """Move past the end of a container and return true, or past the comma before its next value."""
        if self.next_char() == closing:
            self._at += 1
            return True
        self._take(",")
        return False

    def _take(self, expected: str) -> None:
        if self.next_char() != expected:
            self._fail("Expecting value" if expected in "{[" else f"Expecting '{expected}' delimiter")
        self._at += 1

    def _fail(self, message: str) -> NoReturn:
        raise json.JSONDecodeError(message, self._text, self._at)


def joined(value: Any) -> str:
    """Return the text of a notebook's field, which nbformat allows to be a list of pieces."""
    if isinstance(value, list):
        return "".join(map(written, value))
    return value if isinstance(value, str) else ""


def written(value: Any) -> str:
    """Write a value of a notebook as a JavaScript template does, except that null becomes empty."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)

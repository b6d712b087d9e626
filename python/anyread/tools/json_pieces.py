"""JSON decoded in short steps.

One call of `json.loads` holds the interpreter until it returns, which for a notebook of a million cells
takes seconds in which no event loop runs, whichever thread makes the call.
Here no step decodes more than `_PIECE_CHARS` characters.
The memory that values take is limited by their number, which is counted before any of them is decoded.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from contextlib import suppress
from json.decoder import scanstring  # type: ignore[attr-defined] # missing in typeshed
from typing import TYPE_CHECKING, Any, Final, NoReturn

from anyread._native import count_values

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORT_CHARS: Final = 1024
"""Characters that are tried first: most values are short, and copying a whole piece for each is slow."""
_PIECE_CHARS: Final = 64 * 1024
_DECODED_BYTES: Final = 256 * 1024
"""Bytes that are decoded with one call."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
_STRING_CHARS: Final = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_ESCAPE_CHARS: Final = 6
"""Characters of an escaped surrogate, such as `\\ud83d`."""


def _refuse_constant(name: str) -> NoReturn:
    # `json` accepts NaN and Infinity, which JSON does not have.
    raise ValueError(f"{name} is not JSON")


_DECODER: Final[Any] = json.JSONDecoder(parse_constant=_refuse_constant)
_INCOMPLETE: Final = (StopIteration, IndexError, json.JSONDecodeError)
"""Exceptions from decoding a value that is not completely in a piece of text."""


def _past_space(piece: str, position: int) -> int:
    if piece[position] > " ":
        return position
    space = _SPACE.match(piece, position)
    return position if space is None else space.end()


MAX_VALUES: Final = 1_000_000
"""The maximum number of values of a notebook; each takes up to a hundred times as much memory as its text."""


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
            yield self._name()
            is_done = self._leave("}")

    def items(self) -> Iterator[Any]:
        """Walk the list at the cursor: yield each item, decoded."""
        is_done = self._enter("[", "]")
        while not is_done:
            yield from self._short_items()
            yield self.value()
            is_done = self._leave("]")

    def value(self) -> Any:
        """Decode the value at the cursor and move past it."""
        first = self.next_char()
        if first not in {"{", "[", '"'}:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
            return value
        for size in (_SHORT_CHARS, _PIECE_CHARS):
            try:
                value, length = _DECODER.raw_decode(self._text[self._at : self._at + size])
            except json.JSONDecodeError as error:
                if self._at + size >= len(self._text):
                    raise json.JSONDecodeError(error.msg, self._text, self._at + error.pos) from None
            else:
                self._at += length
                return value
        if first == '"':
            return self._long_string()
        if first == "{":
            return self._long_object()
        return list(self.items())

    def end(self) -> None:
        """Require the end of the text."""
        if self.next_char():
            self._fail("Extra data")

    def _long_object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_done = self._enter("{", "}")
        while not is_done:
            found.update(self._short_members())
            name = self._name()
            found[name] = self.value()
            is_done = self._leave("}")
        return found

    def _short_items(self) -> list[Any]:
        """Decode the list items that are completely in one piece of text, up to the comma after each.

        This is several times faster than a piece for each item.
        An item that is longer than the piece, or invalid, is left for `value`.
        """
        piece, position = self._text[self._at : self._at + _PIECE_CHARS], 0
        values: list[Any] = []
        with suppress(*_INCOMPLETE):
            while True:
                value, end = _DECODER.scan_once(piece, position)
                # Without a comma, the piece may end inside a number.
                if piece[end] != ",":
                    break
                position = _past_space(piece, end + 1)
                values.append(value)
        self._at += position
        return values

    def _short_members(self) -> list[tuple[str, Any]]:
        """Do the same with the members of an object."""
        piece, position = self._text[self._at : self._at + _PIECE_CHARS], 0
        members: list[tuple[str, Any]] = []
        with suppress(*_INCOMPLETE):
            while piece[position] == '"':
                name, end = scanstring(piece, position + 1)
                end = _past_space(piece, end)
                if piece[end] != ":":
                    break
                value, end = _DECODER.scan_once(piece, _past_space(piece, end + 1))
                if piece[end] != ",":
                    break
                position = _past_space(piece, end + 1)
                members.append((name, value))
        self._at += position
        return members

    def _name(self) -> str:
        if self.next_char() != '"':
            self._fail("Expecting property name enclosed in double quotes")
        name: str = self.value()
        self._take(":")
        return name

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

    def _long_string(self) -> str:
        parts: list[str] = []
        start = self._at
        self._at += 1
        while True:
            piece = self._text[self._at : self._at + _PIECE_CHARS]
            match = _STRING_CHARS.match(piece)
            length = 0 if match is None else match.end()
            if piece[length : length + 1] == '"':
                parts.append(scanstring(piece[: length + 1], 0)[0])
                self._at += length + 1
                return "".join(parts)
            if not length:
                self._fail_in_string(start)
            part: str = scanstring(piece[:length] + '"', 0)[0]
            is_escaped = part[-1] != piece[length - 1]
            if is_escaped and "\ud800" <= part[-1] <= "\udbff" and length > _ESCAPE_CHARS:
                # The two halves of a surrogate pair must be decoded together.
                part, length = part[:-1], length - _ESCAPE_CHARS
            parts.append(part)
            self._at += length

    def _fail_in_string(self, start: int) -> NoReturn:
        message = "Invalid string"
        try:
            scanstring(self._text, self._at)
        except json.JSONDecodeError as error:
            # An unterminated string is reported at its start.
            self._at = start if error.pos < self._at else error.pos
            message = error.msg
        self._fail(message)

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

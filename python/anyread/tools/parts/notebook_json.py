"""The JSON of a notebook, decoded cell by cell.

One call of `json.loads` holds the interpreter until it returns, which for a notebook of a million cells
takes seconds in which no event loop runs, whichever thread makes the call.
The memory that values take is limited by their number, which is counted before any of them is decoded.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, Final, NoReturn

from anyread._native import count_values
from anyread.errors import TooLargeError

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile

_DECODED_BYTES: Final = 256 * 1024
"""Bytes that are decoded with one call."""
_SPACE: Final = re.compile(r"[ \t\n\r]*")
MAX_VALUES: Final = 1_000_000
"""The maximum number of values of a notebook; each takes up to a hundred times as much memory as its text."""


_LEVELS: Final = 2
"""The levels on which each call of `json` decodes only one value: those of a notebook and of its cells."""


class NotebookError(Exception):
    """A notebook cannot be shown; the text says why, as a clause."""


class NoJsonError(NotebookError):
    """The file is not JSON."""


def notebook_json(data: bytes) -> Any:
    """Decode a notebook; bytes that are not UTF-8 are replaced.

    Raises:
        NoJsonError: It is not JSON, or nested too deep.
        NotebookError: It has more than `MAX_VALUES` values.
    """
    if count_values(data) > MAX_VALUES:
        raise NotebookError(f"it has over {MAX_VALUES:,} values")
    decoder = getincrementaldecoder("utf-8")("replace")
    pieces = (data[start : start + _DECODED_BYTES] for start in range(0, len(data), _DECODED_BYTES))
    text = "".join([*map(decoder.decode, pieces), decoder.decode(b"", final=True)])
    try:
        value, end = _value(text, _past_space(text, 0), _LEVELS)
        if _past_space(text, end) < len(text):
            raise json.JSONDecodeError("Extra data", text, end)  # noqa: TRY301 - worded like all others
    except RecursionError as error:
        raise NoJsonError("it is nested too deep") from error
    except json.JSONDecodeError as error:
        raise NoJsonError(f"line {error.lineno:,}: {error.msg}") from error
    except ValueError as error:
        raise NoJsonError(str(error)) from error
    return value


def _refuse_constant(name: str) -> NoReturn:
    # `json` accepts NaN and Infinity, which JSON does not have.
    raise ValueError(f"{name} is not JSON")


_DECODER: Final[Any] = json.JSONDecoder(parse_constant=_refuse_constant)


def _past_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _value(text: str, at: int, levels: int) -> tuple[Any, int]:
    """Decode the value at a position; return it, and the position after it."""
    opening = text[at : at + 1]
    if not levels or opening not in {"{", "["}:
        value, end = _DECODER.raw_decode(text, at)
        return value, end
    items, members = list[Any](), dict[str, Any]()
    closing = "}" if opening == "{" else "]"
    at = _past_space(text, at + 1)
    is_done = text[at : at + 1] == closing
    while not is_done:
        if opening == "{":
            name, at = _name(text, at)
            members[name], at = _value(text, at, levels - 1)
        else:
            item, at = _value(text, at, levels - 1)
            items.append(item)
        at = _past_space(text, at)
        if text[at : at + 1] not in {",", closing}:
            raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
        is_done = text[at] == closing
        at = at if is_done else _past_space(text, at + 1)
    return members if opening == "{" else items, at + 1


def _name(text: str, at: int) -> tuple[str, int]:
    """Decode the name of a member; return it, and the position of its value."""
    if text[at : at + 1] != '"':
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, at)
    name, at = _DECODER.raw_decode(text, at)
    at = _past_space(text, at)
    if text[at : at + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
    return name, _past_space(text, at + 1)


def read_notebook(file: OpenFile) -> dict[str, Any]:
    """Decode the notebook in a file, within the reader's limit; empty: it is no object.

    Raises:
        TooLargeError: The file is over the limit.
        NotebookError: As `notebook_json`.
    """
    maximum = file.reader.limits.max_notebook_bytes
    if file.size_bytes > maximum:
        raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
    return fields_of(notebook_json(file.read(maximum)))


def fields_of(value: Any) -> dict[str, Any]:
    """Return a value if it is an object, and otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the items of a list, each as by `fields_of`; none if it is no list."""
    return list(map(fields_of, value)) if isinstance(value, list) else []


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

"""The arguments of forge's `read` and `read_image`, and their refusals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .detection import RequestedType, requested_type
from .wording import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.tools.parts.contract import Refusal

_LARGEST = 2**31 - 1
"""The reference stores line numbers in 32 bits."""
_BOOLEANS = {"true": True, "false": False}


class ForgeArguments(NamedTuple):
    """The checked arguments of a call."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    show_line_numbers: bool = True
    file_type: RequestedType | None = None

    def lines(self, maximum: int) -> tuple[int, int]:
        """Return the first and the last line; a reversed range is swapped, and a long one shortened."""
        first = max(1, self.start_line or 1)
        last = first + maximum - 1 if self.end_line is None else self.end_line
        first, last = sorted((first, last))
        first = max(1, first)
        return first, max(first, min(last, first + maximum - 1))


def checked(arguments: Mapping[str, Any]) -> ForgeArguments:
    """Check the arguments of `read`; numbers and booleans may be strings, unknown arguments are ignored.

    Raises:
        Refusal: One is missing, has the wrong type, or is negative.
    """
    return ForgeArguments(
        checked_path(arguments),
        _line_number(arguments, "start_line"),
        _line_number(arguments, "end_line"),
        _boolean(arguments, "show_line_numbers", default=True),
        _file_type(arguments),
    )


def checked_path(arguments: Mapping[str, Any]) -> str:
    """Check `path`, which may also be named `file_path`.

    Raises:
        Refusal: It is missing, or not a string.
    """
    for name in ("path", "file_path"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise _wrong_type(value, "a string", name)
    raise refusal("missing field `path`")


def _line_number(arguments: Mapping[str, Any], name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    is_integer = isinstance(value, float) and value.is_integer()
    if is_integer or (isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", value)):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong_type(value, "i32", name)
    if value > _LARGEST:
        raise refusal(f"invalid value: {_shown(value)}, expected i32 for `{name}`")
    if value < 0:
        raise refusal(f"invalid value: {_shown(value)}, `{name}` counts from 1")
    return value


def _boolean(arguments: Mapping[str, Any], name: str, *, default: bool) -> bool:
    value = arguments.get(name)
    if isinstance(value, str):
        value = _BOOLEANS.get(value.strip().lower(), value)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _wrong_type(value, "a boolean", name)
    return value


def _file_type(arguments: Mapping[str, Any]) -> RequestedType | None:
    value = arguments.get("file_type")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong_type(value, "a string", "file_type")
    found = requested_type(value.strip().lower())
    if isinstance(found, str):
        raise refusal(found)
    return found


def _wrong_type(value: object, expected: str, name: str) -> Refusal:
    return refusal(f"invalid type: {_shown(value)}, expected {expected} for `{name}`")


def _shown(value: object) -> str:
    """Write a refused value with its type, as the reference's parser does."""
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        shown = str(value) if value.bit_length() <= 128 else f"of {value.bit_length():,} bits"
        return f"integer `{shown}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, str):
        return f'string "{value[:80]}"'
    return "sequence" if isinstance(value, list | tuple) else "map"

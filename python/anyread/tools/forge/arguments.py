"""The arguments of forge's `read` and `read_image`, and which of them are refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .detection import FileType, file_type_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST = 2**31 - 1
"""The reference takes line numbers of 32 bits."""
_BOOLEANS = {"true": True, "false": False}


class ArgumentError(Exception):
    """An argument that the tool does not take; the text says why."""


class ReadArguments(NamedTuple):
    """The arguments of a call, checked."""

    path: str
    start_line: int | None = None
    end_line: int | None = None
    show_line_numbers: bool = True
    file_type: FileType | None = None


def checked(arguments: Mapping[str, Any]) -> ReadArguments:
    """Take the arguments of `read`: numbers may come as strings, unknown ones are let pass.

    Raises:
        ArgumentError: One is missing, of another type, or negative.
    """
    return ReadArguments(
        checked_path(arguments),
        _line_number(arguments, "start_line"),
        _line_number(arguments, "end_line"),
        _boolean(arguments, "show_line_numbers", absent=True),
        _file_type(arguments),
    )


def checked_path(arguments: Mapping[str, Any]) -> str:
    """Take `path`, which may also come under the name `file_path`.

    Raises:
        ArgumentError: It is missing, or no string.
    """
    for name in ("path", "file_path"):
        value = arguments.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise ArgumentError(f"invalid type: {_shown(value)}, expected a string for `{name}`")
    raise ArgumentError("missing field `path`")


def _line_number(arguments: Mapping[str, Any], name: str) -> int | None:
    value = arguments.get(name)
    if value is None:
        return None
    is_integer = isinstance(value, float) and value.is_integer()
    if is_integer or (isinstance(value, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", value)):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentError(f"invalid type: {_shown(value)}, expected i32 for `{name}`")
    if value > _LARGEST:
        raise ArgumentError(f"invalid value: {_shown(value)}, expected i32 for `{name}`")
    if value < 0:
        raise ArgumentError(f"invalid value: {_shown(value)}, `{name}` counts from 1")
    return value


def _boolean(arguments: Mapping[str, Any], name: str, *, absent: bool) -> bool:
    value = arguments.get(name)
    if isinstance(value, str):
        value = _BOOLEANS.get(value.strip().lower(), value)
    if value is None:
        return absent
    if not isinstance(value, bool):
        raise ArgumentError(f"invalid type: {_shown(value)}, expected a boolean for `{name}`")
    return value


def _file_type(arguments: Mapping[str, Any]) -> FileType | None:
    value = arguments.get("file_type")
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ArgumentError(f"invalid type: {_shown(value)}, expected a string for `file_type`")
    found = file_type_of(value.strip().lower())
    if isinstance(found, str):
        raise ArgumentError(found)
    return found


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

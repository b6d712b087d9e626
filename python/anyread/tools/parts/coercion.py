"""Numbers and strings in other types, as the libraries accept them with which contracts check arguments."""

from __future__ import annotations

import json
import re

from anyread.arguments.request import LARGEST

from .javascript import javascript_number, parsed_number, spelled

_BIG_INTEGER = re.compile(r"-?(0|[1-9]\d*)n", re.ASCII)
_BOOLEANS = {"false": 0, "true": 1}
_INTEGER = re.compile(r"\s*[+-]?[0-9]+(_[0-9]+)*(\.0*)?\s*")


def lax_integers(value: object) -> list[int] | None:
    """Convert the items of a list as pydantic's lax mode does; `None` counts as an empty list.

    Returns:
        The integers; `None` if the value is no list, or not all of its items can be converted.
    """
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        return None
    found = [lax_integer(each) for each in value]
    integers = [each for each in found if each is not None]
    return integers if len(integers) == len(found) else None


def lax_integer(value: object) -> int | None:
    """Convert an integer, or a string or float of that value, or a boolean, as pydantic's lax mode does.

    Returns:
        The integer; `None` if the value cannot be converted.
    """
    if type(value) is int:
        return value
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) <= 4_300 and _INTEGER.fullmatch(value):
        return int(value.strip().partition(".")[0])
    return None


def as_number(value: object) -> float | None:
    """Convert a number, a boolean or a string of one as pi's validator does; `None`: it is none of these."""
    if isinstance(value, int | float):
        return javascript_number(value)
    if not isinstance(value, str):
        return None
    number = parsed_number(value)
    if number is None and _BIG_INTEGER.fullmatch(value):
        number = parsed_number(value[:-1])
        return number if number is not None and abs(number) <= LARGEST else None
    return _BOOLEANS.get(value.lower()) if number is None else number


def as_string(value: object) -> str | None:
    """Convert a string, a number, a boolean or `None` as pi's validator does; `None`: it is none of these."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    number = javascript_number(value) if isinstance(value, int | float) else None
    return None if number is None else spelled(number)

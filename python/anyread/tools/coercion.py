"""Numbers that pydantic's lax mode accepts, with which contracts in Python check their arguments."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"\s*[+-]?[0-9]+(_[0-9]+)*(\.0*)?\s*")


def lax_integers(value: object) -> list[int] | None:
    """Convert the items of a list, which is empty for `None`; `None`: one is no integer, or it is no list."""
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        return None
    found = [lax_integer(each) for each in value]
    integers = [each for each in found if each is not None]
    return integers if len(integers) == len(found) else None


def lax_integer(value: object) -> int | None:
    """Convert an integer, or a string or float of that value, or a boolean; `None`: anything else."""
    if type(value) is int:
        return value
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str) and len(value) <= 4_300 and _INTEGER.fullmatch(value):
        return int(value.strip().partition(".")[0])
    return None

"""Numbers in other types, as the libraries accept them with which contracts check their arguments."""

from __future__ import annotations

import re

from anyread.arguments import LARGEST

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


def as_number(argument: object) -> float | None:
    """Return a number, also from a string of one, as TypeBox does; `None`: anything else."""
    if isinstance(argument, bool):
        return None
    if isinstance(argument, str):
        if not re.fullmatch(r"\s*[+-]?\d+(\.\d+)?\s*", argument, re.ASCII):
            return None
        argument = float(argument)
        argument = int(argument) if argument.is_integer() else argument
    if not isinstance(argument, int | float):
        return None
    if isinstance(argument, float) and argument.is_integer():
        argument = int(argument)
    return max(-LARGEST, min(argument, LARGEST))

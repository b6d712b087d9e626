"""The arguments of mycode's `Read`, and what its checker says of those that break the schema."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPE_NAMES = {
    type(None): "null",
    bool: "boolean",
    str: "string",
    int: "number",
    float: "number",
    list: "array",
    tuple: "array",
}
SAFE_INTEGER = 2**53 - 1
"""The largest integer that JavaScript's numbers hold for certain."""


def issues(arguments: Mapping[str, Any]) -> list[str]:
    """Say what zod 4 says of arguments; nothing if they are in order. Unknown ones are let pass, as there."""
    found = []
    path = arguments.get("file_path", ...)
    if not isinstance(path, str):
        found.append(f"file_path: Invalid input: expected string, received {_type_name(path)}")
    numbers = {name: _issue_of_integer(arguments[name]) for name in ("offset", "limit") if name in arguments}
    return found + [f"{name}: {issue}" for name, issue in numbers.items() if issue]


def _issue_of_integer(value: object) -> str | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and not math.isfinite(value)):
        return f"Invalid input: expected number, received {_type_name(value)}"
    # JSON has one kind of number: 2.0 is an integer.
    if isinstance(value, float) and not value.is_integer():
        return "Invalid input: expected int, received number"
    if value > SAFE_INTEGER:  # type: ignore[operator] # it is a number, as told above
        return f"Too big: expected int to be <={SAFE_INTEGER}"
    return None if value > 0 else "Too small: expected number to be >0"  # type: ignore[operator]


def _type_name(value: object) -> str:
    """Name the type of a value of JSON as JavaScript does; `...` stands for one that is missing."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity"
    return "undefined" if value is ... else _TYPE_NAMES.get(type(value), "object")

"""Numbers, slices and JSON as contracts in JavaScript have them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from anyread.arguments.request import LARGEST

_BLANKS: Final = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_DECIMAL: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PREFIXED: Final = re.compile(r"0(x[0-9a-f]+|o[0-7]+|b[01]+)", re.ASCII | re.IGNORECASE)
_TYPES: Final = {str: "string", bool: "boolean", type(None): "null", list: "array", tuple: "array"}


def javascript_number(value: float) -> float | None:
    """Return a number as JavaScript has it, as an `int` if it is one; `None`: it is not finite."""
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) <= LARGEST else number


def parsed_number(text: str) -> float | None:
    """Convert a text as JavaScript's `Number` does; `None`: it is no finite number."""
    text = text.strip(_BLANKS)
    if _PREFIXED.fullmatch(text):
        return javascript_number(int(text, 0))
    return javascript_number(float(text)) if _DECIMAL.fullmatch(text) else None if text else 0


def type_name(value: object) -> str:
    """Return the name of the type of a JSON value."""
    return "number" if type(value) in {int, float} else _TYPES.get(type(value), "object")


def json_text(value: object) -> str:
    """Write a value as `JSON.stringify` does with an indentation of two."""
    return json.dumps(_with_numbers(value), indent=2, ensure_ascii=False, default=str)


def _with_numbers(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _with_numbers(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_numbers(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    number = javascript_number(value)
    is_integer = number is not None and abs(number) < 1e21 and float(number).is_integer()
    return int(spelled(number)) if is_integer and number is not None else number


def spelled(value: float) -> str:
    """Write a number as JavaScript's `String` does."""
    if isinstance(value, int) and abs(value) <= LARGEST:
        return str(value)
    value = float(value)
    if value.is_integer() and abs(value) <= LARGEST:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def sliced(start: float, stop: float, total: int) -> tuple[int, int]:
    """Return the index of the first item of a list that `slice` returns, and how many it returns.

    Fractions are cut off, and negative numbers count from the end.
    """
    first, last = _index(start, total), _index(stop, total)
    return first, max(0, last - first)


def _index(value: float, total: int) -> int:
    index = int(max(-LARGEST, min(value, LARGEST)))
    return max(0, total + index) if index < 0 else min(index, total)

"""Schema violations in the words of zod 4, with which tools written in TypeScript check their arguments."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any, Literal

from anyread.arguments.request import LARGEST

from .javascript import type_name

if TYPE_CHECKING:
    from collections.abc import Mapping

ZodType = Literal["string", "number", "positive integer"]


def issues(arguments: Mapping[str, Any], kinds: Mapping[str, ZodType]) -> list[str]:
    """Report each argument of the wrong type as "name: message".

    The first of `kinds` is required, the others are optional; unknown arguments are ignored, as zod does.
    """
    found = []
    for index, (name, kind) in enumerate(kinds.items()):
        value = arguments.get(name, ...)
        issue = None if index and value is ... else _issue(value, kind)
        if issue is not None:
            found.append(f"{name}: {issue}")
    return found


def _issue(value: Any, kind: ZodType) -> str | None:
    received, expected = _type_name(value), "string" if kind == "string" else "number"
    is_integer = kind == "positive integer" and expected == "number"
    if is_integer and isinstance(value, int | float) and LARGEST < value < math.inf:
        return f"Too big: expected int to be <={LARGEST}"
    if received != expected:
        return f"Invalid input: expected {expected}, received {received}"
    if is_integer and value % 1:
        return "Invalid input: expected int, received number"
    return "Too small: expected number to be >0" if is_integer and value <= 0 else None


def _type_name(value: Any) -> str:
    """Return JavaScript's name for the type of a JSON value; `...` means a missing value."""
    if value is ...:
        return "undefined"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) <= sys.float_info.max:
            return "number"
        return "Infinity" if abs(value) > 0 else "NaN"
    return type_name(value)

"""Schema violations in the words of ajv, with which tools written in TypeScript check their arguments."""

from __future__ import annotations

from itertools import chain
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .schemas import Schema

_LIMITS: Final = (
    ("maximum", "<=", gt),
    ("exclusiveMaximum", "<", ge),
    ("minimum", ">=", lt),
    ("exclusiveMinimum", ">", le),
)


def violations(schema: Schema, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Word what violates a closed schema of strings and integers, one sentence for each fault."""
    missing = (name for name in schema["required"] if name not in arguments)
    yield from (f"must have required property '{name}'" for name in missing)
    unknown = (name for name in arguments if name not in schema["properties"])
    yield from (f"must NOT have additional property '{name}'" for name in unknown)
    for name, rules in schema["properties"].items():
        if name in arguments:
            yield from (f"/{name} must {fault}" for fault in _faults(arguments[name], rules))


def _faults(value: Any, rules: Schema) -> list[str]:
    if "anyOf" in rules:
        each = [_faults(value, one) for one in rules["anyOf"]]
        return [*chain(*each), "match a schema in anyOf"] if all(each) else []
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_valid = isinstance(value, str) if rules["type"] == "string" else is_number and value % 1 == 0
    found = [] if is_valid else [f"be {rules['type']}"]
    for name, words, is_outside in _LIMITS:
        if is_number and name in rules and is_outside(value, rules[name]):
            found.append(f"be {words} {rules[name]}")
    return found

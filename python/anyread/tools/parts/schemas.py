"""The JSON schemas of arguments, as contracts give them to models, and what violates them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Schema: TypeAlias = dict[str, Any]
Kind = Literal["string", "integer", "number", "boolean"]
Rule = Literal["required", "string", "number", "integer", "minimum"]


def arguments(*required: str, **properties: Schema | tuple[Kind, str]) -> Schema:
    """Return the schema of a tool's arguments.

    Args:
        required: Those without which no call is valid.
        properties: The schema of each, or its type and description.
    """
    found = {name: argument(*each) if isinstance(each, tuple) else each for name, each in properties.items()}
    return {"type": "object", "properties": found, "required": list(required)}


def closed(schema: Schema) -> Schema:
    """Return a schema that allows no other arguments."""
    return {**schema, "additionalProperties": False}


def argument(kind: Kind, description: str, **rules: object) -> Schema:
    """Return the schema of one argument; `rules` are further keywords of JSON Schema."""
    return {"type": kind, **rules, "description": description}


def items(kind: Literal["string", "integer"], description: str, **rules: object) -> Schema:
    """Return the schema of an argument that is a list."""
    return {"type": "array", "items": {"type": kind}, **rules, "description": description}


def violations(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[tuple[str, Rule]]:
    """Return the name of each string or number that violates a schema, with the rule that it violates.

    Arguments that the schema does not have are ignored. 2.0 is an integer, and a number whose absolute value
    is over the `maximum` of the schema is none.
    """
    found: list[tuple[str, Rule]] = []
    for name, rules in schema["properties"].items():
        if name not in arguments:
            if name in schema["required"]:
                found.append((name, "required"))
            continue
        value, kind = arguments[name], rules["type"]
        if kind == "string":
            if not isinstance(value, str):
                found.append((name, "string"))
        elif not isinstance(value, int | float) or isinstance(value, bool):
            found.append((name, "number"))
        elif kind == "integer" and (value % 1 or abs(value) > rules.get("maximum", math.inf)):
            found.append((name, "integer"))
        elif value < rules.get("minimum", value):
            found.append((name, "minimum"))
    return found

"""The JSON schemas of arguments, as contracts give them to models."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

Schema: TypeAlias = dict[str, Any]


def arguments(*required: str, **properties: Schema) -> Schema:
    """Return the schema of a tool's arguments; `required` are those without which no call is valid."""
    return {"type": "object", "properties": properties, "required": list(required)}


def argument(kind: Literal["string", "integer", "number"], description: str, **rules: object) -> Schema:
    """Return the schema of one argument; `rules` are further keywords of JSON Schema."""
    return {"type": kind, **rules, "description": description}


def items(kind: Literal["string", "integer"], description: str, **rules: object) -> Schema:
    """Return the schema of an argument that is a list."""
    return {"type": "array", "items": {"type": kind}, **rules, "description": description}

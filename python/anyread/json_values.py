"""Results and errors as JSON values: dictionaries, lists, strings and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ._native import b64encode


def plain(value: Any, *, include_bytes: bool = False) -> Any:
    """Convert a value to what JSON can represent.

    Args:
        value: A result, an error, or the value of one of their fields.
        include_bytes: Whether to include bytes as base64; otherwise fields of bytes are left out.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict(include_bytes=include_bytes)
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return {
            name: plain(item, include_bytes=include_bytes)
            for name, item in value.items()
            if include_bytes or not isinstance(item, bytes)
        }
    if isinstance(value, tuple | list):
        return [plain(item, include_bytes=include_bytes) for item in value]
    return b64encode(value) if isinstance(value, bytes) else value


def dumped(value: Mapping[str, Any]) -> str:
    """Write a dictionary that `plain` returned as JSON on one line."""
    # Loaded on first use: most readers never write JSON.
    import json

    return json.dumps(value, ensure_ascii=False)

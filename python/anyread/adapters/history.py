"""Replacing images and documents in a history of messages with lines of text.

An adapter finds the blocks of its API; this module walks through the history and writes the lines.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Any, TypeVar

from anyread.errors.base import quoted
from anyread.results.blocks import inspected

Content = TypeVar("Content", bound="list[Any] | tuple[Any, ...] | dict[str, Any]")


def replaced(
    content: Content, replacement: Callable[[dict[str, Any]], dict[str, Any] | None], below: frozenset[str]
) -> Content:
    """Return a copy of a content with some of its blocks replaced.

    Args:
        content: Blocks, messages, or a single one; SDK objects among them are kept.
        replacement: Returns the replacement of a block; `None`: the block is kept.
        below: The fields that contain blocks, so that the arguments of tool calls are left alone.
    """
    found: Content = _walked(content, replacement, below)
    return found


def _walked(
    value: Any, replacement: Callable[[dict[str, Any]], dict[str, Any] | None], below: frozenset[str]
) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([_walked(item, replacement, below) for item in value])
    if not isinstance(value, dict):
        return value
    instead = replacement(value)
    if instead is not None:
        return instead
    return {
        name: _walked(field, replacement, below) if name in below else field for name, field in value.items()
    }


def summary(media_type: str, data: str | bytes | None, name: str | None = None) -> str:
    """Describe in one line what was removed.

    Args:
        media_type: The declared media type.
        data: The content, as bytes or in base64; `None`: it was stored elsewhere.
        name: The declared name.
    """
    raw = data if isinstance(data, bytes) else _decoded(data or "")
    kind = "image" if media_type.startswith("image/") else "document"
    about = [quoted(name)] if name else []
    try:
        found, width, height = inspected(raw)
    except ValueError:
        about.append(media_type)
    else:
        about.append(f"{found.removeprefix('image/').upper()} {width:,}×{height:,}")
    if raw:
        about.append(f"{len(raw):,} bytes")
    return f"[{kind}: {', '.join(about)}; removed from this history; read it again to see it]"


def url_summary(url: str, media_type: str, name: str | None = None) -> str:
    """Describe in one line what was removed, from the URL that contained or named it."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return summary(head[5:-7], data, name)
    return summary(media_type, None, name or url)


def _decoded(text: str) -> bytes:
    try:
        # Google's SDK writes base64 with the URL-safe alphabet.
        return binascii.a2b_base64(text.replace("-", "+").replace("_", "/"))
    except ValueError:
        return b""

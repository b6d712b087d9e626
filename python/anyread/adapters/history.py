"""What is left of pictures and documents in a history of messages, once they are taken out.

The adapters tell where in their target's shape such a block is; here is the walk, and the line that
stands in the place of the block.
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
    """Rebuild a content with some of its blocks replaced; what is given stays as it is.

    Args:
        content: Blocks, messages, or one of them; objects of SDKs among them are passed on.
        replacement: What to put in the place of a block; `None`: nothing is wrong with it.
        below: The fields under which blocks stand, so that arguments of tool calls are left alone.
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
    """Say in one line what was taken out.

    Args:
        media_type: What it was said to be.
        data: Its bytes, plain or in base64; `None`: it stood elsewhere.
        name: What it was called.
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
    return f"[{kind}: {', '.join(about)}; taken out of this history: read it again to see it]"


def url_summary(url: str, media_type: str, name: str | None = None) -> str:
    """Say in one line what was taken out, from the URL that it stood in or behind."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return summary(head[5:-7], data, name)
    return summary(media_type, None, name or url)


def _decoded(text: str) -> bytes:
    try:
        # Google's SDK spells JSON in the alphabet for URLs.
        return binascii.a2b_base64(text.replace("-", "+").replace("_", "/"))
    except ValueError:
        return b""

"""The Rust framework rig: content of messages and of tool results, as its serde types serialize them.

| anyread | rig |
| --- | --- |
| text | `text` |
| image | `image` with base64 data and a media type such as `png` |
| PDF | `document` in a message; text of its pages in a tool result, which accepts no documents |
| error | `text` that starts with "error: ", because there is no flag |

Source: `UserContent` and `ToolResultContent` in `rig_core::message` of the
crate `rig-core` 0.46.0, 2026-11-26.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anyread.models.model import Model
from anyread.results import Block, TextBlock

from .content import Readables, answer
from .history import Content, replaced, summary

_MODEL = Model.any()
_BELOW = frozenset({"content", "messages"})


def content(source: Readables, *, model: Model | None = None) -> list[dict[str, Any]]:
    r"""Return the content of a user message, a list of `UserContent`.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.any()`. Anything else becomes text.

    Returns:
        Content; at least one item, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> rig.content(page)
        [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    return _parts(source, model or _MODEL)


def tool_result_content(
    source: Readables, *, is_error: bool | None = None, model: Model | None = None
) -> list[dict[str, Any]]:
    """Return the `content` of a `ToolResult`, a list of `ToolResultContent`.

    Args:
        source: A result, an error, blocks, or several of these.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.any()`. Anything else, and a PDF, becomes text.

    Returns:
        Content; at least one item, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> rig.tool_result_content(view)[1]["data"]["type"]
        'base64'
    """
    accepted = model or _MODEL
    return _parts(source, replace(accepted, inputs=accepted.inputs - {"pdf"}), is_error=is_error)


def without_media(content: Content) -> Content:
    """Replace every image and document of a history with a line of text.

    Args:
        content: Messages, content, or one of them; it is not changed.

    Example:
        >>> rig.without_media(rig.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _parts(source: Readables, model: Model, *, is_error: bool | None = None) -> list[dict[str, Any]]:
    blocks = answer(source, model, is_error=is_error, flags_errors=False).blocks
    return [_converted(block, model) for block in blocks]


def _converted(block: Block, model: Model) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    kind, _, media_type = block.media_type.rpartition("/")
    data = {"type": "base64", "value": block.base64}
    part = {"type": kind if kind == "image" else "document", "data": data, "media_type": media_type}
    has_detail = kind == "image" and model.image_detail in {"low", "high", "auto"}
    return part | ({"detail": model.image_detail} if has_detail else {})


def _instead(part: dict[str, Any]) -> dict[str, Any] | None:
    kind, data = part.get("type"), part.get("data")
    if kind not in {"image", "document"} or not isinstance(data, dict):
        return None
    value = data.get("value")
    is_encoded = data.get("type") == "base64"
    media_type = f"{'image' if kind == 'image' else 'application'}/{part.get('media_type') or '*'}"
    name = None if is_encoded or not isinstance(value, str) else value
    return {"type": "text", "text": summary(media_type, value if is_encoded else None, name)}

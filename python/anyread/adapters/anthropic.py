"""Anthropic's Messages API: content blocks and `tool_result`.

| anyread | Anthropic |
| --- | --- |
| text | `text` |
| image | `image` with a base64 source |
| PDF | `document` with a base64 source |
| error | `text`, and `is_error` |

Source: platform.claude.com/docs, "Tool use", "Vision" and "PDF support", 2026-10; the types of the
SDK `anthropic` 2.12.0.
"""

from __future__ import annotations

from typing import Any

from anyread.models.model import Model
from anyread.results import Block
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, document_name
from .history import Content, replaced, summary

_MODEL = Model.anthropic()
_MAX_TITLE_CHARS = 500
_BELOW = frozenset({"content", "messages", "source"})


def content(
    source: Readables, *, model: Model | None = None, citations: bool = False
) -> list[dict[str, Any]]:
    r"""Return content blocks for a user message or a `tool_result`.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.anthropic()`. Anything else becomes text.
        citations: Whether the model may cite documents; all documents of a request must agree.

    Returns:
        Blocks; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> anthropic.content(page)
        [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    return [_converted(block, citations=citations) for block in answer(source, model or _MODEL).blocks]


def tool_result(
    source: Readables,
    *,
    tool_use_id: str,
    is_error: bool | None = None,
    model: Model | None = None,
    citations: bool = False,
) -> dict[str, Any]:
    """Answer a `tool_use` block.

    Args:
        source: A result, an error, blocks, or several of these.
        tool_use_id: The `id` of the `tool_use` block.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.anthropic()`. Anything else becomes text.
        citations: Whether the model may cite documents; all documents of a request must agree.

    Returns:
        The block, for the content of the next user message; an error has `is_error`.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> anthropic.tool_result(error, tool_use_id="toolu_1")["is_error"]
        True
    """
    blocks, is_error = answer(source, model or _MODEL, is_error=is_error)
    result: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": tool_use_id,
        "content": [_converted(block, citations=citations) for block in blocks],
    }
    if is_error:
        result["is_error"] = True
    return result


def without_media(content: Content) -> Content:
    """Replace every image and document of a history with a line of text.

    Args:
        content: Messages, content blocks, or one of them; it is not changed.

    Example:
        >>> messages = [{"role": "user", "content": anthropic.content(view)}]
        >>> anthropic.without_media(messages)[0]["content"][1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _converted(block: Block, *, citations: bool) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        return {"type": "image", "source": _base64_source(block)}
    if isinstance(block, DocumentBlock):
        document = {
            "type": "document",
            "title": document_name(block)[:_MAX_TITLE_CHARS],
            "source": _base64_source(block),
        }
        return document | ({"citations": {"enabled": True}} if citations else {})
    return {"type": "text", "text": block.text}


def _base64_source(block: ImageBlock | DocumentBlock) -> dict[str, str]:
    return {"type": "base64", "media_type": block.media_type, "data": block.base64}


def _instead(block: dict[str, Any]) -> dict[str, Any] | None:
    source = block.get("source")
    if block.get("type") not in {"image", "document"} or not isinstance(source, dict):
        return None
    # A document made of text or blocks is not media; images in it are found further down.
    if source.get("type") in {"text", "content"}:
        return None
    media_type = source.get("media_type") or ("image/*" if block["type"] == "image" else "application/pdf")
    name = block.get("title") or source.get("url") or source.get("file_id")
    return {"type": "text", "text": summary(media_type, source.get("data"), name)}

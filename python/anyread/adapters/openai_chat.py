"""OpenAI's Chat Completions API: content parts, and the messages that answer a tool call.

| anyread | Chat Completions |
| --- | --- |
| text | text of the `tool` message |
| image | `image_url` in a `user` message that follows |
| PDF | `file` in a `user` message that follows |
| error | text that starts with "error: ", because there is no flag |

A `tool` message accepts only text. It contains `[image-1.png: in the user message below]`, and the user
message names each file and its call.

Source: developers.openai.com/api/docs, guides "Function calling", "Images and vision" and "File
inputs", 2026-09-08; the types of the SDK `openai` 3.54.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from anyread.models.model import Model
from anyread.results import Block
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, data_url, document_name, separated
from .history import Content, replaced, url_summary

_MODEL = Model.openai()
_BELOW = frozenset({"content", "messages"})


class ToolMessages(NamedTuple):
    """The answer of one tool call."""

    tool: dict[str, Any]
    """The `tool` message."""
    user: dict[str, Any] | None
    """The `user` message with the media, which must follow the `tool` messages of all calls."""


def content(source: Readables, *, model: Model | None = None) -> list[dict[str, Any]]:
    r"""Return content parts for a user message; a tool message accepts only text.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.

    Returns:
        Content parts; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> openai_chat.content(page)
        [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    accepted = model or _MODEL
    return [_converted(block, accepted) for block in _blocks(source, accepted)]


def tool_messages(
    source: Readables, *, tool_call_id: str, is_error: bool | None = None, model: Model | None = None
) -> ToolMessages:
    """Answer a tool call.

    Args:
        source: A result, an error, blocks, or several of these.
        tool_call_id: The `id` of the call.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.openai()`. Anything else becomes text.

    Returns:
        The `tool` message, and a `user` message if there are media; `messages` orders those of several
        calls.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> openai_chat.tool_messages(page, tool_call_id="call_1").user is None
        True
    """
    accepted = model or _MODEL
    blocks = _blocks(source, accepted, is_error=is_error)
    text, media = separated(blocks, "[{label}: in the user message below]")
    parts: list[dict[str, Any]] = []
    for block, label in media:
        parts.append({"type": "text", "text": f"[{label} of tool call {tool_call_id}]"})
        parts.append(_converted(block, accepted))
    tool = {"role": "tool", "tool_call_id": tool_call_id, "content": text}
    return ToolMessages(tool, {"role": "user", "content": parts} if parts else None)


def messages(answers: Iterable[ToolMessages]) -> list[dict[str, Any]]:
    """Return the answers of all calls of one turn in the order that the API requires.

    The `tool` messages must directly follow the calls, so the media of all calls are after the last one.

    Args:
        answers: One answer per call.

    Example:
        >>> answers = [openai_chat.tool_messages(view, tool_call_id=call) for call in ("a", "b")]
        >>> [message["role"] for message in openai_chat.messages(answers)]
        ['tool', 'tool', 'user', 'user']
    """
    answers = list(answers)
    media = [answer.user for answer in answers if answer.user is not None]
    return [answer.tool for answer in answers] + media


def without_media(content: Content) -> Content:
    """Replace every image and file of a history with a line of text.

    Args:
        content: Messages, content parts, or one of them; it is not changed.

    Example:
        >>> openai_chat.without_media(openai_chat.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _blocks(source: Readables, model: Model, *, is_error: bool | None = None) -> list[Block]:
    # A still GIF is accepted; `Model.openai` lists no GIF, so that readers convert all of them to PNG.
    return answer(source, model, is_error=is_error, flags_errors=False, still_gif=True).blocks


def _converted(block: Block, model: Model) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        url = {"url": data_url(block), "detail": model.image_detail or "auto"}
        return {"type": "image_url", "image_url": url}
    if isinstance(block, DocumentBlock):
        return {"type": "file", "file": {"filename": document_name(block), "file_data": data_url(block)}}
    return {"type": "text", "text": block.text}


def _instead(part: dict[str, Any]) -> dict[str, Any] | None:
    held = part.get(part.get("type") or "")
    if not isinstance(held, dict):
        return None
    if part["type"] == "image_url":
        text = url_summary(held.get("url") or "", "image/*")
    elif part["type"] == "file":
        url = held.get("file_data") or held.get("file_id") or ""
        text = url_summary(url, "application/pdf", held.get("filename"))
    else:
        return None
    return {"type": "text", "text": text}

"""The Model Context Protocol: content blocks, and the result of a tool, as they go over the wire.

| anyread | MCP |
| --- | --- |
| text | `text` |
| picture | `image` |
| PDF | text of its pages, since hosts drop binary resources; `embed_documents=True`: `resource` |
| error | `text`, and `isError` |

What programs may want to know stands in `_meta`. There is no `structuredContent`: hosts that find one
show the model nothing else, and the pictures are lost.

Source: modelcontextprotocol.io/specification/2026-07-28, "Tools"; the types of the SDK `mcp` 2.3.0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from anyread.errors import ReadError
from anyread.model import Model
from anyread.results import Block, Failed, Page, Unchanged
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, once, results_of
from .history import Content, replaced, summary

META_KEY = "dev.anyread/results"
"""Under this name `_meta` has what was read, in order."""

_MODEL = Model.mcp()
_BELOW = frozenset({"content", "messages"})


def content(
    source: Readables, *, model: Model | None = None, embed_documents: bool = False
) -> list[dict[str, Any]]:
    r"""Make content blocks, for the result of a tool or a prompt.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model behind the host takes; `None`: `Model.mcp()`. The rest becomes text.
        embed_documents: Whether PDFs are embedded as resources instead of shown as text.

    Returns:
        Blocks; never none, and no text is blank.

    Raises:
        TypeError: The source is something else.

    Example:
        >>> mcp.content(page)
        [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    taken = _taken(model, embed_documents=embed_documents)
    return [_spelt(block) for block in answer(source, taken).blocks]


def call_tool_result(
    source: Readables,
    *,
    is_error: bool | None = None,
    model: Model | None = None,
    embed_documents: bool = False,
) -> dict[str, Any]:
    """Answer a `tools/call` request.

    Args:
        source: A result, an error, blocks, or several of these.
        is_error: Whether the answer is an error, as reported by `Tool.failed`; `None`: as the
            source says.
        model: What the model behind the host takes; `None`: `Model.mcp()`. The rest becomes text.
        embed_documents: Whether PDFs are embedded as resources instead of shown as text.

    Returns:
        The result; `mcp.types.CallToolResult.model_validate` makes the SDK's object of it.

    Raises:
        TypeError: The source is something else.

    Example:
        >>> mcp.call_tool_result(error)["isError"]
        True
    """
    source = once(source)
    taken = _taken(model, embed_documents=embed_documents)
    blocks, is_error = answer(source, taken, is_error=is_error)
    result: dict[str, Any] = {"content": [_spelt(block) for block in blocks], "isError": is_error}
    told = [_meta(item) for item in results_of(source)]
    if told:
        result["_meta"] = {META_KEY: told}
    return result


def without_media(content: Content) -> Content:
    """Put a line of text in the place of every picture and binary resource of a history.

    Args:
        content: Messages, results, content blocks, or one of them; it is not changed.

    Example:
        >>> mcp.without_media(mcp.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; taken out of this history: read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _taken(model: Model | None, *, embed_documents: bool) -> Model:
    known = model or _MODEL
    return replace(known, inputs=known.inputs | {"pdf"} if embed_documents else known.inputs - {"pdf"})


def _spelt(block: Block) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        return {"type": "image", "data": block.base64, "mimeType": block.media_type}
    if isinstance(block, DocumentBlock):
        # A block knows its name and not where it lies, so the address names it and leads nowhere.
        uri = f"anyread:///{quote(block.name, errors='replace')}"
        resource = {"uri": uri, "mimeType": block.media_type, "blob": block.base64}
        return {"type": "resource", "resource": resource}
    return {"type": "text", "text": block.text}


def _meta(item: Page | Unchanged | Failed | ReadError) -> dict[str, Any]:
    if isinstance(item, (Failed, ReadError)):
        error = item.error if isinstance(item, Failed) else item
        return {"path": item.path, "error": {"code": error.code, "hint": error.hint}}
    if not isinstance(item, Page):
        return {"path": item.path, "version": item.version, "unchanged": True}
    return {
        "path": item.path,
        "kind": item.kind,
        "media_type": item.media_type,
        "size_bytes": item.size_bytes,
        "version": item.version,
        "truncated": item.truncated,
        "next": None if item.next is None else dict(item.next.arguments),
        "notices": [{"code": notice.code, "message": notice.message} for notice in item.notices],
    }


def _instead(block: dict[str, Any]) -> dict[str, Any] | None:
    if block.get("type") == "image":
        text = summary(block.get("mimeType") or "image/*", block.get("data"))
    elif block.get("type") == "resource" and "blob" in (block.get("resource") or {}):
        resource = block["resource"]
        media_type = resource.get("mimeType") or "application/octet-stream"
        text = summary(media_type, resource["blob"], resource.get("uri"))
    else:
        return None
    return {"type": "text", "text": text}

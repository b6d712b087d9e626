"""The Model Context Protocol: content blocks and tool results in wire format.

| anyread | MCP |
| --- | --- |
| text | `text` |
| image | `image` |
| PDF | text of its pages, because hosts drop binary resources; `embed_documents=True`: `resource` |
| error | `text`, and `isError` |

Data for programs is in `_meta`. There is no `structuredContent`, because hosts show the model nothing
else if there is one, and the images are lost.

Source: modelcontextprotocol.io/specification/2026-07-28, "Tools"; the types of the SDK `mcp` 2.3.0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import quote

from anyread.errors import ReadError
from anyread.models.model import Model
from anyread.results import BasePage, Block, Failed, NotShown, Page, Unchanged
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer, items_of
from .history import Content, replaced, summary

META_KEY = "dev.anyread/results"
"""The key in `_meta` with the data of the results, in order."""

_MODEL = Model.mcp()
_BELOW = frozenset({"content", "messages"})


def content(
    source: Readables, *, model: Model | None = None, embed_documents: bool = False
) -> list[dict[str, Any]]:
    r"""Return content blocks for the result of a tool or a prompt.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the host's model accepts; `None`: `Model.mcp()`. Anything else becomes text.
        embed_documents: Whether PDFs are embedded as resources instead of shown as text.

    Returns:
        Blocks; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> mcp.content(page)
        [{'type': 'text', 'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    accepted = _accepted(model, embed_documents=embed_documents)
    return [_converted(block) for block in answer(source, accepted).blocks]


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
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the host's model accepts; `None`: `Model.mcp()`. Anything else becomes text.
        embed_documents: Whether PDFs are embedded as resources instead of shown as text.

    Returns:
        The result; `mcp.types.CallToolResult.model_validate` converts it to the SDK's object.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> mcp.call_tool_result(error)["isError"]
        True
    """
    items = items_of(source)
    accepted = _accepted(model, embed_documents=embed_documents)
    blocks, is_error = answer(items, accepted, is_error=is_error)
    result: dict[str, Any] = {"content": [_converted(block) for block in blocks], "isError": is_error}
    facts = [_meta(item) for item in items if not isinstance(item, Block)]
    if facts:
        result["_meta"] = {META_KEY: facts}
    return result


def without_media(content: Content) -> Content:
    """Replace every image and binary resource of a history with a line of text.

    Args:
        content: Messages, results, content blocks, or one of them; it is not changed.

    Example:
        >>> mcp.without_media(mcp.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


def _accepted(model: Model | None, *, embed_documents: bool) -> Model:
    known = model or _MODEL
    return replace(known, inputs=known.inputs | {"pdf"} if embed_documents else known.inputs - {"pdf"})


def _converted(block: Block) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        return {"type": "image", "data": block.base64, "mimeType": block.media_type}
    if isinstance(block, DocumentBlock):
        # A block has a name but no path, so the URI only identifies it.
        uri = f"anyread:///{quote(block.name, errors='replace')}"
        resource = {"uri": uri, "mimeType": block.media_type, "blob": block.base64}
        return {"type": "resource", "resource": resource}
    return {"type": "text", "text": block.text}


def _meta(item: Page | Unchanged | NotShown | Failed | ReadError) -> dict[str, Any]:
    if isinstance(item, (Failed, ReadError)):
        error = item.error if isinstance(item, Failed) else item
        return {"path": item.path, "error": {"code": error.code, "hint": error.hint}}
    if isinstance(item, NotShown):
        following = dict(item.next.arguments)
        return {"path": item.path, "size_bytes": item.size_bytes, "truncated": True, "next": following}
    if not isinstance(item, BasePage):
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

"""Amazon Bedrock's Converse API: content blocks and `toolResult`.

| anyread | Converse |
| --- | --- |
| text | `text` |
| image | `image` |
| PDF | `document`, with a name that Bedrock accepts, next to at least one text |
| error | `text`, and the status `error` |

Bytes are raw, as `boto3` requires, so the dictionaries are not JSON; with `base64=True` they are text,
as HTTP requires.

Source: docs.aws.amazon.com/bedrock, API reference "DocumentBlock" and "ToolResultBlock", 2026-11-21; the
service model of `botocore` 1.44.5.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from anyread.models.model import Model
from anyread.results import Block, TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock

from .content import Readables, answer
from .history import Content, replaced, summary

_MODEL = Model.bedrock()
_BELOW = frozenset({"content", "messages", "toolResult"})
_REFUSED = re.compile(r"[^A-Za-z0-9()\[\]-]+")
_MAX_STEM_CHARS = 160
"""A name may have 200 characters; the rest is reserved for making it unique."""


def content(
    source: Readables,
    *,
    model: Model | None = None,
    base64: bool = False,
    citations: bool = False,
    scope: str = "",
) -> list[dict[str, Any]]:
    r"""Return content blocks for a user message or a `toolResult`.

    Args:
        source: A result, an error, blocks, or several of these.
        model: What the model accepts; `None`: `Model.bedrock()`. Anything else becomes text.
        base64: Whether to encode bytes as base64 text, for HTTP.
        citations: Whether the model may cite documents; without it, Claude sees only the text of PDFs.
        scope: A string that is unique to this content in the conversation, such as the message's ID:
            Bedrock rejects a request with two documents of the same name.

    Returns:
        Blocks; at least one, and no text is blank.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> bedrock.content(page)
        [{'text': '1\tTyger Tyger, burning bright,\n[line 1 of 2 · next: offset=2]'}]
    """
    blocks = answer(source, model or _MODEL).blocks
    return _Converter(base64=base64, citations=citations, scope=scope).all(blocks)


def tool_result(
    source: Readables,
    *,
    tool_use_id: str,
    is_error: bool | None = None,
    model: Model | None = None,
    base64: bool = False,
    citations: bool = False,
) -> dict[str, Any]:
    """Answer a `toolUse` block.

    Args:
        source: A result, an error, blocks, or several of these.
        tool_use_id: The `toolUseId` of the block; the names of documents end with a digest of it, because
            Bedrock rejects a request with two documents of the same name.
        is_error: Whether this is an error, as returned by `Tool.failed`; `None`: determined from the source.
        model: What the model accepts; `None`: `Model.bedrock()`. Anything else becomes text.
        base64: Whether to encode bytes as base64 text, for HTTP.
        citations: Whether the model may cite documents; without it, Claude sees only the text of PDFs.

    Returns:
        The block, for the content of the next user message; only an error has a `status`, which only
        Claude and Nova accept.

    Raises:
        TypeError: The source is anything else.

    Example:
        >>> bedrock.tool_result(error, tool_use_id="tooluse_1")["toolResult"]["status"]
        'error'
    """
    blocks, is_error = answer(source, model or _MODEL, is_error=is_error)
    converter = _Converter(base64=base64, citations=citations, scope=tool_use_id)
    result: dict[str, Any] = {"toolUseId": tool_use_id, "content": converter.all(blocks)}
    if is_error:
        result["status"] = "error"
    return {"toolResult": result}


def without_media(content: Content) -> Content:
    """Replace every image and document of a history with a line of text.

    Args:
        content: Messages, content blocks, or one of them; it is not changed.

    Example:
        >>> bedrock.without_media(bedrock.content(view))[1]["text"]
        '[image: PNG 40×30, ... bytes; removed from this history; read it again to see it]'
    """
    return replaced(content, _instead, _BELOW)


class _Converter:
    """Converts the blocks of one content."""

    def __init__(self, *, base64: bool, citations: bool, scope: str) -> None:
        self._base64 = base64
        self._citations = citations
        digest = hashlib.sha256(scope.encode("utf-8", "replace")).hexdigest()[:8]
        self._suffix = f" {digest}" if scope else ""
        self._names: set[str] = set()

    def all(self, blocks: list[Block]) -> list[dict[str, Any]]:
        converted = [self._converted(block) for block in blocks]
        documents = [block["document"]["name"] for block in converted if "document" in block]
        if documents and not any("text" in block for block in converted):
            converted.insert(0, {"text": f"[document: {', '.join(documents)}]"})
        return converted

    def _converted(self, block: Block) -> dict[str, Any]:
        if isinstance(block, TextBlock):
            return {"text": block.text}
        source = {"bytes": block.base64 if self._base64 else block.data}
        if isinstance(block, ImageBlock):
            return {"image": {"format": block.media_type.removeprefix("image/"), "source": source}}
        document = {"format": "pdf", "name": self._name(block), "source": source}
        return {"document": document | ({"citations": {"enabled": True}} if self._citations else {})}

    def _name(self, block: DocumentBlock) -> str:
        stem = re.sub(r"\.pdf$", "", block.name, flags=re.IGNORECASE)
        stem = _REFUSED.sub(" ", stem).strip()[:_MAX_STEM_CHARS].strip() or "document"
        name, number = stem + self._suffix, 1
        while name.lower() in self._names:
            number += 1
            name = f"{stem}{self._suffix} {number}"
        self._names.add(name.lower())
        return name


def _instead(block: dict[str, Any]) -> dict[str, Any] | None:
    for key, family in (("image", "image/"), ("document", "application/")):
        held = block.get(key)
        if isinstance(held, dict) and isinstance(held.get("source"), dict):
            source = held["source"]
            name = held.get("name") or source.get("s3Location", {}).get("uri")
            return {"text": summary(f"{family}{held.get('format')}", source.get("bytes"), name)}
    return None

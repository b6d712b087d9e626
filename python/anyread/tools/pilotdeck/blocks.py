"""Blocks of a message, read back from what `read_file` answered."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock

if TYPE_CHECKING:
    from anyread.results import Block


def blocks_of(output: Any) -> list[Block]:
    """Read an output back: its content, then the media of the message that follows it.

    Empty text makes no block, and media that no model would take are named in words.
    """
    data = output.get("data") or {}
    name = str(data.get("filePath", "")).rpartition("/")[2] or "document.pdf"
    items = [*output["content"]]
    for message in output.get("supplementalMessages", ()):
        items += message["content"]
    found = [_block(item, name) for item in items]
    return [block for block in found if block is not None]


def _block(item: dict[str, Any], name: str) -> Block | None:
    if item["type"] == "text":
        return TextBlock(item["text"]) if item["text"] else None
    try:
        data = b64decode(item["data"], validate=True)
        if item["type"] == "image":
            return ImageBlock.from_bytes(data)
        return DocumentBlock.from_bytes(data, name=name, page_count=item.get("pages") or 1)
    except ValueError as error:
        return TextBlock(f"[{item['mimeType']}, {item['bytes']} bytes, cannot be shown: {error}]")

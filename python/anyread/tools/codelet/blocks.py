"""Blocks of a message, read back from the JSON that codelet's `read` answers."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import TYPE_CHECKING, Any

from anyread.results import TextBlock
from anyread.results.blocks import ImageBlock

from .detection import SVG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread.results import Block
    from anyread.tools.profile import Output


def blocks_of(output: Output) -> list[Block]:
    """Read an output back; empty text makes no block, and what no model takes is named in words."""
    answer: dict[str, Any] = json.loads(output) if isinstance(output, str) else output
    return [block for block in _each(answer) if not isinstance(block, TextBlock) or block.text.strip()]


def _each(answer: dict[str, Any]) -> Iterator[Block]:
    if "error" in answer:
        yield TextBlock(answer["error"])
    elif answer["type"] == "text":
        yield TextBlock(answer["content"])
    elif answer["type"] == "image":
        yield _picture(answer)
    else:
        for page in answer["pages"]:
            yield TextBlock(page["text"])
            if page["image"] is not None:
                yield _picture(page["image"])


def _picture(item: dict[str, str]) -> Block:
    data = b64decode(item["data"])
    if item["media_type"] == SVG:
        return TextBlock(data.decode("utf-8", "replace"))
    try:
        return ImageBlock.from_bytes(data)
    except ValueError as error:
        # Without validation it may be anything, and no model takes it.
        return TextBlock(f"[{item['media_type']} of {len(data):,} bytes: {error}]")

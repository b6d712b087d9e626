"""The files that a program for a client reads and writes: `PROGRAM REQUEST ANSWERS`, both JSON.

Programs run in their client's environment, so this uses the standard library only.

A request has `command`, the program and arguments of the server; `url`, which is set instead if the server
already listens; and `calls`, the arguments of one call for each kind.
Answers have, for each kind, `is_error`, and the `items` of the reply: `{"text": …}`,
`{"image": base64, "media_type": …}` or `{"other": type}`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict


@dataclass(frozen=True)
class Request:
    """How to reach the server, and what to read."""

    command: list[str]
    url: str | None
    calls: dict[str, dict[str, str]]


class Answer(TypedDict):
    """What the client shows of one reply."""

    is_error: bool
    items: list[dict[str, str]]


def text_item(text: str) -> dict[str, str]:
    return {"text": text}


def image_item(data: str, media_type: str) -> dict[str, str]:
    """Return an image; `data` is base64."""
    return {"image": data, "media_type": media_type}


def image_url_item(url: str) -> dict[str, str]:
    """Return an image from a data URL."""
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    return image_item(data, media_type)


def mcp_item(block: Any) -> dict[str, str]:
    """Return a content block of the Python SDK, version 1 or 2."""
    if block.type == "text":
        return text_item(block.text)
    if block.type == "image":
        media_type = block.mime_type if hasattr(block, "mime_type") else block.mimeType
        return image_item(block.data, media_type)
    return {"other": block.type}


def run(ask: Callable[[Request], Coroutine[Any, Any, dict[str, Answer]]]) -> None:
    """Read the request, ask, and write the answers."""
    request = Request(**json.loads(Path(sys.argv[1]).read_text("utf-8")))
    answers = asyncio.run(ask(request))
    Path(sys.argv[2]).write_text(json.dumps(answers), "utf-8")

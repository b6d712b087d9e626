"""strands-agents-tools: the modes `lines` and `stats` of its `file_read`, which shows no line numbers.

It is a plain function, which is called in a thread, as its framework does.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import os
from typing import Any

from benches.drivers.protocol import Answer, Question, RefusedError, serve, texts

os.environ["BYPASS_TOOL_CONSENT"] = "true"

from strands_tools.file_read import file_read


async def call(**arguments: Any) -> str:
    request = {"toolUseId": "1", "name": "file_read", "input": arguments}
    result = await asyncio.to_thread(file_read, request)
    text: str = result["content"][0]["text"]
    if result["status"] != "success" or text.startswith("Error"):
        # It also catches MemoryError, whose message is empty.
        raise MemoryError if text.rstrip().endswith(":") else RefusedError(text)
    return text


async def window(path: str, first: int, count: int) -> str:
    return await call(path=path, mode="lines", start_line=first - 1, end_line=first - 1 + count)


async def whole(path: str) -> str:
    return await call(path=path, mode="lines", start_line=0)


async def total(path: str, count: int) -> str:  # noqa: ARG001 - it always shows 50 lines
    return await call(path=path, mode="stats")


def lines(text: str) -> Answer:
    return Answer(texts(text))


def counted(text: str) -> Answer:
    return Answer(total=json.loads(text)["line_count"])


if __name__ == "__main__":
    serve(
        f"strands-agents-tools {importlib.metadata.version('strands-agents-tools')}",
        window=Question(window, lines),
        whole=Question(whole, lines),
        count=Question(total, counted),
    )

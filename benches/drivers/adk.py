"""google-adk: the `ReadFile` tool of its environments."""

from __future__ import annotations

import importlib.metadata
import warnings
from pathlib import Path
from typing import Any

from benches.drivers.protocol import Answer, Question, RefusedError, numbered, serve

warnings.simplefilter("ignore")  # it warns about experimental features

from google.adk.environment import LocalEnvironment  # noqa: E402 - warns when it is imported
from google.adk.tools.environment._read_file_tool import ReadFileTool  # noqa: E402

TOOL = ReadFileTool(LocalEnvironment(working_dir=Path("/")))


async def call(**arguments: Any) -> dict[str, Any]:
    result: dict[str, Any] = await TOOL.run_async(args=arguments, tool_context=None)
    if result["status"] != "ok":
        # It also catches MemoryError, whose message is empty.
        raise RefusedError(result["error"]) if result["error"] else MemoryError
    return result


async def window(path: str, first: int, count: int) -> dict[str, Any]:
    return await call(path=path, start_line=first, end_line=first + count - 1)


async def whole(path: str) -> dict[str, Any]:
    return await call(path=path)


async def total(path: str, count: int) -> dict[str, Any]:
    return await window(path, 1, count)


def answer(result: dict[str, Any]) -> Answer:
    return Answer(numbered(result["content"]), result.get("total_lines"))


if __name__ == "__main__":
    question = Question(window, answer)
    serve(
        f"google-adk {importlib.metadata.version('google-adk')}",
        window=question,
        count=Question(total, answer),
        whole=Question(whole, answer),
    )

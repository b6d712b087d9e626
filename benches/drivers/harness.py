"""pydantic-ai-harness: the `read_file` of its file system tools, with its default limits."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from benches.drivers.protocol import Answer, Question, RefusedError, numbered, serve
from pydantic_ai.workspaces.local import LocalWorkspaceBackend
from pydantic_ai_harness.filesystem import FileSystemToolset

TOOLS = FileSystemToolset(
    root_dir=Path("/"),
    allowed_patterns=["**"],
    denied_patterns=[],
    max_read_lines=2_000,
    max_read_chars=50_000,
    max_list_results=100,
    max_search_results=100,
    max_find_results=100,
)
WORKSPACE = LocalWorkspaceBackend("/")
HEADER = re.compile(r"\[.* \| (?P<total>\d+) lines \| hash:\w+\]\n")


async def window(path: str, first: int = 1, count: int | None = None) -> object:
    return await TOOLS.read_file(path, offset=first - 1, limit=count, workspace=WORKSPACE)


async def total(path: str, count: int) -> object:
    return await window(path, 1, count)


def answer(page: object) -> Answer:
    header = HEADER.match(page) if isinstance(page, str) else None
    if header is None or not isinstance(page, str):
        # The first line names the file.
        raise RefusedError(str(page).partition("\n")[2])
    text = re.sub(r"\n\.\.\. \(\d+ more lines\..*\)\n$", "\n", page[header.end() :])
    return Answer(numbered(text), int(header["total"]))


if __name__ == "__main__":
    question = Question(window, answer)
    serve(
        f"pydantic-ai-harness {importlib.metadata.version('pydantic-ai-harness')}",
        window=question,
        count=Question(total, answer),
        whole=question,
    )

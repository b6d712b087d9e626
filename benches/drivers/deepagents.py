"""deepagents: its file system backend, and the line numbers of its tool."""

from __future__ import annotations

import importlib.metadata

from benches.drivers.protocol import Answer, Question, RefusedError, numbered, serve
from deepagents.backends.filesystem import FilesystemBackend
from deepagents.backends.utils import format_content_with_line_numbers

BACKEND = FilesystemBackend(root_dir="/", virtual_mode=False)


async def window(path: str, first: int = 1, count: int = 2_000) -> tuple[str, int | None]:
    result = await BACKEND.aread(path, first - 1, count)
    if result.error is not None or result.file_data is None:
        raise RefusedError(result.error)
    text = format_content_with_line_numbers(result.file_data["content"], result.start_line or 1)
    return text, result.total_lines


async def total(path: str, count: int) -> tuple[str, int | None]:
    return await window(path, 1, count)


def answer(found: tuple[str, int | None]) -> Answer:
    return Answer(numbered(found[0], "  "), found[1])


if __name__ == "__main__":
    question = Question(window, answer)
    serve(
        f"deepagents {importlib.metadata.version('deepagents')}",
        window=question,
        count=Question(total, answer),
        whole=question,
    )

"""pydantic-ai-harness: the `read_file` of its file system tools, with its default limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_ai.workspaces.local import LocalWorkspaceBackend
from pydantic_ai_harness.filesystem import FileSystemToolset

_TOOLS = FileSystemToolset(
    root_dir=Path("/"),
    allowed_patterns=["**"],
    denied_patterns=[],
    max_read_lines=2_000,
    max_read_chars=50_000,
    max_list_results=100,
    max_search_results=100,
    max_find_results=100,
)
_WORKSPACE = LocalWorkspaceBackend("/")


async def read(path: str, offset: int = 0, limit: int | None = None) -> Any:
    return await _TOOLS.read_file(path, offset=offset, limit=limit, workspace=_WORKSPACE)

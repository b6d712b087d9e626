"""crewai-tools: `FileReadTool`."""

from __future__ import annotations

from typing import Any

from crewai_tools import FileReadTool

_TOOL = FileReadTool(base_dir="/")


def read(path: str, offset: int | None = None, limit: int | None = None) -> Any:
    window = {"start_line": offset, "line_count": limit} if offset is not None else {}
    return _TOOL.run(file_path=path, **window)

"""langchain-community: `ReadFileTool`, which has no windows."""

from __future__ import annotations

from typing import Any

from langchain_community.tools.file_management import ReadFileTool

_TOOL = ReadFileTool()


def read(path: str) -> Any:
    return _TOOL.invoke({"file_path": path})

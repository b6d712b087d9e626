"""agno: `read_file` of its `FileTools` for a whole file, and `read_file_chunk` for a window."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agno.tools.file import FileTools

_TOOLS = FileTools(base_dir=Path("/"))


def read(path: str, offset: int | None = None, end: int | None = None) -> Any:
    if offset is None or end is None:
        return _TOOLS.read_file(path)
    return _TOOLS.read_file_chunk(path, offset, end)

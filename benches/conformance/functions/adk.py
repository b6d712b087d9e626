"""google-adk: the `ReadFile` tool of its environments."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")  # it warns about experimental features

from google.adk.environment import LocalEnvironment  # noqa: E402 - warns when it is imported
from google.adk.tools.environment._read_file_tool import ReadFileTool  # noqa: E402

_TOOL = ReadFileTool(LocalEnvironment(working_dir=Path("/")))


async def read(path: str, offset: int | None = None, end: int | None = None) -> Any:
    window = {"start_line": offset, "end_line": end} if offset is not None else {}
    return await _TOOL.run_async(args={"path": path, **window}, tool_context=None)

"""strands-agents-tools: `file_read`, in its mode `view` for a whole file and `lines` for a window."""

from __future__ import annotations

import os
from typing import Any

os.environ["BYPASS_TOOL_CONSENT"] = "true"

from strands_tools.file_read import file_read


def read(path: str, offset: int | None = None, end: int | None = None) -> Any:
    window = {"mode": "view"} if offset is None else {"mode": "lines", "start_line": offset, "end_line": end}
    return file_read({"toolUseId": "1", "name": "file_read", "input": {"path": path, **window}})

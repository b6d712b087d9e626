"""`view` of the memory tool of Anthropic's SDK: `anthropic_memory DIRECTORY`."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818ViewCommand
from benches.reference_tools.drivers.answers import serve

TOOL = BetaLocalFilesystemMemoryTool(sys.argv[1])


def call(arguments: dict[str, Any]) -> Any:
    try:
        return TOOL.view(BetaMemoryTool20250818ViewCommand.construct(**arguments))
    except (ToolError, UnicodeDecodeError) as error:
        return {"is_error": True, "error": str(error)}


if __name__ == "__main__":
    serve(importlib.metadata.version("anthropic"), call)

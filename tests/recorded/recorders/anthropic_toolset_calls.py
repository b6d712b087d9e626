"""Answers of `read` of Anthropic's agent toolset, for `record.py`."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.metadata import version
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.lib.tools.agent_toolset import AgentToolContext, beta_read_tool


def answer(tool: Any, arguments: dict[str, Any]) -> Any:
    try:
        return asyncio.run(tool.call(arguments))
    except ToolError as error:
        return {"is_error": True, "error": str(error)}
    except ValueError:
        # The arguments do not satisfy the schema.
        return {"$refused": True}


print(json.dumps({"anthropic": version("anthropic")}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    context = AgentToolContext(workdir=request["directory"], **(request["settings"] or {}))
    read = beta_read_tool(context)
    print(json.dumps([answer(read, arguments) for arguments in request["calls"]]), flush=True)

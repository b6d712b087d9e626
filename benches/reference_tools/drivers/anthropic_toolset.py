"""`read` of the agent toolset of Anthropic's SDK: `anthropic_toolset DIRECTORY`."""

from __future__ import annotations

import asyncio
import importlib.metadata
import sys
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.lib.tools.agent_toolset import AgentToolContext, beta_read_tool
from benches.reference_tools.drivers.answers import serve

READ = beta_read_tool(AgentToolContext(workdir=sys.argv[1]))
LOOP = asyncio.new_event_loop()


def call(arguments: dict[str, Any]) -> Any:
    try:
        return LOOP.run_until_complete(READ.call(arguments))
    except ToolError as error:
        return {"is_error": True, "error": str(error)}


if __name__ == "__main__":
    serve(importlib.metadata.version("anthropic"), call)

"""Anthropic's SDK: the `read` tool of its agent toolset."""

from __future__ import annotations

from typing import Any

from anthropic.lib.tools.agent_toolset import AgentToolContext, beta_read_tool

_TOOL = beta_read_tool(AgentToolContext(workdir="/"))


async def read(path: str, range: list[int] | None = None) -> Any:  # noqa: A002 - the name that the rules use
    return await _TOOL.call({"file_path": path, **({"view_range": range} if range else {})})

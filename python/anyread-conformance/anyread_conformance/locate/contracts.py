"""The function that calls a contract of anyread, in the process of an interpreter that has anyread."""

from __future__ import annotations

import json
import os
from typing import Any

_TOOLS: dict[str, Any] = {}
_TASKS: dict[str, str] = {}


def call(
    contract: str, settings: dict[str, str], task: str, name: str, arguments: dict[str, Any]
) -> list[dict[str, Any]] | dict[str, Any]:
    """Call a tool, or list the tools of its contract if it has no name; a new task is a new conversation."""
    import anyread

    key = f"{contract} {settings}"
    if key not in _TOOLS:
        values = {k: getattr(anyread.Gutter, v) if k == "gutter" else v for k, v in settings.items()}
        _TOOLS[key] = anyread.tool(contract, cwd=os.getcwd(), settings=values or None)  # noqa: PTH109 - text
    tool = _TOOLS[key]
    if not name:
        tools = [
            {"name": each.name, "description": each.description, "inputSchema": dict(each.input_schema)}
            for each in tool.definitions()
        ]
        return [{"text": json.dumps(tools)}]
    if _TASKS.get(key) != task:
        tool.session.forget()
        _TASKS[key] = task
    output = tool.call_sync(arguments, name=name)
    blocks: list[dict[str, Any]] = []
    for block in tool.blocks(output):
        if isinstance(block, anyread.TextBlock):
            blocks.append({"text": block.text})
        else:
            blocks.append({"type": "image", "mimeType": block.media_type, "data": block.data})
    return {"isError": True, "content": blocks} if tool.failed(output) else blocks

"""`view` of the file editor of Strands: `strands_editor DIRECTORY`."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import sys
from typing import Any

from benches.reference_tools.drivers.answers import serve
from strands.sandbox import not_a_sandbox_local_environment as local
from strands.vended_tools.file_editor import make_file_editor

os.chdir(sys.argv[1])
EDITOR = make_file_editor(sandbox=local.NotASandboxLocalEnvironment())
LOOP = asyncio.new_event_loop()


async def result(arguments: dict[str, Any]) -> Any:
    use = {"toolUseId": "1", "name": "file_editor", "input": arguments}
    return [event async for event in EDITOR.stream(use, {"agent": None})][-1]


def call(arguments: dict[str, Any]) -> Any:
    event = LOOP.run_until_complete(result(arguments))
    found = getattr(event, "tool_result", None) or event["tool_result"]
    return {"status": found["status"], "content": found["content"]}


if __name__ == "__main__":
    serve(importlib.metadata.version("strands-agents"), call)

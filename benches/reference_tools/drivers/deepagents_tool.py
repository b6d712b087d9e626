"""`read_file` of Deep Agents with its backend for the file system: `deepagents_tool DIRECTORY`."""

from __future__ import annotations

import importlib.metadata
import sys
from types import SimpleNamespace
from typing import Any

from benches.reference_tools.drivers.answers import serve
from deepagents.backends import FilesystemBackend
from deepagents.middleware.filesystem import FilesystemMiddleware

BACKEND = FilesystemBackend(root_dir=sys.argv[1], virtual_mode=True)
[TOOL] = [tool for tool in FilesystemMiddleware(backend=BACKEND).tools if tool.name == "read_file"]
# The tool uses only this attribute of the run.
RUNTIME = SimpleNamespace(tool_call_id="1")


def call(arguments: dict[str, Any]) -> Any:
    given = TOOL.args_schema.model_validate(arguments).model_dump()
    message = TOOL.func(runtime=RUNTIME, **given)
    return {"content": message.content, "status": message.status}


if __name__ == "__main__":
    serve(importlib.metadata.version("deepagents"), call)

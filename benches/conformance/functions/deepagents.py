"""deepagents: the `read_file` tool of its middleware, with its backend for the file system."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from deepagents.backends.filesystem import FilesystemBackend
from deepagents.middleware.filesystem import FilesystemMiddleware

_MIDDLEWARE = FilesystemMiddleware(backend=FilesystemBackend(root_dir="/", virtual_mode=False))
_TOOL = next(tool for tool in _MIDDLEWARE.tools if tool.name == "read_file")
# The tool uses only this attribute of the run.
_RUNTIME = SimpleNamespace(tool_call_id="1")


async def read(path: str, offset: int = 0, limit: int = 100) -> Any:
    message = await _TOOL.coroutine(path, _RUNTIME, offset, limit)
    if message.status == "error":
        raise RuntimeError(message.content)
    return message.content

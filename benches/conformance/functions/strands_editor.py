"""strands-agents: `view` of its file editor."""

from __future__ import annotations

from typing import Any

from strands.sandbox import not_a_sandbox_local_environment as local
from strands.vended_tools.file_editor import make_file_editor

_EDITOR = make_file_editor(sandbox=local.NotASandboxLocalEnvironment())


async def read(path: str, range: list[int] | None = None) -> Any:  # noqa: A002 - the name that the rules use
    given = {"command": "view", "path": path, **({"view_range": range} if range else {})}
    use = {"toolUseId": "1", "name": "file_editor", "input": given}
    event = [event async for event in _EDITOR.stream(use, {"agent": None})][-1]
    found = getattr(event, "tool_result", None) or event["tool_result"]
    if found["status"] == "error":
        raise RuntimeError(str(found["content"]))
    return found["content"]

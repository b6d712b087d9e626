"""Answers of the text editors, for `record.py`; pass the script `str_replace_editor` of SWE-agent."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

REGISTRY = tempfile.mkdtemp()
Path(REGISTRY, "registry.py").write_text("registry = {}\n")


def openhands(directory: str, call: dict[str, Any]) -> Any:
    """Make a call as the agent does, which repairs some arguments first."""
    from openhands.sdk.agent import utils  # type: ignore[import-not-found,unused-ignore]
    from openhands.tools.file_editor.definition import FileEditorAction  # type: ignore[import-not-found,unused-ignore]
    from openhands.tools.file_editor.impl import FileEditorExecutor  # type: ignore[import-not-found,unused-ignore]

    try:
        arguments = utils.parse_tool_call_arguments(json.dumps(call))
        _, arguments = utils.normalize_tool_call("file_editor", arguments, ["file_editor"])
        arguments = utils.fix_malformed_tool_arguments(arguments, FileEditorAction)
        for name in ("security_risk", "summary"):
            arguments.pop(name, None)
        action = FileEditorAction.model_validate(arguments)
    except ValueError:
        return {"$refused": True}
    seen = FileEditorExecutor(workspace_root=directory)(action)
    parts = [part.model_dump(include={"type", "text", "image_urls"}) for part in seen.content]
    return {"content": parts, "is_error": seen.is_error}


def swe_agent(directory: str, call: dict[str, Any]) -> Any:
    options = [str(number) for number in call.get("view_range") or ()]
    arguments = [call["command"], call["path"], *(["--view_range", *options] if "view_range" in call else [])]
    done = subprocess.run(
        [sys.executable, sys.argv[1], *arguments],
        cwd=directory,
        env={"PYTHONPATH": REGISTRY, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
    )
    return {"stdout": done.stdout.decode(), "exit_code": done.returncode}


def strands(directory: str, call: dict[str, Any]) -> Any:
    from strands.sandbox import not_a_sandbox_local_environment as local  # type: ignore[import-not-found,unused-ignore]
    from strands.vended_tools.file_editor import make_file_editor  # type: ignore[import-not-found,unused-ignore]

    os.chdir(directory)
    editor = make_file_editor(sandbox=local.NotASandboxLocalEnvironment())

    async def result() -> Any:
        use = {"toolUseId": "1", "name": "file_editor", "input": call}
        return [event async for event in editor.stream(use, {"agent": None})][-1]

    event = asyncio.run(result())
    found = getattr(event, "tool_result", None) or event["tool_result"]
    return {"status": found["status"], "content": found["content"]}


def anthropic_memory(directory: str, call: dict[str, Any]) -> Any:
    from anthropic.lib.tools import ToolError
    from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
    from anthropic.types.beta import BetaMemoryTool20250818ViewCommand

    tool = BetaLocalFilesystemMemoryTool(directory)
    try:
        return tool.view(BetaMemoryTool20250818ViewCommand.construct(**call))
    except (ToolError, UnicodeDecodeError) as error:
        return {"is_error": True, "error": str(error)}
    except (TypeError, KeyError, AttributeError):
        # The tool checks no types.
        return {"$refused": True}


DIALECTS = {
    "openhands": openhands,
    "swe-agent": swe_agent,
    "strands": strands,
    "anthropic-memory": anthropic_memory,
}
PACKAGES = {"openhands-tools", "openhands-sdk", "strands-agents", "anthropic"}
versions = {each.name: each.version for each in distributions() if each.name in PACKAGES}
if "openhands-tools" in versions:
    # It requires an older version of `anthropic`, whose memory tool is not the one to record.
    versions.pop("anthropic", None)
    del DIALECTS["anthropic-memory"]
print(json.dumps(versions), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    dialect = DIALECTS[request["settings"]["dialect"]]
    print(json.dumps([dialect(request["directory"], call) for call in request["calls"]]), flush=True)

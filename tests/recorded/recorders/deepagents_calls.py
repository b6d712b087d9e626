"""Answers of `read_file` of Deep Agents, for `record.py`."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from deepagents.backends import FilesystemBackend  # type: ignore[import-not-found,unused-ignore]
from deepagents.middleware.filesystem import FilesystemMiddleware  # type: ignore[import-not-found,unused-ignore]
from pydantic import ValidationError


def answer(tool: Any, arguments: dict[str, Any]) -> Any:
    try:
        # The tool's own schema checks and converts the arguments of a model.
        checked = tool.args_schema.model_validate(arguments).model_dump()
    except ValidationError:
        return {"$refused": True}
    try:
        message = tool.func(runtime=SimpleNamespace(tool_call_id="1"), **checked)
    except ValueError as error:
        return {"is_error": True, "error": str(error)}
    found = {"content": message.content, "status": message.status}
    if message.additional_kwargs:
        found["additional_kwargs"] = message.additional_kwargs
    return found


print(json.dumps({"deepagents": version("deepagents")}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    backend = FilesystemBackend(root_dir=request["directory"], virtual_mode=True)
    [read] = [tool for tool in FilesystemMiddleware(backend=backend).tools if tool.name == "read_file"]
    print(json.dumps([answer(read, arguments) for arguments in request["calls"]]), flush=True)

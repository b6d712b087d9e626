"""`view` of OpenHands' file editor: `openhands_editor DIRECTORY`."""

from __future__ import annotations

import importlib.metadata
import sys
from typing import Any

from benches.reference_tools.drivers.answers import serve
from openhands.tools.file_editor.definition import FileEditorAction
from openhands.tools.file_editor.impl import FileEditorExecutor

EXECUTOR = FileEditorExecutor(workspace_root=sys.argv[1])


def call(arguments: dict[str, Any]) -> Any:
    seen = EXECUTOR(FileEditorAction.model_validate(arguments))
    parts = [part.model_dump(include={"type", "text", "image_urls"}) for part in seen.content]
    return {"content": parts, "is_error": seen.is_error}


if __name__ == "__main__":
    serve(importlib.metadata.version("openhands-tools"), call)

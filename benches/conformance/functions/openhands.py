"""OpenHands: `view` of its file editor."""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # otherwise it asks the network for prices

from openhands.tools.file_editor.definition import FileEditorAction
from openhands.tools.file_editor.impl import FileEditorExecutor

_EXECUTOR = FileEditorExecutor(workspace_root="/")


def read(path: str, range: list[int] | None = None) -> Any:  # noqa: A002 - the name that the rules use
    seen = _EXECUTOR(FileEditorAction(command="view", path=path, view_range=range))
    if seen.is_error:
        raise RuntimeError(seen.text)
    return [part.model_dump(include={"type", "text", "image_urls"}) for part in seen.content]

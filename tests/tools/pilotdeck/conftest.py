"""A workspace, and the tool `read_file` that reads in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.models.model import Model
from anyread.tools import Tool

EYES = Model(inputs=frozenset({"text", "image"}))
PDFS = Model(inputs=frozenset({"text", "pdf"}))
EVERYTHING = Model(inputs=frozenset({"text", "image", "pdf"}))

MODELS = {"eyes": EYES, "pdfs": PDFS, "everything": EVERYTHING}


class Deck:
    """A workspace, and the tool that reads in it."""

    def __init__(self, directory: Path, **options: Any) -> None:
        self.directory = directory
        model = options.pop("model", None)
        if isinstance(model, str):
            model = MODELS[model]
        self.tool: Tool = anyread.tool("pilotdeck", cwd=directory, model=model, **options)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, file_path: Any, **arguments: Any) -> Any:
        return self.tool.call_sync({"file_path": file_path, **arguments})

    def text(self, file_path: str, **arguments: Any) -> str:
        output = self.read(file_path, **arguments)
        assert output["type"] == "success", output
        text: str = output["content"][0]["text"]
        return text

    def refusal(self, file_path: str, **arguments: Any) -> tuple[str, str]:
        """Return the code of an error and its message, which is also what the model sees."""
        output = self.read(file_path, **arguments)
        assert output["type"] == "error", output
        assert output["content"] == [{"type": "text", "text": output["error"]["message"]}]
        return output["error"]["code"], output["error"]["message"]


@pytest.fixture
def deck_of(tmp_path: Path) -> Callable[..., Deck]:
    def make(**options: Any) -> Deck:
        directory = tmp_path / "workspace"
        directory.mkdir(exist_ok=True)
        return Deck(directory, **options)

    return make


@pytest.fixture
def deck(deck_of: Callable[..., Deck]) -> Deck:
    """Read for a text-only model, the default if the host sets none."""
    return deck_of()

"""`anyread read --for TARGET`: what a message to a model's API would hold."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyread.adapters.content import Source
    from anyread.model import Model

TARGETS = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "openai-chat": "openai",
    "gemini": "gemini",
    "bedrock": "bedrock",
    "mcp": "any",
}
"""The adapters by their names on the command line, each with the model that it is for."""


def content(target: str, source: Source, model: Model) -> list[dict[str, Any]]:
    """Make the content of a message, as JSON has it."""
    adapter = import_module(f"anyread.adapters.{target.replace('-', '_')}")
    # Bytes as they go over HTTP; the SDK takes them as they are, and JSON has none.
    options = {"base64": True} if target == "bedrock" else {}
    found: list[dict[str, Any]] = adapter.content(source, model=model, **options)
    return found

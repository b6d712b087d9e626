"""`anyread read --for TARGET`: the content of a message to a model's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyread.adapters.content import Readables
    from anyread.model import Model


def content(target: str, source: Readables, model: Model) -> list[dict[str, Any]]:
    """Return the content of a message as JSON values."""
    from importlib import import_module

    adapter = import_module(f"anyread.adapters.{target.replace('-', '_')}")
    # The SDK takes raw bytes, which JSON cannot represent, so they are encoded as for HTTP.
    options = {"base64": True} if target == "bedrock" else {}
    found: list[dict[str, Any]] = adapter.content(source, model=model, **options)
    return found

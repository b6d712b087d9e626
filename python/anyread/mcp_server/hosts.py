"""Hosts that show the model only a part of a reply, and what they are sent instead.

Source: the packages google-adk 2.13.0 and smolagents 1.26.0 with mcpadapt 0.1.19, read and run on
2026-11-22. ADK puts the whole reply into a function response as JSON, so that pictures are base64 in
text. mcpadapt hands on the first item of a reply alone, and smolagents shows no picture that a tool
returns.
"""

from __future__ import annotations

from typing import Any

HOSTS = ("google-adk", "smolagents")
"""The hosts to which pictures are no use; the name is the one by which a client introduces itself."""

_SHOW_ONE_ITEM = frozenset({"smolagents"})


def shown(content: list[dict[str, Any]], host: str | None) -> list[dict[str, Any]]:
    """Give the content of a reply as a host shows all of it: joined to one text if it shows one item."""
    if host not in _SHOW_ONE_ITEM or any(block["type"] != "text" for block in content):
        return content
    return [{"type": "text", "text": "\n".join(block["text"] for block in content)}]

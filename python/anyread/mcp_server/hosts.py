"""Hosts that show the model only part of a reply, and what they are sent instead.

Source: the packages google-adk 2.13.0 and smolagents 1.26.0 with mcpadapt 0.1.19, read and run on
2026-11-22. ADK puts the entire reply into a function response as JSON, so that images are base64
text. mcpadapt passes on only the first item of a reply, and smolagents does not show images that a tool
returns.
"""

from __future__ import annotations

from typing import Any

_SHOW_ONE_ITEM = frozenset({"smolagents"})


def for_host(content: list[dict[str, Any]], host: str | None) -> list[dict[str, Any]]:
    """Return the content of a reply in a form that the host shows completely: joined if it shows one item."""
    if host not in _SHOW_ONE_ITEM or any(block["type"] != "text" for block in content):
        return content
    return [{"type": "text", "text": "\n".join(block["text"] for block in content)}]

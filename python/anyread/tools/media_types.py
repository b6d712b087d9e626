"""Which media types are text."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "application/octet-stream"
"""The media type of a file that nothing is known of."""
_TEXT_SYNTAXES: Final = {
    "javascript",
    "json",
    "jsonl",
    "sql",
    "toml",
    "x-ndjson",
    "xml",
    "yaml",
}


def is_textual(media_type: str) -> bool:
    """Return whether a media type is one of text."""
    syntax = media_type.rpartition("/")[2].rpartition("+")[2]
    return media_type.startswith("text/") or syntax in _TEXT_SYNTAXES

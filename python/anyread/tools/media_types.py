"""Media types and file extensions that several contracts share."""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = "application/octet-stream"
"""The media type of a file whose type could not be detected."""
IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""The image formats that models accept, by extension."""
BINARY_EXTENSIONS: Final = {
    *(".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".bin", ".dat"),
    *(".zip", ".gz", ".tar", ".7z", ".rar"),
    *(".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg"),
    *(".woff", ".woff2", ".ttf", ".otf"),
}
"""The list of the `pilotdeck` contract; the proposal of `mycode` requires such a list, but has none."""
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

"""Media types and file extensions that several contracts share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

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
AUDIO_TYPES: Final = {
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}
"""Formats of audio, by extension."""
BINARY_EXTENSIONS: Final = {
    *(".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".bin", ".dat"),
    *(".zip", ".gz", ".tar", ".7z", ".rar"),
    *(".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg"),
    *(".woff", ".woff2", ".ttf", ".otf"),
}
"""The list of the `pilotdeck` contract; the proposal of `mycode` requires such a list, but has none."""
OPAQUE_EXTENSIONS: Final = {
    *(".zip", ".tar", ".gz", ".7z", ".exe", ".dll", ".so", ".class", ".jar", ".war", ".pyc", ".pyo", ".wasm"),
    *(".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp"),
    *(".bin", ".dat", ".obj", ".o", ".a", ".lib"),
}
"""Archives, programs and office documents, which some contracts refuse whatever their content is."""
CLOSED_EXTENSIONS: Final = (OPAQUE_EXTENSIONS | BINARY_EXTENSIONS | set(AUDIO_TYPES)) - {".dat"} | {
    *(".bz2", ".xz", ".tgz", ".iso", ".msi", ".deb", ".rpm", ".node", ".rtf", ".psd"),
    *(".mkv", ".webm", ".wmv", ".m4v", ".mpeg", ".mpg", ".aac", ".m4a", ".aiff", ".opus"),
    *(".eot", ".sqlite", ".sqlite3", ".db", ".mdb"),
}
"""Formats that some agents refuse by their names: also audio, video, fonts and databases."""


def signed_type(head: bytes, signatures: Mapping[bytes, str]) -> str | None:
    """Return the media type that the first bytes have in a table, or that of WebP; `None`: neither."""
    for signature, media_type in signatures.items():
        if head.startswith(signature):
            return media_type
    return "image/webp" if head.startswith(b"RIFF") and head[8:12] == b"WEBP" else None


def extension_of(path: str) -> str:
    """Return the extension in lower case, with its dot; a leading dot does not start an extension."""
    # A `Path` takes as long as opening the file.
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""

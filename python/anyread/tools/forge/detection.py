"""What forge's `read` takes a file for: text, or visual content that it sends as it is."""

from __future__ import annotations

from typing import NamedTuple

PDF = "application/pdf"
IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")
"""The pictures of the contract, as it lists them."""
SUPPORTED = "JPEG, PNG, WebP, GIF"
UNKNOWN = "application/octet-stream"

_BY_EXTENSION = {
    "ipynb": "application/json",
    "pdf": PDF,
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
}
_GATED_EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg", ".pdf")
_TEXTUAL_TYPES = {
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/sql",
    "application/toml",
    "application/x-ipynb+json",
    "application/x-ndjson",
    "application/xhtml+xml",
    "application/xml",
    "application/yaml",
    "image/svg+xml",
}
"""The media types of text besides `text/…`."""
_HTML_STARTS = tuple(
    start + end
    for start in (b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<title")
    for end in (b" ", b">")
)


class FileType(NamedTuple):
    """What `file_type` says that a file is."""

    kind: str
    """"text", "image" or "pdf"."""
    media_type: str | None = None
    """Which of them; `None`: whatever the bytes and the extension say."""


class Detected(NamedTuple):
    """What a file is taken for."""

    media_type: str
    refusal: str | None = None
    """Why it cannot be read; `None`: it can."""

    @property
    def is_visual(self) -> bool:
        """Whether it is sent as it is, for the model to look at."""
        return is_visual(self.media_type)


def is_visual(media_type: str) -> bool:
    """Tell whether content of a media type is sent for the model to look at."""
    return media_type == PDF or (media_type.startswith("image/") and media_type != "image/svg+xml")


def has_image_extension(path: str) -> bool:
    """Tell whether a path ends as pictures and PDFs do: a model without eyes is not asked to read it."""
    return path.lower().endswith(_GATED_EXTENSIONS)


_FILE_TYPES = {
    "text": FileType("text"),
    "image": FileType("image"),
    "pdf": FileType("pdf", PDF),
    "notebook": FileType("text", "application/json"),
    "image/jpg": FileType("image", "image/jpeg"),
    PDF: FileType("pdf", PDF),
    **{name: FileType("image", name) for name in IMAGE_TYPES},
    **{name: FileType("text", name) for name in _TEXTUAL_TYPES},
}


def file_type_of(name: str) -> FileType | str:
    """Understand a `file_type`: a kind or a media type; or say why not, as a sentence."""
    if name in _FILE_TYPES:
        return _FILE_TYPES[name]
    if name.startswith("text/"):
        return FileType("text", name)
    if name.startswith("image/"):
        return _unsupported_image(name.removeprefix("image/"))
    return (
        f"Unsupported file type: {name[:80]}. "
        'Use "text", "image", "pdf", "notebook" or a media type such as "image/png"'
    )


def detected(media_type: str, head: bytes, extension: str, asked: FileType | None) -> Detected:
    """Tell what to take a file for: what was asked, else what its first bytes say, else its extension.

    Args:
        media_type: What the core takes it for.
        head: Its first bytes.
        extension: That of its name, without the dot, in lower case.
        asked: What `file_type` says.
    """
    if asked is not None and (asked.media_type or asked.kind == "text"):
        return Detected(asked.media_type or "text/plain")
    if is_visual(media_type):
        return _visual(media_type)
    by_extension = _BY_EXTENSION.get(extension, "text/plain")
    if asked is not None:
        return _visual(by_extension if is_visual(by_extension) else media_type)
    if not media_type.startswith("text/") and media_type != UNKNOWN and media_type not in _TEXTUAL_TYPES:
        return Detected(media_type, f"Binary files of the type {media_type} cannot be read as text")
    return Detected(_markup(head) or by_extension)


def _visual(media_type: str) -> Detected:
    if media_type == PDF or media_type in IMAGE_TYPES:
        return Detected(media_type)
    return Detected(media_type, _unsupported_image(media_type.removeprefix("image/")))


def _unsupported_image(name: str) -> str:
    return f"Unsupported image format: {name[:80]}. Supported formats: {SUPPORTED}"


def _markup(head: bytes) -> str | None:
    """Tell markup and scripts by their first bytes, as the reference's library does."""
    if head.startswith(b"#!"):
        return "text/x-shellscript"
    start = head.lstrip(b"\t\n\f\r ")[:32].lower()
    if start.startswith(_HTML_STARTS):
        return "text/html"
    return "text/xml" if start.startswith(b"<?xml") else None

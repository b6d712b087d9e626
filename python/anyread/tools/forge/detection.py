"""How forge's `read` shows a file: as text, or as visual content that it sends unchanged."""

from __future__ import annotations

from typing import NamedTuple

from anyread.tools.parts import media_types
from anyread.tools.parts.media_types import UNKNOWN

PDF = "application/pdf"
IMAGE_TYPES = {name.removeprefix("."): media_type for name, media_type in media_types.IMAGE_TYPES.items()}
"""The media types of the contract's image formats, by extension."""
_TEXT_SYNTAXES = {"javascript", "json", "jsonl", "sql", "toml", "x-ndjson", "xml", "yaml"}
"""The last words of the media types of text, besides those that begin with `text/`."""
SUPPORTED = "JPEG, PNG, WebP, GIF"

_TEXT_EXTENSIONS = (
    "txt md rs toml yaml yml json js ts py sh "
    "adoc asm awk bash bat bib c cc cfg clj cljs cmake conf cpp cs css csv cxx dart diff el ex exs f90 fish "
    "fs go gradle graphql groovy h hh hpp hs hxx ini java jl jsonc jsonl jsx kt kts less lisp log lua m "
    "mdx mjs cjs ml mli ndjson nim nix pas patch php pl pm properties proto ps1 psm1 r rb rst sass scala scm "
    "scss sql svelte svg swift tcl tex tf tsv tsx vb vim vue zig zsh"
)
"""Extensions of text; those in the first line are the reference's."""
_BY_EXTENSION = {
    **dict.fromkeys(_TEXT_EXTENSIONS.split(), "text/plain"),
    "html": "text/html",
    "htm": "text/html",
    "xml": "text/xml",
    "ipynb": "application/json",
    "pdf": PDF,
    **IMAGE_TYPES,
}
_GATED_EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg", ".pdf")
_HTML_STARTS = tuple(
    start + end
    for start in (b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<title")
    for end in (b" ", b">")
)


class RequestedType(NamedTuple):
    """What `file_type` requests."""

    kind: str
    """"text", "image" or "pdf"."""
    media_type: str | None = None
    """The media type; `None`: as detected."""


class ForgeType(NamedTuple):
    """The detected type of a file."""

    media_type: str
    refusal: str | None = None
    """Why the file cannot be read; `None`: it can."""


_REQUESTED_TYPES = {
    "text": RequestedType("text"),
    "image": RequestedType("image"),
    "pdf": RequestedType("pdf", PDF),
    "notebook": RequestedType("text", "application/json"),
    "image/jpg": RequestedType("image", "image/jpeg"),
    PDF: RequestedType("pdf", PDF),
    **{name: RequestedType("image", name) for name in IMAGE_TYPES.values()},
}


def is_visual(media_type: str) -> bool:
    """Return whether files of a media type are sent as images or documents."""
    return media_type == PDF or (media_type.startswith("image/") and media_type != "image/svg+xml")


def has_image_extension(path: str) -> bool:
    """Return whether a path has the extension of an image or a PDF, which require image input."""
    return path.lower().endswith(_GATED_EXTENSIONS)


def extension_of(path: str) -> str | None:
    """Return what follows the last dot, if something precedes it, as Rust's `Path` does."""
    stem, dot, extension = path.rstrip("/").rpartition("/")[2].rpartition(".")
    return extension if dot and stem else None


def requested_type(name: str) -> RequestedType | str:
    """Interpret a `file_type`, which is a kind or a media type; a string is a refusal."""
    if name in _REQUESTED_TYPES:
        return _REQUESTED_TYPES[name]
    syntax = name.rpartition("/")[2].rpartition("+")[2]
    if name.startswith("text/") or syntax in _TEXT_SYNTAXES:
        return RequestedType("text", name)
    if name.startswith("image/"):
        return unsupported_image(name.removeprefix("image/"))
    return (
        f"Unsupported file type: {name[:80]}. "
        'Use "text", "image", "pdf", "notebook" or a media type such as "image/png"'
    )


def detected(
    media_type: str, head: bytes, path: str, requested: RequestedType | None, *, is_text: bool
) -> ForgeType:
    """Detect the type of a file: from `file_type`, or else a known extension, or else its first bytes.

    Args:
        media_type: The media type that the core detects from the first bytes.
        head: The first bytes.
        path: The path of the file.
        requested: What `file_type` requests.
        is_text: Whether the first bytes are text.
    """
    if requested is not None and (requested.media_type or requested.kind == "text"):
        return ForgeType(requested.media_type or "text/plain")
    named = _BY_EXTENSION.get((extension_of(path) or "").lower())
    if requested is not None:
        is_known = not is_visual(media_type) and named is not None and is_visual(named)
        return _visual(named if is_known and named else media_type)
    if named is not None:
        return ForgeType(named)
    if is_visual(media_type):
        return _visual(media_type)
    if media_type != UNKNOWN and not is_text:
        return ForgeType(media_type, binary_refusal(media_type))
    return ForgeType(_markup(head) or "text/plain")


def binary_refusal(media_type: str) -> str:
    """Word the refusal of a binary format."""
    return f"Binary files of the type {media_type} cannot be read as text"


def unsupported_image(name: str) -> str:
    """Word the refusal of an image format."""
    return f"Unsupported image format: {name[:80]}. Supported formats: {SUPPORTED}"


def _visual(media_type: str) -> ForgeType:
    is_supported = media_type == PDF or media_type in IMAGE_TYPES.values()
    return ForgeType(
        media_type, None if is_supported else unsupported_image(media_type.removeprefix("image/"))
    )


def _markup(head: bytes) -> str | None:
    """Detect markup and scripts by their first bytes, as the reference's library does."""
    if head.startswith(b"#!"):
        return "text/x-shellscript"
    start = head[:256].lstrip(b"\t\n\f\r ")[:32].lower()
    if start.startswith(_HTML_STARTS):
        return "text/html"
    return "text/xml" if start.startswith(b"<?xml") else None

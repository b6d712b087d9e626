"""What forge's `read` takes a file for: text, or visual content that it sends as it is."""

from __future__ import annotations

from typing import NamedTuple

from anyread.tools.media_types import UNKNOWN, is_textual

PDF = "application/pdf"
IMAGE_TYPES = ("image/jpeg", "image/png", "image/webp", "image/gif")
"""The pictures of the contract, as it lists them."""
SUPPORTED = "JPEG, PNG, WebP, GIF"

_TEXT_EXTENSIONS = (
    "txt md rs toml yaml yml json js ts py sh "
    "adoc asm awk bash bat bib c cc cfg clj cljs cmake conf cpp cs css csv cxx dart diff el ex exs f90 fish "
    "fs go gradle graphql groovy h hh hpp hs hxx ini java jl jsonc jsonl jsx kt kts less lisp log lua m "
    "mdx mjs cjs ml mli ndjson nim nix pas patch php pl pm properties proto ps1 psm1 r rb rst sass scala scm "
    "scss sql svelte svg swift tcl tex tf tsv tsx vb vim vue zig zsh"
)
"""Extensions of text; those of the first line are the reference's."""
_BY_EXTENSION = {
    **dict.fromkeys(_TEXT_EXTENSIONS.split(), "text/plain"),
    "html": "text/html",
    "htm": "text/html",
    "xml": "text/xml",
    "ipynb": "application/json",
    "pdf": PDF,
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "png": "image/png",
    "gif": "image/gif",
    "webp": "image/webp",
}
_GATED_EXTENSIONS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".svg", ".pdf")
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
}


def file_type_of(name: str) -> FileType | str:
    """Understand a `file_type`: a kind or a media type; or say why not, as a sentence."""
    if name in _FILE_TYPES:
        return _FILE_TYPES[name]
    if is_textual(name):
        return FileType("text", name)
    if name.startswith("image/"):
        return _unsupported_image(name.removeprefix("image/"))
    return (
        f"Unsupported file type: {name[:80]}. "
        'Use "text", "image", "pdf", "notebook" or a media type such as "image/png"'
    )


def detected(media_type: str, head: bytes, extension: str, asked: FileType | None) -> Detected:
    """Tell what a file is: `file_type` decides, else a known extension, else the first bytes.

    Args:
        media_type: What the core detects from the first bytes.
        head: Its first bytes.
        extension: That of its name, without the dot, in lower case.
        asked: What `file_type` says.
    """
    if asked is not None and (asked.media_type or asked.kind == "text"):
        return Detected(asked.media_type or "text/plain")
    by_extension = _BY_EXTENSION.get(extension)
    if asked is not None:
        is_known = not is_visual(media_type) and by_extension is not None and is_visual(by_extension)
        return _visual(by_extension if is_known and by_extension else media_type)
    if by_extension is not None:
        return _visual(by_extension) if is_visual(by_extension) else Detected(by_extension)
    if is_visual(media_type):
        return _visual(media_type)
    if media_type != UNKNOWN and not is_textual(media_type):
        return Detected(media_type, binary_refusal(media_type))
    return Detected(_markup(head) or "text/plain")


def binary_refusal(media_type: str) -> str:
    """Word the refusal of a binary format."""
    return f"Binary files of the type {media_type} cannot be read as text"


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

"""How forge's `read` shows a file, as text or as visual content, and its words for limits and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.tools.parts import media_types, schemas
from anyread.tools.parts.contract import Refusal
from anyread.tools.parts.media_types import UNKNOWN
from anyread.tools.parts.paths import name_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from anyread.tools.parts.system_errors import FailedCall

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
IMAGE_DESCRIPTION = "Deprecated: call `read`, which also shows images."
IMAGE_SCHEMA = schemas.arguments("path", path=("string", "Path of an image: JPEG, PNG, WebP or GIF"))


class RequestedType(NamedTuple):
    """What `file_type` requests."""

    kind: str
    """"text", "image" or "pdf"."""
    media_type: str | None = None
    """The media type; `None`: as detected."""


_REQUESTED_TYPES = {
    "text": RequestedType("text"),
    "image": RequestedType("image"),
    "pdf": RequestedType("pdf", PDF),
    "notebook": RequestedType("text", "application/json"),
    "image/jpg": RequestedType("image", "image/jpeg"),
    PDF: RequestedType("pdf", PDF),
    **{name: RequestedType("image", name) for name in IMAGE_TYPES.values()},
}


class ForgeType(NamedTuple):
    """The detected type of a file."""

    media_type: str
    refusal: str | None = None
    """Why the file cannot be read; `None`: it can."""


class ForgeLimits(NamedTuple):
    """The most bytes of a file."""

    image: int
    pdf: int
    file: int
    pdf_variable: str
    """The environment variable that raises the limit of PDFs."""

    def of(self, media_type: str) -> int:
        """Return the limit that applies to a file."""
        if media_type == PDF:
            return self.pdf
        return self.image if is_visual(media_type) else self.file


def is_visual(media_type: str) -> bool:
    """Return whether files of a media type are sent as images or documents."""
    return media_type == PDF or (media_type.startswith("image/") and media_type != "image/svg+xml")


def has_image_extension(path: str) -> bool:
    """Return whether a path has the extension of an image or a PDF, which require image input."""
    return path.lower().endswith(_GATED_EXTENSIONS)


def extension_of(path: str) -> str | None:
    """Return what follows the last dot, if something precedes it, as Rust's `Path` does."""
    stem, dot, extension = name_of(path.rstrip("/")).rpartition(".")
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


def refusal(text: str) -> Refusal:
    """Return the exception that ends a call with an error."""
    return Refusal({"is_error": True, "text": text})


def chain(message: str, *causes: str) -> str:
    """Write an error with its causes in the format of the reference."""
    if not causes:
        return message
    marks = [f"    {number}: " for number in range(len(causes))] if len(causes) > 1 else ["    "]
    lines = [
        mark + cause.replace("\n", "\n" + " " * len(mark)) for mark, cause in zip(marks, causes, strict=True)
    ]
    return "\n".join([message, "", "Caused by:", *lines])


def too_large(size_bytes: int, limits: ForgeLimits, media_type: str) -> str:
    """Word the refusal of a large file; for an image or a PDF, it names the variable for the limit."""
    maximum = limits.of(media_type)
    reason = f"File size ({size_bytes} bytes) exceeds the maximum allowed size of {maximum} bytes"
    if media_type == PDF:
        return chain(f"PDF exceeds size limit. Use a smaller PDF or increase {limits.pdf_variable}.", reason)
    if not is_visual(media_type):
        return reason
    return chain("Image exceeds size limit. Compress the image or increase FORGE_MAX_IMAGE_SIZE.", reason)


def extension_refusal(path: str) -> str | None:
    """Word why `read_image` refuses an extension, which is case-sensitive as in the reference."""
    extension = extension_of(path)
    if extension is None:
        return "File has no extension. Cannot determine image format."
    return None if extension in IMAGE_TYPES else unsupported_image(extension)


def other_content(media_type: str, inputs: Container[str], *, is_text: bool) -> list[str]:
    """Return the type of a file that is not UTF-8, as a further cause; empty: it is text or unknown.

    Args:
        media_type: The media type of the content.
        inputs: What the model accepts.
        is_text: Whether the content is text.
    """
    if media_type == PDF or media_type in IMAGE_TYPES.values():
        if ("pdf" if media_type == PDF else "image") not in inputs:
            return [f"the content is {media_type}"]
        return [f'the content is {media_type}: pass file_type="{media_type}" to look at it']
    return [] if media_type == UNKNOWN or is_text else [binary_refusal(media_type)]


def lacks_modality(tool: str, modality: str, inputs: Iterable[str]) -> str:
    """Word the refusal of content that the model does not accept."""
    known = ", ".join(name for name in ("text", "image", "pdf") if name in inputs)
    return f"Tool '{tool}' requires {modality} modality, but model only supports: {known}"


def read_failure(failed: FailedCall, *, is_image: bool) -> str:
    """Word a failure; one that the reference does not have keeps this library's message."""
    path = failed.path
    if failed.code and not failed.is_found:
        return chain(f"Failed to get metadata for file {path}", failed.rust())
    outer = f"Failed to read binary file from {path}" if is_image else f"Failed to read file from {path}"
    return chain(outer, *([f"Failed to read file {path}"] if failed.code else ()), failed.rust())


def described(limits: ForgeLimits, max_lines: int, max_line_bytes: int) -> str:
    """Describe `read` for the model."""
    return f"""\
Read one file. Its type is detected from its extension, or from its first bytes if the extension is missing \
or unknown.

- Text, source code and Jupyter notebooks (as JSON) are returned as numbered lines, at most {max_lines:,} \
per call. `start_line` and `end_line` (both included, counted from 1) choose a range; by default it starts \
at the first line. A line over {max_line_bytes:,} bytes is cut and marked. Text must be UTF-8.
- Images ({SUPPORTED}) and PDFs are returned unchanged, for you to look at.
- Other binary formats are refused.

Limits: text {limits.file:,} bytes, images {limits.image:,} bytes, PDFs {limits.pdf:,} bytes.
Pass `file_type` only if the type of a file was detected wrongly."""


def schema(max_lines: int) -> schemas.Schema:
    """Return the schema of the arguments of `read`."""
    line: dict[str, Any] = {"minimum": 0, "maximum": 2**31 - 1}
    last = f"Last line to show, at most {max_lines:,} lines from the first"
    types = '"text", "image", "pdf", "notebook" or a media type; overrides detection'
    return schemas.arguments(
        "path",
        path=("string", "Path of the file, absolute if possible"),
        start_line=schemas.argument("integer", "First line to show, counted from 1", **line),
        end_line=schemas.argument("integer", last, **line),
        show_line_numbers=schemas.argument(
            "boolean", "Whether each line is prefixed with its number", default=True
        ),
        file_type=("string", types),
    )

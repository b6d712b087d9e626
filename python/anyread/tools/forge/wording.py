"""The wording of forge's tools: errors, descriptions and schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.tools.parts import schemas
from anyread.tools.parts.contract import Refusal
from anyread.tools.parts.media_types import UNKNOWN

from .detection import IMAGE_TYPES, PDF, SUPPORTED, binary_refusal, extension_of, is_visual, unsupported_image

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from anyread.tools.parts.system_errors import FailedCall


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


IMAGE_DESCRIPTION = "Deprecated: call `read`, which also shows images."
IMAGE_SCHEMA = schemas.arguments("path", path=("string", "Path of an image: JPEG, PNG, WebP or GIF"))

"""What forge's tools say: their errors, their descriptions, their schemas."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.errors import AccessError, DirectoryError, FileSystemError, NotFoundError
from anyread.tools.media_types import UNKNOWN, is_textual
from anyread.tools.profile import worded

from .detection import IMAGE_TYPES, PDF, SUPPORTED, binary_refusal

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from anyread.errors import ReadError


class Limits(NamedTuple):
    """How many bytes a file may have."""

    image: int
    pdf: int
    file: int
    pdf_variable: str
    """The variable that the limit of PDFs is raised by."""

    def of(self, media_type: str, *, is_visual: bool) -> int:
        """Give the one that holds for a file."""
        if not is_visual:
            return self.file
        return self.pdf if media_type == PDF else self.image


def failure(text: str) -> dict[str, Any]:
    """Answer with an error."""
    return {"is_error": True, "text": text}


def chain(message: str, *causes: str) -> str:
    """Write an error with what caused it, as the reference's errors are written out."""
    if not causes:
        return message
    marks = [f"    {number}: " for number in range(len(causes))] if len(causes) > 1 else ["    "]
    lines = [
        mark + cause.replace("\n", "\n" + " " * len(mark)) for mark, cause in zip(marks, causes, strict=True)
    ]
    return "\n".join([message, "", "Caused by:", *lines])


def too_large(size_bytes: int, limits: Limits, media_type: str, *, is_visual: bool) -> str:
    """Refuse a file for its size, with the variable that would let it pass."""
    maximum = limits.of(media_type, is_visual=is_visual)
    reason = f"File size ({size_bytes} bytes) exceeds the maximum allowed size of {maximum} bytes"
    if not is_visual:
        return reason
    if media_type == PDF:
        return chain(f"PDF exceeds size limit. Use a smaller PDF or increase {limits.pdf_variable}.", reason)
    return chain("Image exceeds size limit. Compress the image or increase FORGE_MAX_IMAGE_SIZE.", reason)


def other_content(media_type: str, inputs: Container[str]) -> list[str]:
    """Say what a file that is not text holds, as a further cause; an empty list: nothing is known of it.

    Args:
        media_type: The media type of its content.
        inputs: What the model takes.
    """
    if media_type == PDF or media_type in IMAGE_TYPES:
        if ("pdf" if media_type == PDF else "image") not in inputs:
            return [f"the content is {media_type}"]
        return [f'the content is {media_type}: pass file_type="{media_type}" to look at it']
    if media_type == UNKNOWN or is_textual(media_type):
        return []
    return [binary_refusal(media_type)]


def lacks_modality(tool: str, modality: str, inputs: Iterable[str]) -> str:
    """Refuse what the model cannot look at."""
    known = ", ".join(name for name in ("text", "image", "pdf") if name in inputs)
    return f"Tool '{tool}' requires {modality} modality, but model only supports: {known}"


def read_failure(error: ReadError, path: str, *, is_image: bool) -> str:
    """Word what went wrong with a file; what the reference cannot meet with is told by the error itself."""
    number = error_of_metadata(error)
    if number is not None:
        return chain(f"Failed to get metadata for file {path}", _system(number))
    outer = f"Failed to read binary file from {path}" if is_image else f"Failed to read file from {path}"
    if isinstance(error, DirectoryError | AccessError):
        number = errno.EISDIR if isinstance(error, DirectoryError) else errno.EACCES
        return chain(outer, f"Failed to read file {path}", _system(number))
    return chain(outer, worded(error))


def error_of_metadata(error: ReadError) -> int | None:
    """Give the error number if not even the file's size could be asked for."""
    if isinstance(error, NotFoundError):
        return errno.ENOENT
    if isinstance(error, AccessError) and error.part != error.path:
        return errno.EACCES
    if isinstance(error, FileSystemError) and error.errno in {errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}:
        return error.errno
    return None


def _system(number: int) -> str:
    return f"{os.strerror(number)} (os error {number})"


def described(limits: Limits, max_lines: int, max_line_bytes: int) -> str:
    """Tell the model what `read` does."""
    return f"""\
Read one file; its extension tells what it is, or its first bytes where the extension is missing or unknown.

- Text, source code and Jupyter notebooks (as their JSON) come as lines with numbers: {max_lines:,} lines at \
most a call, from the first one unless `start_line` and `end_line` (both included, counted from 1) say \
otherwise. A line over {max_line_bytes:,} bytes is cut and marked. Text must be UTF-8.
- Pictures ({SUPPORTED}) and PDFs come as they are, for you to look at.
- Other binary formats are refused.

Limits: text {limits.file:,} bytes, pictures {limits.image:,} bytes, PDFs {limits.pdf:,} bytes.
Pass `file_type` only if a file was taken for something else than it is."""


def schema(max_lines: int) -> dict[str, Any]:
    """Describe the arguments of `read`."""
    line = {"type": "integer", "minimum": 0, "maximum": 2**31 - 1}
    return {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path of the file, absolute if possible"},
            "start_line": {**line, "description": "First line to show, counted from 1"},
            "end_line": {
                **line,
                "description": f"Last line to show, at most {max_lines:,} lines from the first",
            },
            "show_line_numbers": {
                "type": "boolean",
                "default": True,
                "description": "Whether each line has its number before it",
            },
            "file_type": {
                "type": "string",
                "description": '"text", "image", "pdf", "notebook" or a media type, in place of detection',
            },
        },
        "required": ["path"],
    }


IMAGE_DESCRIPTION = "Deprecated: call `read`, which shows pictures, too."
IMAGE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Path of a picture: JPEG, PNG, WebP or GIF"}},
    "required": ["path"],
}

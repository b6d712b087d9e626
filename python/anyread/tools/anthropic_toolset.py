"""The contract of `read` in Anthropic's `agent_toolset_20260401`: exact text, images and PDFs.

Source: the package of `REFERENCE`, https://github.com/anthropics/anthropic-sdk-python (read 2026-11-22).
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from anyread._native import Layout
from anyread.errors import DirectoryError, NotRegularFileError, OutsideRootError, ReadError

from .parts import schemas
from .parts.coercion import lax_integers
from .parts.contract import Block, Context, Contract, Mapping, OpenFile, Output, thrown
from .parts.media import PDF, attachment, blocks_of
from .parts.media_types import IMAGE_TYPES, extension_of

REFERENCE: Final = {"anthropic": "2.14.0"}
"""The package that this contract follows, and its version."""
_MEDIA_TYPES: Final = {**IMAGE_TYPES, ".pdf": PDF}
_MAX_IMAGE_BYTES: Final = 5 * 1024 * 1024 // 4 * 3
_MAX_PDF_BYTES: Final = 20 * 1024 * 1024
_LINES: Final = Layout(line_ends="lf", final_newline="starts")
_NOT_TEXT: Final = "{path}: not valid UTF-8 text (binary files are only supported for image/PDF extensions)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicToolsetSettings:
    """The settings of the `anthropic-toolset` contract."""

    allowed_roots: tuple[str, ...] = ()
    """Directories besides `cwd` whose files may be read."""
    max_file_bytes: int | None = 256 * 1024
    """The most bytes of a text, or of the requested lines of it; `None`: any number."""


class AnthropicToolset(Contract[AnthropicToolsetSettings, tuple[str, list[int]]]):
    """The contract of `read` in Anthropic's agent toolset.

    Example:
        >>> read = anyread.tool("anthropic-toolset", cwd="/repo")
        >>> read.call_sync({"file_path": "notes.txt", "view_range": [1, 1]})
        'Notes'
    """

    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a file of the working directory. Text is returned as it is, up to 256 KiB; pass view_range"
        " to read some lines of a larger file. Images (png, jpg, jpeg, gif, webp) and PDFs are returned"
        " as blocks."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "file_path",
        file_path=("string", "Path of the file, absolute or relative."),
        view_range=schemas.items(
            "integer", "First and last line, counted from 1; a last line of 0 or less: to the end."
        ),
    )
    Settings: ClassVar[type[Any]] = AnthropicToolsetSettings

    def __init__(self, context: Context[AnthropicToolsetSettings]) -> None:
        super().__init__(context.within(context.cwd, *context.settings.allowed_roots))

    def checked(self, arguments: Mapping[str, Any], _name: str) -> tuple[str, list[int]]:
        """Return the path and the range of lines; numbers may be strings."""
        path, view_range = arguments.get("file_path"), lax_integers(arguments.get("view_range"))
        if not isinstance(path, str):
            raise self.refusal("file_path must be a string")
        if view_range is None:
            raise self.refusal("view_range must be a list of integers")
        if len(view_range) not in {0, 2}:
            raise self.refusal("view_range must be [start_line, end_line]")
        return path, view_range

    def reply(self, call: tuple[str, list[int]]) -> Output:
        """Send an image or a PDF as a block, and show any other file as text."""
        given, view_range = call
        path = self.context.resolve(given)
        try:
            file = self.open(path)
            media_type = _MEDIA_TYPES.get(extension_of(file.resolved_path))
            if media_type is not None:
                return self._media(file, given, media_type, view_range)
            return self._text(file, given, view_range)
        except ReadError as error:
            raise self.refusal(self._reason(error, given, path)) from error

    def _reason(self, error: ReadError, given: str, path: str) -> str:
        """Word an error of the file system as the tool does, without the path on this machine."""
        if isinstance(error, OutsideRootError):
            others = " and its other permitted directories" if self.context.settings.allowed_roots else ""
            return f"path {given!r} is outside the session's working directory{others}"
        if isinstance(error, DirectoryError | NotRegularFileError):
            return f"{given}: not a regular file"
        failed = self.failed_call(path, error)
        is_resolved = failed.code in {0, errno.ENOENT, errno.ENOTDIR} or failed.is_found
        reason = os.strerror(failed.code).lower() if failed.code else error.message
        return f"{given if is_resolved else f'path {given!r}'}: {reason}"

    def failure(self, message: str) -> Output:
        """Return an exception of the tool, whose name precedes its message."""
        return thrown(f"read: {message}")

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, the image or the document."""
        return blocks_of(output, empty="[no lines]")

    def failed(self, output: Output) -> bool:
        """Check for an error."""
        return isinstance(output, dict)

    def _media(self, file: OpenFile, path: str, media_type: str, view_range: list[int]) -> Output:
        if view_range:
            raise self.refusal("view_range is not supported for image/PDF files")
        limit = _MAX_PDF_BYTES if media_type == PDF else _MAX_IMAGE_BYTES
        if file.size_bytes > limit:
            exceeds = f"exceeds {limit}-byte limit for image/PDF files."
            raise self.refusal(f"{path} is {file.size_bytes} bytes, {exceeds}")
        kind = "pdf" if media_type == PDF else "image"
        unseen = self.refusal(f"{path}: the model does not accept {kind} input")
        media_type, encoded = attachment(self.context, file, media_type, kind=kind, unseen=unseen)
        source = {"type": "base64", "media_type": media_type, "data": encoded}
        return [{"type": "document" if kind == "pdf" else "image", "source": source}]

    def _text(self, file: OpenFile, path: str, view_range: list[int]) -> Output:
        limit = self.context.settings.max_file_bytes
        is_large = limit is not None and file.size_bytes > limit
        if is_large and not view_range:
            raise self.refusal(
                f"{path} is {file.size_bytes} bytes, exceeds {limit}-byte limit. Use the view_range parameter"
                " to read specific line ranges, e.g. view_range: [1, 500]."
            )
        if not is_large and file.utf8_fault() is not None:
            raise self.refusal(_NOT_TEXT.format(path=path))
        first, last = view_range or (1, 0)
        # Only the bytes of these lines count, so their positions are looked up before they are read.
        total = file.window(1, 0, _LINES, encoding="utf-8").total_lines or 0
        start, end = file.span(max(first, 1), last if last > 0 else total, total)
        if limit is not None and end - start > limit:
            if last > 0 and last - max(first, 1) == 0:
                raise self.refusal(
                    f"line {max(first, 1)} of {path} alone exceeds {limit}-byte limit. The read tool cannot"
                    " return part of a line, so view_range cannot narrow this further."
                )
            raise self.refusal(
                f"view_range [{first}, {last}] of {path} exceeds {limit}-byte limit. Narrow the view_range to"
                " read a smaller portion."
            )
        data = file.read_range(start, end - start)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise self.refusal(_NOT_TEXT.format(path=path)) from error
        self.context.note(file, kind="text", media_type="text/plain", key=("text", *view_range))
        return text

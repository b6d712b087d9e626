"""Deep Agents: backends whose `read_file` is anyread's, and LangChain's read tool.

| anyread | Deep Agents |
| --- | --- |
| text | a window of lines, divided as the framework divides them, with which `edit_file` works |
| image, PDF | one block with the media type of the file's extension |
| notebook | its JSON as text, so that `edit_file` works |
| error | a `ToolMessage` with the status "error" |

A backend returns one block for each file. `tool(read)` has no such limit: it returns all that anyread shows.

Source: the package `deepagents` 0.7.32, 2026-11-22.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from typing import Any

from anyread.arguments.gutter import Gutter
from anyread.arguments.limits import Limits
from anyread.errors import NotFoundError, OffsetPastEndError, ReadError, WrongKindError
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.results import Page, TextBlock, TextPage
from anyread.running import loop, threads
from anyread.tools.deepagents import is_blank, raw_lines
from anyread.tools.parts.files import like

from .reading import worded
from .requirements import needs

with needs(__name__, "deepagents"):
    from deepagents.backends import FilesystemBackend, LocalShellBackend
    from deepagents.backends.protocol import FileData, ReadResult

    # The extensions that the framework takes for binary files; they have no public name.
    from deepagents.backends.utils import _get_backend_read_file_type

from .langchain import LangchainTool, tool

__all__ = ["AnyreadBackend", "AnyreadShellBackend", "LangchainTool", "tool"]

# The middleware shortens longer answers and says so; within these limits, anyread clips nothing itself.
_MAX_CHARS = 4 << 20
_LIMITS = Limits(max_line_chars=_MAX_CHARS, max_bytes=4 << 20, max_tokens=4 << 20)
_TEXT_ONLY = Model(inputs=frozenset({"text"}))
_KINDS = {"text", "image", "file"}
"""The framework's kinds of files that anyread reads; it leaves audio and video to the framework."""
_MEDIA = {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"}
"""The media types that anyread checks and fits to the model."""


class AnyreadBackend(FilesystemBackend):
    """Read files with anyread: windows of any text file, checked images and PDFs; the rest is inherited.

    Text in any encoding is decoded, and no file is too large. An image is sent unchanged if the model
    accepts it, and otherwise scaled or converted to the type of its extension. With the default
    `virtual_mode`, nothing outside `root_dir` is read, whatever links are in it.

    Args:
        root_dir: The directory of the files; `None`: the working directory.
        model: What the model accepts; `None`: `Model.anthropic()`.
        options: The other arguments of the backend class, such as `virtual_mode`.

    Raises:
        NotFoundError: The directory does not exist.

    Example:
        >>> from anyread.integrations.deepagents import AnyreadBackend
        >>> agent = create_deep_agent("claude-sonnet-5", backend=AnyreadBackend("/repo"))
    """

    def __init__(
        self, root_dir: str | Path | None = None, *, model: Model | None = None, **options: Any
    ) -> None:
        super().__init__(root_dir=root_dir, **options)
        self._text_reader = Reader(
            roots=[self.cwd] if self.virtual_mode else (),
            model=_TEXT_ONLY,
            limits=_LIMITS,
            gutter=Gutter.NONE,
            notebook="raw",
        )
        accepted = model or Model.anthropic()
        # The block has the media type of the extension, so an image must have this type.
        self._media_readers = {
            media_type: like(self._text_reader, model=replace(accepted, image_types=(media_type,)))
            for media_type in _MEDIA
        }

    def read(self, file_path: str, offset: int = 0, limit: int = 2_000) -> ReadResult:
        """Read lines of a text, counted from 0, or an entire image or PDF; a failure is a result too."""
        if _get_backend_read_file_type(file_path) not in _KINDS:
            return super().read(file_path, offset, limit)
        return threads.run(partial(self._read, file_path, offset, limit))

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2_000) -> ReadResult:
        """Read as `read` does, without blocking the event loop; a cancelled call ends its read."""
        if _get_backend_read_file_type(file_path) not in _KINDS:
            return await super().aread(file_path, offset, limit)
        return await loop.run(partial(self._read, file_path, offset, limit))

    def _read(self, file_path: str, offset: int, limit: int) -> ReadResult:
        """Read a file; part of a call."""
        reader, path = self._plan(file_path)
        if reader is self._text_reader:
            # The reader looks for other spellings of the path, and words the error.
            with suppress(ReadError):
                result = _lines(reader, path, offset, limit)
                if result is not None:
                    return result
        first, count = _window(offset, limit)
        try:
            try:
                page = reader.read_sync(path, offset=first, limit=count)
            except WrongKindError:
                page = reader.read_sync(path)
        except ReadError as error:
            return _failure(error, file_path, offset)
        return _result(page, file_path, limit)

    def _plan(self, file_path: str) -> tuple[Reader, str]:
        """Return the reader for a file, and the path for it."""
        reader = self._media_readers.get(_media_type(file_path), self._text_reader)
        if not self.virtual_mode:
            return reader, str(self.cwd / file_path)
        path = file_path.lstrip("/") or "."
        # `./` keeps names such as `~x` from being expanded.
        return reader, path if path[0].isalnum() else f"./{path}"


class AnyreadShellBackend(AnyreadBackend, LocalShellBackend):
    """Read files with anyread, and run commands on this machine, which can read every file.

    Args:
        root_dir: The directory of the files and commands; `None`: the working directory.
        model: What the model accepts; `None`: `Model.anthropic()`.
        options: The other arguments of `LocalShellBackend`, such as `timeout`.
    """


def _lines(reader: Reader, path: str, offset: int, limit: int) -> ReadResult | None:
    """Read lines of a UTF-8 text as the framework divides it; `None`: the file is something else."""
    file = reader.open_sync(path, repair=False)
    is_text = file.kind in {"text", "notebook"} and file.decoding_fault() is None
    if not is_text or is_blank(file):
        return None
    if limit < 1:
        return ReadResult(file_data=_text(""), no_lines_requested=True)
    content, window, is_complete = raw_lines(file, max(offset, 0), limit, _MAX_CHARS)
    if not is_complete:
        return None
    total = window.total_lines or 0
    if window.last_line < window.first_line:
        return ReadResult(error=f"Line offset {offset} exceeds file length ({total} lines)")
    return ReadResult(
        file_data=_text(content),
        total_lines=total,
        start_line=window.first_line,
        end_line=window.last_line,
        next_offset=None if window.last_line == total else window.last_line,
    )


def _window(offset: int, limit: int) -> tuple[int, int]:
    """Return the number of the first line, and how many to read: at least one, to recognize a blank file."""
    return (max(offset, 0) + 1, limit) if limit > 0 else (1, 1)


def _media_type(file_path: str) -> str:
    """Return the media type that the framework gives to a file of this name."""
    return guess_type(f"file{PurePosixPath(file_path).suffix}")[0] or ""


def _result(page: Page, file_path: str, limit: int) -> ReadResult:
    if _get_backend_read_file_type(file_path) != "text":
        return _media_result(page, file_path)
    if not isinstance(page, TextPage):
        return ReadResult(file_data=_text(page.text))
    content = page.content.replace("\r\n", "\n").replace("\r", "\n")
    is_whole = page.start_line == 1 and not page.truncated
    if is_whole and not content.strip():
        return ReadResult(file_data=_text(content))
    if limit < 1:
        return ReadResult(file_data=_text(""), no_lines_requested=True)
    return ReadResult(
        file_data=_text(content),
        total_lines=page.total_lines,
        start_line=page.start_line,
        end_line=page.end_line,
        next_offset=None if page.end_line == page.total_lines or page.next is None else page.end_line,
    )


def _media_result(page: Page, file_path: str) -> ReadResult:
    """Return the only image or document of a page; the framework would send text as if it were one."""
    media = [block for block in page.blocks if not isinstance(block, TextBlock)]
    expected = _media_type(file_path)
    if len(media) == 1 and media[0].media_type == expected:
        return ReadResult(file_data=FileData(content=media[0].base64, encoding="base64"))
    if page.kind == "text":
        why = "is a text file, and its name makes it a binary file: copy it to a name that ends in .txt"
    else:
        why = f"cannot be shown as one block of the type {expected}: {page.summary()}"
    return ReadResult(error=f"File '{file_path}' {why}")


def _failure(error: ReadError, file_path: str, offset: int) -> ReadResult:
    """Word an error with the framework's own beginnings, which its tests and prompts rely on."""
    if isinstance(error, OffsetPastEndError):
        if error.total_lines == 0:
            return ReadResult(file_data=_text(""))
        return ReadResult(error=f"Line offset {offset} exceeds file length ({error.total_lines} lines)")
    if isinstance(error, NotFoundError):
        return ReadResult(error=f"File '{file_path}' not found: {worded(error, {})}")
    return ReadResult(error=f"Error reading file '{file_path}': {worded(error, {})}")


def _text(content: str) -> FileData:
    return FileData(content=content, encoding="utf-8")

"""The contract of Deep Agents' `read_file`: a status line above exact lines, and blocks of media.

Source: the package of `REFERENCE`, https://github.com/langchain-ai/deepagents (read 2026-11-22).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from mimetypes import guess_type
from string import ascii_letters
from typing import Any, ClassVar, Final

from anyread.errors import DirectoryError, NotFoundError, NotRegularFileError, OutsideRootError, ReadError
from anyread.tools.parts import schemas
from anyread.tools.parts.coercion import lax_integer
from anyread.tools.parts.contract import Block, Context, Contract, Mapping, OpenFile, Output, Refusal, thrown
from anyread.tools.parts.media import attachment, blocks_of
from anyread.tools.parts.media_types import UNKNOWN, extension_of

from .lines import is_blank, source_lines
from .status_line import assembled, with_status

__all__ = ["DeepagentsReadFile", "DeepagentsSettings"]

REFERENCE: Final = {"deepagents": "0.7.32"}
"""The package that this contract follows, and its version."""
DEFAULT_LIMIT: Final = 100
"""Lines per call without `limit`."""
_CHARS_PER_TOKEN: Final = 4
_KINDS: Final = {
    **dict.fromkeys((".png", ".jpeg", ".jpg", ".webp", ".gif", ".heic", ".heif"), "image"),
    **dict.fromkeys((".mp4", ".mpeg", ".mov", ".avi", ".flv", ".mpg", ".webm", ".wmv", ".3gpp"), "video"),
    **dict.fromkeys((".wav", ".mp3", ".aiff", ".aac", ".ogg", ".flac"), "audio"),
    **dict.fromkeys((".pdf", ".ppt", ".pptx", ".mkv"), "file"),
}
# What the tool's Python says, whatever types the machine's own tables add.
_MEDIA_TYPES: Final = {".wav": "audio/x-wav", ".3gpp": "audio/3gpp", ".mkv": "video/x-matroska"}
_EMPTY: Final = "System reminder: File exists but has empty contents"
_NO_LINES: Final = (
    "System reminder: no lines were read because `limit` was {limit}. The file was not inspected and may have"
    " contents; retry with `limit` >= 1 to read it."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepagentsSettings:
    """The settings of the `deepagents` contract."""

    token_limit: int | None = 20_000
    """The most tokens of an answer, at 4 characters each; `None`: any number."""
    virtual_mode: bool = True
    """Whether `cwd` is the root of all paths; otherwise absolute paths are those of this machine."""


class DeepagentsReadFile(Contract[DeepagentsSettings, tuple[str, int, int]]):
    """The contract of Deep Agents' `read_file`; `cwd` is the root of its paths.

    Example:
        >>> read = anyread.tool("deepagents", cwd="/repo")
        >>> print(read.call_sync({"file_path": "/notes.txt", "limit": 1})["content"])
        @@ lines 1-1 of 12 | next offset 1 @@
        Notes
    """

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = (
        "Read a file. A text is returned exactly as it is, below a line `@@ lines A-B of T | next offset"
        " N @@`; by default its first 100 lines. Pass offset and limit to read on. Images, PDFs, audio"
        " and video are returned as media. Never include the status line in an edit."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "file_path",
        file_path=("string", "Absolute path of the file."),
        offset=schemas.argument("integer", "Lines of a text to skip.", default=0),
        limit=schemas.argument("integer", "The most lines of a text to show.", default=DEFAULT_LIMIT),
    )
    Settings: ClassVar[type[Any]] = DeepagentsSettings

    def __init__(self, context: Context[DeepagentsSettings]) -> None:
        is_virtual = context.settings.virtual_mode
        super().__init__(context.within(context.cwd) if is_virtual else context)

    def checked(self, arguments: Mapping[str, Any], name: str) -> tuple[str, int, int]:
        """Return the path and the lines; unknown arguments are ignored."""
        path = arguments.get("file_path")
        if not isinstance(path, str):
            is_missing = path is None
            raise self.refusal(
                f"file_path: {'Field required' if is_missing else 'Input should be a valid string'}"
            )
        offset = lax_integer(arguments.get("offset", 0))
        limit = lax_integer(arguments.get("limit", DEFAULT_LIMIT))
        if offset is None or limit is None:
            name = "offset" if offset is None else "limit"
            raise self.refusal(f"{name}: Input should be a valid integer")
        fault = _path_fault(path)
        if fault is not None:
            raise self.refusal(fault)
        if self.context.settings.virtual_mode and ".." in path:
            raise Refusal(thrown("Path traversal not allowed"))
        # Two slashes at the beginning stay.
        path = os.path.normpath(path).replace("\\", "/")
        return path if path.startswith("/") else f"/{path}", offset, limit

    def reply(self, call: tuple[str, int, int]) -> Output:
        """Send media as a block, and show any other file as text."""
        path, offset, limit = call
        is_virtual = self.context.settings.virtual_mode
        opened = f"{self.context.cwd}/{path.lstrip('/')}" if is_virtual else path
        try:
            file = self.open(opened)
            suffix = extension_of(path)
            if suffix in _KINDS:
                return self._media(file, path, suffix)
            return self._text(file, path, offset, limit)
        except OutsideRootError as error:
            message = f"Path:{opened} outside root directory: {self.context.cwd}"
            raise Refusal(thrown(message)) from error
        except (NotFoundError, DirectoryError, NotRegularFileError) as error:
            raise self.refusal(f"File '{path}' not found") from error
        except ReadError as error:
            reason = self.failed_call(opened, error).python_resolved()
            raise self.refusal(f"Error reading file '{path}': {reason}") from error

    def failure(self, message: str) -> Output:
        """Return a message of the status "error"."""
        return {"content": f"Error: {message}", "status": "error"}

    def path_argument(self, path: str) -> str:
        """Return a path below `cwd`, which is the root of all paths in virtual mode."""
        below = self.context.cwd.rstrip("/") + "/"
        is_virtual = self.context.settings.virtual_mode and path.startswith(below)
        return f"/{path.removeprefix(below)}" if is_virtual else path

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the image or document."""
        path: str = output.get("additional_kwargs", {}).get("read_file_path", "")
        return blocks_of(output, "content", name=path.rpartition("/")[2])

    def failed(self, output: Output) -> bool:
        """Check the status of the message."""
        return bool(output.get("status") != "success")

    def _media(self, file: OpenFile, path: str, suffix: str) -> Output:
        kind = _KINDS[suffix]
        media_type = _MEDIA_TYPES.get(suffix) or guess_type(f"file{suffix}")[0] or UNKNOWN
        if not file.size_bytes:
            return _succeeded(_EMPTY)
        media_type, encoded = attachment(self.context, file, media_type, kind=kind)
        facts = {"read_file_path": path, "read_file_media_type": media_type}
        content = [{"type": kind, "base64": encoded, "mime_type": media_type}]
        return {"content": content, "status": "success", "additional_kwargs": facts}

    def _text(self, file: OpenFile, path: str, offset: int, limit: int) -> Output:
        fault = file.decoding_fault()
        if fault is not None:
            raise self.refusal(f"Error reading file '{path}': {fault}")
        if limit <= 0 and not is_blank(file):
            return _succeeded(_NO_LINES.format(limit=limit))
        return self._lines(file, path, offset, limit)

    def _lines(self, file: OpenFile, path: str, offset: int, limit: int) -> Output:
        notices = []
        if offset < 0:
            notices.append(
                f"[Requested offset {offset} is before the start of the file; read from line 1 instead.]"
            )
        first = max(offset, 0)
        if is_blank(file):
            return _succeeded(assembled(_EMPTY, [f"lines {first + 1}-{first + 1}"], notices))
        tokens = self.context.settings.token_limit
        maximum = _CHARS_PER_TOKEN * tokens if tokens else None
        lines = source_lines(file, first, limit, maximum)
        if first >= lines.total:
            raise self.refusal(f"Line offset {first} exceeds file length ({lines.total} lines)")
        self.context.note(file, kind="text", media_type="text/plain", offset=offset, limit=limit)
        return _succeeded(with_status(lines, path, notices, maximum))


def _path_fault(path: str) -> str | None:
    if ".." in path.replace("\\", "/").split("/") or path.startswith("~"):
        return f"Path traversal not allowed: {path}"
    if path[1:2] == ":" and path[0] in ascii_letters:
        return (
            f"Windows absolute paths are not supported: {path}. Please use virtual paths starting with /"
            " (e.g., /workspace/file.txt)"
        )
    return None


def _succeeded(content: str) -> dict[str, Any]:
    return {"content": content, "status": "success"}

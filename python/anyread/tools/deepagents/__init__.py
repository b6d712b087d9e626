"""The contract of `read_file` of Deep Agents: a status line above exact lines, and blocks of media.

Source: the package `deepagents` 0.7.32 of
https://github.com/langchain-ai/deepagents (read 2026-11-22).
"""

from __future__ import annotations

import os
from base64 import b64decode
from dataclasses import dataclass, replace
from mimetypes import guess_type
from pathlib import PurePosixPath
from string import ascii_letters
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread.errors import (
    DirectoryError,
    FileSystemError,
    NotFoundError,
    NotRegularFileError,
    OutsideRootError,
    ReadError,
)
from anyread.results import TextBlock
from anyread.running.effects import Work
from anyread.tools import schemas
from anyread.tools.attachments import attachment, attachment_block
from anyread.tools.coercion import lax_integer
from anyread.tools.files import like, open_file, target_of
from anyread.tools.media_types import UNKNOWN, extension_of
from anyread.tools.profile import Context, Output, Profile, thrown, worded

from .lines import is_blank, source_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

    from .lines import SourceLines

__all__ = ["DeepagentsReadFile", "DeepagentsSettings"]

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
_TOO_LONG: Final = (
    "[Output was truncated due to size limits. The file content is very large. Consider reformatting the file"
    " to make it easier to navigate. For example, if this is JSON, use execute(command='jq . {path}') to"
    " pretty-print it with line breaks. For other formats, you can use appropriate formatting tools to split"
    " long lines.]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeepagentsSettings:
    """The settings of the `deepagents` profile."""

    token_limit: int | None = 20_000
    """The most tokens of an answer, at 4 characters each; `None`: any number."""
    virtual_mode: bool = True
    """Whether `cwd` is the root of all paths; otherwise absolute paths are those of this machine."""


class DeepagentsReadFile(Profile[DeepagentsSettings]):
    """The contract of `read_file` of Deep Agents; `cwd` is the root of its paths.

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
        file_path=schemas.argument("string", "Absolute path of the file."),
        offset=schemas.argument("integer", "Lines of a text to skip.", default=0),
        limit=schemas.argument("integer", "The most lines of a text to show.", default=DEFAULT_LIMIT),
    )
    Settings: ClassVar[type[Any]] = DeepagentsSettings

    def __init__(self, context: Context[DeepagentsSettings]) -> None:
        if context.settings.virtual_mode and not context.reader.roots:
            context = replace(context, reader=like(context.reader, roots=[context.cwd]))
        super().__init__(context)

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Check the types of the arguments and the form of the path; unknown arguments are ignored."""
        path = arguments.get("file_path")
        if not isinstance(path, str):
            return _failed(
                "file_path: Input should be a valid string"
                if path is not None
                else "file_path: Field required"
            )
        for argument in ("offset", "limit"):
            if argument in arguments and lax_integer(arguments[argument]) is None:
                return _failed(f"{argument}: Input should be a valid integer")
        fault = _path_fault(path)
        if fault is not None:
            return _failed(fault)
        if self.context.settings.virtual_mode and ".." in path:
            return thrown("Path traversal not allowed")
        return None

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Send media as a block, and show any other file as text."""
        path = "/" + os.path.normpath(arguments["file_path"]).replace("\\", "/").lstrip("/")
        offset, limit = (
            lax_integer(arguments.get("offset", 0)),
            lax_integer(arguments.get("limit", DEFAULT_LIMIT)),
        )
        real_path = self.context.cwd + path if self.context.settings.virtual_mode else path
        try:
            file = yield from open_file(self.context.reader, real_path)
            suffix = extension_of(path)
            if suffix in _KINDS:
                return (yield from self._media(file, path, suffix))
            return (yield from self._text(file, path, offset or 0, DEFAULT_LIMIT if limit is None else limit))
        except OutsideRootError:
            target = target_of(self.context.reader, self.context.cwd)
            outside = yield from Work(lambda _: os.path.realpath(real_path), target)
            return thrown(f"Path:{outside} outside root directory: {self.context.cwd}")
        except (NotFoundError, DirectoryError, NotRegularFileError):
            return _failed(f"File '{path}' not found")
        except FileSystemError as error:
            reason = f"Symlink loop from '{real_path}'" if error.errno == 40 else worded(error)
            return _failed(f"Error reading file '{path}': {reason}")
        except ReadError as error:
            return _failed(f"Error reading file '{path}': {worded(error)}")

    def path_argument(self, path: str) -> str:
        """Return a path below `cwd`, which is the root of all paths in virtual mode."""
        below = self.context.cwd.rstrip("/") + "/"
        is_virtual = self.context.settings.virtual_mode and path.startswith(below)
        return f"/{path.removeprefix(below)}" if is_virtual else path

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the image or document."""
        content = output.get("content", output.get("error"))
        if isinstance(content, str):
            return [TextBlock(content)]
        path = output["additional_kwargs"]["read_file_path"]
        name = PurePosixPath(path).name
        return [attachment_block(each["mime_type"], b64decode(each["base64"]), name) for each in content]

    def failed(self, output: Output) -> bool:
        """Check the status of the message."""
        return bool(output.get("status") != "success")

    def _media(self, file: File, path: str, suffix: str) -> Steps[Output]:
        kind = _KINDS[suffix]
        media_type = _MEDIA_TYPES.get(suffix) or guess_type(f"file{suffix}")[0] or UNKNOWN
        if not file.size_bytes:
            return _succeeded(_EMPTY)
        media_type, encoded = yield from attachment(self.context, file, media_type, kind=kind)
        facts = {"read_file_path": path, "read_file_media_type": media_type}
        content = [{"type": kind, "base64": encoded, "mime_type": media_type}]
        return {"content": content, "status": "success", "additional_kwargs": facts}

    def _text(self, file: File, path: str, offset: int, limit: int) -> Steps[Output]:
        fault = yield from file.decoding_fault()
        if fault is not None:
            return _failed(f"Error reading file '{path}': {fault}")
        if limit <= 0 and not (yield from is_blank(file)):
            return _succeeded(_NO_LINES.format(limit=limit))
        return (yield from self._lines(file, path, offset, limit))

    def _lines(self, file: File, path: str, offset: int, limit: int) -> Steps[Output]:
        notices = []
        if offset < 0:
            notices.append(
                f"[Requested offset {offset} is before the start of the file; read from line 1 instead.]"
            )
        first = max(offset, 0)
        if (yield from is_blank(file)):
            return _succeeded(_assembled(_EMPTY, [f"lines {first + 1}-{first + 1}"], notices))
        tokens = self.context.settings.token_limit
        maximum = _CHARS_PER_TOKEN * tokens if tokens else None
        lines = yield from source_lines(file, first, limit, maximum)
        if first >= lines.total:
            return _failed(f"Line offset {first} exceeds file length ({lines.total} lines)")
        self.context.note(file, kind="text", media_type="text/plain", offset=offset, limit=limit)
        whole = _assembled(lines.body, _fields(lines, lines.last), notices)
        if maximum is None or len(whole) < maximum:
            return _succeeded(whole)
        notices.append(_TOO_LONG.format(path=path))
        for end, last in reversed(list(_ends(lines))):
            fields = [*_fields(lines, last), "truncated due to size"]
            answer = _assembled(lines.body[:end], fields, notices)
            if len(answer) <= maximum:
                return _succeeded(answer)
        return _succeeded(_cut_in_line(lines, notices, maximum))


def _ends(lines: SourceLines) -> Iterator[tuple[int, int]]:
    """Yield where each row ends in the body, and the number that it has."""
    position = 0
    for number, row in enumerate(lines.body.split("\n"), lines.first):
        if number > lines.last:
            break
        position += len(row)
        yield position, number
        position += 1


def _cut_in_line(lines: SourceLines, notices: Sequence[str], maximum: int) -> str:
    """Show the beginning of a line of which nothing else fits."""
    chars = lines.first_row_chars
    span = [f"lines {lines.first}-{lines.first} of {lines.total}", "truncated mid-line"]
    reserved = len(_assembled("", [*span, f"{chars} of {chars} chars"], notices))
    shown = max(0, min(chars, maximum - reserved))
    return _assembled(lines.body[:shown], [*span, f"{shown} of {chars} chars"], notices)


def _fields(lines: SourceLines, last: int) -> list[str]:
    fields = [f"lines {lines.first}-{last} of {lines.total}"]
    return fields if last == lines.total else [*fields, f"next offset {last}"]


def _assembled(body: str, fields: Sequence[str], notices: Sequence[str]) -> str:
    return "\n".join([*notices, f"@@ {' | '.join(fields)} @@", body])


def _path_fault(path: str) -> str | None:
    if ".." in path.replace("\\", "/").split("/") or path.startswith("~"):
        return f"Path traversal not allowed: {path}"
    if path[1:2] == ":" and path[0] in ascii_letters:
        return (
            f"Windows absolute paths are not supported: {path}. Please use virtual paths starting with"
            " / (e.g.,"
            " /workspace/file.txt)"
        )
    return None


def _succeeded(content: str) -> dict[str, Any]:
    return {"content": content, "status": "success"}


def _failed(message: str) -> dict[str, Any]:
    return {"content": f"Error: {message}", "status": "error"}

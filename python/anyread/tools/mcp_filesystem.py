"""The contract of the three read tools of the MCP filesystem server: exact text, media, several files.

Source: the npm package `@modelcontextprotocol/server-filesystem` 2026.8.31 of
https://github.com/modelcontextprotocol/servers (read 2026-11-22).
"""

from __future__ import annotations

import errno
import math
import os
import re
from base64 import b64decode
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final
from unicodedata import normalize

from anyread._native import Layout
from anyread.arguments import LARGEST
from anyread.errors import (
    DirectoryError,
    FileSystemError,
    NotFoundError,
    OutsideRootError,
    ReadError,
    TooLargeError,
)
from anyread.results import TextBlock
from anyread.running.effects import Work
from anyread.tools import schemas
from anyread.tools.attachments import attachment, attachment_block
from anyread.tools.directories import list_directory, stat_errno
from anyread.tools.files import like, open_file, target_of
from anyread.tools.javascript import system_error
from anyread.tools.media_types import IMAGE_TYPES, UNKNOWN, extension_of
from anyread.tools.profile import Context, Definition, Output, Profile, worded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

__all__ = ["McpFilesystem", "McpFilesystemSettings"]

MAX_TEXT_BYTES: Final = 512 * 1024 * 1024
"""The most bytes of a file that is returned as a whole, as in a string of Node.js."""
_MEDIA_TYPES: Final = {
    **IMAGE_TYPES,
    ".bmp": "image/bmp",
    ".svg": "image/svg+xml",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
}
# An answer has no total, so the rest of the file need not be read.
_HEAD: Final = Layout(line_ends="lf", total="known")
_TAIL: Final = Layout(line_ends="lf+crlf", total="known")


class McpFilesystemRefusal(Exception):  # noqa: N818 - an answer of the contract, not an error of this library
    """A file is refused; the text says why, in the contract's words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFilesystemSettings:
    """The settings of the `mcp-filesystem` profile."""

    directories: tuple[str, ...] = ()
    """Directories besides `cwd` whose files may be read."""
    structured_content: bool = False
    """Whether results have `structuredContent`, as in the reference; some hosts then show no images."""


class McpFilesystem(Profile[McpFilesystemSettings]):
    """The contract of `read_text_file`, `read_media_file` and `read_multiple_files`.

    Example:
        >>> read = anyread.tool("mcp-filesystem", cwd="/repo")
        >>> read.call_sync({"path": "notes.txt", "head": 1})["content"]
        [{'type': 'text', 'text': 'Notes'}]
    """

    name: ClassVar[str] = "read_text_file"
    aliases: ClassVar[tuple[str, ...]] = ("read_file",)
    Settings: ClassVar[type[Any]] = McpFilesystemSettings

    def __init__(self, context: Context[McpFilesystemSettings]) -> None:
        self._directories = [os.path.normpath(each) for each in (context.cwd, *context.settings.directories)]
        if not context.reader.roots:
            context = replace(context, reader=like(context.reader, roots=self._directories))
        super().__init__(context)

    def definitions(self) -> list[Definition]:
        """Return the three tools."""
        return [
            Definition(self.name, _TEXT_DESCRIPTION, _TEXT_SCHEMA),
            Definition("read_media_file", _MEDIA_DESCRIPTION, _MEDIA_SCHEMA),
            Definition("read_multiple_files", _SEVERAL_DESCRIPTION, _SEVERAL_SCHEMA),
        ]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:
        """Check the types of the arguments; unknown arguments are ignored."""
        fault = None
        if name == "read_multiple_files":
            paths = arguments.get("paths")
            if (
                not isinstance(paths, list | tuple)
                or not paths
                or not all(isinstance(each, str) for each in paths)
            ):
                fault = "`paths` must be an array of at least one string"
        elif not isinstance(arguments.get("path"), str):
            fault = "`path` must be a string"
        for argument in ("head", "tail") if name == self.name else ():
            value = arguments.get(argument, 0)
            if not isinstance(value, int | float) or isinstance(value, bool):
                fault = fault or f"`{argument}` must be a number"
        return None if fault is None else _failed(f"Invalid arguments for tool {name}: {fault}")

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:
        """Read one file as text or as media, or several files as text."""
        try:
            if name == "read_media_file":
                return (yield from self._media(arguments["path"]))
            if name == "read_multiple_files":
                return (yield from self._several(arguments["paths"]))
            return (yield from self._text(arguments["path"], arguments.get("head"), arguments.get("tail")))
        except McpFilesystemRefusal as refusal:
            return _failed(str(refusal))

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the media."""
        return [_block(part) for part in output["content"] if part.get("text", part["type"])] or [
            TextBlock("[empty file]")
        ]

    def failed(self, output: Output) -> bool:
        """Check `isError`."""
        return bool(output.get("isError"))

    def _answer(self, content: list[dict[str, Any]], structured: Any) -> dict[str, Any]:
        answer: dict[str, Any] = {"content": content}
        if self.context.settings.structured_content:
            answer["structuredContent"] = {"content": structured}
        return answer

    def _text(self, path: str, head: float | None, tail: float | None) -> Steps[Output]:
        file = yield from self._open(path)
        if head and tail:
            raise McpFilesystemRefusal("Cannot specify both head and tail parameters simultaneously")
        text = ""
        if tail:
            text = yield from _tail(file, int(min(tail, LARGEST)))
        elif head:
            text = (yield from file.window(1, max(0, math.ceil(min(head, LARGEST))), _HEAD)).text
        else:
            text = yield from self._whole(file)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", head, tail))
        return self._answer([{"type": "text", "text": text}], text)

    def _whole(self, file: File) -> Steps[str]:
        if file.size_bytes > MAX_TEXT_BYTES:
            maximum = MAX_TEXT_BYTES
            error = TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
            raise McpFilesystemRefusal(error.message)
        data = yield from file.read(MAX_TEXT_BYTES)
        return (yield from file.work(lambda: data.decode("utf-8", "replace"), len(data)))

    def _several(self, paths: list[str]) -> Steps[Output]:
        parts = []
        for path in paths:
            try:
                file = yield from self._open(path)
                parts.append(f"{path}:\n{(yield from self._whole(file))}\n")
                self.context.note(file, kind="text", media_type="text/plain")
            except McpFilesystemRefusal as refusal:
                parts.append(f"{path}: Error - {refusal}")
        text = "\n---\n".join(parts)
        return self._answer([{"type": "text", "text": text}], text)

    def _media(self, path: str) -> Steps[Output]:
        file = yield from self._open(path)
        extension = extension_of(file.resolved_path)
        media_type = _MEDIA_TYPES.get(extension, UNKNOWN)
        form = media_type.partition("/")[0]
        if form == "image" and self.context.sees("image") is False:
            raise McpFilesystemRefusal(f"{path}: the model does not accept image input")
        try:
            media_type, encoded = yield from attachment(self.context, file, media_type, kind=form)
        except ReadError as error:
            raise McpFilesystemRefusal(worded(error)) from None
        if form in {"image", "audio"}:
            item: dict[str, Any] = {"type": form, "data": encoded, "mimeType": media_type}
        else:
            uri = Path(file.resolved_path).as_uri()
            item = {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": encoded}}
        return self._answer([item], [item])

    def _open(self, given: str) -> Steps[File]:
        """Open a file; refuse it in the contract's words."""
        path = os.path.expanduser(given) if given == "~" or given.startswith("~/") else given  # noqa: PTH111 - text
        if re.match(r"[A-Za-z]:([\\/]|$)", path):
            raise McpFilesystemRefusal(
                f"Access denied - Windows-style path received on a POSIX host: {given}"
            )
        path = self.context.resolve(path)
        try:
            try:
                return (yield from open_file(self.context.reader, path))
            except NotFoundError:
                path = yield from self._composed(path)
                return (yield from open_file(self.context.reader, path))
        except OutsideRootError:
            listed = ", ".join(self._directories)
            target = target_of(self.context.reader, self.context.cwd)
            real = yield from Work(lambda _: os.path.realpath(path), target)
            is_inside = any(
                path == each or path.startswith(f"{each.rstrip('/')}/") for each in self._directories
            )
            where = f"symlink target outside allowed directories: {real}" if is_inside else None
            where = where or f"path outside allowed directories: {path}"
            raise McpFilesystemRefusal(f"Access denied - {where} not in {listed}") from None
        except DirectoryError:
            raise McpFilesystemRefusal("EISDIR: illegal operation on a directory, read") from None
        except (NotFoundError, FileSystemError) as error:
            if isinstance(error, NotFoundError) and error.dangling_link == path:
                parent = os.path.dirname(path)  # noqa: PTH120 - text
                raise McpFilesystemRefusal(f"Parent directory does not exist: {parent}") from None
            code = (yield from stat_errno(self.context.reader, path)) or error.errno or errno.ENOENT
            call = "open" if code == errno.ENOENT else "realpath"
            raise McpFilesystemRefusal(system_error(code, call, path) or worded(error)) from None
        except ReadError as error:
            raise McpFilesystemRefusal(worded(error)) from None

    def _composed(self, path: str) -> Steps[str]:
        """Return a path with the names that its directories have in another Unicode normalization."""
        base = next((each for each in self._directories if path.startswith(f"{each.rstrip('/')}/")), None)
        if base is None or path.isascii():
            return path
        current, names = base, path[len(base) :].strip("/").split("/")
        for index, name in enumerate(names):
            try:
                entries = yield from list_directory(self.context.reader, current)
            except ReadError:
                entries = []
            wanted = normalize("NFC", name)
            found = [each.name for each in entries]
            same = [name] if name in found else [each for each in found if normalize("NFC", each) == wanted]
            if len(same) > 1:
                raise McpFilesystemRefusal(f"Ambiguous Unicode path component: {name}")
            if not same:
                return "/".join([current, *names[index:]])
            current = f"{current}/{same[0]}"
        return current


def _tail(file: File, count: int) -> Steps[str]:
    """Return the last lines, of which the empty one after a final line feed is one."""
    if count <= 0:
        return ""
    window = yield from file.window(-count, count, _TAIL)
    if not window.final_newline:
        return window.text
    shown = window.last_line - window.first_line + 1
    text = window.text if shown < count else window.text.partition("\n")[2]
    return text + "\n" if min(shown, count - 1) else ""


def _block(part: Mapping[str, Any]) -> Block:
    if part["type"] == "text":
        return TextBlock(part["text"])
    if part["type"] == "resource":
        resource = part["resource"]
        return attachment_block(resource["mimeType"], b64decode(resource["blob"]), "resource")
    return attachment_block(part["mimeType"], b64decode(part["data"]), "media")


def _failed(message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": message}], "isError": True}


_TEXT_DESCRIPTION: Final = (
    "Read a file as text, exactly as it is. Pass head for its first lines, or tail for its last ones, not"
    " both. Only files of the allowed directories are read."
)
_MEDIA_DESCRIPTION: Final = (
    "Read an image or an audio file. Other files are returned as an embedded resource. Only files of the"
    " allowed directories are read."
)
_SEVERAL_DESCRIPTION: Final = (
    "Read several files as text at once. A file that cannot be read does not prevent the others from being"
    " read. Only files of the allowed directories are read."
)
_PATH: Final = schemas.argument("string", "Path of the file.")
_TEXT_SCHEMA: Final = schemas.arguments(
    "path",
    path=_PATH,
    tail=schemas.argument("number", "How many of the last lines to return."),
    head=schemas.argument("number", "How many of the first lines to return."),
)
_MEDIA_SCHEMA: Final = schemas.arguments("path", path=_PATH)
_SEVERAL_SCHEMA: Final = schemas.arguments(
    "paths", paths=schemas.items("string", "Paths of the files.", minItems=1)
)

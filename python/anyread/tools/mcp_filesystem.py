"""The contract of the four read tools of the MCP filesystem server: exact text, media, several files.

Source: the npm package of `REFERENCE`, https://github.com/modelcontextprotocol/servers (read 2026-11-22).
"""

from __future__ import annotations

import errno
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

from anyread._native import Layout
from anyread.arguments.request import LARGEST
from anyread.errors import AmbiguousPathError, NotFoundError, OutsideRootError, ReadError, TooLargeError
from anyread.errors.base import shortened

from .parts import schemas
from .parts.contract import Block, Context, Contract, Definition, Mapping, OpenFile, Output, Refusal
from .parts.directories import composed_path
from .parts.media import SVG, attachment, blocks_of
from .parts.media_types import AUDIO_TYPES, IMAGE_TYPES, UNKNOWN, extension_of
from .parts.paths import expanded_home, from_shell, is_absolute, is_in, resolved
from .parts.system_errors import MAX_PATH_CHARS
from .parts.utf8 import encodable

if TYPE_CHECKING:
    from collections.abc import Sequence


REFERENCE: Final = {"@modelcontextprotocol/server-filesystem": "2026.8.31"}
"""The package that this contract follows, and its version."""
MAX_TEXT_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of text of an answer by default: several million tokens, more than any model takes."""
_MEDIA_TYPES: Final = {**IMAGE_TYPES, **AUDIO_TYPES, ".bmp": "image/bmp", ".svg": SVG}


@dataclass(frozen=True, slots=True, kw_only=True)
class McpFilesystemSettings:
    """The settings of the `mcp-filesystem` contract."""

    directories: tuple[str, ...] = ()
    """Directories besides `cwd` whose files may be read."""
    structured_content: bool = False
    """Whether results have `structuredContent`, as in the reference; some hosts then show no images."""
    max_text_bytes: int = MAX_TEXT_BYTES
    """The most bytes of text of an answer; the reference has 512 MiB, the longest string of Node.js."""


class McpCall(NamedTuple):
    """The arguments of a call of one of the tools."""

    name: str
    paths: Sequence[str]
    head: float | None
    tail: float | None


class McpFilesystem(Contract[McpFilesystemSettings, McpCall]):
    """The contract of `read_text_file`, `read_media_file` and `read_multiple_files`.

    Example:
        >>> read = anyread.tool("mcp-filesystem", cwd="/repo")
        >>> read.call_sync({"path": "notes.txt", "head": 1})["content"]
        [{'type': 'text', 'text': 'Notes'}]
    """

    name: ClassVar[str] = "read_text_file"
    Settings: ClassVar[type[Any]] = McpFilesystemSettings

    def __init__(self, context: Context[McpFilesystemSettings]) -> None:
        self._directories = [os.path.normpath(each) for each in (context.cwd, *context.settings.directories)]
        self._maximum = context.settings.max_text_bytes
        # An answer has no total, so the rest of the file need not be read.
        self._head = Layout(line_ends="lf", total="known", budget=self._maximum, over_budget="error")
        self._tail = Layout(line_ends="lf+crlf", total="known", budget=self._maximum, over_budget="error")
        super().__init__(context.within(*self._directories))

    def definitions(self) -> list[Definition]:
        """Return the four tools, of which one is a deprecated name of another."""
        return [
            Definition(self.name, _TEXT_DESCRIPTION, _TEXT_SCHEMA, "Read Text File"),
            Definition("read_file", _OLD_DESCRIPTION, _TEXT_SCHEMA, "Read File (Deprecated)"),
            Definition("read_media_file", _MEDIA_DESCRIPTION, _MEDIA_SCHEMA, "Read Media File"),
            Definition("read_multiple_files", _SEVERAL_DESCRIPTION, _SEVERAL_SCHEMA, "Read Multiple Files"),
        ]

    def checked(self, arguments: Mapping[str, Any], name: str) -> McpCall:
        """Check the types of the arguments; unknown arguments are ignored."""
        paths: Any = [arguments.get("path")]
        fault = "`path` must be a string"
        if name == "read_multiple_files":
            paths, fault = arguments.get("paths"), "`paths` must be an array of at least one string"
        if not (isinstance(paths, list | tuple) and paths and all(isinstance(each, str) for each in paths)):
            raise self.refusal(f"Invalid arguments for tool {name}: {fault}")
        for argument in ("head", "tail") if name in _TEXT_NAMES else ():
            value = arguments.get(argument, 0)
            is_nan = isinstance(value, float) and math.isnan(value)
            if not isinstance(value, int | float) or isinstance(value, bool) or is_nan:
                raise self.refusal(f"Invalid arguments for tool {name}: `{argument}` must be a number")
        return McpCall(name, paths, arguments.get("head"), arguments.get("tail"))

    def reply(self, call: McpCall) -> Output:
        """Read one file as text or as media, or several files as text."""
        if call.name == "read_media_file":
            return self._media(call.paths[0])
        if call.name == "read_multiple_files":
            return self._several(call.paths)
        return self._text(call.paths[0], call.head, call.tail)

    def failure(self, message: str) -> Output:
        """Return an error."""
        return {"content": [{"type": "text", "text": message}], "isError": True}

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the media."""
        return blocks_of(output, "content", name="resource", empty="[empty file]")

    def failed(self, output: Output) -> bool:
        """Check `isError`."""
        return bool(output.get("isError"))

    def _answer(self, content: list[dict[str, Any]], structured: Any) -> dict[str, Any]:
        answer: dict[str, Any] = {"content": content}
        if self.context.settings.structured_content:
            answer["structuredContent"] = {"content": structured}
        return answer

    def _text(self, path: str, head: float | None, tail: float | None) -> Output:
        if head and tail:
            self._open(path, otherwise=_BOTH_ENDS)
            raise self.refusal(_BOTH_ENDS)
        file = self._open(path, step="stat" if tail else "open")
        if tail:
            text = _tail(file, int(max(-LARGEST, min(tail, LARGEST))), self._tail)
        elif head:
            text = file.window(1, math.ceil(max(0, min(head, LARGEST))), self._head, encoding="utf-8").text
        else:
            text = self._whole(file, self._maximum)
        self.context.note(file, kind="text", media_type="text/plain", key=("text", head, tail))
        return self._answer([{"type": "text", "text": text}], text)

    def _whole(self, file: OpenFile, maximum: int) -> str:
        if file.size_bytes > maximum:
            error = TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
            raise self.refusal(error.message)
        if file.is_whole:
            return file.read(maximum).decode("utf-8", "replace")
        return file.work(lambda: "".join(file.decoded(0, maximum, "replace")))

    def _several(self, paths: Sequence[str]) -> Output:
        parts, room = [], self._maximum
        for path in paths:
            try:
                file = self._open(path)
                parts.append(f"{shortened(path)}:\n{self._whole(file, room)}\n")
                room -= file.size_bytes
                self.context.note(file, kind="text", media_type="text/plain")
            except Refusal as refusal:
                reason = refusal.answer["content"][0]["text"]
                parts.append(encodable(shortened(f"{path}: Error - {reason}")))
        text = "\n---\n".join(parts)
        return self._answer([{"type": "text", "text": text}], text)

    def _media(self, path: str) -> Output:
        file = self._open(path)
        extension = extension_of(file.resolved_path)
        media_type = _MEDIA_TYPES.get(extension, UNKNOWN)
        form = media_type.partition("/")[0]
        unseen = self.refusal(f"{path}: the model does not accept image input")
        media_type, encoded = attachment(self.context, file, media_type, kind=form, unseen=unseen)
        if form in {"image", "audio"}:
            item: dict[str, Any] = {"type": form, "data": encoded, "mimeType": media_type}
        else:
            uri = _uri(file.resolved_path)
            item = {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "blob": encoded}}
        return self._answer([item], [item])

    def _open(self, given: str, *, step: str = "open", otherwise: str | None = None) -> OpenFile:
        """Open a file; refuse it in the contract's words.

        Args:
            given: The path as passed.
            step: What the tool does first with a file in its directories.
            otherwise: The refusal if not even that is tried; `None`: the reason why it failed.
        """
        path = from_shell(expanded_home(given))
        if re.match(r"[A-Za-z]:([\\/]|$)", path) and not is_absolute(path):
            raise self.refusal(f"Access denied - Windows-style path received on a POSIX host: {given}")
        path = resolved(self.context.cwd, path)
        root = next((each for each in self._directories if is_in(path, each)), None)
        try:
            try:
                return self.open(path)
            except NotFoundError:
                if root is None or path.isascii():
                    raise
                path = composed_path(self.context.reader, root, path)
                return self.open(path)
        except AmbiguousPathError as error:
            raise self.refusal(f"Ambiguous Unicode path component: {error.path}") from error
        except OutsideRootError as error:
            what = "path" if root is None else "symlink target"
            listed = ", ".join(self._directories)
            reason = f"{what} outside allowed directories: {path} not in {listed}"
            raise self.refusal(f"Access denied - {reason}") from error
        except ReadError as error:
            if isinstance(error, NotFoundError) and error.dangling_link:
                parent = os.path.dirname(path)  # noqa: PTH120 - text
                raise self.refusal(f"Parent directory does not exist: {parent}") from error
            failed = self.failed_call(path, error)
            is_resolved = failed.code == errno.ENOENT or len(path) > MAX_PATH_CHARS
            if not (failed.code and (failed.is_found or is_resolved)):
                raise self.refusal(failed.node("realpath")) from error
            reason = failed.node(step if is_resolved else "open", failed.target)
            raise self.refusal(otherwise or reason) from error


def _uri(path: str) -> str:
    """Return the URI of a path with the characters encoded that `pathToFileURL` of Node.js encodes."""
    plain = unquote_to_bytes(Path(path).as_uri())
    return quote(plain, safe="/!$&'()*+,:;=@").replace("~", "%7E")


def _tail(file: OpenFile, count: int, layout: Layout) -> str:
    """Return the last lines, of which the empty one after a final line feed is one."""
    if count <= 0:
        return ""
    window = file.window(-count, count, layout, encoding="utf-8")
    if not window.final_newline:
        return window.text
    shown = window.last_line - window.first_line + 1
    text = window.text if shown < count else window.text.partition("\n")[2]
    return text + "\n" if min(shown, count - 1) else ""


_BOTH_ENDS: Final = "Cannot specify both head and tail parameters simultaneously"
_TEXT_NAMES: Final = ("read_text_file", "read_file")
_OLD_DESCRIPTION: Final = "Read a file as text. Deprecated: read_text_file does the same."
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
    tail=("number", "How many of the last lines to return."),
    head=("number", "How many of the first lines to return."),
)
_MEDIA_SCHEMA: Final = schemas.arguments("path", path=_PATH)
_SEVERAL_SCHEMA: Final = schemas.arguments(
    "paths", paths=schemas.items("string", "Paths of the files.", minItems=1)
)

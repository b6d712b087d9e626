"""The contract of Deep Agents' `read_file`: a status line above exact lines, and blocks of media.

Source: the package of `REFERENCE`, https://github.com/langchain-ai/deepagents (read 2026-11-22).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from mimetypes import guess_type
from string import ascii_letters
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from anyread._native import Layout, Window
from anyread.arguments.request import LARGEST
from anyread.errors import DirectoryError, NotFoundError, NotRegularFileError, OutsideRootError, ReadError
from anyread.reading.open_file import HEAD_BYTES

from .parts import schemas
from .parts.coercion import lax_integer
from .parts.contract import Block, Context, Contract, Mapping, OpenFile, Output, Refusal, thrown
from .parts.media import attachment, blocks_of
from .parts.media_types import UNKNOWN, extension_of
from .parts.paths import is_in, relative_path, with_slashes
from .parts.windows import cut_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

REFERENCE: Final = {"deepagents": "0.7.32"}
"""The package that this contract follows, and its version."""
_ASCII_SEPARATORS: Final = "\v\f\x1c\x1d\x1e"
"""The characters of ASCII, besides LF and CR, that end a line in `str.splitlines`."""
_FIRST_BYTES: Final = 64
_LAYOUTS: Final[dict[int | None, Layout]] = {}
_TOO_LONG: Final = (
    "[Output was truncated due to size limits. The file content is very large. Consider reformatting the file"
    " to make it easier to navigate. For example, if this is JSON, use execute(command='jq . {path}') to"
    " pretty-print it with line breaks. For other formats, you can use appropriate formatting tools to split"
    " long lines.]"
)
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


class SourceLines(NamedTuple):
    """Lines of a file, as `str.splitlines` divides it."""

    body: str
    """The lines, joined by LF, without a final one; other line separators are kept."""
    first: int
    """The number of the first line, counted from 1."""
    last: int
    """The number of the last line."""
    total: int
    """The number of lines of the file."""
    first_row_chars: int
    """The characters up to the first LF, of which `body` may have fewer."""


class RawLines(NamedTuple):
    """Lines of a file with their own separators, but LF in place of CR LF and CR."""

    content: str
    """The lines, with the line ending of the last one."""
    window: Window
    """Their numbers and offsets."""
    is_complete: bool
    """Whether `content` has all of the last line."""


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
        is_virtual = self.context.settings.virtual_mode and is_in(path, self.context.cwd)
        return f"/{with_slashes(relative_path(self.context.cwd, path))}" if is_virtual else path

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


def raw_lines(file: OpenFile, offset: int, limit: int, max_chars: int | None) -> RawLines:
    """Return lines of a UTF-8 file from `offset`, counted from 0; past the end, there are none.

    With `max_chars`, the last line is the one that exceeds it, which need not be complete.
    """
    window = file.window(min(offset + 1, LARGEST), min(limit, LARGEST), _layout(max_chars), encoding="utf-8")
    size = window.end_byte - window.start_byte
    maximum = size if max_chars is None else min(size, 4 * (max_chars + 1))
    data = file.read_range(window.start_byte, maximum)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    content = data.decode("utf-8", "ignore")
    return RawLines(content, window, maximum == size)


def source_lines(file: OpenFile, offset: int, limit: int, max_chars: int | None) -> SourceLines:
    """Return the lines of `raw_lines` as the tool shows them."""
    content, window, is_complete = raw_lines(file, offset, limit, max_chars)
    body = content.removesuffix("\n")
    end = content.find("\n")
    chars = len(content) if end < 0 else end
    if is_complete:
        # A line separator other than LF does not start a row, so the tool adds empty rows.
        if not content.isascii() or any(separator in content for separator in _ASCII_SEPARATORS):
            rows = content.count("\n") + (not content.endswith("\n")) if content else 0
            lines = window.last_line - window.first_line + 1
            body += "\n" * (lines - max(rows, 1))
    elif end < 0 or end == len(content) - 1:
        chars = file.work(partial(_row_chars, file, window.start_byte, window.end_byte))
    total = window.total_lines or 0
    return SourceLines(body, window.first_line, window.last_line, total, chars)


def _layout(max_chars: int | None) -> Layout:
    if max_chars not in _LAYOUTS:
        clip = None if max_chars is None else max_chars + 1
        _LAYOUTS[max_chars] = cut_after(max_chars, "chars", clip, line_ends="splitlines")
    return _LAYOUTS[max_chars]


def _row_chars(file: OpenFile, start: int, end: int) -> int:
    """Count the characters up to the first LF or CR between two offsets."""
    chars = 0
    for text in file.decoded(start, end, "ignore"):
        ends = [at for at in (text.find("\n"), text.find("\r")) if at >= 0]
        chars += min(ends, default=len(text))
        if ends:
            break
    return chars


def is_blank(file: OpenFile) -> bool:
    """Return whether a UTF-8 file has only whitespace."""
    for size in (_FIRST_BYTES, HEAD_BYTES):
        if file.head(size).decode("utf-8", "ignore").strip():
            return False
    if file.size_bytes <= HEAD_BYTES:
        return True
    return file.work(lambda: not any(map(str.strip, file.decoded(0, file.size_bytes, "ignore"))))


def with_status(lines: SourceLines, path: str, notices: Sequence[str], maximum: int | None) -> str:
    """Return lines below their status line; if they exceed the budget, as many of them as fit.

    Args:
        lines: The lines.
        path: The path of the file.
        notices: What precedes the status line.
        maximum: The most characters; `None`: any number.
    """
    whole = assembled(lines.body, _fields(lines, lines.last), notices)
    if maximum is None or len(whole) < maximum:
        return whole
    notices = [*notices, _TOO_LONG.format(path=path)]
    for end, last in reversed(list(_ends(lines))):
        fields = [*_fields(lines, last), "truncated due to size"]
        answer = assembled(lines.body[:end], fields, notices)
        if len(answer) <= maximum:
            return answer
    return _cut_in_line(lines, notices, maximum)


def assembled(body: str, fields: Sequence[str], notices: Sequence[str]) -> str:
    """Return a text below a status line of several fields."""
    return "\n".join([*notices, f"@@ {' | '.join(fields)} @@", body])


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
    reserved = len(assembled("", [*span, f"{chars} of {chars} chars"], notices))
    shown = max(0, min(chars, maximum - reserved))
    return assembled(lines.body[:shown], [*span, f"{shown} of {chars} chars"], notices)


def _fields(lines: SourceLines, last: int) -> list[str]:
    fields = [f"lines {lines.first}-{last} of {lines.total}"]
    return fields if last == lines.total else [*fields, f"next offset {last}"]


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

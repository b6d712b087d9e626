"""The contract of gemini-cli's `read_file`: text without numbers, and media as inline data.

Source: the npm package `@google/gemini-cli-core` 0.61.0 of
https://github.com/google-gemini/gemini-cli (read 2026-11-22).
"""

from __future__ import annotations

import os
from base64 import b64decode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.arguments import LARGEST
from anyread.errors import DirectoryError, NotFoundError, ReadError
from anyread.results import TextBlock
from anyread.running.effects import Work
from anyread.tools import schemas
from anyread.tools.attachments import attachment, attachment_block
from anyread.tools.files import HEAD_BYTES, open_file, target_of
from anyread.tools.instructions import InstructionFinder
from anyread.tools.javascript import relative_path
from anyread.tools.media_types import extension_of
from anyread.tools.profile import Context, Output, Profile, thrown, worded

from .ignoring import IgnoreRules
from .kinds import MEDIA_TYPES, audio_type, kind_of
from .paths import located, path_fault, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.tools.files import File
    from anyread.tools.profile import Steps

__all__ = ["GeminiCli", "GeminiCliSettings"]

DEFAULT_LIMIT: Final = 2000
"""Lines per call without `end_line`."""
MAX_FILE_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of a file."""
_MAX_SVG_BYTES: Final = 1024 * 1024
_LINES: Final = Layout(
    line_ends="lf+crlf",
    final_newline="starts",
    clip_unit="utf16",
    clip_length=2000,
    clip_marker="... [truncated]",
    bom="drop",
)
_WHOLE: Final = Layout(line_ends="lf", final_newline="starts", bom="drop")
_MARKS: Final = {
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
_MARKED: Final = tuple(_MARKS)
_HEADER: Final = """
IMPORTANT: The file content has been truncated.
Status: Showing lines {start}-{end} of {total} total lines.
Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent \
'read_file' call. For example, to read the next section of the file, use start_line: {following}.

--- FILE CONTENT (truncated) ---
{text}"""
_AUDIO_FORMATS: Final = "Supported audio formats are MP3, WAV, AIFF, AAC, OGG, and FLAC."
_CONTEXT: Final = "\n\n--- Newly Discovered Project Context ---\n{text}\n--- End Project Context ---"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiCliSettings:
    """The settings of the `gemini-cli` profile."""

    directories: tuple[str, ...] = ()
    """Directories besides `cwd` whose files may be read."""
    temp_directory: str = "~/.gemini/tmp"
    """The project's directory for temporary files, which may be read, too."""
    respect_ignore_files: bool = True
    """Whether files that `.geminiignore`, or `.gitignore` in a repository, names are refused."""
    context_files: bool = False
    """Whether the GEMINI.md between `cwd` and a file is added to its content, once."""


class GeminiCli(Profile[GeminiCliSettings]):
    r"""The contract of gemini-cli's `read_file`.

    Example:
        >>> read = anyread.tool("gemini-cli", cwd="/repo")
        >>> read.call_sync({"file_path": "notes.txt"})["llmContent"]
        'Notes\n...'
    """

    name: ClassVar[str] = "read_file"
    description: ClassVar[str] = (
        "Read a file. Text is returned as it is, at most 2000 lines per call without end_line, and lines"
        " of more than 2000 characters are cut; a cut answer begins with a status that names the next"
        " start_line. Images, audio, video and PDFs are returned as they are. A file may have up to 20"
        " MB."
    )
    schema: ClassVar[schemas.Schema] = schemas.arguments(
        "file_path",
        file_path=schemas.argument("string", "Path of the file."),
        start_line=schemas.argument("number", "First line, counted from 1.", minimum=1),
        end_line=schemas.argument("number", "Last line, which is shown too.", minimum=1),
    )
    Settings: ClassVar[type[Any]] = GeminiCliSettings

    def __init__(self, context: Context[GeminiCliSettings]) -> None:
        super().__init__(context)
        settings = context.settings
        temp = os.path.expanduser(settings.temp_directory)  # noqa: PTH111 - text
        self._temp = temp
        self._allowed = tuple(os.path.realpath(each) for each in (context.cwd, *settings.directories, temp))
        self._below_allowed = tuple(f"{each.rstrip('/')}/" for each in self._allowed)
        self._ignored = IgnoreRules(context.reader, context.cwd)
        self._context_files = InstructionFinder(context.reader, context.cwd, ("GEMINI.md",))

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - it has one name
        """Check the types and the range of the arguments; unknown arguments are ignored."""
        if "file_path" not in arguments:
            return thrown("params must have required property 'file_path'")
        if not isinstance(arguments["file_path"], str):
            return thrown("params/file_path must be string")
        for argument in ("start_line", "end_line"):
            if argument not in arguments:
                continue
            value = arguments[argument]
            if not isinstance(value, int | float) or isinstance(value, bool) or value % 1:
                return thrown(f"params/{argument} must be integer")
            if value < 1:
                return thrown(f"params/{argument} must be >= 1")
        if not arguments["file_path"].strip():
            return thrown("The 'file_path' parameter must be non-empty.")
        return None

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - it has one name
        """Send media as they are, and show any other file as text."""
        file, path = yield from self._located(arguments["file_path"])
        start, end = arguments.get("start_line"), arguments.get("end_line")
        fault = self._path_fault(path)
        if fault is None and start is not None and end is not None and start > end:
            fault = "start_line cannot be greater than end_line"
        is_filtered = fault is None and self.context.settings.respect_ignore_files
        if is_filtered and (yield from self._ignored.ignores(path)):
            fault = f"File path '{path}' is ignored by configured ignore patterns."
        if fault is not None:
            return thrown(fault)
        try:
            file = file or (yield from open_file(self.context.reader, path))
            answer = yield from self._file(file, path, start, end)
            if self.context.settings.context_files:
                yield from self._add_context(answer, path)
        except NotFoundError:
            why = "Could not read file because no file was found at the specified path."
            return _failed(why, "File not found.", f"File not found: {path}", "file_not_found")
        except DirectoryError:
            why = "Could not read file because the provided path is a directory, not a file."
            reason = f"Path is a directory, not a file: {path}"
            return _failed(why, "Path is a directory.", reason, "target_is_directory")
        except _OddLengthError:
            return self._unreadable(path, "Buffer size must be a multiple of 16-bits")
        except ReadError as error:
            return self._unreadable(path, worded(error))
        return answer

    def _located(self, given: str) -> Steps[tuple[File | None, str]]:
        """Return the real path that a model means, and the file there if it was opened to find out."""
        cwd = self.context.cwd
        if given.isascii() and not any(mark in given for mark in "%@\0"):
            try:
                file = yield from open_file(self.context.reader, self.context.resolve(given))
            except ReadError:
                pass
            else:
                if file.resolved_path.isascii():
                    return file, file.resolved_path
        path = yield from Work(lambda _: located(given, cwd), target_of(self.context.reader, cwd))
        return None, path

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the media."""
        content = output["error"] if output.get("is_error") else output["llmContent"]
        parts = content if isinstance(content, list) else [content]
        return [_block(part) for part in parts if part not in ("", {"text": ""})] or [
            TextBlock("[empty file]")
        ]

    def failed(self, output: Output) -> bool:
        """Check for an error."""
        return "error" in output

    def _path_fault(self, path: str) -> str | None:
        fault = path_fault(path)
        if fault is not None:
            return f"Invalid path: {fault}"
        if path.startswith(self._below_allowed) or path in self._allowed:
            return None
        directories = ", ".join((self.context.cwd, *self.context.settings.directories))
        return (
            f'Path not in workspace: Attempted path "{path}" resolves outside the allowed workspace'
            f" directories: {directories} or the project temp directory: {self._temp}"
        )

    def _relative(self, path: str) -> str:
        return relative_path(self.context.cwd, path)

    def _answer(self, path: str, content: Any, shown: str = "", summary: str | None = None) -> dict[str, Any]:
        display: dict[str, Any] = {
            "name": "ReadFile",
            "description": shortened(self._relative(path) or "."),
            "result": {"type": "text", "text": shown},
        }
        if summary is None and isinstance(content, str):
            summary = f"{content.count(chr(10)) + 1} lines"
        if summary is not None:
            display["resultSummary"] = summary
        return {"llmContent": content, "display": display, "returnDisplay": shown}

    def _unreadable(self, path: str, reason: str) -> dict[str, Any]:
        shown = f"Error reading file {self._relative(path)}: {reason}"
        return _failed(shown, shown, f"Error reading file {path}: {reason}", "read_content_failure")

    def _file(self, file: File, path: str, start: int | None, end: int | None) -> Steps[dict[str, Any]]:
        if file.size_bytes > MAX_FILE_BYTES:
            why = "File size exceeds the 20MB limit."
            size = f"{file.size_bytes / 1024**2:.2f}MB"
            return _failed(why, why, f"File size exceeds the 20MB limit: {path} ({size})", "file_too_large")
        kind = kind_of(path, file.head(HEAD_BYTES))
        if kind == "text":
            return (yield from self._text(file, path, start, end))
        relative = self._relative(path)
        if kind == "binary":
            message = f"Cannot display content of binary file: {relative}"
            return self._answer(path, message, f"Skipped binary file: {relative}")
        if kind == "svg":
            if file.size_bytes > _MAX_SVG_BYTES:
                message = f"Cannot display content of SVG file larger than 1MB: {relative}"
                return self._answer(path, message, f"Skipped large SVG file (>1MB): {relative}")
            window = yield from self._window(file, 1, LARGEST, _WHOLE)
            return self._answer(path, window[0], f"Read SVG as text: {relative}")
        return (yield from self._media(file, path, kind))

    def _media(self, file: File, path: str, kind: str) -> Steps[dict[str, Any]]:
        relative = self._relative(path)
        media_type = audio_type(path) if kind == "audio" else MEDIA_TYPES[extension_of(path)]
        if media_type is None:
            why = f"Could not read audio file because its format is not supported. {_AUDIO_FORMATS}"
            reason = f"Unsupported audio file format for {path}. {_AUDIO_FORMATS}"
            return _failed(why, f"Unsupported audio file format: {relative}", reason, "read_content_failure")
        if self.context.sees(kind) is False and kind in {"image", "pdf"}:
            return self._unreadable(path, f"the model does not accept {kind} input")
        media_type, encoded = yield from attachment(self.context, file, media_type, kind=kind)
        content = {"inlineData": {"data": encoded, "mimeType": media_type}}
        return self._answer(path, content, f"Read {kind} file: {relative}")

    def _text(self, file: File, path: str, start: int | None, end: int | None) -> Steps[dict[str, Any]]:
        first = int(start or 1)
        limit = DEFAULT_LIMIT if end is None else max(0, int(end) - first + 1)
        text, total, is_clipped = yield from self._window(file, min(first, LARGEST), limit, _LINES)
        first = min(first - 1, total)
        last = min(int(end), total) if end else min((int(start or 1) - 1) + DEFAULT_LIMIT, total)
        self.context.note(file, kind="text", media_type="text/plain", offset=start, limit=end)
        is_part = first > 0 or last < total
        if not (is_part or is_clipped):
            # An empty file counts as one line here.
            return self._answer(path, text, "", f"{max(1, total)} lines")
        shown = f"Read lines {first + 1}-{last} of {total}" if is_part else f"Read all {total} lines"
        shown += f" from {self._relative(path)}"
        shown += " (some lines were shortened)" if is_clipped else ""
        content = _HEADER.format(start=first + 1, end=last, total=total, following=last + 1, text=text)
        return self._answer(path, content, shown, f"{first + 1}-{last} of {total}")

    def _window(self, file: File, first: int, limit: int, layout: Layout) -> Steps[tuple[str, int, bool]]:
        """Return lines as text, the number of lines, and whether a line was cut."""
        head = file.head(4)
        encoding = "utf-8"
        if head.startswith(_MARKED):
            encoding = next(name for mark, name in _MARKS.items() if head.startswith(mark))
        unit = 4 if encoding.startswith("utf-32") else 2 if encoding.startswith("utf-16") else 1
        odd = file.size_bytes % unit
        if odd and encoding == "utf-16-be":
            raise _OddLengthError
        window = yield from file.window(first, limit, layout, encoding=encoding)
        text, total = window.text, window.total_lines or 0
        if odd and window.next is None:
            # The tool drops an incomplete character at the end.
            text = text.removesuffix("\ufffd")
        return text, total, bool(window.clipped)

    def _add_context(self, answer: dict[str, Any], path: str) -> Steps[None]:
        found = yield from self._context_files.find(path)
        if not found or "error" in answer:
            return
        text = _CONTEXT.format(text="\n\n".join(each.text for each in found))
        content = answer["llmContent"]
        answer["llmContent"] = content + text if isinstance(content, str) else [content, {"text": text}]


class _OddLengthError(Exception):
    """A text in UTF-16 with big-endian units has an odd number of bytes."""


def _block(part: Any) -> Block:
    if isinstance(part, str):
        return TextBlock(part)
    if "text" in part:
        return TextBlock(part["text"])
    data = part["inlineData"]
    return attachment_block(data["mimeType"], b64decode(data["data"]), "document.pdf")


def _failed(content: str, shown: str, message: str, kind: str) -> dict[str, Any]:
    return {"llmContent": content, "returnDisplay": shown, "error": {"message": message, "type": kind}}

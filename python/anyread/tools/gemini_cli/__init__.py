"""The contract of gemini-cli's `read_file`: text without numbers, and media as inline data.

Source: the npm package of `REFERENCE`, https://github.com/google-gemini/gemini-cli (read 2026-11-22).
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from anyread._native import Layout
from anyread.arguments.paths import real_path
from anyread.arguments.request import LARGEST
from anyread.errors import DeniedError, DirectoryError, NotFoundError, OutsideRootError, ReadError
from anyread.reading.open_file import HEAD_BYTES
from anyread.running.calls import work
from anyread.tools.parts import schemas
from anyread.tools.parts.contract import Block, Context, Contract, Mapping, OpenFile, Output, Refusal
from anyread.tools.parts.files import target_of
from anyread.tools.parts.ignore_files import IgnoreRules
from anyread.tools.parts.instructions import InstructionFinder
from anyread.tools.parts.media import attachment, blocks_of
from anyread.tools.parts.paths import is_in, relative_path, resolved, with_slashes

from .names import decoded, is_closed, kind_of, media_type_of, path_fault, shortened, without_mark

REFERENCE: Final = {"@google/gemini-cli-core": "0.61.0"}
"""The package that this contract follows, and its version."""
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
    b"\xff\xfe\0\0": ("utf-32-le", 4),
    b"\0\0\xfe\xff": ("utf-32-be", 4),
    b"\xff\xfe": ("utf-16-le", 2),
    b"\xfe\xff": ("utf-16-be", 2),
}
"""Encodings by their byte order mark, with the bytes of their units."""
_MARKED: Final = tuple(_MARKS)
_HEADER: Final = """
IMPORTANT: The file content has been truncated.
Status: Showing lines {start}-{end} of {total} total lines.
Action: To read more of the file, you can use the 'start_line' and 'end_line' parameters in a subsequent \
'read_file' call. For example, to read the next section of the file, use start_line: {following}.

--- FILE CONTENT (truncated) ---
{text}"""
_FAULTS: Final[dict[schemas.Rule, str]] = {
    "required": "params must have required property '{name}'",
    "string": "params/{name} must be string",
    "number": "params/{name} must be integer",
    "integer": "params/{name} must be integer",
    "minimum": "params/{name} must be >= 1",
}
_AUDIO_FORMATS: Final = "Supported audio formats are MP3, WAV, AIFF, AAC, OGG, and FLAC."
_CONTEXT: Final = "\n\n--- Newly Discovered Project Context ---\n{text}\n--- End Project Context ---"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeminiCliSettings:
    """The settings of the `gemini-cli` contract."""

    directories: tuple[str, ...] = ()
    """Directories besides `cwd` whose files may be read."""
    temp_directory: str = "~/.gemini/tmp"
    """The project's directory for temporary files, which may be read, too."""
    respect_ignore_files: bool = True
    """Whether files that `.geminiignore`, or `.gitignore` in a repository, names are refused."""
    context_files: bool = False
    """Whether the GEMINI.md between `cwd` and a file is added to its content, once."""


class GeminiCliCall(NamedTuple):
    """The arguments of a call; lines are integers, also as floats."""

    path: str
    start: Any
    end: Any


class GeminiCli(Contract[GeminiCliSettings, GeminiCliCall]):
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
        file_path=("string", "Path of the file."),
        start_line=schemas.argument("integer", "First line, counted from 1.", minimum=1),
        end_line=schemas.argument("integer", "Last line, which is shown too.", minimum=1),
    )
    Settings: ClassVar[type[Any]] = GeminiCliSettings

    def __init__(self, context: Context[GeminiCliSettings]) -> None:
        super().__init__(context)
        settings = context.settings
        self._temp = os.path.expanduser(settings.temp_directory)  # noqa: PTH111 - text
        self._workspace = _directories(context.cwd, *settings.directories)
        self._temps = _directories(self._temp)
        self._memory = real_path(os.path.expanduser("~/.gemini/GEMINI.md"))  # noqa: PTH111 - text
        self._ignored = IgnoreRules(context.reader, context.cwd, ".geminiignore")
        self._context_files = InstructionFinder(context.reader, context.cwd, ("GEMINI.md",))

    def checked(self, arguments: Mapping[str, Any], _name: str) -> GeminiCliCall:
        """Check the types and the range of the arguments; unknown arguments are ignored."""
        for argument, rule in schemas.violations(self.schema, arguments):
            raise self.refusal(_FAULTS[rule].format(name=argument))
        path = arguments["file_path"]
        if not path.strip():
            raise self.refusal("The 'file_path' parameter must be non-empty.")
        return GeminiCliCall(path, arguments.get("start_line"), arguments.get("end_line"))

    def reply(self, call: GeminiCliCall) -> Output:
        """Send media as they are, and show any other file as text."""
        given = self._named(call.path)
        path, opened = self._opened(given)
        fault = path_fault(path)
        if fault is not None:
            raise self.refusal(f"Invalid path: {fault}")
        below = self._below_workspace(path)
        if isinstance(opened, OutsideRootError) or not self._is_allowed(path, below):
            directories = ", ".join((self.context.cwd, *self.context.settings.directories))
            # Where links out of the workspace lead is not shown.
            raise self.refusal(
                f'Path not in workspace: Attempted path "{given if below is None else path}" resolves outside'
                f" the allowed workspace directories: {directories} or the project temp directory:"
                f" {self._temp}"
            )
        if call.start is not None and call.end is not None and call.start > call.end:
            raise self.refusal("start_line cannot be greater than end_line")
        for name in dict.fromkeys((given, path)) if self.context.settings.respect_ignore_files else ():
            if self._ignored.ignores(name):
                raise self.refusal(f"File path '{path}' is ignored by configured ignore patterns.")
        if isinstance(opened, ReadError):
            raise self._unopened(path, opened) from opened
        try:
            answer = self._file(opened, GeminiCliCall(path, call.start, call.end))
            if self.context.settings.context_files:
                self._add_context(answer, path)
        except ReadError as error:
            raise self._unopened(path, error) from error
        return answer

    def _opened(self, given: str) -> tuple[str, OpenFile | ReadError]:
        """Return the real path, and the file or why it could not be opened."""
        try:
            file = self.open(given)
        except (DeniedError, OutsideRootError) as error:
            # Where its links lead is not shown.
            return given, error
        except ReadError as error:
            failed = self.failed_call(given, error)
            if not failed.is_found and failed.code in {errno.EACCES, errno.ELOOP}:
                step, where = failed.lookup
                reason = failed.node(step, given if self._below_workspace(where) is None else where)
                raise self.refusal(f"Failed to resolve path: {reason}") from error
            return failed.target, error
        return file.resolved_path.replace("/", os.sep), file

    def _unopened(self, path: str, error: ReadError) -> Refusal:
        if isinstance(error, NotFoundError):
            why = "Could not read file because no file was found at the specified path."
            return _refusal(why, "File not found.", f"File not found: {path}", "file_not_found")
        if isinstance(error, DirectoryError):
            why = "Could not read file because the provided path is a directory, not a file."
            reason = f"Path is a directory, not a file: {path}"
            return _refusal(why, "Path is a directory.", reason, "target_is_directory")
        return self._unreadable(path, self.failed_call(path, error).node("open"))

    def _named(self, given: str) -> str:
        """Return the absolute path that a model means, with links as they are."""
        cwd, clean = self.context.cwd, given.replace("\0", "")
        if clean.startswith("@"):
            clean = work(lambda _: without_mark(clean, cwd), target_of(self.context.reader, cwd))
        path = resolved(cwd, clean)
        return resolved(cwd, decoded(path)) if "%" in path else path

    def _below_workspace(self, path: str) -> str | None:
        """Return a path relative to the first directory of the workspace that it is in; `None`: to none."""
        base = next((each for each in self._workspace if is_in(path, each)), None)
        return None if base is None else path[len(base.rstrip("/")) + 1 :]

    def _is_allowed(self, path: str, below: str | None) -> bool:
        if below is not None and not is_closed(below):
            return True
        # Only people see what was proposed for the memory of a project.
        is_temp = any(is_in(path, each) for each in self._temps)
        return is_in(path, self._memory) or (is_temp and "/memory/.inbox/" not in with_slashes(f"{path}/"))

    def blocks(self, output: Output) -> list[Block]:
        """Return the text, or the media."""
        return blocks_of(output, "llmContent", empty="[empty file]")

    def failed(self, output: Output) -> bool:
        """Check for an error."""
        return "error" in output

    def _relative(self, path: str) -> str:
        """Return a path as messages have it; the tool takes a backslash for a separator there."""
        return relative_path(self.context.cwd, path).replace("\\", "/")

    def _answer(self, path: str, content: Any, shown: str = "", summary: str | None = None) -> dict[str, Any]:
        display: dict[str, Any] = {
            "name": "ReadFile",
            "description": shortened(with_slashes(relative_path(self.context.cwd, path)) or "."),
            "result": {"type": "text", "text": shown},
        }
        if summary is None and isinstance(content, str):
            summary = f"{content.count(chr(10)) + 1} lines"
        if summary is not None:
            display["resultSummary"] = summary
        return {"llmContent": content, "display": display, "returnDisplay": shown}

    def _unreadable(self, path: str, reason: str) -> Refusal:
        shown = f"Error reading file {self._relative(path)}: {reason}"
        return _refusal(shown, shown, f"Error reading file {path}: {reason}", "read_content_failure")

    def _file(self, file: OpenFile, call: GeminiCliCall) -> dict[str, Any]:
        path = call.path
        if file.size_bytes > MAX_FILE_BYTES:
            why = "File size exceeds the 20MB limit."
            size = f"{file.size_bytes / 1024**2:.2f}MB"
            raise _refusal(why, why, f"File size exceeds the 20MB limit: {path} ({size})", "file_too_large")
        kind = kind_of(path, file.head(HEAD_BYTES))
        if kind == "text":
            return self._text(file, call)
        relative = self._relative(path)
        if kind == "binary":
            message = f"Cannot display content of binary file: {relative}"
            return self._answer(path, message, f"Skipped binary file: {relative}")
        if kind == "svg":
            if file.size_bytes > _MAX_SVG_BYTES:
                message = f"Cannot display content of SVG file larger than 1MB: {relative}"
                return self._answer(path, message, f"Skipped large SVG file (>1MB): {relative}")
            text = self._window(file, path, 1, LARGEST, _WHOLE)[0]
            return self._answer(path, text, f"Read SVG as text: {relative}")
        media_type = media_type_of(path, kind)
        if media_type is None:
            why = f"Could not read audio file because its format is not supported. {_AUDIO_FORMATS}"
            reason = f"Unsupported audio file format for {path}. {_AUDIO_FORMATS}"
            shown = f"Unsupported audio file format: {relative}"
            raise _refusal(why, shown, reason, "read_content_failure")
        unseen = self._unreadable(path, f"the model does not accept {kind} input")
        media_type, encoded = attachment(self.context, file, media_type, kind=kind, unseen=unseen)
        content = {"inlineData": {"data": encoded, "mimeType": media_type}}
        return self._answer(path, content, f"Read {kind} file: {relative}")

    def _text(self, file: OpenFile, call: GeminiCliCall) -> dict[str, Any]:
        path, start, end = call
        first, last = min(int(start or 1), LARGEST), min(int(end), LARGEST) if end else None
        limit = DEFAULT_LIMIT if last is None else max(0, last - first + 1)
        text, total, is_clipped = self._window(file, path, first, limit, _LINES)
        last = min(last or first - 1 + DEFAULT_LIMIT, total)
        first = min(first - 1, total)
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

    def _window(
        self, file: OpenFile, path: str, first: int, limit: int, layout: Layout
    ) -> tuple[str, int, bool]:
        """Return lines as text, the number of lines, and whether a line was cut."""
        head = file.head(4)
        encoding, unit = "utf-8", 1
        if head.startswith(_MARKED):
            encoding, unit = next(found for mark, found in _MARKS.items() if head.startswith(mark))
        odd = file.size_bytes % unit
        if odd and encoding == "utf-16-be":
            raise self._unreadable(path, "Buffer size must be a multiple of 16-bits")
        window = file.window(first, limit, layout, encoding=encoding)
        text, total = window.text, window.total_lines or 0
        if odd and window.next is None:
            # The tool drops an incomplete character at the end.
            text = text.removesuffix("\ufffd")
        return text, total, bool(window.clipped)

    def _add_context(self, answer: dict[str, Any], path: str) -> None:
        found = self._context_files.find(path)
        if not found or "error" in answer:
            return
        text = _CONTEXT.format(text="\n\n".join(each.text for each in found))
        content = answer["llmContent"]
        answer["llmContent"] = content + text if isinstance(content, str) else [content, {"text": text}]


def _directories(*directories: str) -> tuple[str, ...]:
    """Return directories, as given and with links followed."""
    return tuple(each for directory in directories for each in (directory, real_path(directory)))


def _refusal(content: str, shown: str, message: str, kind: str) -> Refusal:
    about = {"message": message, "type": kind}
    return Refusal({"llmContent": content, "returnDisplay": shown, "error": about})

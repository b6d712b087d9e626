"""The contract of `Read` of Kimi Code: numbered lines within a number of characters, and the next call.

Source: the program in the npm package of `REFERENCE`, as it answers the calls of a scripted model (measured
2026-11-28).
"""

from __future__ import annotations

import errno
import re
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from anyread._native import Layout
from anyread.errors import BadPathError, DirectoryError, NotRegularFileError, ReadError, TooLargeError
from anyread.tools.parts import schemas
from anyread.tools.parts.content import ContentContract
from anyread.tools.parts.contract import Output
from anyread.tools.parts.files import located
from anyread.tools.parts.javascript import expanded_home, resolved
from anyread.tools.parts.media_types import CLOSED_EXTENSIONS, IMAGE_TYPES, extension_of

from .page import KimiCall, Page, PageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anyread.reading.open_file import OpenFile

__all__ = ["KimiCode"]

REFERENCE: Final = {"@moonshot-ai/kimi-code": "2.1.0"}
"""The package that this contract follows, and its version."""
DEFAULT_CHARS: Final = 100_000
"""The most UTF-16 units of an answer without `max_chars`."""
MAX_UTF16_BYTES: Final = 10 * 1024 * 1024
"""The most bytes of a file in UTF-16."""
_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_HEAD_BYTES: Final = 512
_MAX_INTEGER: Final = 2**53 - 1
_UP: Final = (_MAX_INTEGER, f"<= {_MAX_INTEGER}")
_RANGES: Final = {
    "line_offset": ((1, ">= 1", *_UP), (-_MAX_INTEGER, f">= {-_MAX_INTEGER}", -1, "< 0")),
    "column_offset": ((0, ">= 0", *_UP),),
    "n_lines": ((1, "> 0", *_UP),),
    "max_chars": ((1, "> 0", *_UP),),
}
"""The ranges of numbers, of which one must fit: the least, the most, and the words for what is outside."""
_IMAGES: Final = {*IMAGE_TYPES, ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".ico"}
_VIDEOS: Final = {".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".wmv", ".mpeg", ".mpg"}
_SENSITIVE: Final = re.compile(
    r"\.env(?!\.(?:example|sample|template)$)(\..*)?|(id_(?!.*\.pub$)(rsa|ed25519|ecdsa)|credentials)"
    r"([-_].*|\.(bak|backup|copy|disabled|key|old|orig|pem|save|tmp))?",
    re.IGNORECASE,
)
_PATTERN: Final = (
    "matches a sensitive-file pattern (env / credential / SSH key). Access is blocked to protect"
)
_ESCAPED: Final = (
    "Mixed or lone carriage-return line endings are shown as \\r. Use exact \\r\\n or \\r escapes in"
    " Edit.old_string for those lines."
)


class KimiCode(ContentContract[KimiCall]):
    """The contract of Kimi Code's `Read`."""

    name: ClassVar[str] = "Read"
    description: ClassVar[str] = (
        "Read a text file. Each line is preceded by its number and a tab. An answer has at most max_chars"
        " characters with its status, which names the next call if something follows. Files that usually"
        " hold credentials, and files that are not UTF-8 or UTF-16 text, are refused."
    )
    schema: ClassVar[schemas.Schema] = {
        **schemas.arguments(
            "path",
            path=schemas.argument("string", "Path of the file; absolute outside of the working directory."),
            line_offset=schemas.argument("integer", "First line, from 1; negative: counted from the end."),
            column_offset=schemas.argument(
                "integer", "Where the first line starts, in UTF-16 units from 0.", minimum=0
            ),
            n_lines=schemas.argument("integer", "The most lines.", exclusiveMinimum=0),
            max_chars=schemas.argument(
                "integer", "The most characters of the answer (default 100000).", exclusiveMinimum=0
            ),
        ),
        "additionalProperties": False,
    }

    def checked(self, arguments: Mapping[str, Any], _name: str) -> KimiCall:
        """Check names, types and ranges, and refuse files by their names."""
        faults = list(_faults(arguments))
        if faults:
            raise self.refusal(f'Invalid args for tool "Read": {"; ".join(faults)}')
        given = arguments["path"]
        names = ("line_offset", 1), ("column_offset", 0), ("n_lines", 0), ("max_chars", DEFAULT_CHARS)
        line, column, limit, requested = (int(arguments.get(name, default)) for name, default in names)
        if not given:
            raise self.refusal("Path cannot be empty")
        if line < 0 and "column_offset" in arguments:
            use = "Use a positive line_offset or the forward Next Read arguments."
            raise self.refusal(f"column_offset is only supported for forward reads. {use}")
        path = resolved(self.context.cwd, expanded_home(given))
        if _is_sensitive(path):
            raise self.refusal(f'"{given}" {_PATTERN} secrets.')
        if not given.startswith(("/", "~")) and not _is_in(path, self.context.cwd):
            must = "You must provide an absolute path to read a file outside the working directory."
            raise self.refusal(f'"{given}" is not an absolute path. {must}')
        path += "/" if given.endswith("/") and path != "/" else ""
        return KimiCall(given, path, line, column, limit or None, requested)

    def reply(self, call: KimiCall) -> Output:
        """Refuse what is not text, and show lines of the rest."""
        file, given = self._opened(call), call.given
        self._check_kind(call, file)
        data, note = b"", ""
        invalid = (
            f'"{given}" is not valid UTF-8 or UTF-16 text. Only UTF-8 and UTF-16 text files can be read; for'
            " other encodings (e.g. GBK), convert the file to UTF-8 first (e.g. with `iconv`)."
        )
        utf16 = _utf16(file.head(_HEAD_BYTES))
        if utf16:
            if file.size_bytes > MAX_UTF16_BYTES:
                raise self.refusal(invalid)
            text = file.read(MAX_UTF16_BYTES).decode(f"utf-16-{utf16}", "replace").removeprefix("\ufeff")
            data, texts = text.encode(), iter([text])
            note = f"Detected file encoding: UTF-16 {utf16}; content transcoded to UTF-8 for display. Edit"
            note += " and Write expect UTF-8 — convert the file's encoding first (e.g. `iconv` via Bash)."
        elif file.find_nul() >= 0:
            raise self.refusal(_unreadable(given))
        elif file.utf8_fault() is not None:
            raise self.refusal(invalid)
        else:
            texts = file.decoded(0, file.size_bytes, "strict")
        is_mixed = file.work(partial(_is_mixed, texts), file.size_bytes)
        layout = partial(
            Layout, line_ends="lf" if is_mixed else "lf+crlf", bom="drop", max_bytes=_MAX_LINE_BYTES
        )

        def lines(first: int, last: int, **budget: Any) -> tuple[list[str], int]:
            limit, within = max(last - first + 1, 0), layout(**budget)
            window = within.window(data, first, limit) if utf16 else file.window(first, limit, within)
            text = window.text.replace("\r", "\\r") if is_mixed else window.text
            return text.split("\n") if window.last_line >= first else [], window.total_lines or 0

        notes = [_ESCAPED] * is_mixed + [note] * bool(note)
        first, total = call.line, lines(1, 0)[1]
        if first < 0:
            first = max(total + first + 1, 1)
        last = min(first + (call.limit or total) - 1, total)
        try:
            if call.line > 0:
                budget = call.most + call.column
                shown, _ = lines(first, last, budget=budget, budget_unit="utf16", budget_of="text")
                if not shown and first <= last:
                    # Only a part of this line fits.
                    start, end = (0, 0) if utf16 else file.span(first, first, total)
                    if end - start > _MAX_LINE_BYTES:
                        raise TooLargeError(
                            file.path, size=end - start, maximum=_MAX_LINE_BYTES, unit="bytes"
                        )
                    shown, _ = lines(first, first)
                answer = Page(call, first, shown, last, total, notes).forward()
            else:
                # A line takes three characters with its number.
                start = max(first, last - call.most // 3)
                shown, _ = lines(start, last, over_budget="error")
                answer = Page(call, start, shown, last, total, notes).tail(first)
        except PageError as error:
            raise self.refusal(str(error)) from error
        self.context.note(file, kind="text", media_type="text/plain", offset=call.line, limit=call.limit)
        return {"content": answer}

    def failure(self, message: str) -> Output:
        """Return a failed call as the model sees it."""
        return super().failure(f"<system>ERROR: Tool execution failed.</system>\n{message}")

    def _opened(self, call: KimiCall) -> OpenFile:
        path, given = call.path, call.given
        try:
            file = self.open(path)
        except (DirectoryError, NotRegularFileError) as error:
            raise self.refusal(f'"{given}" is not a file.') from error
        except ReadError as error:
            failed = self.failed_call(path, error)
            reason = failed.node("open")
            if isinstance(error, BadPathError) or failed.code == errno.ELOOP:
                reason = 'Tool "Read" failed: realpath failed: unrecognized filesystem error'
            elif not failed.is_found:
                reason = f'"{given}" does not exist.'
                if failed.lookup[0] == "stat":
                    reason = f'"{path}" is a symbolic link whose target does not exist. Access is blocked.'
            raise self.refusal(reason) from error
        real = file.resolved_path
        if real != path and (_is_sensitive(real) or _is_in(path, self.context.cwd)):
            through = f'"{path}" resolves to "{real}" through a symbolic link'
            if _is_sensitive(real):
                raise self.refusal(f"{through}, which {_PATTERN} secrets.")
            if not _is_in(real, located(self.context.reader, self.context.cwd)):
                raise self.refusal(
                    f"{through} that points outside the working directory. Access is blocked; use the real"
                    " path directly or add the target directory to the workspace."
                )
        return file

    def _check_kind(self, call: KimiCall, file: OpenFile) -> None:
        given, extension = call.given, extension_of(call.path)
        kind = "" if file.is_text else file.media_type.partition("/")[0]
        named = "image" if extension in _IMAGES else "video" if extension in _VIDEOS else ""
        if kind in {"image", "video"} and named in {"", kind}:
            a = "an image" if kind == "image" else "a video"
            why = f'"{given}" is {a} file.'
            if self.context.sees(kind) is False:
                missing = f"(missing {kind}_in capability)"
                why += f" The current model does not support {kind} input {missing}, so this agent cannot"
                raise self.refusal(f"{why} view it. Only text files can be read.")
            use = "use ReadMediaFile for image and video files."
            raise self.refusal(f"{why} Only text files can be read; {use}")
        head = file.head(_HEAD_BYTES)
        if named or extension in CLOSED_EXTENSIONS | {".pdf"} or (b"\0" in head and not _utf16(head)):
            raise self.refusal(_unreadable(given))


def _unreadable(given: str) -> str:
    return f'"{given}" is not readable as UTF-8 text. Only text files can be read.'


def _is_in(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _is_sensitive(path: str) -> bool:
    name = path.rpartition("/")[2]
    return _SENSITIVE.fullmatch(name) is not None or ".aws/credentials" in path or ".gcp/credentials" in path


def _utf16(head: bytes) -> str:
    """Return "LE" or "BE" for UTF-16, with a mark or by the places of zeros; empty: it is none."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return ""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "LE" if head[0] == 0xFF else "BE"
    zeros = [index % 2 for index, byte in enumerate(head) if not byte]
    return ("BE", "LE")[zeros[0]] if len(zeros) > 1 and len(set(zeros)) == 1 else ""


def _is_mixed(texts: Iterable[str]) -> bool:
    """Return whether a text has carriage returns other than those of CRLF line ends throughout."""
    before, carriage_returns, line_feeds, pairs = "", 0, 0, 0
    for text in texts:
        carriage_returns += text.count("\r")
        line_feeds += text.count("\n")
        pairs += (before[-1:] + text).count("\r\n")
        before = text or before
    return carriage_returns > 0 and not carriage_returns == line_feeds == pairs


def _faults(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Word the violations of the schema as the program's validator does."""
    if "path" not in arguments:
        yield "must have required property 'path'"
    known = {"path", *_RANGES}
    yield from (f"must NOT have additional property '{name}'" for name in arguments if name not in known)
    if not isinstance(arguments.get("path", ""), str):
        yield "/path must be string"
    for name, ranges in _RANGES.items():
        faults = [_fault(arguments[name], *each) for each in ranges if name in arguments]
        if faults and None not in faults:
            either = ["match a schema in anyOf"] if len(ranges) > 1 else []
            yield "; ".join(f"/{name} must {fault}" for fault in [*faults, *either])


def _fault(value: object, least: int, below: str, most: int, above: str) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:
        return "be integer"
    return f"be {above}" if value > most else f"be {below}" if value < least else None

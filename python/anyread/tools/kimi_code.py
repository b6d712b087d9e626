"""The contract of `Read` of Kimi Code: numbered lines within a number of characters, and the next call.

Source: the program in the npm package of `REFERENCE`, as it answers the calls of a scripted model (measured
2026-11-29).
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Final, NamedTuple

from anyread._native import Layout
from anyread.errors import BadPathError, DirectoryError, NotRegularFileError, ReadError

from .parts import schemas
from .parts.ajv import violations
from .parts.content import ContentContract
from .parts.contract import Callable, Mapping, OpenFile, Output, Refusal
from .parts.files import located
from .parts.media_types import CLOSED_EXTENSIONS, IMAGE_TYPES, extension_of
from .parts.paths import expanded_home, from_shell, is_absolute, is_in, name_of, resolved, with_slashes
from .parts.utf16 import byte_order, is_inside, units

REFERENCE: Final = {"@moonshot-ai/kimi-code": "2.1.0"}
"""The package that this contract follows, and its version."""
DEFAULT_CHARS: Final = 100_000
"""The most UTF-16 units of an answer without `max_chars`."""
MAX_CHARS: Final = 500_000
"""The most UTF-16 units of an answer."""
MAX_UTF16_BYTES: Final = 10 * 1024 * 1024
"""The most bytes of a file in UTF-16."""
_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
_MAX_INTEGER: Final = 2**53 - 1
_COUNT: Final = {"exclusiveMinimum": 0, "maximum": _MAX_INTEGER}
_COLUMN: Final = {"minimum": 0, "maximum": _MAX_INTEGER}
_FROM_START: Final = {"type": "integer", "minimum": 1, "maximum": _MAX_INTEGER}
_FROM_END: Final = {"type": "integer", "minimum": -_MAX_INTEGER, "exclusiveMaximum": 0}
_IMAGES: Final = {*IMAGE_TYPES, ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".ico"}
_VIDEOS: Final = {
    *(".mp4", ".mov", ".mkv", ".webm", ".avi", ".m4v", ".wmv", ".mpeg", ".mpg", ".flv", ".3gp", ".ogv")
}
_CLOSED: Final = (CLOSED_EXTENSIONS - {".o", ".a", ".lib", ".obj", ".war", ".msi"}) | {
    *(".pdf", ".dmg", ".apk", ".key", ".pages", ".numbers", ".img", ".zst", ".lz4", ".br")
}
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
_LOSSY: Final = (
    "Lossy UTF-16 decoding: malformed sequences were replaced with U+FFFD. The decoded text may differ from"
    " the original file."
)


class KimiCall(NamedTuple):
    """The arguments of a call."""

    given: str
    path: str
    line: int
    """The first line; negative: from the end."""
    column: int
    """The UTF-16 units of the first line that are left out."""
    limit: int | None
    requested: int
    """The UTF-16 units that were requested."""
    most: int
    """The UTF-16 units of the answer."""


class KimiCode(ContentContract[KimiCall]):
    """The contract of Kimi Code's `Read`."""

    name: ClassVar[str] = "Read"
    description: ClassVar[str] = (
        "Read a text file. Each line is preceded by its number and a tab. An answer has at most max_chars"
        " characters with its status, which names the next call if something follows. Files that usually"
        " hold credentials, and files that are not UTF-8 or UTF-16 text, are refused."
    )
    schema: ClassVar[schemas.Schema] = schemas.closed(
        schemas.arguments(
            "path",
            path=("string", "Path of the file; absolute outside of the working directory."),
            line_offset={"anyOf": [_FROM_START, _FROM_END], "description": "First line; < 0: from the end."},
            column_offset=schemas.argument("integer", "Where the first line starts, from 0.", **_COLUMN),
            n_lines=schemas.argument("integer", "The most lines.", **_COUNT),
            max_chars=schemas.argument("integer", "The most characters (default 100000).", **_COUNT),
        )
    )

    def checked(self, arguments: Mapping[str, Any], _name: str) -> KimiCall:
        """Check names, types and ranges, and refuse files by their names."""
        faults = list(violations(self.schema, arguments))
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
        path = with_slashes(resolved(self.context.cwd, expanded_home(from_shell(given.replace("\\", "/")))))
        if _is_sensitive(path):
            raise self.refusal(f'"{given}" {_PATTERN} secrets.')
        if not is_absolute(given) and not given.startswith("~") and not is_in(path, self.context.cwd):
            must = "You must provide an absolute path to read a file outside the working directory."
            raise self.refusal(f'"{given}" is not an absolute path. {must}')
        path += "/" if given.endswith("/") and path != "/" else ""
        return KimiCall(given, path, line, column, limit or None, requested, min(requested, MAX_CHARS))

    def failure(self, message: str) -> Output:
        """Return a failed call as the model sees it."""
        return super().failure(f"<system>ERROR: Tool execution failed.</system>\n{message}")

    def reply(self, call: KimiCall) -> Output:
        """Refuse what is not text, and show lines of the rest."""
        file = self._opened(call)
        data, notes = self._decoded(call, file)
        texts = file.decoded(0, file.size_bytes, "strict") if data is None else [data.decode()]
        is_mixed = file.work(partial(_is_mixed, texts), file.size_bytes)
        ends: Any = "lf" if is_mixed else "lf+crlf"
        layout = partial(Layout, line_ends=ends, bom="drop", max_bytes=_MAX_LINE_BYTES)

        def lines(first: int, last: int, **budget: Any) -> tuple[list[str], int]:
            limit, within = max(last - first + 1, 0), layout(**budget)
            window = file.window(first, limit, within) if data is None else within.window(data, first, limit)
            text = window.text.replace("\r", "\\r") if is_mixed else window.text
            return text.split("\n") if window.last_line >= first else [], window.total_lines or 0

        first, total = call.line, lines(1, 0)[1]
        first = max(total + first + 1, 1) if first < 0 else first
        last = min(first + (call.limit or total) - 1, total)
        page = _Page(call, last, total, [*[_ESCAPED] * is_mixed, *notes], self.refusal)
        if call.line > 0:
            budget = call.most + call.column
            shown, _ = lines(first, last, budget=budget, budget_unit="utf16", budget_of="text")
            if not shown and first <= last:
                # Only a part of this line fits.
                shown, _ = lines(first, first, over_budget="error")
            answer = page.forward(first, shown)
        else:
            # A line takes three characters with its number.
            start = max(first, last - call.most // 3)
            answer = page.tail(first, start, lines(start, last, over_budget="error")[0])
        self.context.note(file, kind="text", media_type="text/plain", offset=call.line, limit=call.limit)
        return {"content": answer}

    def _opened(self, call: KimiCall) -> OpenFile:
        path, given, cwd = call.path, call.given, self.context.cwd
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
        through = f'"{path}" resolves to "{real}" through a symbolic link'
        if real != path and _is_sensitive(real):
            raise self.refusal(f"{through}, which {_PATTERN} secrets.")
        if real != path and is_in(path, cwd) and not is_in(real, located(self.context.reader, cwd)):
            raise self.refusal(
                f"{through} that points outside the working directory. Access is blocked; use the real path"
                " directly or add the target directory to the workspace."
            )
        return file

    def _decoded(self, call: KimiCall, file: OpenFile) -> tuple[bytes | None, list[str]]:
        """Return a text in UTF-16 as UTF-8, with notes about it, and `None` for UTF-8; refuse all else."""
        given, extension, head = call.given, extension_of(call.path), file.head(512)
        kind = "" if file.is_text else file.media_type.partition("/")[0]
        named = "image" if extension in _IMAGES else "video" if extension in _VIDEOS else ""
        only = "Only text files can be read."
        if (kind in {"image", "video"} and named in {"", kind}) or (named == "video" and not kind):
            kind = kind or named
            why = f'"{given}" is {"an image" if kind == "image" else "a video"} file.'
            if self.context.sees(kind) is False:
                missing = f"does not support {kind} input (missing {kind}_in capability)"
                raise self.refusal(f"{why} The current model {missing}, so this agent cannot view it. {only}")
            raise self.refusal(f"{why} {only[:-1]}; use ReadMediaFile for image and video files.")
        utf16 = byte_order(head)
        if named or extension in _CLOSED or (not utf16 and file.find_nul() >= 0):
            raise self.refusal(f'"{given}" is not readable as UTF-8 text. {only}')
        if file.size_bytes > MAX_UTF16_BYTES if utf16 else file.utf8_fault() is not None:
            raise self.refusal(
                f'"{given}" is not valid UTF-8 or UTF-16 text. Only UTF-8 and UTF-16 text files can be read;'
                " for other encodings (e.g. GBK), convert the file to UTF-8 first (e.g. with `iconv`)."
            )
        if not utf16:
            return None, []
        data, lossy = file.read(MAX_UTF16_BYTES), []
        try:
            text = data.decode(f"utf-16-{utf16}")
        except UnicodeDecodeError:
            text, lossy = data.decode(f"utf-16-{utf16}", "replace"), [_LOSSY]
        found = f"Detected file encoding: UTF-16 {utf16}; content transcoded to UTF-8 for display."
        convert = "convert the file's encoding first (e.g. `iconv` via Bash)."
        notes = [f"{found} Edit and Write expect UTF-8 — {convert}", *lossy]
        return text.removeprefix("\ufeff").encode(), notes


class _Page(NamedTuple):
    """What may be shown: lines up to `last` of `total`, with sentences about the file."""

    call: KimiCall
    last: int
    total: int
    notes: Sequence[str]
    refusal: Callable[[str], Refusal]

    def forward(self, first: int, lines: list[str]) -> str:
        """Show the whole lines that fit; if the first does not, a part of it."""
        call, column, about = self.call, self.call.column, ""
        line = lines[0].encode("utf-16-le") if lines else b""
        length = len(line) // 2
        if column > length or (column and not lines):
            read = "Read the line from column 0 to inspect its current contents."
            raise self.refusal(f"column_offset={column} is past the end of the starting line {first}. {read}")
        if is_inside(line, column):
            use = "Use a character boundary or the Next Read arguments."
            raise self.refusal(f"column_offset={column} splits a Unicode character in line {first}. {use}")
        if column:
            lines[0] = line[2 * column :].decode("utf-16-le")
            about = f"Line {first} fragment: columns [{column}, {length}) of {length}. Line complete."
        rows = [f"{number}\t{text}\n" for number, text in enumerate(lines, first)]

        def answer(count: int) -> str:
            left = None if call.limit is None else call.limit - count
            is_all = first + count > self.last
            following = "" if is_all else self._next(line_offset=first + count, n_lines=left)
            return self._answer(first, rows[:count], about, following)

        def fragment(end: int, text: str) -> str:
            about = f"Line {first} fragment: columns [{column}, {end}) of {length}. Line continues."
            following = self._next(line_offset=first, column_offset=end, n_lines=call.limit)
            return self._answer(first, [f"{first}\t{text}\n"], about, following)

        found = self._longest(rows, answer)
        if found is None and lines:
            end, digits = MAX_CHARS, 2
            # The status has room for a column of three digits or more.
            while len(str(end)) > digits:
                digits += 1
                end = min(column + call.most - units(fragment(10**digits - 1, "")), length)
            end -= is_inside(line, end)
            if end > column:
                return fragment(end, line[2 * column : 2 * end].decode("utf-16-le"))
        return found or self._too_small(rows)

    def tail(self, first: int, start: int, lines: list[str]) -> str:
        """Show the newest of the lines from `start` on that fit; `first` is the first that was requested."""
        rows = [f"{number}\t{text}\n" for number, text in enumerate(lines, start)]

        def answer(count: int) -> str:
            begin = self.last + 1 - count
            following = self._next(line_offset=first, n_lines=begin - first) if begin > first else ""
            return self._answer(begin, rows[len(rows) - count :], "", following)

        return self._longest(rows[::-1], answer) or self._too_small(rows)

    def _longest(self, rows: list[str], answer: Callable[[int], str]) -> str | None:
        """Return the answer with the most rows that fits with its status; `None`: not even one fits."""
        most = sum(1 for size in accumulate(map(units, rows)) if size <= self.call.most)
        answers = map(answer, range(most, 0, -1)) if rows else [answer(0)]
        return next((text for text in answers if units(text) <= self.call.most), None)

    def _too_small(self, rows: list[str]) -> str:
        what = f"{'file text and ' if rows else ''}the Read status"
        raise self.refusal(f"max_chars={self.call.most} is too small for {what}. Increase max_chars.")

    def _next(self, **arguments: int | None) -> str:
        arguments = {name: value for name, value in arguments.items() if value is not None}
        given = {"path": self.call.given, **arguments, "max_chars": self.call.most}
        return f"Next Read: {json.dumps(given, ensure_ascii=False, separators=(',', ':'))}"

    def _answer(self, first: int, rows: Sequence[str], about: str, following: str) -> str:
        count, call = len(rows), self.call
        read = f"{count} line{'s' if count > 1 else ''} read from file starting from line {first}."
        is_end = not about.endswith("continues.") and first + count - 1 >= self.total
        capped = f"Requested max_chars={call.requested} was capped at the configured maximum {call.most}."
        sentences = [read if count else "No lines read from file.", f"Total lines in file: {self.total}."]
        sentences += ["Character limit reached." if following else "Requested range complete."]
        sentences += [f"Effective max_chars: {call.most}.", "End of file reached." if is_end else "", about]
        sentences += [capped if call.requested > MAX_CHARS else "", following, *self.notes]
        shown = "".join(rows) or "<system>Tool output is empty.</system>\n"
        return f"{shown}<system>{' '.join(filter(None, sentences))}</system>"


def _is_sensitive(path: str) -> bool:
    name = name_of(path)
    return _SENSITIVE.fullmatch(name) is not None or ".aws/credentials" in path or ".gcp/credentials" in path


def _is_mixed(texts: Iterable[str]) -> bool:
    """Return whether a text has carriage returns other than those of CRLF line ends throughout."""
    before, carriage_returns, line_feeds, pairs = "", 0, 0, 0
    for text in texts:
        carriage_returns += text.count("\r")
        line_feeds += text.count("\n")
        pairs += (before[-1:] + text).count("\r\n")
        before = text or before
    return carriage_returns > 0 and not carriage_returns == line_feeds == pairs

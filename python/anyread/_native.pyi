"""The core, written in Rust.

It raises the exceptions of `anyread.errors` and returns objects of `anyread.results`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, final, overload

from .arguments.gutter import Gutter
from .arguments.limits import Limits
from .arguments.request import Request
from .errors import ReadError
from .results import Notice, TextPage, Unchanged

__all__ = [
    "ERROR_CODES",
    "FOOTER_BYTES",
    "FOOTER_TOKENS",
    "LEAST_FOOTERS",
    "Cancel",
    "Content",
    "Directory",
    "DocumentLines",
    "Engine",
    "IgnoreFile",
    "Json",
    "JsonRow",
    "Layout",
    "NeedsBytes",
    "Notebook",
    "NotebookCell",
    "NotebookOutput",
    "Opened",
    "PartialCopy",
    "Pattern",
    "PendingRead",
    "Presentation",
    "SheetCell",
    "SheetInfo",
    "SheetRow",
    "SheetRows",
    "ShownCell",
    "ShownImage",
    "ShownPart",
    "ShownSlide",
    "Utf8Check",
    "Window",
    "Workbook",
    "__version__",
    "b64encode",
    "can_map",
    "chart_points",
    "clear_caches",
    "count_tokens",
    "count_values",
    "detect_encoding",
    "display_path",
    "document_lines",
    "enter_sandbox",
    "ignored_names",
    "is_ignored",
    "json_string",
    "open_passed",
    "openat2_errno",
    "package_part",
    "package_type",
    "thread_waits",
]

__version__: str

ERROR_CODES: list[str]
"""The codes of all errors of the core."""
FOOTER_BYTES: int
"""The space that a page has for its footer, in bytes."""
FOOTER_TOKENS: int
"""The space that a page has for its footer, in tokens."""
LEAST_FOOTERS: int
"""The footers for which a page must have space to have one."""

@final
class Cancel:
    """A flag that ends one call within milliseconds; any thread can set it."""

    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None:
        """End the call, which raises `InterruptedError`."""

    def end_in(self, seconds: float | None) -> None:
        """Also end the call after so many seconds; `None`: no longer."""

    @property
    def cancelled(self) -> bool:
        """Whether the call must end."""

    @property
    def scanned_bytes(self) -> int:
        """Bytes that the call has scanned so far."""

    @property
    def total_bytes(self) -> int | None:
        """Bytes that the call scans at most in all; `None` if that is not known."""

@final
class Content:
    """The text of one window, not yet decoded."""

    def decode(self) -> str:
        """Return the text, with exact line endings and without gutter, marker or footer."""

@final
class Pattern:
    r"""A pattern that is looked for in lines, with the syntax of ripgrep and its smart case.

    No match has a line end; `$` also matches before CR LF, and so does `\z`.
    """

    def __new__(cls, text: str, *, literal: bool = False) -> Pattern:
        """Compile a pattern.

        Args:
            text: A regular expression; if it is not the syntax of one, its letters are matched as they are.
            literal: Whether the letters are matched as they are in any case.

        Raises:
            ValueError: The pattern cannot be used. Its arguments are a code and a detail: `too_long`,
                `too_large`, `empty` (it matches the empty text), `line_end` (it needs a line end),
                `look_around` or `back_reference`.
        """

    @property
    def text(self) -> str:
        """The text of which it was made."""

    @property
    def is_literal(self) -> bool:
        """Whether the text is matched as it is."""

    def find(self, text: str) -> tuple[int, int] | None:
        """Return where the first match in a text begins and ends, in characters."""

@final
class Opened:
    """An opened file with its detected type; closed by `close`, or when nothing refers to it any more."""

    def close(self) -> None:
        """Close the file, or let the calls that other threads run close it when they end.

        Everything but `notices` raises `ValueError` from now on.
        """

    @property
    def path(self) -> str:
        """The path as given, with bytes that are not UTF-8 escaped."""

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, with symbolic links followed."""

    @property
    def is_text(self) -> bool:
        """Whether the content is text, as that of a notebook is."""

    @property
    def media_type(self) -> str:
        """The media type detected from the content."""

    @property
    def size_bytes(self) -> int: ...
    @property
    def modified_ns(self) -> int:
        """The time of the last modification, in nanoseconds since 1970 in UTC."""

    @property
    def version(self) -> str:
        """The version of the file; empty while a rewrite could go unnoticed."""

    @property
    def rules(self) -> int:
        """A number for the roots and deny rules of its reader; readers with the same ones have the same."""

    @property
    def state(self) -> str:
        """Its version, even while a rewrite could go unnoticed; for `since_version`."""

    @property
    def stamp(self) -> tuple[int, int, int, int, int]:
        """Device, inode, size, modification and change time (in ns), as in `os.stat_result`."""

    @property
    def head(self) -> bytes:
        """The first bytes of the file, as many as are in memory."""

    @property
    def is_whole(self) -> bool:
        """Whether `head` is a consistent snapshot of the whole file."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about how the path was found."""

    def fileno(self) -> int:
        """Return the descriptor, on Windows the handle, which a decoder receives.

        It is valid until the file is closed.
        """

    def fetch_all(self) -> None:
        """Raise `NeedsBytes` unless all bytes of it are present, if it is a copy."""

    def read_at(self, offset: int, maximum: int) -> bytes:
        """Read at most `maximum` bytes from an offset on; fewer only at the end of the file, which may grow.

        Raises:
            FileSystemError: It could not be read.
        """

    def current_path(self) -> bytes:
        """Return the absolute path of the file now; the last one if it was removed."""

    def current_size(self) -> int:
        """Return the current size of the file in bytes.

        Raises:
            FileSystemError: It could not be determined.
        """

    def read(self, maximum: int) -> bytes:
        """Return at most `maximum` bytes from the start, also of a file that reports no size (`/proc`)."""

    @property
    def is_gzip(self) -> bool:
        """Whether it is a gzip file whose text is read."""

    def gzip(self, cancel: Cancel | None = None, *, may_wait: bool = False) -> tuple[int, str | None] | None:
        """Return the size of the text in a gzip file, and why it is not verified; `None` for other files."""

    def recheck(self) -> bool:
        """Return whether the file is unchanged since it was opened."""

    def window(
        self,
        offset: int,
        limit: int,
        layout: Layout,
        *,
        column: int = 1,
        encoding: str | None = None,
        first_number: int | None = None,
        cancel: Cancel | None = None,
        may_wait: bool = False,
    ) -> Window:
        """Read lines as text in a layout, whatever the kind of file.

        Args:
            offset: The first line, counted from 1; negative: from the end.
            limit: The maximum number of lines.
            layout: The layout of the lines.
            column: The first character of the first line, counted from 1.
            encoding: The encoding; `None`: the detected one.
            first_number: The number shown before the first line; `None`: its own.
            cancel: Ends the call; `None`: signals end it, if it runs on the main thread.
            may_wait: Whether to release the interpreter lock and wait; otherwise only what is cached is read.

        Raises:
            FileChangedError: The bytes were changed in place after the file was opened.
            OverBudgetError: The lines do not fit, in a layout that refuses them.
            BadArgumentError: The encoding is unknown.
            InterruptedError: The call was cancelled.
            BlockingIOError: It would have to wait, and may not.
        """

    def sha256(self, cancel: Cancel | None = None, *, may_wait: bool = False) -> str:
        """Return the SHA-256 of the whole file in hexadecimal.

        This and the following facts are cached for each version of a file. Computing them releases the
        interpreter lock, and raises `FileChangedError` if the bytes change meanwhile. They are computed
        twice for a file over 1 MiB without a version, because its bytes could change without a trace.
        If they may not wait, they raise `BlockingIOError` unless they are cached or quick to compute.
        """

    def check_utf8(self, cancel: Cancel | None = None, *, may_wait: bool = False) -> Utf8Check:
        """Check whether the whole file is UTF-8."""

    def find_nul(self, cancel: Cancel | None = None, *, may_wait: bool = False) -> int:
        """Return the offset of the first NUL; -1 if there is none."""

    def count_tokens(self, tokenizer: str, cancel: Cancel | None = None, *, may_wait: bool = False) -> int:
        """Count the tokens of the whole file, decoded as UTF-8 with U+FFFD for invalid bytes."""

@final
class Utf8Check:
    """Whether all bytes of a file are UTF-8."""

    @property
    def is_valid(self) -> bool: ...
    @property
    def index(self) -> int:
        """The offset of the first byte that is not part of a character; the file size if all are."""

    @property
    def length(self) -> int | None:
        """The length of the invalid sequence at `index`; `None`: the file ends within a character."""

@final
class Layout:
    """The layout of lines in a contract: line endings, numbers, clipping and budget.

    Without them, lines end with "lf+crlf" and the final newline "ends" the last one; lengths are in "chars"
    and rounded "down", budgets in "bytes" of the "answer", before which a window will "stop"; characters are
    kept, and lines "always" counted.

    Args:
        line_ends: What ends a line; "detected": LF and CR LF, or CR in a file without LF; "splitlines": as
            `str.splitlines`.
        final_newline: Whether a line ending at the end of the file ends the last line or starts another one.
        before: Text before each number.
        separator: Text after each number; `None`: no numbers.
        width: The minimum columns of a number, right-aligned; "last": those of the last number shown;
            "total": those of the number of lines in the file.
        splits_again: Whether the lines shown are joined and split again before they are numbered, as some
            tools do, which removes a final CR from all lines except the last, and an empty last line.
        clip_unit: The unit of line lengths.
        clip_length: The length above which a line is cut; `None`: no limit.
        clip_keep: The length to which it is cut; `None`: `clip_length`.
        clip_round: Whether a character at the cut is dropped ("down") or kept ("up").
        clip_marker: Text after the cut.
        budget: The maximum size of a window; `None`: no limit.
        budget_unit: The unit of the budget.
        budget_of: What counts: "text": lines and the line feeds between them; "lines": lines and their
            numbers; "answer": all three.
        over_budget: At the budget, "stop" before the line that does not fit, or "after" the line that reaches
            it, or raise an "error".
        tokenizer: A tokenizer's name, or a function that counts the tokens of a text; `None`: an estimate.
        max_bytes: The maximum bytes of a window in UTF-8, besides the budget; `None`: no limit.
        cr: What happens to a carriage return in a line.
        bom: What happens to a byte order mark.
        nul: What happens to NUL characters.
        total: Whether the lines of the file are counted; "known": only if that costs nothing.

    Raises:
        ValueError: An argument has an unknown value.
        TypeError: It has the wrong type.
    """

    def __new__(
        cls,
        *,
        line_ends: Literal["detected", "lf", "lf+crlf", "lf+crlf+cr", "splitlines"] = ...,
        final_newline: Literal["ends", "starts"] = ...,
        before: str = ...,
        separator: str | None = None,
        width: int | Literal["last", "total"] = ...,
        splits_again: bool = False,
        clip_unit: Literal["chars", "utf16", "bytes"] = ...,
        clip_length: int | None = None,
        clip_keep: int | None = None,
        clip_round: Literal["down", "up"] = ...,
        clip_marker: str = ...,
        budget: int | None = None,
        budget_unit: Literal["bytes", "chars", "utf16", "tokens"] = ...,
        budget_of: Literal["text", "lines", "answer"] = ...,
        over_budget: Literal["stop", "after", "error"] = ...,
        tokenizer: str | Callable[[str], int] | None = None,
        max_bytes: int | None = None,
        cr: Literal["keep", "drop", "show"] = ...,
        bom: Literal["keep", "drop", "show"] = ...,
        nul: Literal["keep", "drop", "show", "error"] = ...,
        total: Literal["always", "known", "never"] = ...,
    ) -> Layout: ...
    def window(self, text: bytes, offset: int, limit: int, *, first_number: int | None = None) -> Window:
        """Show lines of a UTF-8 text in memory; the interpreter lock is released.

        Args:
            text: The text.
            offset: The first line, counted from 1; negative: from the end.
            limit: The maximum number of lines.
            first_number: The number shown before the first line; `None`: its own.

        Raises:
            OverBudgetError: The lines do not fit, in a layout that refuses them.
        """

@final
class Window:
    """Lines of a file in a layout."""

    @property
    def text(self) -> str:
        """The lines with their numbers, without a final line feed."""

    @property
    def first_line(self) -> int:
        """The first line of the file that is shown, counted from 1; negative: from the end."""

    @property
    def last_line(self) -> int:
        """The last line that is shown; one less than the first if none is."""

    @property
    def total_lines(self) -> int | None:
        """The number of lines in the file; `None` if they were not counted."""

    @property
    def next(self) -> tuple[int, int] | None:
        """The line and column at which the next window starts; `None` at the end of the file."""

    @property
    def clipped(self) -> tuple[int, ...]:
        """The numbers of the lines that were cut."""

    @property
    def start_byte(self) -> int:
        """The offset in the file of the first byte that is shown."""

    @property
    def end_byte(self) -> int:
        """The offset in the file of the byte after the last line, or after the part of it that is shown."""

    @property
    def final_newline(self) -> bool:
        """Whether the file ends with a line ending."""

    @property
    def is_over_budget(self) -> bool:
        """Whether the window ends because of the budget."""

    @property
    def lossy(self) -> bool:
        """Whether something could not be decoded or was replaced."""

class NeedsBytes(BaseException):
    """Bytes of a copy must be fetched, or the line feeds in them counted, before a call can go on."""

    args: tuple[int, int, int, bool]
    """The number of the copy, the first byte, the byte after the last, and whether they are counted."""

@final
class PartialCopy:
    """A local copy of one version of a file that is elsewhere; it takes the space of what is present of it.

    Raises:
        OSError: The copy cannot be made, for example because no file can have the size.
    """

    def __new__(
        cls,
        *,
        size: int,
        version: str,
        is_settled: bool,
        modified_ns: int,
        real_path: bytes,
        counts: bool,
    ) -> PartialCopy: ...
    @property
    def number(self) -> int:
        """Its number in this process."""

    @property
    def present_bytes(self) -> int:
        """How many bytes of it are present."""

    def add(self, offset: int, data: bytes) -> None:
        """Write bytes of the file, which are present from then on.

        Raises:
            OSError: They cannot be written.
            ValueError: They are after the end of the file.
        """

    def missing(self, offset: int, length: int) -> tuple[int, int] | None:
        """Return where the missing part of some bytes starts and ends; `None`: all are present."""

    def add_total(self, total: int) -> bool:
        """Record the number of line feeds in the file; return whether that agrees with what is known."""

    def add_counts(self, start: int, step: int, counts: Sequence[int]) -> bool:
        """Record the line feeds in steps of `step` bytes; return whether they agree with what is known."""

@final
class PendingRead:
    """A read that has to wait, with its file if that is open; closed when nothing refers to it any more."""

    def close(self) -> None:
        """Close the file of a read that is not continued."""

@final
class Engine:
    """The state of a reader: root descriptors, rules, limits and counters; thread-safe."""

    def __new__(
        cls,
        *,
        roots: Sequence[bytes],
        deny: Sequence[str],
        limits: Limits,
        gutter: Gutter,
        mmap: bool,
        blocks: bool,
        decompress: bool,
        formats: Sequence[tuple[str, str]],
        extensions: Sequence[tuple[str, str, bool]],
        as_text: Sequence[str],
        token_factor: float,
    ) -> Engine: ...
    @overload
    def read(
        self, path: bytes | str, request: Request | None, *, may_wait: Literal[False] = False
    ) -> TextPage | Unchanged | Opened | PendingRead: ...
    @overload
    def read(
        self,
        path: bytes | str,
        request: Request | None,
        *,
        may_wait: Literal[True],
        most: tuple[int, int, bool] | None = None,
        cancel: Cancel | None = None,
        pending: PendingRead | None = None,
        copy: PartialCopy | None = None,
    ) -> TextPage | Unchanged | Opened:
        """Read one window, with the interpreter lock held if nothing has to be waited for.

        A path is a `str` only if it is ASCII, and a request is `None` if no argument was passed.

        If it would have to wait and may not, return the pending read, which a call that may wait continues.
        `most` is a maximum of bytes, one of tokens that the core counts, and whether only whole lines are
        shown. It can only lower the maxima of the limits and of the request, whose tokens are those of the
        model: `token_factor` for each that is counted.
        With `pending` or `cancel`, release the lock at once: an earlier call has tried to hold it.
        Without `cancel`, on the main thread, check for signals, so that Ctrl-C works.
        With `copy`, the file is elsewhere: the caller has checked the path, and `NeedsBytes` is raised for
        bytes of the copy that are not present.
        """

    def read_batch(
        self,
        paths: Sequence[bytes],
        requests: Sequence[Request],
        *,
        unless: Sequence[Sequence[bytes]],
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
        cancel: Cancel | None,
        may_wait: bool = True,
        may_hang: bool = False,
        sizes_only: bool = False,
    ) -> list[TextPage | Unchanged | Opened | ReadError | int | tuple[int] | None] | None:
        """Read several files on `threads` threads; results are in order.

        Without `may_wait`, they are read in this thread if that needs no wait; otherwise the list is `None`.

        Each file has its own request, unless there is only one. A result of `None` means that the file is on
        a mount that may hang, and that `may_hang` is false; a number, that this one of its paths in `unless`
        exists. With `sizes_only`, no file is read: the size of each in bytes is in a tuple of its own.
        """

    def open(
        self,
        path: bytes,
        *,
        repair: bool,
        whole: int,
        may_wait: bool = False,
        copy: PartialCopy | None = None,
    ) -> Opened:
        """Open a file of any kind and detect its type; read all of it if it has up to `whole` bytes.

        If it may not wait, it repairs no path, and raises `BlockingIOError` if it would have to wait.
        """

    def directory(self, path: bytes, *, most: int, cancel: Cancel | None = None) -> Directory:
        """Open a directory and read the names of at most `most` entries, in order.

        `cancel` or, if it is `None`, a signal interrupts it.
        """

    def list_directory(
        self, path: bytes, *, maximum: int
    ) -> tuple[
        Iterator[tuple[bytes, Literal["directory", "file", "link", "other", "unreadable"], bool, int]], bool
    ]:
        """Return the entries of a directory, at most `maximum`, and whether these are all.

        An entry is its name, what it is with a link followed, whether it is a link, and its size in bytes.
        A link whose target is missing or may not be read has the kind "link".
        """

    def rule_of(self, path: bytes, base: bytes) -> str | None:
        """Return the deny rule that matches the absolute path of a file that is elsewhere.

        It matches the path below `base`, or as it is.
        """

    def remote_mount(self, path: bytes) -> int | None:
        """Return the mount of a path if that mount may hang, without accessing it; otherwise `None`."""

    def stats(self) -> dict[str, int]:
        """Return the counters that `Reader.stats` describes."""

@final
class Directory:
    """A directory, and the names of its entries in order, without those that deny rules match."""

    media_type: str
    """"inode/directory"."""
    is_text: bool
    """False."""
    version: str
    """Empty: the size of a file changes without a trace in its directory."""
    size_bytes: int
    """0: the size of a directory says nothing about its entries."""

    @property
    def path(self) -> str:
        """The path as given, with bytes that are not UTF-8 escaped."""

    @property
    def resolved_path(self) -> str:
        """The absolute path of the directory, with symbolic links followed."""

    @property
    def real_path(self) -> bytes:
        """The same path, as bytes for the operating system; only while it is open."""

    @property
    def state(self) -> str:
        """The state of the directory, for `since_version`."""

    @property
    def modified_ns(self) -> int:
        """The time of the last modification, in nanoseconds since 1970 in UTC."""

    notices: tuple[Notice, ...]
    """Notices about the path, and others that are set."""

    @property
    def denied(self) -> int:
        """How many entries deny rules leave out."""

    @property
    def ignored(self) -> int:
        """How many entries `leave_out` has removed."""

    @property
    def is_complete(self) -> bool:
        """Whether all names were read; otherwise there are too many."""

    def recheck(self) -> bool:
        """Return True: a listing is of the moment."""

    def __len__(self) -> int: ...
    def leave_out(self, prefix: str, rules: Sequence[IgnoreFile], cancel: Cancel | None = None) -> None:
        """Remove `.git` and the entries that ignore files name, and count them.

        `prefix` is the path of the directory in its project, with a slash.
        """

    def entry(
        self, index: int
    ) -> tuple[str, Literal["directory", "file", "link", "other", "unreadable"], bool, int, str | None]:
        """Return an entry, counted from 0, as it is now.

        It is its name, what it is with a link followed, whether it is a link, its size in bytes, and the
        path in a link, if that may be shown.
        """

    def close(self) -> None:
        """Close it."""

@final
class Notebook:
    """A notebook of nbformat 2 to 4: its text, and the positions of its cells.

    Args:
        data: The file, or its content.
        cancel: Ends the call; `None`: signals end it, if it runs on the main thread.

    Raises:
        ReadError: The file could not be read, or is not as it was when it was opened.
        ValueError: It is not a notebook; the arguments are the line, the byte in it, and a clause.
        MemoryError: There is not enough memory for a copy of the file.
        InterruptedError: The call was cancelled.
    """

    def __new__(cls, data: Opened | bytes, cancel: Cancel | None = None) -> Notebook: ...
    @property
    def nbformat(self) -> int | None:
        """The major version of the format."""

    @property
    def nbformat_minor(self) -> int | None:
        """The minor version of the format."""

    @property
    def language_info(self) -> str | None:
        """The name of the language, as the kernel reported it."""

    @property
    def kernel_language(self) -> str | None:
        """The language of the kernel's specification, or of the first cell in nbformat 2 and 3."""

    @property
    def cell_count(self) -> int: ...
    @property
    def lossy(self) -> bool:
        """Whether bytes that are not UTF-8 were replaced."""

    def show(
        self,
        start: int,
        stop: int,
        *,
        gutter: Gutter,
        max_line_chars: int,
        max_source_bytes: int,
        max_output_bytes: int,
        max_bytes: int,
        cancel: Cancel | None = None,
    ) -> list[ShownCell]:
        """Lay out cells, counted from 0; stop after the cell with which their texts exceed `max_bytes`.

        The text of a source ends after the line that reaches `max_source_bytes`; outputs of a cell are cut to
        `max_output_bytes`. The interpreter lock is released once.

        Raises:
            MemoryError: There is not enough memory for the text of the cells.
            InterruptedError: The call was cancelled, as in `Notebook`.
        """

    def images(
        self, ranges: Sequence[tuple[int, int]]
    ) -> list[bytes | Literal["missing", "empty", "bad_base64"]]:
        """Decode images by their ranges; for a damaged image, return what is wrong."""

    def cells(self, start: int, stop: int) -> list[NotebookCell]:
        """Return cells as in the file, counted from 0, whatever their size."""

@final
class Json:
    """A JSON file: how its records follow one another, and the values in it.

    Values are named by the offset of their first byte, containers also by a kind: "sequence" (values one
    after another, up to the end of the file), "list" or "object".

    Args:
        opened: The file; closing it closes this too.
        is_named_lines: Whether its name says that it has one value on each line.
        cancel: Ends the call; `None`: signals end it, if it runs on the main thread.

    Raises:
        ReadError: The file could not be read.
        InterruptedError: The call was cancelled.
    """

    def __new__(
        cls, opened: Opened, *, is_named_lines: bool = False, cancel: Cancel | None = None
    ) -> Json: ...
    @property
    def form(self) -> Literal["lines", "list", "sequence"]:
        """How its records follow one another."""

    @property
    def begin(self) -> int:
        """The offset of its first value."""

    def line(self, start: int, *, cancel: Cancel | None = None) -> Json | None:
        """Return the line that begins at an offset as a file of its own; `None` if it is blank."""

    @staticmethod
    def parse(address: str) -> tuple[int | None, list[str]]:
        """Return the number of the record that an address names, and its steps.

        Raises:
            ValueError: It is no address.
        """

    def find(
        self, kind: str, begin: int, number: int, *, cancel: Cancel | None = None
    ) -> tuple[int | None, int | None]:
        """Return the offset of an element, counted from 1, or `None` and the number of all elements."""

    def count(self, kind: str, begin: int, *, cancel: Cancel | None = None) -> int:
        """Return the number of elements."""

    def follow(
        self, begin: int, steps: list[str], *, cancel: Cancel | None = None
    ) -> tuple[Literal["list", "object", "string", "scalar"], int, bool]:
        """Return what steps lead to: its kind, its offset, and whether a key on the way is not unique.

        Raises:
            LookupError: They lead nowhere; the arguments are the number of steps that exist, the kind of
                what is there, the number of its items, and its first keys.
        """

    def rows(
        self,
        kind: str,
        begin: int,
        *,
        first: int,
        rows: int,
        chars: int,
        max_bytes: int,
        cancel: Cancel | None = None,
    ) -> tuple[list[JsonRow], int | None, bool, bool]:
        """Show elements, or with the kind "lines" lines of JSON Lines, of which the first begins at `begin`.

        Args:
            kind: The kind of the container.
            begin: Its offset.
            first: The number of the first row, counted from 1.
            rows: The most rows.
            chars: The most characters of a row.
            max_bytes: Roughly the most bytes of all rows; at least one is shown.
            cancel: As in the constructor.

        Returns:
            The rows; how many there are, if that is known; if there are none, whether there is something that
            is not JSON, and whether the container has no end.
        """

    def search(
        self,
        kind: str,
        begin: int,
        *,
        first: int,
        last: int,
        find: str,
        literal: bool,
        records: int,
        values: int,
        cancel: Cancel | None = None,
    ) -> tuple[list[tuple[int, str | None, list[tuple[str, int, str, int, int]], int]], int]:
        """Find records with values that match, and return the last record that was looked at.

        Names, strings as they are decoded, numbers and literals are looked at; of a record that is not JSON,
        its text.

        Args:
            kind: What the records are.
            begin: The offset of the container, or of the first line.
            first: The number of the first record, of lines that of the line at `begin`.
            last: The number of the last record.
            find: The text of a `Pattern`.
            literal: Whether it is matched as it is.
            records: The search ends after so many records that match.
            values: The most values of each record; 0: only whether it matches.
            cancel: Ends the call.

        Returns:
            Each record: its number, its name, its first values that match, and how many do. Each value: its
            address in the record, the line of a string (0: it is a name), the text near the first match, and
            how many characters of its line are left out before it and after it.

        Raises:
            ValueError: As of `Pattern`.
        """

    def value(self, begin: int, chars: int, *, cancel: Cancel | None = None) -> JsonRow:
        """Show one value as a line of at most `chars` characters."""

    def string_lines(
        self,
        begin: int,
        *,
        first: int,
        lines: int,
        column: int,
        chars: int,
        max_bytes: int,
        cancel: Cancel | None = None,
    ) -> tuple[list[tuple[int, str, int]], int | None, bool, bool]:
        """Decode lines of a string.

        Args:
            begin: Its offset.
            first: The first line, counted from 1.
            lines: The most lines.
            column: The first character of the first line, counted from 1.
            chars: The most characters of a line.
            max_bytes: Roughly the most bytes of all lines; at least one is returned.
            cancel: As in the constructor.

        Returns:
            The number, the text and the number of characters of each line; how many lines there are, if the
            end was reached; whether bytes that are not UTF-8 were replaced; whether the string has no end.
        """

@final
class JsonRow:
    """A record or an entry as a line."""

    @property
    def number(self) -> int:
        """Its number, counted from 1."""

    @property
    def name(self) -> str | None:
        """The key of an entry of an object, as an address writes it."""

    @property
    def text(self) -> str: ...
    @property
    def is_clipped(self) -> bool:
        """Whether some of it is left out."""

    @property
    def is_odd(self) -> bool:
        """Whether it has what JSON does not allow, and other parsers accept."""

    @property
    def is_lossy(self) -> bool:
        """Whether bytes that are not UTF-8 were replaced."""

    @property
    def is_torn(self) -> bool:
        """Whether the file ends inside of it."""

    @property
    def wrong_at(self) -> int | None:
        """The character at which it is not JSON, counted from 1."""

@final
class NotebookCell:
    """A cell as in the file, with the names of nbformat 4."""

    @property
    def kind(self) -> str:
        """Its `cell_type`."""

    @property
    def id(self) -> str | None:
        """Its identifier in the file."""

    @property
    def execution_count(self) -> int | None:
        """The number of its execution; `None` also if the file has null."""

    @property
    def source(self) -> str: ...
    @property
    def outputs(self) -> list[NotebookOutput]: ...

@final
class NotebookOutput:
    """An output as in the file, with the names of nbformat 4."""

    @property
    def kind(self) -> str:
        """Its `output_type`."""

    @property
    def name(self) -> str | None:
        """The name of a stream."""

    @property
    def execution_count(self) -> int | None:
        """The number of the execution that produced a result."""

    @property
    def ename(self) -> str | None:
        """The class of an error."""

    @property
    def evalue(self) -> str | None:
        """The message of an error."""

    @property
    def traceback(self) -> list[str]:
        """The lines of a traceback, including escape sequences."""

    @property
    def text(self) -> str:
        """The text of a stream, as in the file."""

    @property
    def data(self) -> list[tuple[str, str | None, int]]:
        """Media types, each with its text (`None` for images) and its size in the file, in bytes."""

@final
class ShownCell:
    """A cell as a page shows it."""

    @property
    def number(self) -> int:
        """Its position among the cells, counted from 1."""

    @property
    def kind(self) -> str:
        """Its `cell_type`."""

    @property
    def id(self) -> str | None:
        """Its identifier in the file."""

    @property
    def execution_count(self) -> int | None:
        """The number of its execution."""

    @property
    def source(self) -> str:
        """The source."""

    @property
    def text(self) -> str:
        """The source as lines with gutter and markers; perhaps only the first lines."""

    @property
    def more_chars(self) -> int:
        """The characters of the lines that would follow `text`."""

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """Line and character in the file at which each part of the source that is not shown starts."""

    @property
    def pictures(self) -> list[ShownImage]:
        """The images in data URLs of a Markdown source."""

    @property
    def attachments(self) -> list[ShownPart]:
        """Files that are attached to the cell."""

    @property
    def more_attachments(self) -> int:
        """The number of attachments that are not in `attachments`."""

    @property
    def outputs(self) -> list[ShownPart]: ...
    @property
    def more_outputs(self) -> int:
        """The number of outputs that are not in `outputs`."""

    @property
    def more_at(self) -> tuple[int, int] | None:
        """Line and character in the file at which those start."""

@final
class ShownPart:
    """An output or an attachment as a page shows it."""

    @property
    def kind(self) -> str:
        """Its `output_type`, or "attachment"."""

    @property
    def name(self) -> str | None:
        """The name of a stream or an attachment, or the class of an error."""

    @property
    def execution_count(self) -> int | None:
        """The number of the execution that produced a result."""

    @property
    def media_type(self) -> str | None:
        """The media type of its text; `None` if there is no text."""

    @property
    def plain(self) -> str:
        """Its text, cleaned, and cut where `text` is cut."""

    @property
    def text(self) -> str:
        """Its text as lines with gutter and markers."""

    @property
    def bytes(self) -> int:
        """The size of its whole text in bytes."""

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """Line and character in the file at which each part that is not shown starts."""

    @property
    def image(self) -> ShownImage | None: ...
    @property
    def pictures(self) -> list[ShownImage]:
        """The images in data URLs of its text."""

    @property
    def others(self) -> list[tuple[str, int]]:
        """Media types that are not shown, each with its size in the file, in bytes."""

    @property
    def more_others(self) -> int:
        """The number of media types that are not in `others`."""

    @property
    def at(self) -> tuple[int, int] | None:
        """Line and character in the file at which the first of `others` starts."""

@final
class ShownImage:
    """An image of a notebook, not decoded yet."""

    @property
    def media_type(self) -> str:
        """The media type declared in the file."""

    @property
    def bytes(self) -> int:
        """The size of the image in bytes."""

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height in pixels from its header; `None` if unknown."""

    @property
    def range(self) -> tuple[int, int]:
        """Its position in the file, for `Notebook.images`."""

@final
class ShownSlide:
    """What is on a slide."""

    @property
    def number(self) -> int:
        """Its number, counted from 1."""

    @property
    def title(self) -> str:
        """Its title in one line; empty if it has none."""

    @property
    def layout(self) -> str:
        """The name of its layout; empty if it has none."""

    @property
    def is_hidden(self) -> bool:
        """Whether it is left out when the presentation is shown."""

    @property
    def pieces(self) -> tuple[str | tuple[tuple[str, str, tuple[int, int] | None, int] | None, str], ...]:
        """Its title, then its other shapes by top and left, as Markdown; each text ends with a line feed.

        An image has what it is said to show; it is `None` if it is not in the file.
        """

    @property
    def notes(self) -> str:
        """The notes of the speaker."""

    @property
    def comments(self) -> tuple[tuple[str, str], ...]:
        """The author and the text of each comment."""

    @property
    def is_cut(self) -> bool:
        """Whether only its beginning is here, because it has more than 1 MiB of text."""

    @property
    def is_lossy(self) -> bool:
        """Whether characters could not be decoded."""

    @property
    def unseen_runs(self) -> int:
        """Pieces of text that people do not see: very small, white, or beyond the slide."""

@final
class Presentation:
    """A pptx or pptm file.

    Args:
        opened: The file; it must stay open.
        max_inflated_bytes: The most bytes that one call may inflate.
        cancel: Ends the call.

    Raises:
        UnsupportedFormatError: It is no presentation; `media_type` says what it is (as `package_type`).
        DamagedFileError, PasswordRequiredError, TooLargeError: As `package_type`; also of every other call.
        InterruptedError: The call was cancelled.
    """

    def __new__(
        cls, opened: Opened, *, max_inflated_bytes: int, cancel: Cancel | None = None
    ) -> Presentation: ...
    @property
    def media_type(self) -> str: ...
    @property
    def hidden(self) -> tuple[bool, ...]:
        """Whether each slide is hidden, in order."""

    @property
    def has_macros(self) -> bool: ...
    def show(
        self, numbers: Sequence[int], *, max_bytes: int, cancel: Cancel | None = None
    ) -> tuple[ShownSlide, ...]:
        """Return slides by their numbers, in their order.

        They end with the one that reaches `max_bytes` of text, or before one that the file does not have.
        """

@final
class SheetInfo:
    """A sheet of a workbook, in the order of its tabs."""

    @property
    def number(self) -> int:
        """Its number, counted from 1, hidden ones and charts included."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> Literal["visible", "hidden", "very_hidden"]: ...
    @property
    def kind(self) -> Literal["table", "chart", "other", "missing"]:
        """What it has: cells, a chart, something else (a dialog, Excel 4 macros), or nothing: no part."""

@final
class SheetCell:
    """A cell that has a value or a formula."""

    @property
    def column(self) -> int:
        """Its column, counted from 1."""

    @property
    def kind(self) -> Literal["empty", "number", "date", "text", "boolean", "error"]:
        """What it has; "empty": a formula without a cached value."""

    @property
    def text(self) -> str:
        """At most `max_cell_chars` characters, as displayed, or with `values="raw"` as stored.

        Nothing is escaped, and dates are in ISO form.
        """

    @property
    def chars(self) -> int:
        """The characters of the whole text."""

    @property
    def value(self) -> float | bool | str | None:
        """The number (also of a date), boolean, error, or text, clipped like `text`; `None`: nothing."""

    @property
    def formula(self) -> str | None:
        """Its formula, without `=`, clipped like `text`; `None`: none of its own."""

    @property
    def shared_with(self) -> str | None:
        """The address (`I2`) of the cell that has the formula that this one shares; `None` if it shares none.

        Only `values="formulas"` looks for a cell that is before the window; otherwise it may be "".
        """

    @property
    def image(self) -> str | None:
        """The part of the image that it shows, if its value is one."""

@final
class SheetRow:
    """A row that has a cell to show."""

    @property
    def number(self) -> int:
        """The number in the file, as Excel shows it."""

    @property
    def is_hidden(self) -> bool: ...
    @property
    def unseen(self) -> int:
        """How many of its cells people do not see, because of their formatting."""

    @property
    def cells(self) -> tuple[SheetCell, ...]:
        """By column; those of the columns that were requested. Empty if the row only has cells in others."""

@final
class SheetRows:
    """A window of a sheet, and what is known about the sheet."""

    @property
    def rows(self) -> tuple[SheetRow, ...]:
        """Rows without any value or formula are left out."""

    @property
    def next_row(self) -> int | None:
        """The number of the first row with content after the window; `None` if there is none."""

    @property
    def total_rows(self) -> int | None:
        """The number of the last row with content (0: none), if the sheet was read to its end once."""

    @property
    def dimension(self) -> tuple[int, int, int, int] | None:
        """First row, first column, last row, last column, as the file declares them; often wrong."""

    @property
    def hidden_columns(self) -> tuple[tuple[int, int], ...]:
        """First and last column of each hidden group, at most 100 groups."""

    @property
    def merged(self) -> tuple[tuple[int, int, int, int], ...] | None:
        """The first 20 merged areas, as `dimension`; `None`: they are at the end, which was not read yet.

        A sheet whose XML has up to 4 MiB is always read to its end.
        """

    @property
    def merged_count(self) -> int:
        """How many merged areas there are; 0 if that is not known."""

    @property
    def links(self) -> list[tuple[tuple[int, int, int, int], str]]:
        """The areas of up to 1,024 links on these rows, and their targets; none until the end was reached."""

    @property
    def unknown_formats(self) -> tuple[str, ...]:
        """At most 10 number formats that were not understood, whose numbers are shown as stored."""

    @property
    def is_unordered(self) -> bool:
        """Whether rows or cells of the sheet are out of order in the file (they are sorted here)."""

    @property
    def is_lossy(self) -> bool:
        """Whether characters could not be decoded."""

    @property
    def is_verified(self) -> bool:
        """Whether the sheet was read to its end and has the right CRC-32."""

@final
class Workbook:
    """An xlsx or xlsm file. What it learns is kept for the state of the file.

    Args:
        opened: The file; it must stay open.
        max_inflated_bytes: The most bytes that one call may inflate.
        cancel: Ends the call.

    Raises:
        UnsupportedFormatError: It is no workbook; `media_type` says what it is (as `package_type`).
        DamagedFileError, PasswordRequiredError, TooLargeError: As `package_type`; also of every other call.
        InterruptedError: The call was cancelled.
    """

    def __new__(
        cls, opened: Opened, *, max_inflated_bytes: int, cancel: Cancel | None = None
    ) -> Workbook: ...
    @property
    def media_type(self) -> str: ...
    @property
    def sheets(self) -> tuple[SheetInfo, ...]:
        """At most 4,096."""

    @property
    def is_1904(self) -> bool:
        """Whether dates count from 1904."""

    @property
    def has_macros(self) -> bool: ...
    @property
    def has_external_links(self) -> bool: ...
    @property
    def has_no_styles(self) -> bool:
        """Whether its styles are missing or damaged."""

    def find(self, sheet: str | int) -> SheetInfo:
        """Return a sheet by its number, counted from 1, or its name.

        Letter case and spaces around the name matter only if several names would be the same.

        Raises:
            NoSuchSheetError: There is none.
        """

    def refers_to(self, name: str, *, sheet: int | None = None, cancel: Cancel | None = None) -> str | None:
        """Return what a defined name refers to, as written, or the cells of a table: "Orders!$A$1:$C$9".

        Args:
            name: The name, in any case.
            sheet: The number of a sheet, to look only for names that belong to it.
            cancel: Ends the call.
        """

    def rows(
        self,
        sheet: int,
        *,
        first: int,
        last: int,
        most: int,
        columns: Sequence[tuple[int, int]] = ...,
        values: Literal["shown", "raw", "formulas"] = "shown",
        max_cell_chars: int,
        max_bytes: int,
        cancel: Cancel | None = None,
    ) -> SheetRows:
        """Return rows of the sheet with a number.

        Args:
            sheet: The number of the sheet. A chart has no rows.
            first: The first row, counted from 1.
            last: The last row.
            most: The most rows with content.
            columns: First and last column of each group; empty: all.
            values: What `text` shows; "formulas" is "shown", and finds the owners of shared formulas.
            max_cell_chars: The most characters of a cell, at most 65,536.
            max_bytes: The rows end after the one that reaches this many bytes of text in UTF-8.
            cancel: Ends the call; `None`: signals end it, if it runs on the main thread.
        """

    def search(
        self,
        sheet: int,
        *,
        first: int,
        last: int,
        most: int,
        columns: Sequence[tuple[int, int]] = ...,
        values: Literal["shown", "raw", "formulas"] = "shown",
        find: str,
        literal: bool,
        cancel: Cancel | None = None,
    ) -> tuple[list[int], int | None]:
        """Return the numbers of rows that match, and the last row looked at; `None`: all were looked at.

        Args:
            sheet: The number of the sheet.
            first: The first row, counted from 1.
            last: The last row.
            most: The search ends when so many rows are found.
            columns: First and last column of each group; empty: all.
            values: What is looked at, as of `rows`, and the numbers that are stored.
            find: The text of a `Pattern`.
            literal: Whether it is matched as it is.
            cancel: Ends the call.

        Raises:
            ValueError: As of `Pattern`.
        """

    def drawings(
        self, sheet: int, *, cancel: Cancel | None = None
    ) -> list[
        tuple[
            int,
            int,
            Literal["image", "chart", "object", "comment", "text", "missing", "damaged", "others"],
            str,
            str,
        ]
    ]:
        """Return what lies on the sheet with a number, and the comments on its cells.

        Each has the row and the column of the cell at its top left corner, what it is, its part or the author
        of a comment, and its text; they are in this order. Of a part that is missing or damaged, one says so.
        """

    def pictures(
        self, parts: list[str], *, cancel: Cancel | None = None
    ) -> list[tuple[str, str, tuple[int, int] | None, int] | None]:
        """Return what the first bytes of each image tell; `None` if there is no such part."""

    def charts(self, parts: list[str], *, cancel: Cancel | None = None) -> list[str]:
        """Return the mark of each chart, `[chart: title; N series: names]`."""

    def count(self, sheet: int, *, cancel: Cancel | None = None) -> int:
        """Return the number of the last row with content; reads the sheet to its end the first time."""

def clear_caches() -> None:
    """Drop the line indexes, positions, workbooks and other facts about files that this process keeps.

    They are found again when they are needed. `Limits.index_bytes` limits them in any case.

    Example:
        >>> anyread.clear_caches()
    """

def b64encode(data: bytes) -> str:
    """Encode bytes as base64 without line feeds; over 64 KiB, the interpreter lock is released."""

def count_tokens(text: str, tokenizer: str | None) -> int:
    """Count the tokens of a text with the named tokenizer; `None`: estimate them."""

def thread_waits() -> int | None:
    """Return how many times work of this thread has waited without the GIL; `None`: that is not counted."""

def detect_encoding(data: bytes, requested: str | None) -> tuple[str, float]:
    """Detect the encoding of a part of a text that begins at a line.

    Args:
        data: The bytes; an incomplete character at their end is no evidence.
        requested: The encoding that the caller named, of which only the byte order is detected; `None`: none.

    Returns:
        The name of an equivalent Python codec, and the confidence in it, from 0 to 1.
    """

def display_path(path: bytes) -> str:
    r"""Return a path as text, with bytes that are not UTF-8 written as `\xff`."""

def enter_sandbox(*, readable_directories: Sequence[bytes]) -> list[str]:
    """Restrict this process permanently: it can only read some directories and make some system calls.

    Return the names of the restrictions in effect, "files" and "system_calls"; a kernel may lack one.
    """

def open_passed(descriptor: int, size_bytes: int) -> Opened:
    """Open a file that another process has passed to this one, for the functions that read its bytes.

    Args:
        descriptor: Its descriptor, on Windows its handle, which is copied.
        size_bytes: Where it ends.

    Raises:
        OSError: It cannot be copied.
    """

def count_values(json: bytes) -> int:
    """Return how many values a JSON text has at most, without parsing it or holding the interpreter lock."""

def json_string(text: str) -> str:
    """Write a text as a JSON string in which only those characters are escaped that JSON requires.

    Raises:
        UnicodeEncodeError: The text has a lone surrogate.
    """

@final
class IgnoreFile:
    """The rules of an ignore file such as `.gitignore`.

    Args:
        text: The content of the file.
        directory: Its directory, relative to that of the project; "": that one.
        as_git: Whether case, and white space before a pattern, matter.
    """

    def __new__(cls, text: str, directory: str, *, as_git: bool = False) -> IgnoreFile: ...
    @property
    def size_bytes(self) -> int:
        """The size of the text in UTF-8, in which each pattern counts 32 bytes more."""

    @staticmethod
    def size_of(text: str) -> int:
        """Return `size_bytes` without compiling the rules."""

    @property
    def is_complete(self) -> bool:
        """Whether no pattern was left out because it is over 4 KiB."""

    def moved_to(self, directory: str) -> IgnoreFile:
        """Return the same rules for another directory; both share what is compiled."""

def ignored_names(
    directory: str, names: Sequence[str], files: Sequence[IgnoreFile], cancel: Cancel | None = None
) -> list[bool]:
    """Return which of the names in a directory are ignored, without the interpreter lock.

    Args:
        directory: The directory, relative to that of the project, with a slash at its end; "": that one.
        names: The names; those of directories have a slash at their end.
        files: As in `is_ignored`.
        cancel: Once it is set, the names that follow are left out.
    """

def is_ignored(path: str, files: Sequence[IgnoreFile]) -> bool:
    """Return whether a file is ignored, or a directory that holds it; the last rule for a path decides.

    Args:
        path: The file, relative to the directory of the project, with slashes; with a slash at its end, a
            directory.
        files: The ignore files that apply to it.
    """

@final
class DocumentLines:
    """Lines of a document, and what was found on the way to them."""

    @property
    def text(self) -> str | None:
        """The lines, joined by line feeds; `None` if there are none."""

    @property
    def special(
        self,
    ) -> list[tuple[int, int, list[tuple[int, tuple[str, str, tuple[int, int] | None, int]]]]]:
        """Those of which the text is cut or has images.

        Number, characters of the whole line, and images, each after so many characters of it.

        An image is the name of its part, its media type, width and height in pixels if its header has them,
        and its size in bytes; also for the other calls that return one.
        """

    @property
    def total(self) -> int | None:
        """The number of all lines, if the end was reached."""

    @property
    def images(self) -> int:
        """How many images there were so far."""

    @property
    def tracked_changes(self) -> int:
        """Insertions, deletions and moves so far, of which the final state is shown."""

    @property
    def hidden_runs(self) -> int:
        """Pieces of hidden text so far, which are left out."""

    @property
    def unseen_runs(self) -> int:
        """Pieces of text so far that people do not see, as white ones; they are shown."""

    @property
    def has_unknown_labels(self) -> bool:
        """Whether labels of lists so far are decimal because their format is not known."""

    @property
    def is_lossy(self) -> bool:
        """Whether characters could not be decoded."""

    @property
    def has_macros(self) -> bool: ...

def document_lines(
    opened: Opened,
    *,
    first: int,
    lines: int,
    column: int,
    chars: int,
    max_bytes: int,
    max_inflated_bytes: int,
    cancel: Cancel | None = None,
) -> DocumentLines:
    """Return lines of a Word document as Markdown.

    Args:
        opened: The file; it must stay open.
        first: The first line, counted from 1.
        lines: The most lines.
        column: The first character of the first line, counted from 1.
        chars: The most characters of a line.
        max_bytes: The lines end after the one that reaches this many bytes of text in UTF-8.
        max_inflated_bytes: The most bytes that the call may inflate.
        cancel: Ends the call; `None`: signals end it, if it runs on the main thread.

    Raises:
        UnsupportedFormatError: It is no document; `media_type` says what it is (as `package_type`).
        DamagedFileError, PasswordRequiredError, TooLargeError: As `package_type`.
        InterruptedError: The call was cancelled.
    """

def chart_points(
    opened: Opened,
    number: int,
    *,
    first: int,
    most: int,
    max_inflated_bytes: int,
    cancel: Cancel | None = None,
) -> tuple[str, list[str], int] | None:
    """Return what is above the points of a chart, a line for each of some points, and how many there are.

    Args:
        opened: The file; it must stay open.
        number: The number of the chart in the order of the file, counted from 1.
        first: The first point, counted from 1.
        most: The most points that are returned.
        max_inflated_bytes: The most bytes that may be decompressed.
        cancel: Ends the call; `None`: signals end it, if it runs on the main thread.

    Returns:
        These three; `None` if there is no such chart.

    Raises:
        DamagedFileError: The file is damaged.
        TooLargeError: More would be decompressed or kept than may be.
        PasswordRequiredError: It is encrypted.
        InterruptedError: The call was cancelled.
    """

def package_part(opened: Opened, part: str, *, max_bytes: int, cancel: Cancel | None = None) -> bytes:
    """Return all bytes of a part of a package, such as an image.

    Args:
        opened: The file; it must stay open.
        part: The name of the part.
        max_bytes: The most bytes that it may have.
        cancel: Ends the call; `None`: signals end it, if it runs on the main thread.

    Raises:
        DamagedFileError: It is missing, or its bytes have another checksum or size than the file says.
        TooLargeError: It has more bytes than `max_bytes`.
        PasswordRequiredError: It is encrypted.
        InterruptedError: The call was cancelled.
    """

def package_type(opened: Opened, *, cancel: Cancel | None = None) -> str:
    """Return the media type of a zip or OLE file by its content, whatever its name.

    The content types and relationships of a package decide whether it is a workbook, a document or a
    presentation, for example `application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`.
    Another zip is `application/zip`; OLE without an encrypted package is `application/x-ole-storage`.

    Raises:
        DamagedFileError: The directory of the zip, or one of these parts, is damaged.
        PasswordRequiredError: It is an encrypted package.
        TooLargeError: It has more than 65,536 members.
    """

def openat2_errno() -> int | None:
    """Return the error number with which `openat2` fails in this process; `None` if it works."""

def can_map() -> bool:
    """Return whether scans of large files may map them; this may install the guard's handler of SIGBUS."""

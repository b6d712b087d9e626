"""The core, written in Rust.

It raises the leaves of `anyread.errors` and fills the classes of `anyread.results`.
"""

from collections.abc import Callable, Sequence
from typing import Literal, final

from .arguments import Request
from .errors import ReadError
from .gutter import Gutter
from .limits import Limits
from .results import Notice, TextPage, Unchanged

__all__ = [
    "Cancel",
    "Content",
    "Engine",
    "Layout",
    "Notebook",
    "NotebookCell",
    "NotebookOutput",
    "Opened",
    "PendingRead",
    "ShownCell",
    "ShownPart",
    "ShownPicture",
    "Utf8Check",
    "Window",
    "__version__",
    "b64encode",
    "count_tokens",
    "display_path",
    "drop_indexes",
    "enter_sandbox",
]

__version__: str

@final
class Cancel:
    """A flag that stops one call: set it from any thread, and the call ends within milliseconds."""

    def __new__(cls) -> Cancel: ...
    def cancel(self) -> None:
        """Ask the call to stop; it raises `InterruptedError` where it runs."""

    @property
    def scanned_bytes(self) -> int:
        """Bytes that the call has scanned so far."""

@final
class Content:
    """The text of one window, not yet decoded."""

    def decode(self) -> str:
        """Decode it, with exact line endings and without gutter, marker or footer."""

@final
class Opened:
    """A file that is opened and recognized; closed when nobody holds it any more."""

    @property
    def path(self) -> str:
        """The path as given, bytes that are not UTF-8 escaped."""

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, links followed."""

    @property
    def kind(self) -> str:
        """What it is: "text", "image", "pdf", "notebook" or "binary"."""

    @property
    def media_type(self) -> str:
        """The media type that its bytes say."""

    @property
    def size_bytes(self) -> int:
        """Its size in bytes."""

    @property
    def modified_ns(self) -> int:
        """When it was last modified, nanoseconds since 1970 in UTC."""

    @property
    def version(self) -> str:
        """Its state; empty while a rewrite could go unseen."""

    @property
    def stamp(self) -> tuple[int, int, int, int, int]:
        """Device, inode, size, and when content and metadata last changed, as `os.stat` has them."""

    @property
    def head(self) -> bytes:
        """Those of its first bytes that are in memory."""

    @property
    def is_whole(self) -> bool:
        """Whether `head` is all of it, as it was in one moment."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is to be known of how it was found."""

    def fileno(self) -> int:
        """Return the descriptor, open for reading."""

    def read(self, maximum: int) -> bytes:
        """Return its first bytes, at most `maximum`; of a file of `/proc` as many as there are."""

    def recheck(self) -> bool:
        """Return whether it still is what was opened."""

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
    ) -> Window:
        """Read lines as text in a layout, whatever the bytes look like; the interpreter lock is released.

        Args:
            offset: The first line, counted from 1; negative: from the end.
            limit: The most lines.
            layout: How they look.
            column: The first character of the first line, counted from 1.
            encoding: The encoding; `None`: the detected one.
            first_number: The number shown before the first line; `None`: its own.
            cancel: Stops the call; without it signals are looked for on the main thread.

        Raises:
            FileChangedError: The bytes were changed in place after the file was opened.
            OverBudgetError: The lines do not fit, in a layout that refuses them.
            BadArgumentError: There is no such encoding.
            InterruptedError: It was cancelled.
        """

    def window_now(
        self,
        offset: int,
        limit: int,
        layout: Layout,
        *,
        column: int = 1,
        encoding: str | None = None,
        first_number: int | None = None,
    ) -> Window | None:
        """Do the same if nothing needs to be waited for, with the interpreter lock held; else `None`."""

    def sha256(self, cancel: Cancel | None = None) -> str:
        """Return the SHA-256 of all its bytes in hexadecimal digits.

        This and the other facts are kept for each version of a file. They release the interpreter lock, and
        raise `FileChangedError` if the bytes change while they are read.
        """

    def sha256_now(self) -> str | None:
        """Return it if it is known or quickly found, else `None`."""

    def check_utf8(self, cancel: Cancel | None = None) -> Utf8Check:
        """Find out whether all its bytes are UTF-8."""

    def check_utf8_now(self) -> Utf8Check | None:
        """Return it if it is known or quickly found, else `None`."""

    def find_nul(self, cancel: Cancel | None = None) -> int:
        """Find its first NUL; -1: it has none."""

    def find_nul_now(self) -> int | None:
        """Return it if it is known or quickly found, else `None`."""

    def count_tokens(self, tokenizer: str, cancel: Cancel | None = None) -> int:
        """Count the tokens of all its bytes, decoded as UTF-8 with U+FFFD for what is not."""

    def count_tokens_now(self, tokenizer: str) -> int | None:
        """Return them if they are known or quickly found, else `None`."""

@final
class Utf8Check:
    """Whether all bytes of a file are UTF-8."""

    @property
    def is_valid(self) -> bool:
        """Whether they are."""

    @property
    def index(self) -> int:
        """Offset of the first byte that is not part of a character; the size of the file if all are."""

    @property
    def length(self) -> int | None:
        """How many bytes from there on are invalid together; `None`: the file ends within a character."""

@final
class Layout:
    """How lines look, in a contract: what a line is, its number, what is cut, and how much fits.

    Args:
        line_ends: What ends a line; "detected": LF and CR LF, or CR in a file without LF; "splitlines": as
            `str.splitlines`.
        final_newline: Whether a line ending at the end of the file ends the last line, or starts one more.
        before: Text before each number.
        separator: Text after each number; `None`: no numbers.
        width: The least columns of a number, right-aligned; "last": as many as the last number shown has;
            "total": as many as the number of lines in the file has.
        splits_again: Whether the lines shown are joined and split again before they are numbered, as some
            tools do: a CR at the end of each but the last is left out, and so is a last line that is empty.
        clip_unit: The unit of the lengths of a line.
        clip_length: A line of more units is cut; `None`: none is.
        clip_keep: The units that are kept of it; `None`: `clip_length`.
        clip_round: Whether a character that the cut goes through is left out or kept.
        clip_marker: Text after the cut.
        budget: The most units of a window; `None`: no limit.
        budget_unit: The unit.
        budget_of: What counts: "text": lines and the line feeds between them; "lines": lines and their
            numbers; "answer": all three.
        over_budget: Whether a window ends before the line that does not fit, after the one that reaches the
            budget, or is an error.
        tokenizer: A tokenizer's name, or a function that counts the tokens of a text; `None`: an estimate.
        max_bytes: The most bytes of a window in UTF-8, besides the budget; `None`: no limit.
        cr: What happens to a carriage return in a line.
        bom: What happens to a byte order mark.
        nul: What happens to NUL characters.
        total: Whether the lines of the file are counted; "known": only where that costs nothing.

    Raises:
        ValueError: There is no such value.
    """

    def __new__(
        cls,
        *,
        line_ends: Literal["detected", "lf", "lf+crlf", "lf+crlf+cr", "splitlines"] = "lf+crlf",
        final_newline: Literal["ends", "starts"] = "ends",
        before: str = ...,
        separator: str | None = None,
        width: int | Literal["last", "total"] = ...,
        splits_again: bool = False,
        clip_unit: Literal["chars", "utf16", "bytes"] = "chars",
        clip_length: int | None = None,
        clip_keep: int | None = None,
        clip_round: Literal["down", "up"] = "down",
        clip_marker: str = ...,
        budget: int | None = None,
        budget_unit: Literal["bytes", "chars", "utf16", "tokens"] = "bytes",
        budget_of: Literal["text", "lines", "answer"] = "answer",
        over_budget: Literal["stop", "after", "error"] = "stop",
        tokenizer: str | Callable[[str], int] | None = None,
        max_bytes: int | None = None,
        cr: Literal["keep", "drop", "show"] = "keep",
        bom: Literal["keep", "drop", "show"] = "keep",
        nul: Literal["keep", "drop", "show", "error"] = "keep",
        total: Literal["always", "known", "never"] = "always",
    ) -> Layout: ...
    def window(self, text: bytes, offset: int, limit: int, *, first_number: int | None = None) -> Window:
        """Show lines of a text in memory, which is in UTF-8; the interpreter lock is released.

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
    """Some lines of a file in one layout."""

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
        """The lines of the file, if they are counted."""

    @property
    def next(self) -> tuple[int, int] | None:
        """Line and column at which the next window begins; `None`: this one ends with the file."""

    @property
    def clipped(self) -> tuple[int, ...]:
        """The lines that were cut."""

    @property
    def start_byte(self) -> int:
        """Offset in the file of the first byte that is shown."""

    @property
    def end_byte(self) -> int:
        """Offset in the file of the byte after the last line that is shown."""

    @property
    def final_newline(self) -> bool:
        """Whether the file ends with a line ending."""

    @property
    def is_over_budget(self) -> bool:
        """Whether the window ends because of the budget."""

    @property
    def lossy(self) -> bool:
        """Whether something could not be shown as it is."""

@final
class PendingRead:
    """A read that has to wait, with its file if that is open; closed when nothing refers to it any more."""

    def close(self) -> None:
        """Close the file of a read that nobody waits for any more."""

@final
class Engine:
    """The reader's own state: root descriptors, rules, limits and counters; safe for threads."""

    def __new__(
        cls,
        *,
        roots: Sequence[bytes],
        deny: Sequence[str],
        limits: Limits,
        gutter: Gutter,
        mmap: bool,
        notebook_cells: bool,
    ) -> Engine: ...
    def read_now(self, path: bytes, request: Request) -> TextPage | Unchanged | Opened | PendingRead:
        """Read one window if that needs no waiting, with the interpreter lock held.

        A read that has to wait is returned as it is, for `read` to continue.
        """

    def read(
        self,
        path: bytes,
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        cancel: Cancel | None,
        pending: PendingRead | None = None,
    ) -> TextPage | Unchanged | Opened:
        """Read one window; the interpreter lock is released once.

        `max_bytes` and `max_tokens` tighten those of the limits for this call.
        With `pending` it continues that read, whose file may be open already.
        Without `pending` and without `cancel` it first tries as `read_now` does.
        Without `cancel`, on the main thread, signals are looked for, so that Ctrl-C works.
        """

    def read_batch(
        self,
        paths: Sequence[bytes],
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
        cancel: Cancel | None,
    ) -> list[TextPage | Unchanged | Opened | ReadError | None]:
        """Read the same window of several files on `threads` threads; results are in order.

        `None` stands for a file on a mount whose calls may hang.
        """

    def open(self, path: bytes, *, repair: bool, whole: int) -> Opened:
        """Open and recognize a file of any kind; read it whole if it has up to `whole` bytes."""

    def open_now(self, path: bytes, *, whole: int) -> Opened | None:
        """Do the same, without repair with the interpreter lock held; `None`: it had to wait."""

    def remote_mount(self, path: bytes) -> int | None:
        """Return which mount a path leads into whose calls may hang, without asking it; else `None`."""

    def stats(self) -> dict[str, int]:
        """Count the paths that reads have taken."""

@final
class Notebook:
    """A notebook of nbformat 2 to 4: its text, and where its cells are.

    Raises:
        ValueError: It is no notebook; its arguments are line, byte of the line, and a clause.
    """

    def __new__(cls, data: bytes) -> Notebook: ...
    @property
    def nbformat(self) -> int | None:
        """The major version of the format."""

    @property
    def nbformat_minor(self) -> int | None:
        """The minor version of the format."""

    @property
    def language_info(self) -> str | None:
        """The name of the language, as the kernel gave it."""

    @property
    def kernel_language(self) -> str | None:
        """The language of the kernel's specification, or of the first cell in nbformat 2 and 3."""

    @property
    def cell_count(self) -> int:
        """How many cells it has."""

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
    ) -> list[ShownCell]:
        """Lay out cells, counted from 0; the first that takes their texts over `max_bytes` is the last.

        `max_source_bytes` and `max_output_bytes` are a cell's; the interpreter lock is released once.
        """

    def pictures(self, ranges: Sequence[tuple[int, int]]) -> list[bytes | str]:
        """Decode images by their ranges; a damaged one is a clause that says why."""

    def cells(self, start: int, stop: int) -> list[NotebookCell]:
        """Return cells as they are written, counted from 0, whatever their size."""

@final
class NotebookCell:
    """A cell as it is written, under the names of nbformat 4."""

    @property
    def kind(self) -> str:
        """Its `cell_type`."""

    @property
    def id(self) -> str | None:
        """Its name in the file."""

    @property
    def execution_count(self) -> int | None:
        """The number of its execution; `None` also where the file has a null."""

    @property
    def source(self) -> str:
        """What was typed."""

    @property
    def outputs(self) -> list[NotebookOutput]:
        """What came out."""

@final
class NotebookOutput:
    """An output as it is written, under the names of nbformat 4."""

    @property
    def kind(self) -> str:
        """Its `output_type`."""

    @property
    def name(self) -> str | None:
        """The name of a stream."""

    @property
    def execution_count(self) -> int | None:
        """The execution that a result is of."""

    @property
    def ename(self) -> str | None:
        """The class of an error."""

    @property
    def evalue(self) -> str | None:
        """The message of an error."""

    @property
    def traceback(self) -> list[str]:
        """The lines of a traceback, escape sequences and all."""

    @property
    def text(self) -> str:
        """The text of a stream, as it was written."""

    @property
    def data(self) -> list[tuple[str, str | None, int]]:
        """Media types, with their text (`None` for images) and the bytes that they take in the file."""

@final
class ShownCell:
    """A cell as a page shows it."""

    @property
    def number(self) -> int:
        """Its place among the cells, counted from 1."""

    @property
    def kind(self) -> str:
        """Its `cell_type`."""

    @property
    def id(self) -> str | None:
        """Its name in the file."""

    @property
    def execution_count(self) -> int | None:
        """The number of its execution."""

    @property
    def source(self) -> str:
        """What was typed, cut where the text is."""

    @property
    def text(self) -> str:
        """What was typed as lines with gutter and markers."""

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """Line and character of the file where parts of the source that are not shown begin."""

    @property
    def attachments(self) -> list[ShownPart]:
        """Files that its text refers to."""

    @property
    def more_attachments(self) -> int:
        """How many more of those it has."""

    @property
    def outputs(self) -> list[ShownPart]:
        """What came out."""

    @property
    def more_outputs(self) -> int:
        """How many more outputs it has."""

    @property
    def more_at(self) -> tuple[int, int] | None:
        """Line and character of the file where those begin."""

@final
class ShownPart:
    """An output or an attachment as a page shows it."""

    @property
    def kind(self) -> str:
        """Its `output_type`, or "attachment"."""

    @property
    def name(self) -> str | None:
        """The name of a stream or an attachment, the class of an error."""

    @property
    def execution_count(self) -> int | None:
        """The execution that a result is of."""

    @property
    def media_type(self) -> str | None:
        """What its text is; `None` if there is no text."""

    @property
    def plain(self) -> str:
        """Its text, cleaned, and cut where the shown text is."""

    @property
    def text(self) -> str:
        """Its text as lines with gutter and markers."""

    @property
    def bytes(self) -> int:
        """Bytes of its whole text."""

    @property
    def hidden(self) -> list[tuple[int, int]]:
        """Line and character of the file where parts that are not shown begin."""

    @property
    def picture(self) -> ShownPicture | None:
        """Its image."""

    @property
    def others(self) -> list[tuple[str, int]]:
        """Media types that are not shown, with the bytes that they take in the file."""

    @property
    def more_others(self) -> int:
        """How many more of those it has."""

    @property
    def at(self) -> tuple[int, int] | None:
        """Line and character of the file where it begins, if nothing of it is shown."""

@final
class ShownPicture:
    """An image that is not decoded yet."""

    @property
    def media_type(self) -> str:
        """The media type that the file gives."""

    @property
    def bytes(self) -> int:
        """Bytes of the image."""

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height in pixels by its header, if it tells."""

    @property
    def range(self) -> tuple[int, int]:
        """Where the file has it."""

def drop_indexes() -> None:
    """Forget the line indexes of all files in this process, and what else is known of whole files.

    They are made again when they are needed; `Limits.index_bytes` bounds them anyway.

    Example:
        >>> anyread.drop_indexes()
    """

def b64encode(data: bytes) -> str:
    """Encode bytes as base64, without line feeds; the interpreter lock is released over 64 KiB."""

def count_tokens(text: str, tokenizer: str | None) -> int:
    """Count the tokens of a text by the named tokenizer; `None` estimates them."""

def display_path(path: bytes) -> str:
    r"""Spell a path as text: bytes that are not UTF-8 as `\xff`."""

def enter_sandbox(*, readable_folders: Sequence[bytes]) -> list[str]:
    """Shut this process in for good, but for reading some directories.

    Returns the names of the walls that stand: "files", "system_calls"; a kernel may lack one.
    """

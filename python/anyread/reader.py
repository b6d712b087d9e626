"""The reader, which performs every read, and the default reader of `anyread.read`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from time import perf_counter
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, Never, Self, TypeAlias, TypeVar, Unpack, cast, overload

from . import lazy
from ._native import Opened
from .arguments.gutter import Gutter
from .arguments.limits import Limits
from .arguments.other_names import reports_others, unknown
from .arguments.paths import AnyPath, displayed, encoded, real_path, working_directory
from .arguments.request import (
    ARGUMENTS,
    DEFAULTS,
    LARGEST,
    WINDOW,
    ReadArguments,
    Request,
    WindowArguments,
    checked,
    literal,
    requested,
)
from .arguments.settings import require_choice, require_texts, require_type
from .arguments.types import VALUES
from .engine import ReaderEngine
from .errors import BadArgumentError, DirectoryError, NotFoundError, ReadError, WrongKindError
from .errors.decoding import log_end
from .reading.paging import Pages, PagesSync
from .results import TextPage, Unchanged

# Loaded here, because an import in the first wait of a process would delay the event loop.
from .running import loop, threads
from .running.calls import INLINE_BYTES, at_end, current_call, running_call, work
from .running.deadline import call_deadline
from .running.inline import BUDGET_S, turn
from .values import replaced

if TYPE_CHECKING:
    from ._native import Cancel, Directory
    from .formats.budget import Budget
    from .formats.parts import How
    from .results import Notice
    from .running.calls import WorkTarget


_T = TypeVar("_T")
PathOrPlace: TypeAlias = "AnyPath | lazy.Place"
"""What `read_many` accepts: a path, a place as a string, or one that `anyread.places` found."""
SETTINGS = (
    "roots", "deny", "limits", "gutter", "notebook", "mmap", "pdf_passwords", "directories", "context",
    "values", "mounts", "decompress",
)  # fmt: skip
"""The arguments of a reader besides its model and its session, each also an attribute."""


def _unknown(function: str, others: Mapping[str, object], **given: int | None) -> TypeError:
    """Return the error for names that a function does not have; `given` are those that it has."""
    known = tuple(ARGUMENTS) if given else ("limits", "model", "gutter", "session", *SETTINGS)
    named = {name: value for name, value in given.items() if value != DEFAULTS[name]}  # type: ignore[literal-required] # its names
    return unknown(function, {**named, **others}, known)


def _unpickled(kind: type[Reader], made_with: dict[str, Any]) -> Reader:
    return kind(**made_with)


def _below_home(rule: str) -> str:
    """Return a deny rule with the home directory of this process instead of `~`."""
    if not rule.startswith(("~/", f"~{os.sep}")):
        return rule
    # Characters of its name that would be wildcards match only themselves.
    home = "".join(f"[{each}]" if each in "*?[]{}" else each for each in os.path.expanduser("~"))  # noqa: PTH111
    return home.rstrip("/") + rule[1:]


class Reader:
    """Read files within roots, deny rules and limits; thread-safe, and usable on any event loop.

    A copy is the same reader. One that was pickled, for another process, has no session.

    Args:
        roots: Directories that may be read, with everything below them; a list, or a single path. Nothing
            outside is opened, whatever links exist. Relative paths are relative to the first root. A root
            that is relative itself is below the working directory at this time. Empty: any path may be
            read, relative to the working directory.
        deny: Globs of files that are refused, such as `**/*.bak`, matched against both the real path
            and the path as passed. "secrets", alone or in the list, refuses files that usually hold
            credentials: environment files, private keys, and what docs/security.md lists.
        limits: Limits on what a read shows and costs.
        model: What the model that sees the results accepts: a `Model`, or a name for `Model.named`, such as
            "claude-sonnet-5" or "anthropic"; `None`: `Model.any()`.
        gutter: The format of line numbers.
        session: The session that records reads; `None`: reads are not recorded.
        notebook: Show notebooks as "cells", or as their "raw" JSON.
        mmap: "auto" may map large files into memory for scans, "never" does not.
        pdf_passwords: Passwords to try on encrypted PDFs, in order.
        directories: Whether a directory is an "error", or returns a page with a "list" of its entries;
            `None`: an error, except that this library's own tool lists it. Other contracts always refuse it.
        context: What is shown around a line of a text that is named without a range: the "block" that it is
            in, such as its function, or ten "lines" before and after it.
        values: What is shown of the cells of a workbook: "shown" as displayed, "raw" as stored, "formulas"
            with their formulas.
        mounts: Where the files below some absolute paths are, if not on this machine: for each path a store,
            such as `anyread.sources.Commands`. These files can be read with and without roots; without
            roots, no others can, and relative paths are below the first mount.
        decompress: Whether the text in a gzip file is read, instead of refusing the file. `version`,
            `size_bytes`, roots and deny rules are about the file itself; a rule for `a.key` also refuses
            `a.key.gz`.
        **others: There are no others; a `TypeError` says what was probably meant.

    Raises:
        ValueError: An argument has an invalid value, such as an unknown name of a model.
        TypeError: An argument has the wrong type.
        ReadError: A root cannot be opened.

    Example:
        >>> async with anyread.Reader(roots=["/repo"], deny="secrets") as reader:
        ...     page = await reader.read("src/main.py")
    """

    @reports_others
    def __init__(
        self,
        *,
        roots: AnyPath | Iterable[AnyPath] = (),
        deny: Literal["secrets"] | Iterable[str] = (),
        limits: Limits | None = None,
        model: lazy.Model | str | None = None,
        gutter: Gutter = Gutter.TAB,
        session: lazy.Session | None = None,
        notebook: Literal["cells", "raw"] = "cells",
        mmap: Literal["auto", "never"] = "auto",
        pdf_passwords: Iterable[str] = (),
        directories: Literal["error", "list"] | None = None,
        context: Literal["block", "lines"] = "block",
        values: Literal["shown", "raw", "formulas"] = "shown",
        mounts: Mapping[str, lazy.Store] = MappingProxyType({}),
        decompress: bool = False,
        **others: Never,
    ) -> None:
        if others:
            raise _unknown("Reader(…)", others)
        require_choice("Reader(notebook=…)", notebook, ("cells", "raw"))
        require_choice("Reader(mmap=…)", mmap, ("auto", "never"))
        require_choice("Reader(context=…)", context, ("block", "lines"))
        require_choice("Reader(values=…)", values, VALUES)
        require_choice("Reader(decompress=…)", decompress, (True, False))
        if directories is not None:
            require_choice("Reader(directories=…)", directories, ("error", "list"))
        require_type("Reader(gutter=…)", gutter, Gutter, "Gutter.TAB")
        if limits is not None:
            require_type("Reader(limits=…)", limits, Limits, "Limits(max_lines=500)")
        if model is not None:
            from .models.model import model_of

            model = model_of("Reader(model=…)", model)
        # A caller that passes a session has loaded its class.
        if session is not None:
            require_type("Reader(session=…)", session, lazy.Session, "Session()")
        self.limits = Limits() if limits is None else limits
        """Limits on what a read shows and costs."""
        self.gutter = gutter
        """The format of line numbers."""
        self.session = session
        """The session that records reads, if any."""
        self.notebook = notebook
        """Whether notebooks are shown as "cells" or as "raw" JSON."""
        self.mmap = mmap
        """Whether large files may be mapped into memory: "auto" or "never"."""
        self.directories = directories
        """Whether a directory is an "error" or a "list" of entries; `None`: only our own tool lists it."""
        self.context = context
        """What is shown around a line that is named without a range: its "block", or ten "lines"."""
        self.values = values
        """What is shown of the cells of a workbook: "shown", "raw" or "formulas"."""
        self.decompress = decompress
        """Whether the text in gzip files is read."""
        self._model = model
        # With a tokenizer, the host has chosen what to count.
        is_counted = self.limits.tokenizer is not None
        self._token_factor = 1.0 if model is None or is_counted else model.token_factor
        self.roots = tuple(_directories(roots))
        """The directories that may be read, as bytes; empty: any path."""
        require_type("Reader(mounts=…)", mounts, Mapping, '{"/sandbox": Commands(run)}')
        self.mounts = dict(mounts)
        """Where the files below some paths are, if not on this machine."""
        self._base = displayed(self.roots[0]) if self.roots else next(iter(self.mounts), "")
        # The name of many rules is the only rule that needs no list.
        self.deny = require_texts("Reader(deny=…)", (deny,) if deny == "secrets" else deny)
        """Globs of files that are refused, and "secrets"."""
        self.pdf_passwords = require_texts("Reader(pdf_passwords=…)", pdf_passwords)
        """Passwords to try on encrypted PDFs, in order."""
        self._how: How | None = None
        self._engine = ReaderEngine(
            roots=self.roots,
            deny=self.deny,
            limits=self.limits,
            gutter=gutter,
            mmap=mmap == "auto",
            blocks=context == "block",
            decompress=decompress,
            as_text=() if notebook == "cells" else ("notebook",),
            token_factor=self._token_factor,
            mounts=self.mounts,
            base=self._base,
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        # It is safe to share, and its session is to be shared.
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        made_with = {name: getattr(self, name) for name in SETTINGS}
        # The other process may have another home directory.
        made_with["deny"] = tuple(map(_below_home, self.deny))
        return _unpickled, (type(self), {**made_with, "model": self._model})

    @property
    def model(self) -> lazy.Model:
        """What the model that sees the results accepts."""
        if self._model is None:
            self._model = lazy.Model.any()
        return self._model

    @property
    def directory(self) -> str:
        """The directory to which relative paths are relative: the first root or mount, or the working one."""
        return self._base or working_directory()

    @property
    def engine(self) -> ReaderEngine:
        """What reads for it, for modules of this package that list directories or wait for a path."""
        return self._engine

    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["text"], **arguments: Unpack[WindowArguments]
    ) -> TextPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["image"], **arguments: Unpack[WindowArguments]
    ) -> lazy.ImageView: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["pdf"], **arguments: Unpack[WindowArguments]
    ) -> lazy.PdfPages: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["notebook"], **arguments: Unpack[WindowArguments]
    ) -> lazy.NotebookPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["sheet"], **arguments: Unpack[WindowArguments]
    ) -> lazy.SheetPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["document"], **arguments: Unpack[WindowArguments]
    ) -> lazy.DocumentPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["slides"], **arguments: Unpack[WindowArguments]
    ) -> lazy.SlidesPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["records"], **arguments: Unpack[WindowArguments]
    ) -> lazy.RecordsPage: ...
    @overload
    async def read(
        self, path: AnyPath, *, kind: Literal["directory"], **arguments: Unpack[WindowArguments]
    ) -> lazy.DirectoryPage: ...
    @overload
    async def read(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> lazy.Page: ...
    @overload
    async def read(
        self, path: AnyPath, *, unless_version: str | None, **arguments: Unpack[ReadArguments]
    ) -> lazy.Page | Unchanged: ...
    @reports_others
    async def read(
        self,
        path: AnyPath,
        *,
        offset: int = 1,
        limit: int | None = None,
        around: int | None = None,
        ranges: Sequence[int | tuple[int, int]] | None = None,
        column: int = 1,
        pages: str | int | None = None,
        encoding: str | None = None,
        region: tuple[int, int, int, int] | None = None,
        at: str | None = None,
        find: str | None = None,
        values: Literal["shown", "raw", "formulas"] | None = None,
        max_tokens: int | None = None,
        max_bytes: int | None = None,
        since_version: str | None = None,
        gutter: Gutter | None = None,
        kind: str | None = None,
        unless_version: str | None = None,
        **others: Never,
    ) -> lazy.Page | Unchanged:
        """Read a window of a text, or an image, pages of a PDF, or parts of another format.

        This never blocks the event loop: if nothing can block, the read runs at once, and otherwise
        in a thread or a decoder process. It may return without giving way to other tasks, but gives
        way, and notices a cancellation, at least once per 0.35 ms of such reads.

        The page ends at `limit`, `max_tokens` or `max_bytes`, whichever is reached first, and
        `page.next` has the arguments of the next call. A cancelled read returns at once,
        and its scan stops.

        Args:
            path: The path of the file.
            offset: The first line, counted from 1; -n starts n lines before the end; 0 counts as 1.
            limit: The number of lines, 1 or more; `None`: `Limits.max_lines`.
            around: A line to show in the middle of `limit` lines, instead of `offset`; without `limit`, with
                what the reader's `context` says. Of a notebook, a cell in the middle of 21.
            ranges: Up to 256 pairs of a first and a last line to show, both included, counted from 1, or from
                the end if negative; or single lines, each with ten lines before and after it. Of a PDF
                these are pages, of a notebook cells. They are shown in the order of the file, with a line
                for each gap, and `next` has those that did not fit. It excludes `offset`, `limit`,
                `around`, `column`, `pages` and `region`.
            column: The first character of line `offset`, or of the first of `pages`, counted from 1, to
                continue inside a long line or a PDF page that exceeds the budget.
            pages: Pages of a PDF or a TIFF, or slides: 3, "3", "1-5", "2-"; empty: as if omitted. A range
                that extends past the last one ends there, with a `pages_clamped` notice. Without it, `offset`
                and `limit` count pages or slides, with a `window_of_pages` notice.
            encoding: The encoding of a text, instead of detecting it; other files get an
                `ignored_argument` notice unless `kind` is "text".
            kind: "text", "image", "pdf", "notebook", "sheet", "document", "slides", "records", "directory"
                or a media type, instead of detecting it. "records" shows JSON, one record a line; without it,
                and without `at`, JSON is text.
            region: A part of an image: x, y, width and height in its own pixels; of an image file, or of the
                only image of a page of a document, slides or a sheet. Or of the first of `pages` of a PDF,
                in points (1/72 inch) from the top left corner of the page as shown.
            at: Cells of a workbook: a sheet by its name, "Orders!B2:F20", or "J50" of the first sheet,
                whose text is then shown by lines. Or a value inside a JSON file: "17/output" is the field
                "output" of record 17, "/steps/12" the item 12 (from 0) of the list "steps" of the whole
                file. `offset`, `limit` and `ranges` then count the rows of the sheet, the entries of the
                value, or the lines of a text.
            find: Show only where this is, with what is around it: a regular expression in the syntax of
                ripgrep, whose letters match in either case unless one is uppercase; or letters, if it is no
                such expression or matches nothing. Lines, rows, slides, pages and cells that match are hits;
                `limit` counts them (`None`: 20), `offset`, `ranges`, `at` and `pages` say where to look.
            values: What is shown of the cells of a workbook: "shown" as displayed, "raw" as stored, or
                "formulas" with their formulas; `None`: as the reader's `values` say.
            max_tokens: Tokens of the page, texts and images together, counted as for `Limits.max_tokens`;
                the smaller of both holds. `None`: `Limits.max_tokens`. A first line, cell or page that
                does not fit is shown in part. An image file has one page, whatever it costs.
            max_bytes: Bytes of the page's text, in UTF-8; the smaller of it and `Limits.max_bytes` holds.
                `None`: `Limits.max_bytes`.
            unless_version: The `version` of an earlier result: if the file still has it, the result is
                `Unchanged`.
            since_version: The `version` for which the window was chosen, as set in `next`: if the file
                has another one now, the page has a `changed_since` notice.
            gutter: The format of line numbers; `None`: the reader's.
            **others: There are no others; a `TypeError` says what was probably meant.

        Returns:
            The page of the file's kind, such as a `TextPage` or `PdfPages`: one of the classes of
            `anyread.Page`; `Unchanged` if the file still has the version `unless_version`.

        Raises:
            NotFoundError: No file has that name, or a name that differs only in spelling.
            AmbiguousPathError: Several files have names that differ only in spelling.
            AccessError: The operating system denied access.
            OutsideRootError: The path is outside every root.
            DeniedError: A deny rule matches.
            DirectoryError: The path is a directory, and `Reader.directories` is not "list".
            NotRegularFileError: The path is a FIFO, a socket or a device.
            BadPathError: No file can have that path.
            FileSystemError: Another system call failed.
            ReadTimeoutError: `Limits.timeout_s` has passed, and nothing can be shown.
            FileChangedError: The file changed, so that no consistent window could be read.
            BinaryFileError: The file is neither text nor anything else that can be shown.
            UnsupportedFormatError: The file has a known format that cannot be shown.
            DamagedFileError: The file has a known format, and its content violates that format.
            PasswordRequiredError: The file is a PDF that none of `pdf_passwords` opens, or an encrypted
                workbook.
            TooLargeError: The file exceeds a limit for its format, or the directory has more than 1,000,000
                entries.
            DecoderTimeoutError: Decoding took longer than `Limits.decode_timeout_s`.
            DecoderMemoryError: Decoding needed more than `Limits.decode_memory_bytes`.
            DecoderCrashedError: The decoder crashed; other reads are not affected.
            DecoderUnavailableError: No decoder can be started.
            OverBudgetError: The window exceeds a budget, and `Limits.over_budget` is "error".
            OffsetPastEndError: The window starts after the last line.
            BadArgumentError: An argument has an invalid value.
            NoSuchPartError: `at` leads to nothing in the file.
            NoSuchSheetError: `at` names a sheet that the workbook does not have.
            WrongKindError: An argument does not apply to the kind of the file.

        Example:
            >>> page = await anyread.read("server.log", offset=120_000, limit=50)
            >>> print(page.text)
        """
        window = (offset, limit, around, ranges, column, pages, encoding, region, at, find, values)
        if others:
            raise _unknown("a read", others, offset=offset, limit=limit)
        more = (max_tokens, max_bytes, since_version, gutter, kind, unless_version)
        request = requested(path, window + more)
        if turn.spent_s > BUDGET_S:
            await turn.give_way()
        # A `str` of ASCII is faster than a copy as bytes.
        name = path if type(path) is str and path.isascii() else encoded(path)
        started = perf_counter()
        try:
            now = self._engine.read_now(name, request)
        except DirectoryError as refused:
            if self.directories != "list":
                raise self._refusal(refused) from None
            now = None
        finally:
            turn.spent_s += perf_counter() - started
        # The most frequent result first; it has no subclasses.
        if self.session is None and (type(now) is TextPage or type(now) is Unchanged):
            return now
        full_name, request = encoded(path), request or DEFAULTS
        kept = {self._engine.key(full_name, request): now}
        with call_deadline(displayed(path), self.limits.timeout_s):
            return await loop.run(partial(self._page, full_name, request), kept=kept)

    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["text"], **arguments: Unpack[WindowArguments]
    ) -> TextPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["image"], **arguments: Unpack[WindowArguments]
    ) -> lazy.ImageView: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["pdf"], **arguments: Unpack[WindowArguments]
    ) -> lazy.PdfPages: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["notebook"], **arguments: Unpack[WindowArguments]
    ) -> lazy.NotebookPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["sheet"], **arguments: Unpack[WindowArguments]
    ) -> lazy.SheetPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["document"], **arguments: Unpack[WindowArguments]
    ) -> lazy.DocumentPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["slides"], **arguments: Unpack[WindowArguments]
    ) -> lazy.SlidesPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["records"], **arguments: Unpack[WindowArguments]
    ) -> lazy.RecordsPage: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, kind: Literal["directory"], **arguments: Unpack[WindowArguments]
    ) -> lazy.DirectoryPage: ...
    @overload
    def read_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> lazy.Page: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, unless_version: str | None, **arguments: Unpack[ReadArguments]
    ) -> lazy.Page | Unchanged: ...
    @reports_others
    def read_sync(
        self,
        path: AnyPath,
        *,
        offset: int = 1,
        limit: int | None = None,
        around: int | None = None,
        ranges: Sequence[int | tuple[int, int]] | None = None,
        column: int = 1,
        pages: str | int | None = None,
        encoding: str | None = None,
        region: tuple[int, int, int, int] | None = None,
        at: str | None = None,
        find: str | None = None,
        values: Literal["shown", "raw", "formulas"] | None = None,
        max_tokens: int | None = None,
        max_bytes: int | None = None,
        since_version: str | None = None,
        gutter: Gutter | None = None,
        kind: str | None = None,
        unless_version: str | None = None,
        **others: Never,
    ) -> lazy.Page | Unchanged:
        """Read a window of a file, blocking this thread; everything else is as in `read`.

        On the main thread, Ctrl-C ends the read at once.

        Example:
            >>> page = anyread.read_sync("server.log", offset=-100)
        """
        window = (offset, limit, around, ranges, column, pages, encoding, region, at, find, values)
        if others:
            raise _unknown("a read", others, offset=offset, limit=limit)
        more = (max_tokens, max_bytes, since_version, gutter, kind, unless_version)
        request = requested(path, window + more)
        if running_call() is not None:
            return self._page(encoded(path), request or DEFAULTS)
        try:
            now = self._engine.read_now(
                path if type(path) is str and path.isascii() else encoded(path), request
            )
        except DirectoryError as refused:
            if self.directories != "list":
                raise self._refusal(refused) from None
            now = None
        if self.session is None and (type(now) is TextPage or type(now) is Unchanged):
            return now
        name, request = encoded(path), request or DEFAULTS
        kept = {self._engine.key(name, request): now}
        with call_deadline(displayed(path), self.limits.timeout_s):
            return threads.run(partial(self._page, name, request), kept=kept)

    def page_beside(
        self, path: AnyPath, left: Callable[[lazy.Page], tuple[int, int] | None], **arguments: Unpack[Request]
    ) -> lazy.Page | Unchanged:
        """Read a window of a file for an answer that has more than the page; part of a call.

        The path is not taken for a place, because the caller has an answer for places, unless it is searched.

        Args:
            path: The file.
            left: Returns the bytes and the tokens, as they are counted, that an answer leaves to a page that
                does not fit beside the rest of it; `None` for one that fits.
            arguments: As for `read`.
        """
        name, request = encoded(path), checked(path, **arguments) if arguments else DEFAULTS
        with call_deadline(displayed(path), self.limits.timeout_s):
            read = self._exactly if request["find"] is None else self._found
            page = read(name, request, None)
            if not isinstance(page, Unchanged):
                most = left(page)
                page = page if most is None else read(name, request, most)
            return self._noted(page, request)

    def _page(self, name: bytes, request: Request) -> lazy.Page | Unchanged:
        """Read a window of a file; part of a call."""
        return self._noted(self._found(name, request, None), request)

    def _found(self, name: bytes, request: Request, most: tuple[int, int] | None) -> lazy.Page | Unchanged:
        """Read a file, or the place that a path means if no file has that name."""
        try:
            return self._exactly(name, request, most)
        except NotFoundError as error:
            place = named_place(error.path, request)
            if place is None:
                raise
            path, request, notice = place
            try:
                page = self._exactly(encoded(path), request, most)
            except NotFoundError:
                raise error from None
            return page if isinstance(page, Unchanged) else replaced(page, notices=(*page.notices, notice))

    def _exactly(self, name: bytes, request: Request, most: tuple[int, int] | None) -> lazy.Page | Unchanged:
        most_bytes, most_tokens = most or (None, None)
        found: TextPage | Unchanged | Opened | DirectoryError
        try:
            found = self._engine.read(name, request, max_bytes=most_bytes, max_tokens=most_tokens)
        except DirectoryError as error:
            found = error
        if isinstance(found, TextPage | Unchanged):
            return found
        if most is None:
            return self._shown(found, name, request)
        from .formats.budget import Budget, Cost

        return self._shown(found, name, request, budget=Budget(Cost(*most), self.limits.tokenizer))

    def _noted(self, page: lazy.Page | Unchanged, request: Request) -> lazy.Page | Unchanged:
        if self.session is not None and not isinstance(page, Unchanged):
            self._note(page, request)
        return page

    def _note(self, page: lazy.Page, request: Request) -> None:
        """Record a read in the session at the end of the call, if there is a session."""
        session = self.session
        # A directory has no content that a later write could overwrite, and without a hit nothing is shown.
        is_shown = request["find"] is None or bool(getattr(page, "hits", ()))
        # Nor can a session look at a file that is elsewhere.
        is_elsewhere = bool(self.mounts) and self._engine.is_far(encoded(page.path))
        if session is not None and page.kind != "directory" and is_shown and not is_elsewhere:
            # Without a version this looks at the file, here where the call may wait.
            record = session.record_of(page, request)
            at_end(partial(session.note_page, page, record, self._base))

    def _shown(
        self,
        opened: Opened | DirectoryError,
        name: bytes,
        request: Request,
        *,
        budget: Budget | None = None,
        whole: bool = False,
        is_place: bool = False,
    ) -> lazy.Page | Unchanged:
        """Show a file that is not text, or a directory; part of a call."""
        target = self._engine.target(name)
        how = self._settings(target)._replace(budget=budget, whole=whole)
        if is_place:
            # Places name no strips of an image.
            how = how._replace(prefers_text=True, in_strips=False)
        from .formats import read_opened
        from .formats.fallback import IsTextError, NoNotebookError

        if isinstance(opened, DirectoryError):
            if request["find"] is not None:
                return self._searched(name, request, how)
            with closing(self._directory(opened, name, request)) as directory:
                return read_opened(directory, request, how, target)
        try:
            return read_opened(opened, request, how, target)
        except NoNotebookError as error:
            argument = next((name for name in ("kind", "at") if request[name] is not None), None)
            if argument is not None:
                raise WrongKindError(opened.path, argument=argument, kind="text") from error
            request, notices = {**request, "kind": "text"}, [error.notice]
        except IsTextError as error:
            request, notices = error.request, error.notices
        except ReadError as error:
            log_end(error)
            raise
        most_bytes, most_tokens = (None, None) if budget is None else budget.most
        page = self._engine.read(name, request, max_bytes=most_bytes, max_tokens=most_tokens, whole=whole)
        if isinstance(page, TextPage):
            return replaced(page, notices=(*page.notices, *notices)) if notices else page
        return cast("Unchanged", page)

    def _searched(self, name: bytes, request: Request, how: How) -> lazy.Page:
        """Search the files below a directory; part of a call."""
        from .formats.tree import search_tree

        # The list is made in a thread, where the files may then be waited for.
        paths = [path.replace("/./", "/").removeprefix("./") for path in self.files(displayed(name))]
        note = None if self.session is None else self._note
        return search_tree(self._engine, name, paths, request, how, note=note)

    def _refusal(self, refused: DirectoryError) -> DirectoryError:
        entries, more = refused.entries, refused.more
        return DirectoryError(
            refused.path,
            entries=entries,
            more=more,
            has_choice=self.directories is None and not self._engine.is_far(encoded(refused.path)),
        )

    def _directory(self, refused: DirectoryError, name: bytes, request: Request) -> Directory:
        """Open a directory whose entries are shown, if this reader shows them; part of a call."""
        if self.directories != "list":
            raise self._refusal(refused)
        if request["kind"] not in {None, "directory", "inode/directory"}:
            raise WrongKindError(refused.path, argument="kind", kind="directory")

        def opened(cancel: Cancel | None) -> Directory:
            from .formats import directory

            return directory.opened(self._engine, name, cancel)

        return work(opened, self._engine.target(name))

    def _settings(self, target: WorkTarget) -> How:
        """Return the settings of this reader, as the formats use them; an event loop does not load them."""
        if self._how is None:
            # Their modules take 10 ms to load.
            is_loaded = sys.modules.keys() >= {"anyread.formats", "anyread.models.model"}
            self._how = self._made_settings() if is_loaded else work(lambda _: self._made_settings(), target)
        return self._how

    def _made_settings(self) -> How:
        from .formats.parts import How

        blocks = self.context == "block"
        return How(
            self.limits, self.model, self.gutter, self.pdf_passwords, blocks=blocks, values=self.values
        )

    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["text"], **arguments: Unpack[WindowArguments]
    ) -> Pages[TextPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["image"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.ImageView]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["pdf"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.PdfPages]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["notebook"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.NotebookPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["sheet"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.SheetPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["document"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.DocumentPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["slides"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.SlidesPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["records"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.RecordsPage]: ...
    @overload
    def pages(
        self, path: AnyPath, *, kind: Literal["directory"], **arguments: Unpack[WindowArguments]
    ) -> Pages[lazy.DirectoryPage]: ...
    @overload
    def pages(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> Pages[lazy.Page]: ...
    def pages(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> Pages[Any]:
        """Read a file page by page to its end, following `next`.

        A page is read when it is requested. If the file changes meanwhile, the next page has a
        `changed_since` notice.

        Args:
            path: The file.
            arguments: The arguments of `read`, for the first page.

        Returns:
            An asynchronous iterator over the pages; it raises what `read` raises.

        Raises:
            BadArgumentError: Immediately, for an argument that is invalid for every file.

        Example:
            >>> async for page in anyread.pages("server.log", limit=1_000):
            ...     print(page.summary())
        """
        checked(path, **arguments)
        return Pages(self.read, path, arguments)

    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["text"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[TextPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["image"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.ImageView]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["pdf"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.PdfPages]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["notebook"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.NotebookPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["sheet"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.SheetPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["document"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.DocumentPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["slides"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.SlidesPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["records"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.RecordsPage]: ...
    @overload
    def pages_sync(
        self, path: AnyPath, *, kind: Literal["directory"], **arguments: Unpack[WindowArguments]
    ) -> PagesSync[lazy.DirectoryPage]: ...
    @overload
    def pages_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> PagesSync[lazy.Page]: ...
    def pages_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> PagesSync[Any]:
        """Read a file page by page to its end by blocking this thread; everything else is as in `pages`.

        Example:
            >>> for page in anyread.pages_sync("server.log", limit=1_000):
            ...     print(page.summary())
        """
        checked(path, **arguments)
        return PagesSync(self.read_sync, path, arguments)

    def read_many(
        self,
        paths: Iterable[PathOrPlace],
        *,
        budget_tokens: int | None = None,
        budget_bytes: int | None = None,
        concurrency: int | None = None,
        **arguments: Unpack[ReadArguments],
    ) -> lazy.Many:
        """Read the same window of several files under one budget.

        Results are in the order of `paths`, and do not depend on which read finishes first: each file
        gets what the files before it have left of the budget. If nothing of a file fits, its result is
        `NotShown`, with a line that says so, the size of the file and how to read it. All these lines
        count, and room for one is kept: the last one says how many files after it are not shown either.
        These files are not read, and their results have no text. A budget of less than 192 tokens or 640
        bytes has room for no such line.
        Files are read in batches, each when its first result is requested.

        Args:
            paths: The files.
            budget_tokens: Tokens of all texts and images together, counted as for `Limits.max_tokens`;
                `None`: no budget of tokens.
            budget_bytes: Bytes in UTF-8 of all shown texts together; `None`: no budget of bytes.
            concurrency: Files read at a time; `None`: the number of cores.
            arguments: The arguments of `read`, for each file.

        Returns:
            An asynchronous iterator with a page for each file, `NotShown`, or `Failed` with the error.

        Raises:
            BadArgumentError: Immediately, for an argument that is invalid for every file.

        Example:
            >>> async for result in anyread.read_many(paths, limit=200, budget_tokens=50_000):
            ...     print(result.summary())
        """
        from .reading.many import Many

        return Many(self._engine, **self._many(paths, budget_tokens, budget_bytes, concurrency, arguments))

    def read_many_sync(
        self,
        paths: Iterable[PathOrPlace],
        *,
        budget_tokens: int | None = None,
        budget_bytes: int | None = None,
        concurrency: int | None = None,
        **arguments: Unpack[ReadArguments],
    ) -> lazy.ManySync:
        """Read several files under one budget, blocking this thread; everything else is as in `read_many`.

        Example:
            >>> for result in anyread.read_many_sync(paths, limit=200, budget_tokens=50_000):
            ...     print(result.summary())
        """
        from .reading.many import ManySync

        return ManySync(
            self._engine, **self._many(paths, budget_tokens, budget_bytes, concurrency, arguments)
        )

    def _many(
        self,
        paths: Iterable[PathOrPlace],
        budget_tokens: int | None,
        budget_bytes: int | None,
        concurrency: int | None,
        arguments: ReadArguments,
    ) -> dict[str, Any]:
        """Check the arguments of `read_many`, and return the arguments of its result."""
        from .formats.budget import Budget
        from .reading.many import Separate

        if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
            raise TypeError(f"read_many takes a list of paths: {literal(paths)}")
        files = list(paths)
        first: Any = files[0] if files else "."
        # A place has a path; so has an entry of `os.scandir`, which is one.
        first = getattr(first, "path", first)
        request = checked(first, **arguments)
        for name, value in (
            ("budget_tokens", budget_tokens),
            ("budget_bytes", budget_bytes),
            ("concurrency", concurrency),
        ):
            if value is not None and (type(value) is not int or not 1 <= value <= LARGEST):
                reason = f"an integer from 1 to {LARGEST:,}, or None"
                raise BadArgumentError(displayed(first), argument=name, value=literal(value), reason=reason)
        budget = Budget.shared(
            self.limits, self._token_factor, max_bytes=budget_bytes, max_tokens=budget_tokens
        )
        return self.many_written(files, request, Separate(budget), threads=concurrency)

    def many_written(
        self,
        paths: Sequence[PathOrPlace],
        request: Request,
        writing: Any,
        *,
        below: str = "",
        threads: int | None = None,
        since: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Return the arguments of the results of several files.

        Args:
            paths: The paths and places.
            request: The request for all of them.
            writing: How they are written, a `many.Separate`.
            below: The directory to which relative paths are relative; empty: as for `read`.
            threads: How many files are read at a time.
            since: The versions of the files for which some of the places were chosen.
        """
        from .reading.many import file_requests

        base, once = self.directory, writing.is_one_answer
        return {
            "files": file_requests(paths, request, base=base, below=below, once=once, since=since),
            "writing": writing,
            "threads": threads,
            "shown": partial(self._shown, is_place=writing.is_one_answer),
            "noted": None if self.session is None else self._note,
        }

    async def info(self, path: AnyPath, *, encoding: str | None = None, kind: str | None = None) -> lazy.Info:
        """Describe a file without its content: kind, encoding, lines, dimensions, pages, cells, sheets.

        All lines of a text are counted. Only the headers of an image are read, and no page of a PDF.

        Args:
            path: The file.
            encoding: The encoding of a text; `None`: detected.
            kind: As in `read`; `None`: detected.

        Returns:
            The facts about the file. A binary file is described too. If a file that is not text cannot be
            examined, `Info.problem` has the error.

        Raises:
            ReadError: The file cannot be opened or read; the same errors as for `read`.

        Example:
            >>> info = await anyread.info("server.log")
            >>> print(info.summary())
        """
        with call_deadline(displayed(path), self.limits.timeout_s):
            return await loop.run(lambda: self._described(path, encoding=encoding, kind=kind))

    def info_sync(self, path: AnyPath, *, encoding: str | None = None, kind: str | None = None) -> lazy.Info:
        """Describe a file by blocking this thread; everything else is as in `info`.

        Example:
            >>> anyread.info_sync("server.log").lines
            500000
        """
        return self._waiting(path, lambda: self._described(path, encoding=encoding, kind=kind))

    def _described(self, path: AnyPath, **arguments: Any) -> lazy.Info:
        request, name = checked(path, limit=1, **arguments), encoded(path)
        settings = self._settings(self._engine.target(name))
        from .reading.describing import describe, describe_directory

        try:
            return describe(self._engine, name, request, settings)
        except DirectoryError as refused:
            with closing(self._directory(refused, name, request)) as directory:
                return describe_directory(directory)
        except NotFoundError as error:
            place = named_place(error.path, DEFAULTS)
            if place is None:
                raise
            try:
                info = describe(self._engine, encoded(place[0]), request, settings)
            except NotFoundError:
                raise error from None
            return replaced(info, notices=(*info.notices, place[2]))

    async def open(self, path: AnyPath, *, repair: bool = True) -> lazy.OpenFile:
        """Open a file of any kind for windows, bytes, hashes and token counts from one descriptor.

        Sessions do not record it. The methods of the file are synchronous and may block: on an event loop,
        call them in a thread.

        Args:
            path: The file.
            repair: Whether similar spellings are tried if the path is not found.

        Raises:
            ReadError: The file cannot be opened; the same errors as for `read`.

        Example:
            >>> file = await anyread.Reader().open("server.log")
            >>> file.kind, file.window(500_000, 1).first_line
            ('text', 500000)
        """
        with call_deadline(displayed(path), self.limits.timeout_s):
            return await loop.run(lambda: self._left_open(path, repair=repair))

    def open_sync(self, path: AnyPath, *, repair: bool = True) -> lazy.OpenFile:
        """Open a file by blocking this thread; everything else is as in `open`.

        In a contract, this is a part of the running call, and so are `read_sync` and `info_sync`.

        Example:
            >>> anyread.Reader().open_sync("poem.txt").media_type
            'text/plain'
        """
        # Contracts open files often.
        if running_call() is not None:
            return self._opened(path, repair=repair)
        return self._waiting(path, lambda: self._left_open(path, repair=repair))

    def _left_open(self, path: AnyPath, *, repair: bool) -> lazy.OpenFile:
        """Open a file for a caller who closes it; what a contract opens, the end of its call closes."""
        file = self._opened(path, repair=repair)
        current_call().leave_open(file.opened)
        return file

    def _opened(self, path: AnyPath, *, repair: bool) -> lazy.OpenFile:
        name = encoded(path)
        opened = self._engine.open(name, repair=repair, whole=INLINE_BYTES)
        if self.mounts:
            # Its methods are called when the call has ended, and can fetch nothing.
            opened.fetch_all()
        settings = self._how or self._settings(self._engine.target(name))
        return lazy.OpenFile(settings, opened, self._engine.target_later(name))

    def _waiting(self, path: AnyPath, function: Callable[[], _T]) -> _T:
        """Run a call by blocking this thread, or as a part of the call that runs this code."""
        if running_call() is not None:
            return function()
        with call_deadline(displayed(path), self.limits.timeout_s):
            return threads.run(function)

    def follow(
        self,
        path: AnyPath,
        *,
        offset: int | None = None,
        encoding: str | None = None,
        kind: Literal["text"] | None = None,
        poll_s: float = 0.25,
        quiet_s: float = 1.0,
    ) -> lazy.Follow:
        """Follow a text file that grows, as `tail -F` does.

        Whole lines are returned as they are appended. The iteration continues in the new file after a
        rotation, and at the start after the file was truncated or rewritten, without the NULs that it
        begins with if its writer goes on at its old position; text that was appended
        before a rotation is not lost, unless the file was moved to where it may not be read. The
        iteration ends when it is closed or its task is cancelled; a cancelled wait loses no text.

        Args:
            path: The file, which must exist at first.
            offset: The line to start at, counted from 1; -n starts n lines before the end; `None`:
                only what is appended from now on.
            encoding: The encoding of the file; `None`: detected at its first lines that are not ASCII, and
                again in each new file.
            kind: "text" for a file that is not detected as text, such as a notebook; `None`: refused.
            poll_s: Seconds between two checks of the file.
            quiet_s: Seconds without growth after which a line without a line ending is returned.

        Returns:
            An asynchronous iterator over `Appended`: text, the number of its first line, and whether
            the file was rotated or truncated before it. It raises what `read` raises.

        Raises:
            BadArgumentError: Immediately, for an `offset` or an `encoding` that is invalid for every file.
            ValueError: Immediately, if `poll_s` or `quiet_s` is not above 0.

        Example:
            >>> async for appended in anyread.follow("server.log"):
            ...     print(appended.text, end="")
        """
        from .reading.following import Follow

        self._engine.require_local(encoded(path))
        return Follow(
            self._engine, path, offset=offset, encoding=encoding, kind=kind, poll_s=poll_s, quiet_s=quiet_s
        )

    def follow_sync(
        self,
        path: AnyPath,
        *,
        offset: int | None = None,
        encoding: str | None = None,
        kind: Literal["text"] | None = None,
        poll_s: float = 0.25,
        quiet_s: float = 1.0,
    ) -> lazy.FollowSync:
        """Follow a text file by blocking this thread; everything else is as in `follow`.

        Example:
            >>> for appended in anyread.follow_sync("server.log"):
            ...     print(appended.text, end="")
        """
        from .reading.following import FollowSync

        self._engine.require_local(encoded(path))
        return FollowSync(
            self._engine, path, offset=offset, encoding=encoding, kind=kind, poll_s=poll_s, quiet_s=quiet_s
        )

    def files(
        self, directory: AnyPath = ".", glob: str | Iterable[str] = "*", *, gitignore: bool = True
    ) -> list[str]:
        """List the files below a directory, without those that their project ignores.

        The paths can be passed to this reader, to `read_many` and to `batch`. This call blocks: on an event
        loop, call it in a thread, as with `asyncio.to_thread`.

        Hidden files are listed too, but nothing in `.git`, and no files that deny rules match. Links to
        files are listed, but links to directories are not followed. A directory that may not be read, or
        is on another mount that may hang, has no files.

        Args:
            directory: The directory, absolute or relative as the paths of this reader.
            glob: A pattern as in `.gitignore`, or several: "*.py" matches at any depth, "/*.py" only in
                `directory`, "src/**/*.py" below `src`; with "!" before it, a pattern takes out files that
                match an earlier one.
            gitignore: Whether files that `.gitignore` files of the project, from the top of its repository
                down, or `.git/info/exclude` name are left out, whether git tracks them or not. Without a
                repository, the `.gitignore` files below a root of this reader, or else below `directory`,
                count. The user's own excludes file does not. If all files that apply to a directory have
                over 128 KiB, the rules of the last ones do not count, nor does a pattern of over 4 KiB; the
                logger `anyread` names these files.

        Returns:
            The paths, which start with `directory` as it was passed, sorted by their bytes.

        Raises:
            ReadError: The directory cannot be listed; the same errors as for `read`.
            TooLargeError: A directory has more than 1,000,000 entries.
            BadArgumentError: A pattern is over 4 KiB.

        Example:
            >>> anyread.files("src", "*.py")
            ['src/main.py']
        """
        from .listing.file_lists import list_files

        name = encoded(directory)
        base = self.roots[0] if self.roots else os.getcwdb()  # noqa: PTH109 - bytes
        absolute = os.fsdecode(os.path.abspath(os.path.join(base, name)))  # noqa: PTH100, PTH118 - bytes
        globs = [glob] if isinstance(glob, str) else require_texts("files(glob=…)", glob)
        target = self._engine.target(name)

        def listed(cancel: Cancel | None) -> list[str]:
            return list_files(self._engine, absolute, globs, gitignore=gitignore, cancel=cancel)

        found = self._waiting(directory, lambda: work(listed, target))
        start = os.fsdecode(name)
        if start in {"", "."}:
            return found
        return [os.path.join(start, path).replace(os.sep, "/") for path in found]  # noqa: PTH118 - text

    def stats(self) -> dict[str, int]:
        """Return counts of what this reader has done.

        `reads`: completed reads; `inline`: reads that did not wait for anything; `hops`: reads that
        used a thread, by reason: `hop_lookup` (the path is not in the kernel's cache, or needs a
        closer look), `hop_unknown_mount` (nothing is known about the mount), `hop_device` (calls may block),
        `hop_slow_open`, `hop_pages` (not in the page cache), `hop_work` (too much work) and
        `hop_portable`; `indexed`: reads that found a line index; `mapped`: scans that mapped their
        file; `mapping_repeats`: mapped windows that were read again because the file changed;
        `mapping_hits`: those of them that accessed a page that the file had lost; `retries`: reads
        that were restarted because the file changed. After the first image or PDF also the decoders
        of this process: `decoders_started`, `decoder_restarts`, `decoder_restrictions`.

        Example:
            >>> reader = anyread.Reader()
            >>> page = reader.read_sync("poem.txt")
            >>> reader.stats()["reads"]
            1
        """
        stats = self._engine.stats()
        # Loaded by the first image or PDF; before that there are no decoders to count.
        pool = sys.modules.get("anyread.decoding.host.pool")
        if pool is not None:
            stats |= pool.shared_pool().stats()
        return stats

    def close(self) -> None:
        """Close the roots; reads that are running finish, and later ones raise `RuntimeError`."""
        self._engine.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def named_place(path: str, request: Request) -> tuple[str, Request, Notice] | None:
    """Return the file and the request that a path such as `a.py:10-20` means; `None` if it names no lines.

    The lines in the path do not count if the request says which to show, as those of `next` do.
    """
    from .arguments.places import parsed
    from .results.notices import make_notice

    # Of a search, `limit` is the number of hits.
    is_search = request["find"] is not None
    windows = [name for name in ("ranges", "column", *WINDOW) if name != "limit" or not is_search]
    is_window = any(request[name] != DEFAULTS[name] for name in windows)  # type: ignore[literal-required] # its names
    try:
        place = parsed(path, is_only=True)
        if place is None or not (place.spans or place.at):
            return None
        if place.spans and not is_window:
            ranges = ARGUMENTS["ranges"].checked(path, place.spans)
            request = cast("Request", {**request, "ranges": ranges, "column": place.column})
        if place.at and request["at"] is None:
            request = cast("Request", {**request, "at": place.at})
    except BadArgumentError:
        return None
    return place.path, request, make_notice("path_as_place", place=str(place))


def _directories(roots: object) -> list[bytes]:
    """Return absolute paths of the roots, which stay the same if the working directory changes."""
    paths = [roots] if isinstance(roots, str | bytes | os.PathLike) else roots
    if not isinstance(paths, Iterable):
        raise TypeError(f"Reader(roots=…) must be a path or a list of paths: {roots!r}")
    directories = []
    for root in paths:
        if not isinstance(root, str | bytes | os.PathLike):
            raise TypeError(f"Reader(roots=…) must be a list of paths: it contains {root!r}")
        directories.append(_normalized(encoded(root)))
    return directories


def _normalized(directory: bytes) -> bytes:
    """Return a root's absolute path without redundant parts, so that messages name it in the usual way."""
    if not directory or b"\0" in directory:
        # The core reports what is wrong with it.
        return directory
    if b".." in directory.split(b"/"):
        # The target of `..` depends on the links before it.
        return real_path(directory)
    return os.path.abspath(directory)  # noqa: PTH100 - `Path` takes no bytes


_default = Reader()
# As in `random`, the functions of the module are the methods of a hidden instance.
read = _default.read
read_sync = _default.read_sync
pages = _default.pages
pages_sync = _default.pages_sync
read_many = _default.read_many
read_many_sync = _default.read_many_sync
info = _default.info
info_sync = _default.info_sync
follow = _default.follow
follow_sync = _default.follow_sync
files = _default.files

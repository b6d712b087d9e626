"""The reader: the one class behind every read, and the default one behind `anyread.read`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, cast, overload

from . import lazy
from ._native import Opened
from .arguments import (
    LARGEST,
    ManyArguments,
    ManyWindowArguments,
    ReadArguments,
    Request,
    WindowArguments,
    checked,
    shown,
    shows,
)
from .errors import BadArgumentError, WrongKindError
from .gutter import Gutter
from .limits import Limits
from .paging import Pages, PagesSync
from .paths import AnyPath, displayed, encoded
from .results import TextPage, Unchanged
from .results.values import replaced
from .running.deadline import call_deadline, current_deadline
from .running.effects import Steps, Work
from .running.engine import Engine
from .running.inline import BUDGET_S, turn
from .settings import require_choice, require_texts, require_type

if TYPE_CHECKING:
    from .formats import Setting


class Reader:
    """Read files within given roots, rules and limits; safe for threads and for any event loop.

    Args:
        roots: Folders that may be read, with all that is in them; nothing outside is opened, by
            whatever link. A relative path is looked for in the first. Empty: any path, relative to
            the working directory.
        deny: Globs of files that are refused, such as `**/.env`, matched against the real path and
            the given one.
        limits: What a read shows and may cost.
        model: What the model behind the agent takes; `None`: `Model.any()`.
        gutter: How line numbers stand before lines.
        session: Where reads are remembered; `None`: nowhere.
        notebook: Notebooks as their "cells", or as their "raw" JSON.
        mmap: "auto" may map large files for scanning, "never" does not.
        pdf_passwords: What to try on encrypted PDFs, in order.

    Raises:
        ValueError: For an argument outside what is listed here.
        TypeError: For one of the wrong type.
        ReadError: If a root cannot be opened.

    Example:
        >>> async with anyread.Reader(roots=["/repo"], deny=["**/.env"]) as reader:
        ...     page = await reader.read("src/main.py")
    """

    def __init__(
        self,
        *,
        roots: Iterable[AnyPath] = (),
        deny: Iterable[str] = (),
        limits: Limits | None = None,
        model: lazy.Model | None = None,
        gutter: Gutter = Gutter.TAB,
        session: lazy.Session | None = None,
        notebook: Literal["cells", "raw"] = "cells",
        mmap: Literal["auto", "never"] = "auto",
        pdf_passwords: Iterable[str] = (),
    ) -> None:
        require_choice("Reader(notebook=…)", notebook, ("cells", "raw"))
        require_choice("Reader(mmap=…)", mmap, ("auto", "never"))
        require_type("Reader(gutter=…)", gutter, Gutter, "Gutter.TAB")
        if limits is not None:
            require_type("Reader(limits=…)", limits, Limits, "Limits(max_lines=500)")
        # Whoever passes one of these has loaded its class.
        if model is not None:
            require_type("Reader(model=…)", model, lazy.Model, "Model.anthropic()")
        if session is not None:
            require_type("Reader(session=…)", session, lazy.Session, "Session()")
        self.limits = Limits() if limits is None else limits
        """What a read shows and may cost."""
        self.gutter = gutter
        """How line numbers stand before lines."""
        self.session = session
        """Where reads are remembered."""
        self.notebook = notebook
        """How notebooks are read."""
        self.mmap = mmap
        """Whether large files may be mapped."""
        self._model = model
        folders = _folders(roots)
        self.roots = tuple(folders)
        """The folders that may be read, as the system knows them; empty: any."""
        self.deny = require_texts("Reader(deny=…)", deny)
        """Globs of files that are refused."""
        self.pdf_passwords = require_texts("Reader(pdf_passwords=…)", pdf_passwords)
        """What is tried on encrypted PDFs, in order."""
        self._setting: Setting | None = None
        self._engine = Engine(
            roots=folders,
            deny=self.deny,
            limits=self.limits if model is None else self.limits.in_estimated_tokens(model.token_factor),
            gutter=gutter,
            mmap=mmap == "auto",
            notebook_cells=notebook == "cells",
        )

    @property
    def model(self) -> lazy.Model:
        """What the model behind the agent takes."""
        if self._model is None:
            self._model = lazy.Model.any()
        return self._model

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
    async def read(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> lazy.Page: ...
    @overload
    async def read(
        self,
        path: AnyPath,
        *,
        kind: Literal["text"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> TextPage | Unchanged: ...
    @overload
    async def read(
        self,
        path: AnyPath,
        *,
        kind: Literal["image"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.ImageView | Unchanged: ...
    @overload
    async def read(
        self,
        path: AnyPath,
        *,
        kind: Literal["pdf"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.PdfPages | Unchanged: ...
    @overload
    async def read(
        self,
        path: AnyPath,
        *,
        kind: Literal["notebook"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.NotebookPage | Unchanged: ...
    @overload
    async def read(
        self, path: AnyPath, *, unless_version: str | None, **arguments: Unpack[ReadArguments]
    ) -> lazy.Page | Unchanged: ...
    @shows(Request)
    async def read(self, path: AnyPath, **arguments: Unpack[Request]) -> lazy.Page | Unchanged:
        """Read a window of a file, or what a model sees of a picture, a PDF or a notebook.

        It never blocks the event loop: where nothing can block it runs at once, else in a thread or
        a decoder process. It may return without giving way to other tasks, but gives way, and sees
        its cancellation, at least once in 0.5 ms of such reads.

        The page ends at the first of `limit`, `Limits.max_bytes` and `Limits.max_tokens`, and
        `page.next` names the call that reads on. A cancelled read returns at once and its scan
        stops.

        Args:
            path: The file.
            offset: First line, counted from 1; -n starts n lines before the end; 0 counts as 1.
            limit: Lines, 1 or more; `None`: `Limits.max_lines`.
            column: First character of line `offset`, or of the first of `pages`, counted from 1, to read
                on inside a long line or a PDF page over the budget.
            pages: Pages of a PDF or a TIFF: 3, "3", "1-5", "2-"; empty: as if left out. A range that
                goes past the last page of a PDF ends there, with a `pages_clamped` notice.
            encoding: The name of an encoding in place of detection, for text; other files get an
                `ignored_argument` notice unless `kind` is "text".
            kind: "text", "image", "pdf", "notebook" or a media type, in place of detection.
            region: A part of a picture: x, y, width and height in its own pixels; or of the first of
                `pages` of a PDF, in points (1/72 inch) from the top left corner of the page as shown.
            unless_version: The `version` of an earlier result: a file that still has it is not
                read again.
            since_version: The `version` that the window was chosen for, as `next` sets it: a file
                that has another by now is read with a `changed_since` notice.
            gutter: How line numbers stand before lines; `None`: as the reader does.

        Returns:
            A `TextPage`, `ImageView`, `PdfPages` or `NotebookPage`, by what the bytes are; `Unchanged`
            if the file still has the version `unless_version`.

        Raises:
            NotFoundError: Nothing has that name, nor a similar one.
            AmbiguousPathError: Several files have a name that reads the same.
            AccessError: The operating system refused.
            OutsideRootError: The path leads out of every root.
            DeniedError: A deny rule matches.
            DirectoryError: It is a folder.
            NotRegularFileError: It is a FIFO, a socket or a device.
            BadPathError: No file can have that path.
            FileSystemError: A system call failed otherwise.
            ReadTimeoutError: `Limits.timeout_s` passed.
            FileChangedError: It changed so that no consistent window could be read.
            BinaryFileError: It is neither text nor anything else that can be shown.
            UnsupportedFormatError: It is of a known format that cannot be shown.
            DamagedFileError: It is a picture or a PDF that cannot be decoded.
            PasswordRequiredError: It is a PDF that none of `pdf_passwords` opens.
            TooLargeError: It is over one of the limits of pictures, PDFs and notebooks.
            DecoderTimeoutError: Decoding took longer than `Limits.decode_timeout_s`.
            DecoderMemoryError: Decoding took more than `Limits.decode_memory_bytes`.
            DecoderCrashedError: The decoder died; other reads did not notice.
            DecoderUnavailableError: No Python was found to run a decoder with.
            OverBudgetError: The window is over a budget and `Limits.over_budget` is "error".
            OffsetPastEndError: The window begins behind the last line.
            BadArgumentError: An argument is outside what is listed here.
            WrongKindError: An argument does not fit the kind of the file.

        Example:
            >>> page = await anyread.read("server.log", offset=120_000, limit=50)
            >>> print(page.text)
        """
        request = checked(path, **arguments)
        if turn.spent_s > BUDGET_S:
            await turn.give_way()
        name = encoded(path)
        started = perf_counter()
        try:
            now = self._engine.read_now(name, request)
        finally:
            turn.spent_s += perf_counter() - started
        if now is not None and self.session is None and not isinstance(now, Opened):
            return now
        from .running import loop

        with call_deadline(displayed(path), self.limits.timeout_s):
            return await loop.run(self._finished(now, name, request))

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
    def read_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> lazy.Page: ...
    @overload
    def read_sync(
        self,
        path: AnyPath,
        *,
        kind: Literal["text"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> TextPage | Unchanged: ...
    @overload
    def read_sync(
        self,
        path: AnyPath,
        *,
        kind: Literal["image"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.ImageView | Unchanged: ...
    @overload
    def read_sync(
        self,
        path: AnyPath,
        *,
        kind: Literal["pdf"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.PdfPages | Unchanged: ...
    @overload
    def read_sync(
        self,
        path: AnyPath,
        *,
        kind: Literal["notebook"],
        unless_version: str | None,
        **arguments: Unpack[WindowArguments],
    ) -> lazy.NotebookPage | Unchanged: ...
    @overload
    def read_sync(
        self, path: AnyPath, *, unless_version: str | None, **arguments: Unpack[ReadArguments]
    ) -> lazy.Page | Unchanged: ...
    @shows(Request)
    def read_sync(self, path: AnyPath, **arguments: Unpack[Request]) -> lazy.Page | Unchanged:
        """Read a window of a file and wait for it; everything else is as in `read`.

        On the main thread Ctrl-C ends it at once.

        Example:
            >>> page = anyread.read_sync("server.log", offset=-100)
        """
        request = checked(path, **arguments)
        name = encoded(path)
        if self.limits.timeout_s is None and current_deadline() is None:
            now: TextPage | Unchanged | Opened | None = self._engine.read_here(name, request)
        else:
            # What cannot block needs no thread to be watched from.
            now = self._engine.read_now(name, request)
        if now is not None and self.session is None and not isinstance(now, Opened):
            return now
        from .running import threads

        with call_deadline(displayed(path), self.limits.timeout_s):
            return threads.run(self._finished(now, name, request))

    def _steps(self, path: AnyPath, **arguments: Any) -> Steps[lazy.Page | Unchanged]:
        """Read a window of a file as part of a longer computation, which has set its deadline."""
        request = checked(path, **arguments)
        name = encoded(path)
        return (yield from self._finished(self._engine.read_now(name, request), name, request))

    def _finished(
        self, now: TextPage | Unchanged | Opened | None, name: bytes, request: Request
    ) -> Steps[lazy.Page | Unchanged]:
        """Finish a read that the caller's thread has done as much of as it could without waiting."""
        answer = now or (yield from self._engine.read(name, request))
        page = (yield from self._shown(answer, name, request)) if isinstance(answer, Opened) else answer
        if self.session is not None and not isinstance(page, Unchanged):
            yield from self._note(page, name, request, may_wait=not isinstance(now, TextPage))
        return page

    def _note(self, page: lazy.Page, name: bytes, request: Request, *, may_wait: bool = True) -> Steps[None]:
        """Remember a read in the session, if there is one; its file's stat is work if that `may_wait`."""
        session = self.session
        if session is None:
            return
        from .session import record_of

        if may_wait:
            target = self._engine.target(name)
            session.note((yield from Work(lambda _: record_of(page, request, session), target)))
        else:
            session.note(record_of(page, request, session))

    def _shown(self, opened: Opened, name: bytes, request: Request) -> Steps[lazy.Page | Unchanged]:
        """Show a file that is no text."""
        from .formats import read_opened
        from .formats.opened import NoNotebookError

        try:
            return (yield from read_opened(opened, request, self._said(), self._engine.target(name)))
        except NoNotebookError as error:
            if request["kind"] is not None:
                raise WrongKindError(opened.path, argument="kind", kind="text") from error
            notice = error.notice
        page = yield from self._engine.read(name, {**request, "kind": "text"})
        if isinstance(page, TextPage):
            return replaced(page, notices=(*page.notices, notice))
        return cast("Unchanged", page)

    def _said(self) -> Setting:
        """Tell the formats what this reader says of all its reads."""
        if self._setting is None:
            from .formats import Setting

            self._setting = Setting(self.limits, self.model, self.gutter, self.pdf_passwords)
        return self._setting

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
    def pages(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> Pages[lazy.Page]: ...
    @shows(ReadArguments)
    def pages(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> Pages[Any]:
        """Read a file page by page to its end, following `next`.

        A page is read when it is asked for. A file that changes meanwhile shows it by a
        `changed_since` notice on the next page.

        Args:
            path: The file.
            arguments: Those of `read`, for the first page.

        Returns:
            An asynchronous iterator over the pages; it raises what `read` raises.

        Raises:
            BadArgumentError: At once, for an argument that no file could take.

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
    def pages_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> PagesSync[lazy.Page]: ...
    @shows(ReadArguments)
    def pages_sync(self, path: AnyPath, **arguments: Unpack[ReadArguments]) -> PagesSync[Any]:
        """Read a file page by page to its end by blocking this thread; everything else is as in `pages`.

        Example:
            >>> for page in anyread.pages_sync("server.log", limit=1_000):
            ...     print(page.summary())
        """
        checked(path, **arguments)
        return PagesSync(self.read_sync, path, arguments)

    @overload
    def read_many(
        self, paths: Iterable[AnyPath], *, kind: Literal["text"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.Many[TextPage]: ...
    @overload
    def read_many(
        self, paths: Iterable[AnyPath], *, kind: Literal["image"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.Many[lazy.ImageView]: ...
    @overload
    def read_many(
        self, paths: Iterable[AnyPath], *, kind: Literal["pdf"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.Many[lazy.PdfPages]: ...
    @overload
    def read_many(
        self, paths: Iterable[AnyPath], *, kind: Literal["notebook"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.Many[lazy.NotebookPage]: ...
    @overload
    def read_many(
        self, paths: Iterable[AnyPath], **arguments: Unpack[ManyArguments]
    ) -> lazy.Many[lazy.Page]: ...
    @shows(ReadArguments)
    def read_many(
        self,
        paths: Iterable[AnyPath],
        *,
        budget_tokens: int | None = None,
        budget_bytes: int | None = None,
        concurrency: int | None = None,
        **arguments: Unpack[ReadArguments],
    ) -> lazy.Many[Any]:
        """Read the same window of several files under one budget.

        Results come in the order of `paths`, and are the same whatever finishes first: each file
        gets what the files before it have left of the budget. One whose first line does not fit is
        "not shown": a page without lines whose text gives its size and how to read it. Such a text
        is about 20 tokens and is not charged.
        Files are read in batches, a batch when its first result is asked for.

        Args:
            paths: The files.
            budget_tokens: Tokens of all shown texts together; `None`: no such budget.
            budget_bytes: Bytes in UTF-8 of all shown texts together; `None`: no such budget.
            concurrency: Files read at a time; `None`: as many as there are cores.
            arguments: Those of `read`, for each file.

        Returns:
            An asynchronous iterator over a page for each file, or `Failed` with its error.

        Raises:
            BadArgumentError: At once, for an argument that no file could take.

        Example:
            >>> async for result in anyread.read_many(paths, limit=200, budget_tokens=50_000):
            ...     print(result.summary())
        """
        from .many import Many

        return Many(self._engine, **self._many(paths, budget_tokens, budget_bytes, concurrency, arguments))

    @overload
    def read_many_sync(
        self, paths: Iterable[AnyPath], *, kind: Literal["text"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.ManySync[TextPage]: ...
    @overload
    def read_many_sync(
        self, paths: Iterable[AnyPath], *, kind: Literal["image"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.ManySync[lazy.ImageView]: ...
    @overload
    def read_many_sync(
        self, paths: Iterable[AnyPath], *, kind: Literal["pdf"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.ManySync[lazy.PdfPages]: ...
    @overload
    def read_many_sync(
        self, paths: Iterable[AnyPath], *, kind: Literal["notebook"], **arguments: Unpack[ManyWindowArguments]
    ) -> lazy.ManySync[lazy.NotebookPage]: ...
    @overload
    def read_many_sync(
        self, paths: Iterable[AnyPath], **arguments: Unpack[ManyArguments]
    ) -> lazy.ManySync[lazy.Page]: ...
    @shows(ReadArguments)
    def read_many_sync(
        self,
        paths: Iterable[AnyPath],
        *,
        budget_tokens: int | None = None,
        budget_bytes: int | None = None,
        concurrency: int | None = None,
        **arguments: Unpack[ReadArguments],
    ) -> lazy.ManySync[Any]:
        """Read several files under one budget by blocking this thread; everything else is as in `read_many`.

        Example:
            >>> for result in anyread.read_many_sync(paths, limit=200, budget_tokens=50_000):
            ...     print(result.summary())
        """
        from .many import ManySync

        return ManySync(
            self._engine, **self._many(paths, budget_tokens, budget_bytes, concurrency, arguments)
        )

    def _many(
        self,
        paths: Iterable[AnyPath],
        budget_tokens: int | None,
        budget_bytes: int | None,
        concurrency: int | None,
        arguments: ReadArguments,
    ) -> dict[str, Any]:
        """Check the arguments of `read_many`, and return those of its results."""
        from .many import Budget

        if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
            raise TypeError(f"read_many takes a list of paths: {paths!r}")
        files = list(paths)
        first = files[0] if files else "."
        request = checked(first, **arguments)
        for name, value in (
            ("budget_tokens", budget_tokens),
            ("budget_bytes", budget_bytes),
            ("concurrency", concurrency),
        ):
            if value is not None and (type(value) is not int or not 1 <= value <= LARGEST):
                reason = f"an integer from 1 to {LARGEST:,}, or None"
                raise BadArgumentError(displayed(first), argument=name, value=shown(value), reason=reason)
        return {
            "paths": files,
            "request": request,
            "budget": Budget(budget_tokens, budget_bytes),
            "threads": concurrency,
            "shown": self._shown,
            "noted": self._note,
        }

    def stats(self) -> dict[str, int]:
        """Count what this reader has done.

        `reads`: reads that were answered; `inline`: those without waiting for anything; `hops` to a
        thread, after attempts that were given up as `hop_lookup` (the path is not in the kernel's
        cache, or needs a closer look), `hop_unknown_mount` (the first read there), `hop_device`
        (its calls may block), `hop_slow_open`, `hop_pages` (not in the page cache), `hop_work` (too
        much of it) and `hop_portable`; `indexed`: reads that found a line index; `mapped`: scans
        that mapped their file; `mapping_repeats`: mapped windows read again because the file was
        changed meanwhile; `mapping_hits`: those of them that met a page the file had lost;
        `retries`: reads that began anew because the file changed. After the first picture or PDF
        also the decoders of this process: `decoders_started`, `decoder_restarts`, `decoder_walls`.

        Example:
            >>> reader.stats()["hops"]
            12
        """
        stats = self._engine.stats()
        # Loaded by the first picture or PDF; before it there are no decoders to count.
        pool = sys.modules.get("anyread.decoding.host.pool")
        if pool is not None:
            stats |= pool.shared_pool().stats()
        return stats

    def close(self) -> None:
        """Let go of the roots; reads that run end as they would, later ones raise `RuntimeError`."""
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


def _folders(roots: object) -> list[bytes]:
    if isinstance(roots, str | bytes | os.PathLike) or not isinstance(roots, Iterable):
        raise TypeError(f"Reader(roots=…) must be a list of paths: {roots!r}")
    folders = []
    for root in roots:
        if not isinstance(root, str | bytes | os.PathLike):
            raise TypeError(f"Reader(roots=…) must be a list of paths: it holds {root!r}")
        folders.append(_normalised(encoded(root)))
    return folders


def _normalised(folder: bytes) -> bytes:
    """Drop what does not matter for where a root leads, so that messages name it as anyone would."""
    if not folder or b"\0" in folder:
        # What is wrong with it is for the core to report.
        return folder
    if b".." in folder.split(b"/"):
        # What `..` leads to is decided by the links before it.
        return os.path.realpath(folder)
    return os.path.normpath(folder)


_default = Reader()
# As in `random`: the functions of the module are the methods of one hidden instance.
read = _default.read
read_sync = _default.read_sync
pages = _default.pages
pages_sync = _default.pages_sync
read_many = _default.read_many
read_many_sync = _default.read_many_sync

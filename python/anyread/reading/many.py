"""Several files under one budget, with results in the order of the files.

What is shown of a file depends only on the file and on what the files before it have left of the budget,
not on `concurrency` or on which read finishes first.
Every file is first read ahead with the whole budget. When it is due, its page is returned if it fits what
is left of the budget; otherwise the file is read again with the rest, or a line says that it is not shown.
Room for one such line is kept until the last file. When nothing else fits, the line counts the files after
it, which are then no longer read: only their sizes are determined.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, Protocol, Self, TypeAlias, TypeVar, cast

from anyread import results
from anyread._native import Opened, display_path
from anyread.arguments.paths import AnyPath, encoded
from anyread.arguments.places import FilePlace, merged, parsed
from anyread.arguments.request import ARGUMENTS, DEFAULTS, LARGEST, WINDOW, Request, explicit
from anyread.arguments.types import MOST_RANGES, Statement
from anyread.engine import ReaderEngine
from anyread.errors import (
    BadArgumentError,
    DirectoryError,
    FileSystemError,
    NotFoundError,
    OverBudgetError,
    ReadError,
    ReadTimeoutError,
)
from anyread.errors.base import counted
from anyread.formats.budget import Budget, Cost, footer_line, next_clause, text_bytes
from anyread.results import BasePage, Continuation, Failed, NotShown, TextBlock, TextPage, Unchanged
from anyread.running import threads
from anyread.running.calls import running_call, work
from anyread.running.deadline import call_deadline
from anyread.values import replaced

from .one_waiter import OneWaiter
from .written_places import Place

_NAMED = {"at", "offset", "ranges", "around", "column", "pages"}
"""The arguments that the line of a file that is not shown repeats."""
BATCH_FILES = 4
"""Files per thread and batch: enough to keep all threads busy, and few pages in memory at a time."""

# The number of cores is read from a file of the system.
_CORES = os.cpu_count() or 1

FileResult: TypeAlias = "results.Page | Unchanged | Failed"
"""What a read of one file returns."""
ManyResult: TypeAlias = "FileResult | NotShown"
_Found: TypeAlias = "TextPage | Unchanged | Opened | ReadError | int | tuple[int]"
"""What the core returns for a file; a number is the position of a name that exists, a tuple has a size."""
_Ready: TypeAlias = "tuple[bytes, FileRequest, ManyResult]"
"""The name of a file, what was read of it, and the result."""
_T = TypeVar("_T")


class ShowsOther(Protocol):
    """Shows a file that is not text, or a directory."""

    def __call__(
        self,
        opened: Opened | DirectoryError,
        name: bytes,
        request: Request,
        *,
        budget: Budget | None = None,
        whole: bool = False,
    ) -> results.Page | Unchanged:
        """Show it; `OverBudgetError` if only whole parts are asked for, and none fits."""


class FileRequest(NamedTuple):
    """What is read of one file."""

    path: AnyPath
    request: Request
    written: tuple[str, ...] = ()
    """The places that were written, such as `a.py:10-20`. If a file has such a name, that file is read."""
    candidates: tuple[str, ...] = ()
    """Longer paths that a text may have meant: the first that exists is read instead."""
    error: BadArgumentError | None = None
    """Why it cannot be read, if its lines are invalid and no file has that name."""


def file_requests(
    paths: Sequence[AnyPath | Place],
    request: Request,
    *,
    base: str = "",
    below: str = "",
    once: bool = False,
    since: Mapping[str, str] = MappingProxyType({}),
) -> list[FileRequest]:
    """Return what is read of each file; places of one file are one read, where the first was named.

    The lines of a place replace the window of the request.

    Args:
        paths: The paths and places.
        request: The request for all of them.
        base: The directory to which the engine reads relative paths, so that absolute and relative names of a
            file agree.
        below: The directory to which paths are relative, if it is another one.
        once: Whether a file that is named several times without lines is read once, too.
        since: The versions of the files for which some of the places were chosen.
    """
    files: list[_File] = []
    at: dict[object, int] = {}
    for path in paths:
        file = _named(path, below, has_places=request["ranges"] is None, is_only=len(paths) == 1)
        if isinstance(path, str) and path in since:
            file = file._replace(since=since[path])
        key = file.key(base)
        known = at.setdefault(key, len(files))
        if known < len(files) and file.is_read_with(files[known], once=once):
            files[known] = files[known].joined(file)
        else:
            files.append(file)
    again = {name: value for name, value in explicit(request).items() if name not in {*WINDOW, "column"}}
    plain = cast("Request", {**DEFAULTS, **again})
    return [file.requested(request, plain) for file in files]


class _File(NamedTuple):
    """A file that was named, with all of its places so far."""

    path: AnyPath
    place: FilePlace | None = None
    """Its lines; `None`: only its path was named."""
    written: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    error: BadArgumentError | None = None
    since: str | None = None
    """The version for which one of its places was chosen."""

    def key(self, base: str) -> object:
        """Return the same value for each name of a file."""
        if not isinstance(self.path, str):
            return object()
        path, base = self.path.replace(os.sep, "/"), base.replace(os.sep, "/")
        if base and path.startswith(f"{base}/"):
            path = path[len(base) :].lstrip("/")
        at = "" if self.place is None else self.place.at
        return path.removeprefix("./"), self.candidates, at

    def is_read_with(self, earlier: _File, *, once: bool) -> bool:
        """Return whether both are one read."""
        if self.place is None and earlier.place is None:
            return once
        spans = [len(file.place.spans) for file in (self, earlier) if file.place is not None]
        return sum(spans) <= MOST_RANGES

    def joined(self, later: _File) -> _File:
        """Return both as one; all of a file contains its places."""
        places = [file.place or FilePlace(os.fsdecode(file.path)) for file in (self, later)]
        written, since = (*self.written, *later.written), self.since or later.since
        return self._replace(place=merged(*places), written=written, since=since)

    def requested(self, request: Request, plain: Request) -> FileRequest:
        """Return what is read; `plain` is the request without a window."""
        chosen = request
        if self.place is not None and self.place.spans:
            chosen = cast("Request", {**plain, "ranges": self.place.spans, "column": self.place.column})
        if self.place is not None and self.place.at:
            chosen = cast("Request", {**(chosen if self.place.spans else plain), "at": self.place.at})
        if self.since is not None:
            chosen = cast("Request", {**chosen, "since_version": self.since})
        return FileRequest(self.path, chosen, self.written, self.candidates, self.error)


def _named(path: AnyPath | Place, below: str, *, has_places: bool, is_only: bool) -> _File:
    """Understand a path, or a place if these are read."""

    def absolute(name: str) -> str:
        # Others are relative to nothing, or need a correction first.
        is_relative = below and not name.startswith(("/", "~", "file:"))
        return os.path.join(below, name) if is_relative else name  # noqa: PTH118 - the system resolves `..`

    if isinstance(path, Place) and path.name:
        return _File(path.path, FilePlace(path.path, at=path.name), (str(path),))
    if isinstance(path, Place):
        line = Statement.at(path.line, path.column or 1) if path.wants == "statement" else path.line
        place = FilePlace(path.path, (line if path.end_line is None else (path.line, path.end_line),))
        return _File(place.path, place, (str(path),), path.candidates)
    if not has_places or type(path) is not str:
        return _File(path)
    literal = os.path.join(below, path)  # noqa: PTH118 - as for `absolute`
    try:
        found = parsed(path, is_only=is_only)
        if found is None:
            return _File(absolute(path), written=(literal,) if literal != absolute(path) else ())
        if found.spans:
            ARGUMENTS["ranges"].checked(path, found.spans)
    except BadArgumentError as refused:
        error = refused
        if refused.argument != "places":
            error = BadArgumentError(path, argument="places", value=path[:80], reason=refused.reason)
        return _File(absolute(path), error=error)
    found = found._replace(path=absolute(found.path))
    return _File(found.path, found, (literal,))


class FileBatch:
    """Read several files in one hop; files that cannot be read give `Failed`.

    Args:
        engine: The engine that reads the files.
        most: The most that each page may cost, besides the limits of the engine.
        threads: How many files are read at a time.
        shown: Shows a file that is not text.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        *,
        most: Cost,
        threads: int,
        shown: ShowsOther,
    ) -> None:
        self._engine = engine
        self._most = most
        self._threads = threads
        self._shown = shown

    def read(self, batch: Sequence[FileRequest], *, sizes_only: bool = False) -> list[_Ready]:
        """Return what was read of each file, in order, or only found; the name is empty if it is no path."""
        names = [_name_or_failure(item) for item in batch]
        good = [(name, item) for name, item in zip(names, batch, strict=True) if isinstance(name, bytes)]
        read = iter(self._read_texts(good, sizes_only=sizes_only) if good else [])
        results: list[_Ready] = []
        for name, item in zip(names, batch, strict=True):
            if isinstance(name, Failed):
                results.append((b"", item, name))
                continue
            found = next(read)
            if isinstance(found, int):
                results += self.read(_apart(item, found), sizes_only=sizes_only)
            else:
                done = self._completed(name, item.request, found)
                if (
                    item.error is not None
                    and isinstance(done, Failed)
                    and isinstance(done.error, NotFoundError)
                ):
                    done = Failed(item.error.path, item.error)
                results.append((name, item, done))
        return results

    def _read_texts(
        self, files: Sequence[tuple[bytes, FileRequest]], *, sizes_only: bool, may_hang: bool = False
    ) -> list[_Found]:
        size, tokens = self._most
        has_places = any(item.written for _, item in files)
        requests = [item.request for _, item in files]
        found = self._engine.read_batch(
            [name for name, _ in files],
            requests if has_places else requests[:1],
            unless=[list(map(encoded, (*item.written, *item.candidates))) for _, item in files]
            if has_places
            else (),
            max_tokens=tokens,
            max_bytes=size,
            threads=self._threads,
            may_hang=may_hang,
            sizes_only=sizes_only,
        )
        read: list[_Found] = []
        for file, each in zip(files, found, strict=True):
            # A file on a mount that may hang is read in a thread of that mount.
            read += self._read_texts([file], sizes_only=sizes_only, may_hang=True) if each is None else [each]
        return read

    def _completed(
        self,
        name: bytes,
        request: Request,
        result: TextPage | Unchanged | Opened | ReadError | tuple[int],
    ) -> ManyResult:
        """Finish what the batch left, such as a file that is not text."""
        if isinstance(result, tuple):
            return NotShown(display_path(name), result[0], unread(request))
        try:
            if isinstance(result, Opened | DirectoryError):
                # Of several files, the deadline of the call names this one.
                with call_deadline(result.path, None):
                    return self._shown(result, name, request)
        except ReadError as error:
            result = error
        return Failed(result.path, result) if isinstance(result, ReadError) else result


def _apart(item: FileRequest, position: int) -> list[FileRequest]:
    """Return what is read if one of the places of a file or of its candidates is the name of another."""
    if position >= len(item.written):
        named = item.candidates[position - len(item.written)]
        return [FileRequest(named, item.request, item.written)]
    named = item.written[position]
    rest = [written for written in item.written if written != named]
    plain = {**item.request, "at": None, "ranges": None, "column": 1}
    return [FileRequest(named, cast("Request", plain)), *file_requests(rest, cast("Request", plain))]


class Separate:
    """Results that are pages of their own: what the caller pays for is their text and images."""

    is_one_answer = False
    """Whether they are one answer, to which others follow: its first page is cut to the budget rather than
    left out, and nothing is shown after the first page that does not fit."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget

    def cost(self, page: results.Page) -> Cost:
        """Return the cost of a page; what is not limited is not counted, because counting takes time."""
        most = self.budget.most
        is_empty = isinstance(page, TextPage) and page.total_lines == 0
        if is_empty or not page.text or page.text.isspace():
            # Instead of nothing, a line that says so is shown.
            texts = (block.text for block in page.blocks if isinstance(block, TextBlock))
            return self.budget.cost("".join(texts))
        size = text_bytes(page.text) if most.bytes < LARGEST else 0
        return Cost(size, page.token_estimate if most.tokens < LARGEST else 0)

    def cost_of_error(self, failed: Failed) -> Cost:  # noqa: ARG002 - a subclass uses it
        """Return the cost of an error; here it is a value, not a text."""
        return Cost(0, 0)


class _Results:
    """The results of several files; a batch is read when its first result is requested.

    Args:
        engine: The engine that reads the files.
        files: The files, and what is read of each.
        writing: How the results are written, and the budget of all of them together.
        threads: How many files are read at a time; `None`: as many as there are cores.
        shown: Shows a file that is not text.
        noted: Records the read of a page; `None`: there is no session.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        files: Sequence[FileRequest],
        *,
        writing: Separate,
        threads: int | None,
        shown: ShowsOther,
        noted: Callable[[results.Page, Request], None] | None,
    ) -> None:
        self._engine = engine
        self._noted = noted
        self._files = files
        self._writing, self._budget = writing, writing.budget
        self._left = self._budget.most
        self._is_over = False
        """Whether nothing else is shown."""
        self._has_page = False
        """Whether a page was shown."""
        self._taken = 0
        threads = threads or _CORES
        self._shown = shown
        self._batch = FileBatch(engine, most=self._budget.most, threads=threads, shown=shown)
        # A batch finishes as a whole, so a deadline for each file requires a batch for each file.
        has_deadline = engine.limits.timeout_s is not None
        self._batch_files = 1 if has_deadline else threads * BATCH_FILES
        self._started = 0
        self._count = len(files)
        self._ready: deque[_Ready] = deque()
        self._waiter = OneWaiter()

    def __len__(self) -> int:
        """Return the number of results that are left."""
        return self._count - self._taken

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {counted(len(self), 'results')} to iterate over>"

    def _deadline(self) -> AbstractContextManager[None]:
        """Limit the time of the next result."""
        # With a deadline a batch is one file.
        item = self._files[self._started] if self._started < len(self._files) else None
        name = b"" if item is None else _name_or_failure(item)
        path = name.path if isinstance(name, Failed) else display_path(name)
        return call_deadline(path, self._engine.limits.timeout_s)

    def _due_files(self) -> Sequence[FileRequest]:
        return self._files[self._started : self._started + self._batch_files]

    def _fetch(self) -> list[_Ready]:
        """Read the next batch; it is empty after the last one. Nothing else changes until it is complete."""
        batch = self._due_files()
        if not batch:
            return []
        return self._batch.read(batch, sizes_only=self._is_over)

    def _failed(self, error: ReadError) -> list[_Ready]:
        """Return the next batch if no thread could be started for it, or if it was not read in time."""
        failed: list[_Ready] = []
        for item in self._due_files():
            name = _name_or_failure(item)
            if isinstance(name, Failed):
                failed.append((b"", item, name))
            else:
                own = error
                if isinstance(error, FileSystemError):
                    own = FileSystemError(
                        display_path(name), errno=error.errno or 0, operation=error.operation
                    )
                failed.append((name, item, Failed(display_path(name), own)))
        return failed

    def _store(self, batch: list[_Ready]) -> None:
        files = len(self._due_files())
        if not files:
            # All are read, or the iteration was ended during the read.
            return
        self._started += files
        # A place that is the name of another file has a result of its own.
        self._count += len(batch) - files
        self._ready.extend(batch)

    def _due_result(self) -> ManyResult:
        """Return the next result, if the budget has room for it; it stays in the queue until `_take`."""
        name, item, result = self._ready[0]
        request, left = item.request, self._left_for_next()
        if isinstance(result, Failed) and request["at"]:
            result = replaced(result, at=request["at"])
        if isinstance(result, BasePage):
            fitted = None if self._is_over else self._fitted(name, request, result, left)
            result = _not_shown(result, request) if fitted is None else fitted
        elif (
            isinstance(result, Failed)
            and self._writing.is_one_answer
            and (self._is_over or (self._taken and not self._has_room(result, left)))
        ):
            result = NotShown(result.path, 0, unread(request))
        if isinstance(result, BasePage) and self._noted is not None:
            # What is returned from here is shown: a session records nothing else.
            noted = partial(self._noted, result, request)
            # Without a version, the session looks at the file.
            if result.version:
                noted()
            else:
                work(lambda _: noted(), self._engine.target(name))
        return result

    def _has_room(self, failed: Failed, left: Cost) -> bool:
        """Return whether the answer has room for an error, and had time for its file."""
        has_time = not isinstance(failed.error, ReadTimeoutError)
        return has_time and self._writing.cost_of_error(failed).is_within(left)

    def _take(self, result: ManyResult) -> ManyResult:
        """Charge a result to the budget, and remove it from the queue: a cancelled wait loses nothing."""
        if not self._ready:
            # The iteration was ended during the read.
            return result
        if isinstance(result, BasePage):
            self._has_page = True
            self._left = self._left.minus(self._writing.cost(result))
            if result.next is not None and self._writing.is_one_answer:
                # It was cut, or there is little left; fragments of more files would be of no use.
                most = self._budget.most
                self._is_over = not Cost(most.bytes // 4, most.tokens // 4).is_within(self._left)
        elif isinstance(result, Failed):
            self._left = self._left.minus(self._writing.cost_of_error(result))
        elif isinstance(result, NotShown) and self._writing.is_one_answer:
            self._is_over = True
        elif isinstance(result, NotShown) and not self._is_over:
            request = self._ready[0][1].request
            result = self._worded(result, request, self._left_for_next(), self._following)
        self._taken += 1
        self._ready.popleft()
        return result

    @property
    def _following(self) -> int:
        return self._count - self._taken - 1

    def _left_for_next(self) -> Cost:
        # The line that ends the results of a spent budget is their footer.
        return self._left.minus(self._budget.footer) if self._following else self._left

    def _worded(self, result: NotShown, request: Request, left: Cost, following: int) -> NotShown:
        """Return a result with its line if that fits; if it is the last one, it counts the files after it."""
        line = replaced(result, text=_line(result, request, ""))
        if not self._budget.cost(line.text).is_within(left):
            self._is_over = True
            files = "the next file is" if following == 1 else f"the next {following:,} files are"
            line = replaced(
                result, text=_line(result, request, f"{files} not shown either" if following else "")
            )
            if not self._budget.cost(line.text).is_within(self._left):
                return result
        self._left = self._left.minus(self._budget.cost(line.text))
        return line

    def _fitted(self, name: bytes, request: Request, page: results.Page, left: Cost) -> FileResult | None:
        """Return a page that fits, with everything that it is written with; `None` if nothing fits.

        The page that was read ahead had all of the budget. If it does not fit what is left, the file is read
        again with that, less what is written besides the page. A page that is not the first has only whole
        lines and parts, because what does not fit can begin the next answer.
        """
        # After errors, the first page is cut to what is left if that is half of the budget.
        half = Cost(self._budget.most.bytes // 2, self._budget.most.tokens // 2).at_least(1)
        has_room = not self._taken or half.is_within(left)
        must = self._writing.is_one_answer and not self._has_page and has_room
        for _ in range(3):
            cost = self._writing.cost(page)
            if cost.is_within(left):
                return page
            # Only the page can shrink, by what is too much.
            room = Cost(text_bytes(page.text), page.token_estimate).minus(cost.minus(left))
            if not all(room) and not must:
                return None
            try:
                again = self._read_within(name, request, room.at_least(1), whole=not must)
            except OverBudgetError:
                return None
            except ReadError as error:
                return Failed(error.path, error)
            if again is None or isinstance(again, Unchanged):
                return again
            page = again
        # A budget may be too small for what every page has at least.
        return page if must else None

    def _read_within(
        self, name: bytes, request: Request, most: Cost, *, whole: bool
    ) -> results.Page | Unchanged | None:
        """Read a file again within a budget; `None` if nothing fits."""
        found: TextPage | Unchanged | Opened | DirectoryError
        try:
            found = self._engine.read(
                name, request, max_tokens=most.tokens, max_bytes=most.bytes, whole=whole
            )
        except DirectoryError as error:
            found = error
        if isinstance(found, Opened | DirectoryError):
            budget = Budget(most, self._budget.tokenizer)
            return self._shown(found, name, request, budget=budget, whole=whole)
        is_empty = (
            isinstance(found, TextPage) and found.next is not None and found.end_line < found.start_line
        )
        return None if whole and is_empty else found

    def _end(self) -> None:
        self._files, self._count = (), self._taken
        self._ready.clear()


class Many(_Results):
    """Iterate over the results of several files without blocking the event loop.

    It is an iterator, not a generator, so that nothing needs cleanup when a loop is left early.
    """

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> results.Page | Failed | NotShown:
        from anyread.running import loop

        with self._waiter, self._deadline():
            if not self._ready:
                try:
                    self._store(await loop.run(self._fetch))
                except (ReadTimeoutError, FileSystemError) as error:
                    self._store(self._failed(error))
            if not self._ready:
                raise StopAsyncIteration
            try:
                result = await loop.run(self._due_result)
            except (ReadTimeoutError, FileSystemError) as error:
                result = Failed(error.path, error)
            # No request has `unless_version`, so that no result is `Unchanged`.
            return cast("results.Page | Failed | NotShown", self._take(result))

    async def aclose(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


class ManySync(_Results):
    """Iterate over the results of several files by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> results.Page | Failed | NotShown:
        with self._waiter, self._deadline():
            if not self._ready:
                try:
                    self._store(_run(self._fetch))
                except (ReadTimeoutError, FileSystemError) as error:
                    self._store(self._failed(error))
            if not self._ready:
                raise StopIteration
            try:
                result = _run(self._due_result)
            except (ReadTimeoutError, FileSystemError) as error:
                result = Failed(error.path, error)
            # No request has `unless_version`, so that no result is `Unchanged`.
            return cast("results.Page | Failed | NotShown", self._take(result))

    def close(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


def _run(function: Callable[[], _T]) -> _T:
    """Run a function by blocking this thread, or as a part of the call that runs this code."""
    return function() if running_call() is not None else threads.run(function)


def _line(result: NotShown, request: Request, files: str) -> str:
    named = [f"{name}={value}" for name, value in explicit(request).items() if name in _NAMED]
    clauses = ["not shown: the budget is spent", counted(result.size_bytes, "bytes")]
    if named:
        clauses.append(next_clause(", ".join(named)))
    return footer_line(*clauses, *([files] if files else []))


def _not_shown(page: results.Page, request: Request) -> NotShown:
    """Return what replaces a page for which the budget has no room."""
    return NotShown(page.path, page.size_bytes, unread(request))


def unread(request: Request) -> Continuation:
    """Return the call that reads the window of a file that is not shown."""
    again = explicit(request)
    is_chosen = "ranges" in again or "around" in again
    return Continuation(again if is_chosen else {"offset": request["offset"], **again}, "")


def _name_or_failure(item: FileRequest) -> bytes | Failed:
    try:
        return encoded(item.path)
    except ReadError as error:
        return Failed(error.path, error)

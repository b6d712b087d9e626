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
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, Self, TypeAlias, TypeVar, cast

from . import results
from ._native import Opened, display_path
from .arguments import LARGEST, Request, explicit
from .budget import Budget, Cost, text_bytes
from .errors import FileSystemError, OverBudgetError, ReadError, ReadTimeoutError
from .errors.base import counted
from .one_waiter import OneWaiter
from .paths import AnyPath, encoded
from .results import BasePage, Continuation, Failed, NotShown, TextPage, Unchanged
from .results.values import replaced
from .running import threads
from .running.calls import release_locals, work
from .running.deadline import call_deadline
from .running.engine import ReaderEngine

_NAMED = {"offset", "column", "pages"}
"""The arguments that the line of a file that is not shown repeats."""
BATCH_FILES = 4
"""Files per thread and batch: enough to keep all threads busy, and few pages in memory at a time."""

FileResult: TypeAlias = "results.Page | Unchanged | Failed"
"""What a read of one file returns."""
ManyResult: TypeAlias = "FileResult | NotShown"
P_co = TypeVar("P_co", bound="BasePage", covariant=True)
"""The type of the pages."""


class FileBatch:
    """Read the same window of several files in one hop; files that cannot be read give `Failed`.

    Args:
        engine: The engine that reads the files.
        request: The arguments for each file.
        most: The most that each page may cost, besides the limits of the engine.
        threads: How many files are read at a time.
        shown: Shows a file that is not text.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        request: Request,
        *,
        most: Cost,
        threads: int,
        shown: Callable[[Opened, bytes, Request], results.Page | Unchanged],
    ) -> None:
        self._engine = engine
        self._request = request
        self._most = most
        self._threads = threads
        self._shown = shown

    def read(self, batch: Sequence[AnyPath]) -> list[tuple[bytes, FileResult]]:
        """Return the name and the result of each file, in order; the name is empty if it is no path."""
        names = [_name_or_failure(path) for path in batch]
        good = [name for name in names if isinstance(name, bytes)]
        read = self._read_texts(good) if good else []
        # Each file is taken out of the list: an error in a result refers to the frames of all callers. The
        # list is a copy, because the call may start again in another thread.
        left = read[::-1]
        del read
        results: list[tuple[bytes, FileResult]] = []
        for name in names:
            if isinstance(name, bytes):
                results.append((name, self._completed(name, left.pop())))
            else:
                results.append((b"", name))
        return results

    def sizes(self, batch: Sequence[AnyPath]) -> list[tuple[bytes, NotShown | Failed]]:
        """Return the size of each file, in order; no file is read."""
        names = [_name_or_failure(path) for path in batch]
        good = [name for name in names if isinstance(name, bytes)]
        sizes = iter(self._engine.sizes(good) if good else [])
        results: list[tuple[bytes, NotShown | Failed]] = []
        for name in names:
            if isinstance(name, Failed):
                results.append((b"", name))
                continue
            size = next(sizes)
            if size is None:
                try:
                    size = self._engine.open(name, repair=True, whole=0).size_bytes
                except ReadError as error:
                    size = error
            if isinstance(size, ReadError):
                results.append((name, Failed(size.path, size)))
            else:
                results.append((name, NotShown(display_path(name), size, unread(self._request))))
        return results

    def not_shown(self, page: results.Page) -> NotShown:
        """Return what replaces a page for which the budget has no room."""
        return NotShown(page.path, page.size_bytes, unread(self._request))

    def _read_texts(self, names: Sequence[bytes]) -> list[TextPage | Unchanged | Opened | ReadError | None]:
        size, tokens = self._most
        return self._engine.read_batch(
            names, self._request, max_tokens=tokens, max_bytes=size, threads=self._threads
        )

    def _completed(self, name: bytes, result: TextPage | Unchanged | Opened | ReadError | None) -> FileResult:
        """Finish what the batch left: a file on a mount that may hang, or a file that is not text."""
        outside = sys.exception()
        try:
            if result is None:
                size, tokens = self._most
                result = self._engine.read(name, self._request, max_tokens=tokens, max_bytes=size)
            if isinstance(result, Opened):
                return self._shown(result, name, self._request)
        except ReadError as error:
            release_locals(error, outside=outside)
            result = error
        return Failed(result.path, result) if isinstance(result, ReadError) else result


class _Results:
    """The results of several files; a batch is read when its first result is requested.

    Args:
        engine: The engine that reads the files.
        paths: The files.
        request: The arguments for each file.
        budget: The budget of all pages together.
        threads: How many files are read at a time; `None`: as many as there are cores.
        shown: Shows a file that is not text.
        noted: Records the read of a page; `None`: there is no session.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        paths: Sequence[AnyPath],
        request: Request,
        *,
        budget: Budget,
        threads: int | None,
        shown: Callable[[Opened, bytes, Request], results.Page | Unchanged],
        noted: Callable[[results.Page, Request], None] | None,
    ) -> None:
        self._engine = engine
        self._noted = noted
        self._paths = paths
        self._request = request
        self._budget = budget
        self._left = budget.most
        self._is_over = False
        """Whether nothing else is shown."""
        self._taken = 0
        threads = threads or os.cpu_count() or 1
        self._batch = FileBatch(engine, request, most=budget.most, threads=threads, shown=shown)
        # A batch finishes as a whole, so a deadline for each file requires a batch for each file.
        has_deadline = engine.limits.timeout_s is not None
        self._batch_files = 1 if has_deadline else threads * BATCH_FILES
        self._started = 0
        self._ready: deque[tuple[bytes, ManyResult]] = deque()
        self._waiter = OneWaiter()

    def _due(self) -> str:
        """Return the path for the error of the deadline of the next result."""
        # With a deadline a batch is one file.
        if self._started >= len(self._paths):
            return ""
        name = _name_or_failure(self._paths[self._started])
        return name.path if isinstance(name, Failed) else display_path(name)

    def _fetch(self) -> list[tuple[bytes, ManyResult]]:
        """Read the next batch; it is empty after the last one. Nothing else changes until it is complete."""
        batch = self._paths[self._started : self._started + self._batch_files]
        if not batch:
            return []
        return [*(self._batch.sizes(batch) if self._is_over else self._batch.read(batch))]

    def _failed(self, error: ReadError) -> list[tuple[bytes, ManyResult]]:
        """Return the next batch if no thread could be started for it, or if it was not read in time."""
        failed: list[tuple[bytes, ManyResult]] = []
        for path in self._paths[self._started : self._started + self._batch_files]:
            name = _name_or_failure(path)
            if isinstance(name, Failed):
                failed.append((b"", name))
            else:
                own = error
                if isinstance(error, FileSystemError):
                    own = FileSystemError(
                        display_path(name), errno=error.errno or 0, operation=error.operation
                    )
                failed.append((name, Failed(display_path(name), own)))
        return failed

    def _store(self, batch: list[tuple[bytes, ManyResult]]) -> None:
        self._started += len(batch)
        self._ready.extend(batch)

    def _due_result(self) -> ManyResult:
        """Return the next result, if the budget has room for it; it stays in the queue until `_take`."""
        name, result = self._ready[0]
        left = self._left_for_next()
        if isinstance(result, BasePage) and not self._is_over and not self._cost(result).is_within(left):
            again = self._read_again(name, result, left)
            result = self._batch.not_shown(result) if again is None else again
        if isinstance(result, BasePage) and self._is_over:
            result = self._batch.not_shown(result)
        if isinstance(result, BasePage) and self._noted is not None:
            noted = partial(self._noted, result, self._request)
            # Without a version, the session looks at the file.
            if result.version:
                noted()
            else:
                work(lambda _: noted(), self._engine.target(name))
        return result

    def _take(self, result: ManyResult) -> ManyResult:
        """Charge a result to the budget, and remove it from the queue: a cancelled wait loses nothing."""
        if isinstance(result, BasePage):
            self._left = self._left.minus(self._cost(result))
        elif isinstance(result, NotShown) and not self._is_over:
            result = self._worded(result, self._left_for_next(), self._following)
        self._taken += 1
        self._ready.popleft()
        return result

    @property
    def _following(self) -> int:
        return len(self._paths) - self._taken - 1

    def _cost(self, page: results.Page) -> Cost:
        """Return the cost of a page; what is not limited is not counted, because counting takes time."""
        most = self._budget.most
        size = text_bytes(page.text) if most.bytes < LARGEST else 0
        return Cost(size, page.token_estimate if most.tokens < LARGEST else 0)

    def _left_for_next(self) -> Cost:
        # The line that ends the results of a spent budget is their footer.
        return self._left.minus(self._budget.footer) if self._following else self._left

    def _worded(self, result: NotShown, left: Cost, following: int) -> NotShown:
        """Return a result with its line if that fits; if it is the last one, it counts the files after it."""
        line = replaced(result, text=self._line(result, ""))
        if not self._budget.cost(line.text).is_within(left):
            self._is_over = True
            files = "the next file is" if following == 1 else f"the next {following:,} files are"
            line = replaced(
                result, text=self._line(result, f" · {files} not shown either" if following else "")
            )
            if not self._budget.cost(line.text).is_within(self._left):
                return result
        self._left = self._left.minus(self._budget.cost(line.text))
        return line

    def _line(self, result: NotShown, files: str) -> str:
        arguments = explicit(self._request)
        named = [f"{name}={value}" for name, value in arguments.items() if name in _NAMED]
        how = f" · next: {', '.join(named)}" if named else ""
        return f"[not shown: the budget is spent · {counted(result.size_bytes, 'bytes')}{how}{files}]"

    def _read_again(self, name: bytes, page: results.Page, left: Cost) -> FileResult | None:
        """Read a file again with the rest of the budget; `None` if nothing fits."""
        # Images, PDFs and notebooks are shown completely or not at all.
        if not all(left) or not isinstance(page, TextPage):
            return None
        try:
            again = self._engine.read(name, self._request, max_tokens=left.tokens, max_bytes=left.bytes)
        except OverBudgetError:
            return None
        except ReadError as error:
            return Failed(error.path, error)
        if isinstance(again, Opened):
            # The file is no longer text.
            return None
        if isinstance(again, TextPage) and not (
            self._cost(again).is_within(left) and self._has_a_whole_line(again)
        ):
            return None
        return again

    def _has_a_whole_line(self, page: TextPage) -> bool:
        """Return whether the first line is shown up to its end, or up to where any page would clip it."""
        if page.next is None or page.end_line != page.start_line:
            return True
        column: int | None = page.next.arguments.get("column")
        return column is None or column - self._request["column"] >= self._engine.limits.max_line_chars

    def _end(self) -> None:
        self._paths = ()
        self._ready.clear()


class Many(_Results, Generic[P_co]):
    """Iterate over the results of several files without blocking the event loop.

    It is an iterator, not a generator, so that nothing needs cleanup when a loop is left early.
    """

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> P_co | Failed | NotShown:
        from .running import loop

        with self._waiter.waiting(), call_deadline(self._due(), self._engine.limits.timeout_s):
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
            result = self._take(result)
        # The requested `kind` determines the type of the page; other files raise an error.
        return cast("P_co | Failed | NotShown", result)

    async def aclose(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


class ManySync(_Results, Generic[P_co]):
    """Iterate over the results of several files by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> P_co | Failed | NotShown:
        with self._waiter.waiting(), call_deadline(self._due(), self._engine.limits.timeout_s):
            if not self._ready:
                try:
                    self._store(threads.run(self._fetch))
                except (ReadTimeoutError, FileSystemError) as error:
                    self._store(self._failed(error))
            if not self._ready:
                raise StopIteration
            try:
                result = threads.run(self._due_result)
            except (ReadTimeoutError, FileSystemError) as error:
                result = Failed(error.path, error)
            result = self._take(result)
        return cast("P_co | Failed | NotShown", result)

    def close(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


def unread(request: Request) -> Continuation:
    """Return the call that reads the window of a file that is not shown."""
    return Continuation({"offset": request["offset"], **explicit(request)}, "")


def _name_or_failure(path: AnyPath) -> bytes | Failed:
    try:
        return encoded(path)
    except ReadError as error:
        return Failed(error.path, error)

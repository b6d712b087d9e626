"""Several files under one budget, with results in the order of the files.

What is shown of a file depends only on the file and on what the files before it have left of the budget,
not on `concurrency` or on which read finishes first.
Every file is first read ahead with the whole budget. When it is due, its page is returned if it fits what
is left of the budget; otherwise the file is read again with the rest, or is not shown.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeAlias, TypeVar, cast

from . import results
from ._native import Opened, display_path
from .arguments import ARGUMENTS, Request, explicit
from .errors import FileSystemError, OverBudgetError, ReadError, ReadTimeoutError
from .paths import AnyPath, encoded
from .results import BasePage, Continuation, Failed, TextPage, Unchanged
from .running import threads
from .running.deadline import call_deadline
from .running.effects import Steps
from .running.engine import ReaderEngine
from .running.frames import release_locals

BATCH_FILES = 4
"""Files per thread and batch: enough to keep all threads busy, and few pages in memory at a time."""

FileResult: TypeAlias = "results.Page | Unchanged | Failed"
P_co = TypeVar("P_co", bound="BasePage", covariant=True)
"""The type of the pages."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedBudget:
    """The budget of several pages, or what is left of it; `None`: no budget."""

    tokens: int | None
    bytes: int | None

    def covers(self, page: results.Page) -> bool:
        """Return whether a page fits."""
        return not (
            (self.tokens is not None and tokens(page) > self.tokens)
            or (self.bytes is not None and text_bytes(page) > self.bytes)
        )

    def less(self, page: results.Page) -> SharedBudget:
        """Return what is left after a page."""
        return SharedBudget(
            None if self.tokens is None else self.tokens - tokens(page),
            None if self.bytes is None else self.bytes - text_bytes(page),
        )

    @property
    def spent(self) -> bool:
        """Whether all tokens or all bytes are used."""
        return self.tokens == 0 or self.bytes == 0


class FileBatch:
    """Read the same window of several files in one hop; files that cannot be read give `Failed`.

    Args:
        engine: The engine that reads the files.
        request: The arguments for each file.
        budget: The maximum of each page, besides the limits of the engine.
        threads: How many files are read at a time.
        shown: Shows a file that is not text.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        request: Request,
        *,
        budget: SharedBudget,
        threads: int,
        shown: Callable[[Opened, bytes, Request], Steps[results.Page | Unchanged]],
    ) -> None:
        self._engine = engine
        self._request = request
        self._budget = budget
        self._threads = threads
        self._shown = shown

    def read(self, batch: Sequence[AnyPath]) -> Steps[list[tuple[bytes, FileResult]]]:
        """Return the name and the result of each file, in order; the name is empty if it is no path."""
        names = [_name_or_failure(path) for path in batch]
        good = [name for name in names if isinstance(name, bytes)]
        read = (yield from self._read_texts(good)) if good else []
        # Each file is taken out of the list, to which the driver still refers: since CPython 3.12, an error
        # in a result refers to the frames of all callers.
        read.reverse()
        results: list[tuple[bytes, FileResult]] = []
        for name in names:
            if isinstance(name, bytes):
                results.append((name, (yield from self._completed(name, read.pop()))))
            else:
                results.append((b"", name))
        return results

    def _read_texts(
        self, names: Sequence[bytes]
    ) -> Steps[list[TextPage | Unchanged | Opened | ReadError | None]]:
        tokens, size = self._budget.tokens, self._budget.bytes
        try:
            return (
                yield from self._engine.read_batch(
                    names, self._request, max_tokens=tokens, max_bytes=size, threads=self._threads
                )
            )
        except ReadTimeoutError as error:
            return [error] * len(names)
        except FileSystemError as error:
            # No thread could be started for the batch.
            number, operation = error.errno or 0, error.operation
            return [FileSystemError(display_path(name), errno=number, operation=operation) for name in names]

    def _completed(
        self, name: bytes, result: TextPage | Unchanged | Opened | ReadError | None
    ) -> Steps[FileResult]:
        """Finish what the batch left: a file on a mount that may hang, or a file that is not text."""
        outside = sys.exception()
        try:
            if result is None:
                budget = self._budget
                result = yield from self._engine.read(
                    name, self._request, max_tokens=budget.tokens, max_bytes=budget.bytes
                )
            if isinstance(result, Opened):
                return (yield from self._shown(result, name, self._request))
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
        noted: Records the read of a page.
    """

    def __init__(
        self,
        engine: ReaderEngine,
        paths: Sequence[AnyPath],
        request: Request,
        *,
        budget: SharedBudget,
        threads: int | None,
        shown: Callable[[Opened, bytes, Request], Steps[results.Page | Unchanged]],
        noted: Callable[[results.Page, bytes, Request], Steps[None]],
    ) -> None:
        self._engine = engine
        self._noted = noted
        self._paths = paths
        self._request = request
        self._budget = budget
        self._left = budget
        threads = threads or os.cpu_count() or 1
        self._batch = FileBatch(engine, request, budget=budget, threads=threads, shown=shown)
        # A batch finishes as a whole, so a deadline for each file requires a batch for each file.
        has_deadline = engine.limits.timeout_s is not None
        self._batch_files = 1 if has_deadline else threads * BATCH_FILES
        self._started = 0
        self._ready: deque[tuple[bytes, FileResult]] = deque()
        self._is_advancing = False

    def _begin(self) -> str:
        """Mark that a result is being read, and return the path for the error of its deadline."""
        if self._is_advancing:
            raise RuntimeError("another task or thread is waiting for these results: take them one at a time")
        self._is_advancing = True
        # With a deadline a batch is one file.
        if self._started >= len(self._paths):
            return ""
        name = _name_or_failure(self._paths[self._started])
        return name.path if isinstance(name, Failed) else display_path(name)

    def _advance(self) -> Steps[FileResult | None]:
        """Take the next result; `None` after the last one."""
        if not self._ready:
            batch = self._paths[self._started : self._started + self._batch_files]
            if not batch:
                return None
            results = yield from self._batch.read(batch)
            self._started += len(batch)
            self._ready.extend(results)
        # Removed only when it is complete, so that a cancelled wait loses no result.
        name, result = self._ready[0]
        if isinstance(result, BasePage):
            page = result if self._left.covers(result) else (yield from self._read_again(name, result))
            if isinstance(page, BasePage):
                yield from self._noted(page, name, self._request)
                self._left = self._left.less(page)
            # A file that is not shown uses no budget.
            result = not_shown(result, self._request) if page is None else page
        self._ready.popleft()
        return result

    def _read_again(self, name: bytes, page: results.Page) -> Steps[FileResult | None]:
        """Read a file again with the rest of the budget; `None` if nothing fits."""
        left = self._left
        # Images, PDFs and notebooks are shown completely or not at all.
        if left.spent or not isinstance(page, TextPage):
            return None
        try:
            again = yield from self._engine.read(
                name, self._request, max_tokens=left.tokens, max_bytes=left.bytes
            )
        except OverBudgetError:
            return None
        except ReadError as error:
            return Failed(error.path, error)
        if isinstance(again, Opened):
            # The file is no longer text.
            return None
        if isinstance(again, TextPage) and not (left.covers(again) and self._has_a_whole_line(again)):
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

    async def __anext__(self) -> P_co | Failed:
        from .running import loop

        path = self._begin()
        try:
            with call_deadline(path, self._engine.limits.timeout_s):
                result = await loop.run(self._advance())
        finally:
            self._is_advancing = False
        if result is None:
            raise StopAsyncIteration
        # The requested `kind` determines the type of the page; other files raise an error.
        return cast("P_co | Failed", result)

    async def aclose(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


class ManySync(_Results, Generic[P_co]):
    """Iterate over the results of several files by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> P_co | Failed:
        path = self._begin()
        try:
            with call_deadline(path, self._engine.limits.timeout_s):
                result = threads.run(self._advance())
        finally:
            self._is_advancing = False
        if result is None:
            raise StopIteration
        return cast("P_co | Failed", result)

    def close(self) -> None:
        """End the iteration; what was read ahead is dropped."""
        self._end()


def not_shown(page: results.Page, request: Request) -> results.Page:
    """Make the page for a file for which the budget has no room."""
    arguments = explicit(request)
    if page.kind in ARGUMENTS["offset"].kinds:
        arguments["offset"] = request["offset"]
    named = [f"{name}={value}" for name, value in arguments.items() if name in {"offset", "column", "pages"}]
    how = f" · next: {', '.join(named)}" if named else ""
    footer = f"[not shown: the budget is spent · {page.size_bytes:,} bytes{how}]"
    arguments["since_version"] = page.version
    return page.left_out(footer, Continuation(arguments, page.version))


def tokens(page: results.Page) -> int:
    """Return the token estimate of a page of any kind."""
    estimate: int = getattr(page, "token_estimate", 0)
    return estimate


def text_bytes(page: results.Page) -> int:
    """Return the number of bytes of the shown text in UTF-8."""
    text = page.text
    return len(text) if text.isascii() else len(text.encode())


def _name_or_failure(path: AnyPath) -> bytes | Failed:
    try:
        return encoded(path)
    except ReadError as error:
        return Failed(error.path, error)

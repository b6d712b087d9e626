"""Several files under one budget, in their order, whichever read ends first.

What is shown of a file depends on the file and on what the files before it have left of the budget,
and on nothing else: neither on `concurrency`, nor on which read ends first.
Every file is read under the whole budget, ahead of its turn. When its turn comes, a page that fits what
is left stands; any other is read again under the rest, or is not shown.
"""

from __future__ import annotations

import os
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

BATCH_FILES = 4
"""Files per thread and batch: enough to keep all threads busy to the end, and few pages held at once."""

FileResult: TypeAlias = "results.Page | Unchanged | Failed"
P_co = TypeVar("P_co", bound="BasePage", covariant=True)
"""The kind of pages."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedBudget:
    """What pages take, or may take; `None` where there is no budget."""

    tokens: int | None
    bytes: int | None

    def covers(self, page: results.Page) -> bool:
        """Return whether a page fits."""
        return not (
            (self.tokens is not None and tokens(page) > self.tokens)
            or (self.bytes is not None and text_bytes(page) > self.bytes)
        )

    def less(self, page: results.Page) -> SharedBudget:
        """Take a page off."""
        return SharedBudget(
            None if self.tokens is None else self.tokens - tokens(page),
            None if self.bytes is None else self.bytes - text_bytes(page),
        )

    @property
    def spent(self) -> bool:
        """Whether nothing at all fits any more."""
        return self.tokens == 0 or self.bytes == 0


class _Results:
    """The results of several files; a batch is read when its first result is requested.

    Args:
        engine: What reads texts.
        paths: The files.
        request: What is read of each.
        budget: What all pages together may take.
        threads: How many files are read at a time; `None`: as many as there are cores.
        shown: Shows a file that is no text.
        noted: Remembers a page.
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
        self._shown = shown
        self._noted = noted
        self._paths = paths
        self._request = request
        self._budget = budget
        self._left = budget
        self._threads = threads or os.cpu_count() or 1
        # A batch ends as a whole, so a deadline for each file needs a batch for each file.
        has_deadline = engine.limits.timeout_s is not None
        self._batch_files = 1 if has_deadline else self._threads * BATCH_FILES
        self._started = 0
        self._ready: deque[tuple[bytes, FileResult]] = deque()
        self._is_advancing = False

    def _begin(self) -> str:
        """Mark that a result is on its way, and return the path that its deadline names."""
        if self._is_advancing:
            raise RuntimeError("these results are being waited for by another task: take them one by one")
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
            results = yield from self._read_batch(batch)
            self._started += len(batch)
            self._ready.extend(results)
        # It is taken off when it is complete: a cancelled wait loses no result.
        name, result = self._ready[0]
        if isinstance(result, BasePage):
            page = result if self._left.covers(result) else (yield from self._read_again(name, result))
            if isinstance(page, BasePage):
                yield from self._noted(page, name, self._request)
                self._left = self._left.less(page)
            # What is not shown is not charged.
            result = not_shown(result, self._request) if page is None else page
        self._ready.popleft()
        return result

    def _read_batch(self, batch: Sequence[AnyPath]) -> Steps[list[tuple[bytes, FileResult]]]:
        """Read each file under the whole budget, in one hop."""
        names = [_name_or_failure(path) for path in batch]
        good = [name for name in names if isinstance(name, bytes)]
        read = iter((yield from self._read_texts(good)) if good else ())
        results: list[tuple[bytes, FileResult]] = []
        for name in names:
            if isinstance(name, bytes):
                results.append((name, (yield from self._or_alone(name, next(read)))))
            else:
                results.append((b"", name))
        return results

    def _read_texts(
        self, names: Sequence[bytes]
    ) -> Steps[Sequence[TextPage | Unchanged | Opened | ReadError | None]]:
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
            # There is no thread for the batch.
            number, operation = error.errno or 0, error.operation
            return [FileSystemError(display_path(name), errno=number, operation=operation) for name in names]

    def _or_alone(
        self, name: bytes, result: TextPage | Unchanged | Opened | ReadError | None
    ) -> Steps[FileResult]:
        """Finish what a batch leaves: a file whose mount may hang, and one that is no text."""
        try:
            if result is None:
                budget = self._budget
                result = yield from self._engine.read(
                    name, self._request, max_tokens=budget.tokens, max_bytes=budget.bytes
                )
            if isinstance(result, Opened):
                return (yield from self._shown(result, name, self._request))
        except ReadError as error:
            result = error
        return Failed(result.path, result) if isinstance(result, ReadError) else result

    def _read_again(self, name: bytes, page: results.Page) -> Steps[FileResult | None]:
        """Read as much of a file as the rest of the budget holds; `None` if there is no room for it."""
        left = self._left
        # Of an image, a PDF or a notebook there is no half.
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
            # It has become something else since it was read as text.
            return None
        if isinstance(again, TextPage) and not (left.covers(again) and self._has_a_whole_line(again)):
            return None
        return again

    def _has_a_whole_line(self, page: TextPage) -> bool:
        """Return whether the first line is there, up to where every reader would clip it."""
        if page.next is None or page.end_line != page.start_line:
            return True
        column: int | None = page.next.arguments.get("column")
        return column is None or column - self._request["column"] >= self._engine.limits.max_line_chars

    def _end(self) -> None:
        self._paths = ()
        self._ready.clear()


class Many(_Results, Generic[P_co]):
    """Iterate over the results of several files without blocking the event loop.

    It is an iterator and no generator, so that leaving a loop early leaves nothing to clean up.
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
        # The kind that was requested decides what it is, or an error is raised.
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
    """Make the page that stands for a file which the budget has no room for."""
    arguments = explicit(request)
    if page.kind in ARGUMENTS["offset"].kinds:
        arguments["offset"] = request["offset"]
    named = [f"{name}={value}" for name, value in arguments.items() if name in {"offset", "column", "pages"}]
    how = f" · next: {', '.join(named)}" if named else ""
    footer = f"[not shown: the budget is spent · {page.size_bytes:,} bytes{how}]"
    arguments["since_version"] = page.version
    return page.left_out(footer, Continuation(arguments, page.version))


def tokens(page: results.Page) -> int:
    """Count the tokens of a page of whatever kind."""
    estimate: int = getattr(page, "token_estimate", 0)
    return estimate


def text_bytes(page: results.Page) -> int:
    """Count the bytes of the shown text in UTF-8."""
    text = page.text
    return len(text) if text.isascii() else len(text.encode())


def _name_or_failure(path: AnyPath) -> bytes | Failed:
    try:
        return encoded(path)
    except ReadError as error:
        return Failed(error.path, error)

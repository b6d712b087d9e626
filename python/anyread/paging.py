"""Page after page of one file, following `next`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Self, cast

from .arguments import ReadArguments
from .paths import AnyPath
from .results import Page


class _PageWalk:
    """The way through one file, each page read when it is asked for.

    Args:
        read: `Reader.read`, or `Reader.read_sync`.
        path: The file.
        arguments: Those of the first page.
    """

    def __init__(self, read: Callable[..., Any], path: AnyPath, arguments: ReadArguments) -> None:
        self._read = read
        self._path = path
        self._next: ReadArguments | None = arguments
        limit = arguments.get("limit")
        self._limit = {} if limit is None else {"limit": limit}

    def _pass(self, page: Page) -> Page:
        """Note where the page after this one begins."""
        self._next = None
        if page.next is not None:
            # A page that is full before its limit leaves the rest of it to the next; here each has it all.
            self._next = cast("ReadArguments", {**page.next.arguments, **self._limit})
        return page


class Pages(_PageWalk):
    """Iterate over the pages of one file without blocking the event loop.

    It is an iterator and no generator, so that leaving a loop early leaves nothing to clean up.
    """

    _read: Callable[..., Awaitable[Page]]

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Page:
        if self._next is None:
            raise StopAsyncIteration
        return self._pass(await self._read(self._path, **self._next))

    async def aclose(self) -> None:
        """End the iteration."""
        self._next = None


class PagesSync(_PageWalk):
    """Iterate over the pages of one file by blocking this thread."""

    _read: Callable[..., Page]

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Page:
        if self._next is None:
            raise StopIteration
        return self._pass(self._read(self._path, **self._next))

    def close(self) -> None:
        """End the iteration."""
        self._next = None

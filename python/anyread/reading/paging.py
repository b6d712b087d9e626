"""Reading a file page by page, following `next`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from anyread.arguments.paths import AnyPath
from anyread.arguments.request import ReadArguments

from .one_waiter import OneWaiter

if TYPE_CHECKING:
    from anyread.results import BasePage

P_co = TypeVar("P_co", bound="BasePage", covariant=True)
"""The type of the pages."""


class _PageIterator(Generic[P_co]):
    """Read one file page by page, each page when it is requested.

    Args:
        read: `Reader.read`, or `Reader.read_sync`.
        path: The file.
        arguments: The arguments for the first page.
    """

    def __init__(self, read: Callable[..., Any], path: AnyPath, arguments: ReadArguments) -> None:
        self._read = read
        self._path = path
        self._next: ReadArguments | None = arguments
        limit = arguments.get("limit")
        self._limit = {} if limit is None else {"limit": limit}
        self._waiter = OneWaiter()

    def _advance(self, page: Any) -> P_co:
        """Store the arguments for the page after this one, and return this one."""
        if page.next is None:
            self._next = None
        elif self._next is not None:
            # If a page ends before its limit, `next` has the rest of it; here every page has the whole limit.
            # Without arguments, the iteration was ended during the read.
            self._next = cast("ReadArguments", {**page.next.arguments, **self._limit})
        # The requested `kind` determines the type of the page; other files raise an error.
        return cast("P_co", page)


class Pages(_PageIterator[P_co]):
    """Iterate over the pages of one file without blocking the event loop.

    It is an iterator, not a generator, so that nothing needs cleanup when a loop is left early.
    """

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> P_co:
        if self._next is None:
            raise StopAsyncIteration
        with self._waiter:
            return self._advance(await self._read(self._path, **self._next))

    async def aclose(self) -> None:
        """End the iteration."""
        self._next = None


class PagesSync(_PageIterator[P_co]):
    """Iterate over the pages of one file by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> P_co:
        if self._next is None:
            raise StopIteration
        with self._waiter:
            return self._advance(self._read(self._path, **self._next))

    def close(self) -> None:
        """End the iteration."""
        self._next = None

"""Page after page of one file, following `next`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from .arguments import ReadArguments
from .paths import AnyPath

if TYPE_CHECKING:
    from .results import BasePage

P_co = TypeVar("P_co", bound="BasePage", covariant=True)
"""The kind of pages."""


class _PageWalk(Generic[P_co]):
    """The way through one file, each page read when it is requested.

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

    def _pass(self, page: Any) -> P_co:
        """Note where the page after this one begins, and return this one."""
        self._next = None
        if page.next is not None:
            # A page that is full before its limit leaves the rest of it to the next; here each has it all.
            self._next = cast("ReadArguments", {**page.next.arguments, **self._limit})
        # The kind that was requested decides what it is, or an error is raised.
        return cast("P_co", page)


class Pages(_PageWalk[P_co]):
    """Iterate over the pages of one file without blocking the event loop.

    It is an iterator and no generator, so that leaving a loop early leaves nothing to clean up.
    """

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> P_co:
        if self._next is None:
            raise StopAsyncIteration
        return self._pass(await self._read(self._path, **self._next))

    async def aclose(self) -> None:
        """End the iteration."""
        self._next = None


class PagesSync(_PageWalk[P_co]):
    """Iterate over the pages of one file by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> P_co:
        if self._next is None:
            raise StopIteration
        return self._pass(self._read(self._path, **self._next))

    def close(self) -> None:
        """End the iteration."""
        self._next = None

"""Page after page of one file, following `next`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Self, cast

from .arguments import ReadArguments
from .paths import AnyPath
from .results import Page


class Pages:
    """Iterate over the pages of one file, each read when it is asked for.

    It is an iterator and no generator, so that leaving a loop early leaves nothing to clean up.
    """

    def __init__(self, read: Callable[..., Awaitable[Page]], path: AnyPath, arguments: ReadArguments) -> None:
        self._read = read
        self._path = path
        self._next: ReadArguments | None = arguments
        limit = arguments.get("limit")
        self._limit = {} if limit is None else {"limit": limit}

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Page:
        if self._next is None:
            raise StopAsyncIteration
        page = await self._read(self._path, **self._next)
        self._next = None
        if page.next is not None:
            # A page that is full before its limit leaves the rest of it to the next; here each has it all.
            self._next = cast("ReadArguments", {**page.next.arguments, **self._limit})
        return page

    async def aclose(self) -> None:
        """End the iteration."""
        self._next = None

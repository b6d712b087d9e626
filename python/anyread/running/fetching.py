"""Calls of stores, which may block or be asynchronous, from code that is asynchronous.

Where a thread may wait, that code is driven without an event loop: it never suspends, because what it calls
blocks.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any

import anyio
from anyio.lowlevel import current_token

from .calls import current_call

_LOOK_S = 0.1
"""Seconds after which a thread that waits for another one looks whether somebody still waits for it."""

is_blocking: ContextVar[bool] = ContextVar("anyread_store_is_blocking", default=False)
"""Whether a store is called in a thread, which may wait but cannot await."""


class IsAsynchronousError(Exception):
    """A function that was called in a thread has returned something to await."""


async def awaited(answer: Any) -> Any:
    """Return an answer, or what it becomes.

    Raises:
        IsAsynchronousError: It must be awaited, and this thread cannot.
    """
    if not isawaitable(answer):
        return answer
    if is_blocking.get():
        close = getattr(answer, "close", None)
        if close is not None:
            close()
        raise IsAsynchronousError
    return await answer


def driven(get: Callable[[], Awaitable[None]]) -> None:
    """Run an asynchronous function that calls a store which blocks, in a thread that may wait.

    Raises:
        IsAsynchronousError: The store has to be awaited.
    """
    token = is_blocking.set(True)
    running = get().__await__()
    try:
        next(running)
    except StopIteration:
        return
    finally:
        is_blocking.reset(token)
    raise IsAsynchronousError


async def together(parts: Sequence[Callable[[], Awaitable[Any]]]) -> list[Any]:
    """Return the results of functions that are called at the same time, or raise their first error."""
    found: list[Any] = [None] * len(parts)
    errors: list[Exception] = []

    async def one(index: int) -> None:
        try:
            found[index] = await parts[index]()
        except Exception as error:  # noqa: BLE001 - raised below, without a group around it
            errors.append(error)

    async with anyio.create_task_group() as group:
        for index in range(len(parts)):
            group.start_soon(one, index)
    if errors:
        raise errors[0]
    return found


class Turn:
    """Lets one call at a time fetch parts of a file, so that others find them."""

    def __init__(self) -> None:
        self._of_threads = os.getpid(), threading.Lock()
        # Another event loop has another lock.
        self._of_loop: tuple[object, anyio.Lock] | None = None

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        """Wait for the turn, and keep it."""
        if is_blocking.get():
            pid, lock = self._of_threads
            if pid != os.getpid():
                # A thread that a fork has not copied may have held it.
                self._of_threads = _, lock = os.getpid(), threading.Lock()
            while not lock.acquire(timeout=_LOOK_S):
                current_call().check()
            try:
                yield
            finally:
                lock.release()
            return
        token, held = current_token(), self._of_loop
        if held is None or held[0] != token:
            self._of_loop = held = token, anyio.Lock()
        async with held[1]:
            yield

"""Waiting in an event loop for a call from any thread, on asyncio, uvloop and trio.

This uses the loops' own futures and events instead of anyio's threads, which keep the interpreter from
exiting and whose first use spends 50 ms on the loop for imports (`docs/design/007`).

`import anyread` loads this module, but not asyncio, which takes longer than everything else that it loads.
"""

from __future__ import annotations

import sys
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine

Wake: TypeAlias = "Callable[[], bool]"
"""Ends a wait, from any thread; returns whether the event loop of the wait is still open."""


def wait_for_wake(begin: Callable[[Wake], object], left: Callable[[], float]) -> Coroutine[Any, Any, bool]:
    """Start something, and wait until it calls the function that it was given.

    Args:
        begin: Called once, before the wait, with the function that ends the wait.
        left: Returns for how many seconds to wait before it is called again; 0: no longer.

    Returns:
        Whether the call came in time.

    Raises:
        RuntimeError: Neither asyncio nor trio runs.
    """
    return (_wait_in_trio if in_trio() else _wait_in_asyncio)(begin, left)


def in_trio() -> bool:
    """Return whether trio runs this code, and not asyncio; each can run inside the other.

    trio runs inside asyncio in its guest mode, and asyncio inside a task of trio with trio-asyncio.
    """
    # While another thread imports trio, the module has no names yet, and no task can run in it.
    lowlevel = getattr(sys.modules.get("trio"), "lowlevel", None)
    return lowlevel is not None and bool(lowlevel.in_trio_task()) and not _in_trio_asyncio()


def asyncio_loop() -> Any:
    """Return the loop of asyncio that runs this code, or `None`."""
    # While another thread imports asyncio, the module has no names yet, and no loop can run.
    running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
    return None if running is None else running()


def _in_trio_asyncio() -> bool:
    # trio and trio-asyncio name themselves here, which is how sniffio and anyio know them.
    named = getattr(sys.modules.get("sniffio"), "thread_local", None)
    return getattr(named, "name", None) == "asyncio"


async def _wait_in_asyncio(begin: Callable[[Wake], object], left: Callable[[], float]) -> bool:
    import asyncio

    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()

    def settle() -> None:
        if not finished.done():
            finished.set_result(None)

    def wake() -> bool:
        try:
            loop.call_soon_threadsafe(settle)
        except RuntimeError:
            # The loop was closed, which ended the wait.
            return False
        return True

    begin(wake)
    while not finished.done() and (seconds := left()):
        # Most calls have no deadline, and need no timer.
        await (finished if seconds == inf else asyncio.wait((finished,), timeout=seconds))
    return finished.done()


async def _wait_in_trio(begin: Callable[[Wake], object], left: Callable[[], float]) -> bool:
    import trio

    finished = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def wake() -> bool:
        try:
            token.run_sync_soon(finished.set)
        except trio.RunFinishedError:
            # The loop has ended, and so has the wait.
            return False
        return True

    begin(wake)
    while not finished.is_set() and (seconds := left()):
        with trio.move_on_after(seconds):
            await finished.wait()
    return finished.is_set()

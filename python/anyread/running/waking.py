"""Waiting in an event loop, for a call from any thread or a descriptor, on asyncio (uvloop too) and trio.

The loops' own means are used, a future and an event, and not anyio's threads: those hold the interpreter
when it exits, and their first use imports for 50 ms on the loop (`docs/design/007`).
"""

from __future__ import annotations

import asyncio
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

Wake: TypeAlias = "Callable[[], bool]"
"""Ends a wait, from any thread; it returns whether there still is an event loop that waits."""


def woken(begin: Callable[[Wake], object], timeout_s: float | None) -> Coroutine[Any, Any, bool]:
    """Wait until somebody calls what `begin` is given.

    Args:
        begin: Called once, before the wait.
        timeout_s: Seconds to wait; `None`: without end.

    Returns:
        Whether the call came in time.

    Raises:
        RuntimeError: If neither asyncio nor trio runs.
    """
    return (_woken_in_trio if in_trio() else _woken_in_asyncio)(begin, timeout_s)


async def ready(descriptor: int, *, writable: bool, timeout_s: float | None) -> bool:
    """Wait until a descriptor is ready, which no other task of the loop waits for; tells whether it is.

    Not by anyio: it keeps a loop that was closed during a wait forever, with its tasks and open files.
    """
    if in_trio():
        return await _ready_in_trio(descriptor, writable=writable, timeout_s=timeout_s)
    loop = asyncio.get_running_loop()
    watch, unwatch = loop.add_reader, loop.remove_reader
    if writable:
        watch, unwatch = loop.add_writer, loop.remove_writer
    finished: asyncio.Future[bool] = loop.create_future()

    def settle(is_ready: bool) -> None:  # noqa: FBT001 - a callback of the loop
        if not finished.done():
            finished.set_result(is_ready)

    deadline = None if timeout_s is None else loop.call_later(timeout_s, settle, False)  # noqa: FBT003 - the same
    try:
        watch(descriptor, settle, True)  # noqa: FBT003 - the callback's argument
        return await finished
    finally:
        if deadline is not None:
            deadline.cancel()
        # Nothing is watched by a closed loop, which may not be asked any more.
        if not loop.is_closed():
            unwatch(descriptor)


async def _ready_in_trio(descriptor: int, *, writable: bool, timeout_s: float | None) -> bool:
    import trio

    wait = trio.lowlevel.wait_writable if writable else trio.lowlevel.wait_readable
    with trio.move_on_after(float("inf") if timeout_s is None else timeout_s):
        await wait(descriptor)
        return True
    return False


async def sleep(seconds: float) -> None:
    """Wait for some time."""
    if in_trio():
        await sys.modules["trio"].sleep(seconds)
    else:
        await asyncio.sleep(seconds)


async def checkpoint() -> None:
    """Let the other tasks of the loop run, and see whether this one is cancelled."""
    if in_trio():
        await sys.modules["trio"].lowlevel.checkpoint()
    else:
        await asyncio.sleep(0)


async def in_tasks(work: Callable[[], Coroutine[Any, Any, None]], *, count: int) -> None:
    """Run the same work in several tasks, and wait until all of them have ended."""
    if in_trio():
        async with sys.modules["trio"].open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(work)
    else:
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(work())


def lifeline() -> Callable[[], bool]:
    """Return what tells whether the event loop, or the thread, that runs this code can still go on."""
    loop = asyncio._get_running_loop()  # noqa: SLF001 - documented, and does not raise where there is none
    if loop is None:
        return threading.current_thread().is_alive
    reference = weakref.ref(loop)

    def is_open() -> bool:
        found = reference()
        return found is not None and not found.is_closed()

    return is_open


def in_trio() -> bool:
    """Return whether this code runs in a task of trio, which its guest mode runs inside asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())


async def _woken_in_asyncio(begin: Callable[[Wake], object], timeout_s: float | None) -> bool:
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[bool] = loop.create_future()

    def settle(in_time: bool) -> None:  # noqa: FBT001 - a callback of the loop
        if not finished.done():
            finished.set_result(in_time)

    def wake() -> bool:
        try:
            loop.call_soon_threadsafe(settle, True)  # noqa: FBT003 - the callback's argument
        except RuntimeError:
            # The loop was closed, and with it the wait.
            return False
        return True

    deadline = None if timeout_s is None else loop.call_later(timeout_s, settle, False)  # noqa: FBT003 - the same
    try:
        begin(wake)
        return await finished
    finally:
        if deadline is not None:
            deadline.cancel()


async def _woken_in_trio(begin: Callable[[Wake], object], timeout_s: float | None) -> bool:
    import trio

    finished = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def wake() -> bool:
        try:
            token.run_sync_soon(finished.set)
        except trio.RunFinishedError:
            # The loop has ended, and with it the wait.
            return False
        return True

    with trio.move_on_after(float("inf") if timeout_s is None else timeout_s):
        begin(wake)
        await finished.wait()
    return finished.is_set()

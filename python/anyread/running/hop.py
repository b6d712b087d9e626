"""The one hop from an event loop to a thread, on asyncio (uvloop too) and trio.

The loops' own means are used, a future and an event, and not anyio's threads: those hold the interpreter
when it exits, and their first use imports for 50 ms on the loop (`docs/design/007`).
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, TypeVar

from anyread.errors import ReadTimeoutError

from .threads import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread._native import Cancel

_T = TypeVar("_T")


async def hop(
    work: Callable[[Cancel], _T],
    *,
    remote_mount: Callable[[], int | None],
    path: str,
    timeout_s: float | None,
) -> _T:
    """Run `work` in a thread; a cancelled wait ends at once and tells the work to stop.

    Args:
        work: What to run; it polls the flag that it is given.
        remote_mount: Tells which mount that may hang the work leads into; called in the thread.
        path: The path to name if time runs out.
        timeout_s: Seconds to wait, those for a free thread included; `None`: without end.

    Raises:
        ReadTimeoutError: If `timeout_s` passed.
        RuntimeError: If neither asyncio nor trio runs.
    """
    wait = _wait_in_trio if in_trio() else _wait_in_asyncio
    job, in_time = await wait(work, remote_mount, timeout_s)
    if not in_time:
        raise ReadTimeoutError(path, timeout_s=timeout_s or 0.0)
    return job.outcome()


async def checkpoint() -> None:
    """Let the other tasks of the loop run, and see whether this one is cancelled."""
    if in_trio():
        await sys.modules["trio"].lowlevel.checkpoint()
    else:
        await asyncio.sleep(0)


def in_trio() -> bool:
    """Tell whether this code runs in a task of trio, which its guest mode runs inside asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())


async def _wait_in_asyncio(
    work: Callable[[Cancel], _T], remote_mount: Callable[[], int | None], timeout_s: float | None
) -> tuple[Job[_T], bool]:
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[bool] = loop.create_future()

    def settle(in_time: bool) -> None:  # noqa: FBT001 - a callback of the loop
        if not finished.done():
            finished.set_result(in_time)

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(settle, True)  # noqa: FBT003 - the callback's argument
        except RuntimeError:
            # The loop was closed, and with it the wait.
            return

    job = Job(work, remote_mount=remote_mount, wake=wake)
    deadline = None if timeout_s is None else loop.call_later(timeout_s, settle, False)  # noqa: FBT003
    try:
        job.start()
        return job, await finished
    finally:
        if deadline is not None:
            deadline.cancel()
        job.abandon()


async def _wait_in_trio(
    work: Callable[[Cancel], _T], remote_mount: Callable[[], int | None], timeout_s: float | None
) -> tuple[Job[_T], bool]:
    import trio

    finished = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def wake() -> None:
        try:
            token.run_sync_soon(finished.set)
        except trio.RunFinishedError:
            # The loop has ended, and with it the wait.
            return

    job = Job(work, remote_mount=remote_mount, wake=wake)
    try:
        with trio.move_on_after(float("inf") if timeout_s is None else timeout_s):
            job.start()
            await finished.wait()
        return job, finished.is_set()
    finally:
        job.abandon()

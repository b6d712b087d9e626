"""The one hop from an event loop to a thread."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, TypeVar

from .threads import Job
from .waking import Wake, in_trio, woken

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread._native import Cancel

    from .deadline import Deadline

_T = TypeVar("_T")


async def hop(
    work: Callable[[Cancel], _T],
    *,
    remote_mount: Callable[[], int | None],
    path: str,
    deadline: Deadline | None,
) -> _T:
    """Run `work` in a thread; a cancelled wait ends at once and tells the work to stop.

    Args:
        work: What to run; it polls the flag that it is given.
        remote_mount: Tells which mount that may hang the work leads into; called in the thread.
        path: The path to name if no thread can be started.
        deadline: When to stop waiting, for a free thread or for the work; `None`: without end.

    Raises:
        ReadTimeoutError: If the deadline passed.
        FileSystemError: If no thread runs and the system refuses one.
        RuntimeError: If neither asyncio nor trio runs.
    """
    jobs: list[Job[_T]] = []

    def begin(wake: Wake) -> None:
        jobs.append(Job(work, remote_mount=remote_mount, wake=wake, path=path))
        jobs[0].start()

    try:
        in_time = await woken(begin, None if deadline is None else deadline.seconds_left)
    finally:
        for job in jobs:
            job.abandon()
    if not in_time and deadline is not None:
        raise deadline.error()
    return jobs[0].outcome()


async def checkpoint() -> None:
    """Let the other tasks of the loop run, and see whether this one is cancelled."""
    if in_trio():
        await sys.modules["trio"].lowlevel.checkpoint()
    else:
        await asyncio.sleep(0)

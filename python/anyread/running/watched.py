"""Synchronous work in a thread, for callers that watch the clock or the progress."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

from .threads import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread._native import Cancel

    from .deadline import Deadline

_T = TypeVar("_T")

TICK_S = 0.1
"""Seconds between two looks at the progress."""


def watched(
    work: Callable[[Cancel], _T],
    *,
    remote_mount: Callable[[], int | None],
    path: str,
    deadline: Deadline | None = None,
    progress: Callable[[int], None] | None = None,
) -> _T:
    """Run `work` in a daemon thread and wait for it, so that the wait can end before the work.

    Args:
        work: What to run; it polls the flag that it is given.
        remote_mount: Tells which mount that may hang the work leads into; called in the thread.
        path: The path to name if no thread can be started.
        deadline: When to stop waiting; `None`: without end.
        progress: Called every `TICK_S` with the number of bytes scanned.

    Raises:
        ReadTimeoutError: If the deadline passed.
        FileSystemError: If no thread runs and the system refuses one.
    """
    done = threading.Event()
    job = Job(work, remote_mount=remote_mount, wake=done.set, path=path)
    try:
        job.start()
        while True:
            left = None if deadline is None else deadline.seconds_left
            tick = None if progress is None else TICK_S
            waits = [seconds for seconds in (left, tick) if seconds is not None]
            if done.wait(min(waits, default=None)):
                return job.outcome()
            if deadline is not None and time.monotonic() >= deadline.at:
                raise deadline.error()
            if progress is not None:
                progress(job.cancel.scanned_bytes)
    finally:
        # Ctrl-C and the deadline end the wait; the flag ends the work.
        job.abandon()

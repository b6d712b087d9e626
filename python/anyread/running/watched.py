"""A synchronous read in a thread, for callers that watch the clock or the progress."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

from anyread.errors import ReadTimeoutError

from .threads import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread._native import Cancel

_T = TypeVar("_T")

TICK_S = 0.1
"""Seconds between two looks at the progress."""


def watched(
    work: Callable[[Cancel], _T],
    *,
    remote_mount: Callable[[], int | None],
    path: str,
    timeout_s: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> _T:
    """Run `work` in a daemon thread and wait for it, so that the wait can end before the work.

    Args:
        work: What to run; it polls the flag that it is given.
        remote_mount: Tells which mount that may hang the work leads into; called in the thread.
        path: The path to name if time runs out.
        timeout_s: Seconds to wait; `None`: without end.
        progress: Called every `TICK_S` with the number of bytes scanned.

    Raises:
        ReadTimeoutError: If `timeout_s` passed.
    """
    done = threading.Event()
    job = Job(work, remote_mount=remote_mount, wake=done.set)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    job.start()
    try:
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            tick = None if progress is None else TICK_S
            waits = [seconds for seconds in (left, tick) if seconds is not None]
            if done.wait(min(waits, default=None)):
                return job.outcome()
            if deadline is not None and timeout_s is not None and time.monotonic() >= deadline:
                raise ReadTimeoutError(path, timeout_s=timeout_s)
            if progress is not None:
                progress(job.cancel.scanned_bytes)
    finally:
        # Ctrl-C and the deadline end the wait; the flag ends the work.
        job.abandon()

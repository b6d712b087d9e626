"""A synchronous read in a thread of its own, for callers that watch the clock or the progress."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

from anyread._native import Cancel
from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

TICK_S = 0.1
"""Seconds between two looks at the progress."""


def watched(
    work: Callable[[Cancel], _T],
    *,
    path: str,
    timeout_s: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> _T:
    """Run `work` in a daemon thread and wait for it, so that the wait can end before the work.

    Args:
        work: What to run; it polls the flag that it is given.
        path: The path to name if time runs out.
        timeout_s: Seconds to wait; `None`: without end.
        progress: Called every `TICK_S` with the number of bytes scanned.

    Raises:
        ReadTimeoutError: If `timeout_s` passed.
    """
    job = _Job(work)
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    threading.Thread(target=job.run, name="anyread", daemon=True).start()
    try:
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            tick = None if progress is None else TICK_S
            waits = [seconds for seconds in (left, tick) if seconds is not None]
            if job.done.wait(min(waits, default=None)):
                return job.outcome()
            if deadline is not None and timeout_s is not None and time.monotonic() >= deadline:
                raise ReadTimeoutError(path, timeout_s=timeout_s)
            if progress is not None:
                progress(job.cancel.scanned_bytes)
    finally:
        # Ctrl-C and the deadline end the wait; the flag ends the work.
        job.cancel.cancel()


class _Job(Generic[_T]):
    def __init__(self, work: Callable[[Cancel], _T]) -> None:
        self.cancel = Cancel()
        self.done = threading.Event()
        self._work = work
        self._results: list[_T] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._results.append(self._work(self.cancel))
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            self._error = error
        finally:
            self.done.set()

    def outcome(self) -> _T:
        if self._error is not None:
            raise self._error
        return self._results[0]

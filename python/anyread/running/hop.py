"""The one hop from an event loop to a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import anyio.lowlevel
import anyio.to_thread

from anyread._native import Cancel
from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")

THREADS = 16
"""Hops at a time in one event loop.

Enough to keep a disk's queue filled; scans use all cores by themselves, so more would only contend.
It is not the host's default limiter, whose 40 threads others may have taken.
"""

_limiters: anyio.lowlevel.RunVar[anyio.CapacityLimiter] = anyio.lowlevel.RunVar("anyread_limiter")


def limiter() -> anyio.CapacityLimiter:
    """Give the limiter of the running event loop, made on first use."""
    try:
        return _limiters.get()
    except LookupError:
        made = anyio.CapacityLimiter(THREADS)
        _limiters.set(made)
        return made


async def hop(work: Callable[[Cancel], _T], *, path: str, timeout_s: float | None) -> _T:
    """Run `work` in a thread; a cancelled wait ends at once and tells the work to stop.

    Args:
        work: What to run; it polls the flag that it is given.
        path: The path to name if time runs out.
        timeout_s: Seconds to wait, those for a free thread included; `None`: without end.

    Raises:
        ReadTimeoutError: If `timeout_s` passed.
    """
    cancel = Cancel()
    try:
        if timeout_s is None:
            return await anyio.to_thread.run_sync(work, cancel, abandon_on_cancel=True, limiter=limiter())
        with anyio.move_on_after(timeout_s):
            return await anyio.to_thread.run_sync(work, cancel, abandon_on_cancel=True, limiter=limiter())
        raise ReadTimeoutError(path, timeout_s=timeout_s)
    finally:
        # After a complete read nobody looks at the flag any more; otherwise the thread must stop.
        cancel.cancel()

"""Waiting for descriptors in a worker thread, in short steps, so that the end of the call is noticed."""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, Final

from .calls import current_call

if TYPE_CHECKING:
    from collections.abc import Sequence

TICK_S: Final = 0.05
"""The most seconds until a wait notices that nobody waits for its call any more."""


def ready(descriptor: int, *, writable: bool, deadline: float | None) -> bool:
    """Wait until a descriptor is ready, and return whether it is before a deadline.

    Args:
        descriptor: The descriptor.
        writable: Whether to wait until it is writable instead of readable.
        deadline: When to stop waiting, on the clock `time.monotonic`; `None` for never.
    """
    return bool(_wait([] if writable else [descriptor], [descriptor] if writable else [], deadline))


def first_readable(descriptors: Sequence[int], deadline: float | None) -> set[int]:
    """Wait until one of several descriptors is readable; return all that are, or nothing at the deadline."""
    return _wait(descriptors, [], deadline)


def pause(seconds: float) -> None:
    """Wait for this many seconds, at most `TICK_S`."""
    current_call().check()
    time.sleep(min(seconds, TICK_S))


def _wait(reading: Sequence[int], writing: Sequence[int], deadline: float | None) -> set[int]:
    call = current_call()
    while True:
        call.check()
        left = TICK_S if deadline is None else min(TICK_S, max(0.0, deadline - time.monotonic()))
        found = _polled(reading, writing, left)
        if found or (deadline is not None and time.monotonic() >= deadline):
            return found


def _polled(reading: Sequence[int], writing: Sequence[int], seconds: float) -> set[int]:
    # Looked up now, because gevent and eventlet replace them with functions that let other threads run.
    if not hasattr(select, "poll"):
        # eventlet removes `poll`.
        readable, writable, _ = select.select(reading, writing, [], seconds)
        return {*readable, *writable}
    poll = select.poll()
    for descriptor in reading:
        poll.register(descriptor, select.POLLIN)
    for descriptor in writing:
        poll.register(descriptor, select.POLLOUT)
    # Errors and the end of a connection are events too.
    return {descriptor for descriptor, _ in poll.poll(seconds * 1_000)}

"""The deadline of one call: it is set once and bounds every wait of the call, in every layer.

Shortly before it the work is stopped, so that a page of what was found by then can still be returned.
Waiting for a thread or a decoder does not count, because it depends on other calls alone. But a queue that
has not moved for all of the time never will, as when each thread waits for a server that is gone.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from typing import TYPE_CHECKING, Protocol
from weakref import ref

from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anyread._native import Cancel


class Queue(Protocol):
    """What calls wait in."""

    moved: float
    """When one of them left it last, on the clock `time.monotonic`."""


class Deadline:
    """The deadline of a call that starts now.

    Args:
        timeout_s: Seconds that the call may take.
        path: The path that was passed to the call, for the error; "": that of the file that was read last.
    """

    def __init__(self, timeout_s: float, path: str) -> None:
        self.timeout_s, self.path, self.reads_several = timeout_s, path, not path
        self._since = time.monotonic()
        self._at = self._since + timeout_s
        # The time that is left to the answer when the work is stopped.
        self._spare_s = min(0.1 * timeout_s, 1.0)
        self._queue: Queue | None = None
        # The turns of the event loop before the first wait are waits, too.
        self._is_new = True

    @property
    def ends(self) -> float:
        """When nobody waits for the call any more, on the clock `time.monotonic`."""
        # In this order, because another thread may call `wait`.
        queue, at = self._queue, self._at
        return at if queue is None else max(self._since, queue.moved) + self.timeout_s

    @property
    def work_ends(self) -> float:
        """When its work is stopped."""
        return self.ends - self._spare_s

    @property
    def is_over(self) -> bool:
        """Whether its work must stop."""
        return time.monotonic() >= self.work_ends

    def wait(self, queue: Queue | None) -> None:
        """Stop the clock while the call waits in a queue; `None` lets it go on, in any thread."""
        now = time.monotonic()
        if self._queue is not None or self._is_new:
            self._at += now - self._since
        self._since, self._queue, self._is_new = now, queue, False

    def seconds_left(self, cancel: Cancel) -> float:
        """Return for how long to wait before this is asked again; 0 if no longer.

        Args:
            cancel: The flag of the work, which is set when that must stop.
        """
        left = self.work_ends - time.monotonic()
        if left > 0:
            return left
        if self._queue is None:
            cancel.cancel()
        return max(0.0, self.ends - time.monotonic())

    def error(self, *, decoding: bool = False) -> ReadTimeoutError:
        """Return the error for a passed deadline; `decoding` is true if the call waited for a decoder."""
        return ReadTimeoutError(self.path, timeout_s=self.timeout_s, decoding=decoding)


NO_DEADLINE = Deadline(inf, "")
"""That of calls without one; its time never ends."""

# A context variable, because the layers in between (tools, readers and formats) do not use it.
# A weak reference, because an exception of a signal handler may prevent a call from resetting it.
_current: ContextVar[Callable[[], Deadline | None]] = ContextVar("anyread_deadline", default=lambda: None)


def current_deadline() -> Deadline:
    """Return the deadline of the current call."""
    return _current.get()() or NO_DEADLINE


def deadline_for(path: str, timeout_s: float | None) -> Deadline:
    """Return the deadline of the current call, or else one for a call that starts now; `None`: no limit."""
    current = current_deadline()
    return current if timeout_s is None or current is not NO_DEADLINE else Deadline(timeout_s, path)


@contextmanager
def call_deadline(path: str, timeout_s: float | None) -> Iterator[None]:
    """Bound the total time of all waits inside by `timeout_s`, unless the caller has set a deadline."""
    current = current_deadline()
    deadline = deadline_for(path, timeout_s)
    if deadline is current:
        if current.reads_several and path:
            # It stays after the file: the thread that waits may see the deadline pass later than this one.
            current.path = path
        yield
        return
    try:
        _current.set(ref(deadline))
        yield
    finally:
        # The garbage collector may end a call of a closed loop in the context of another call.
        if current_deadline() is deadline:
            _current.set(lambda: None)

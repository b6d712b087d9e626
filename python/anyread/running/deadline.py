"""The deadline of one call: it is set once and bounds every wait of the call, in every layer."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import ref

from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Deadline:
    """The deadline of a call.

    Args:
        at: When the call must have ended, on the clock `time.monotonic`.
        timeout_s: Seconds that the call may take.
        path: The path that was passed to the call, for the error; "": that of the file that was read last.
    """

    __slots__ = ("__weakref__", "at", "path", "reads_several", "timeout_s")

    def __init__(self, at: float, timeout_s: float, path: str) -> None:
        self.at, self.timeout_s, self.path = at, timeout_s, path
        self.reads_several = not path

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self.at - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() >= self.at

    def error(self, *, decoding: bool = False) -> ReadTimeoutError:
        """Return the error for a passed deadline; `decoding` is true if the call waited for a decoder."""
        return ReadTimeoutError(self.path, timeout_s=self.timeout_s, decoding=decoding)


def _no_deadline() -> Deadline | None:
    return None


# A context variable, because the layers in between (tools, readers and formats) do not use it.
# A weak reference, because an exception of a signal handler may prevent a call from resetting it.
_current: ContextVar[Callable[[], Deadline | None]] = ContextVar("anyread_deadline", default=_no_deadline)


def current_deadline() -> Deadline | None:
    """Return the deadline of the current call; `None` if it has none."""
    return _current.get()()


def deadline_for(path: str, timeout_s: float | None) -> Deadline | None:
    """Return the deadline of the current call, or a deadline for a call that starts now.

    Args:
        path: The path to name in the error.
        timeout_s: Seconds for a call that starts now; `None` for no deadline.
    """
    current = current_deadline()
    if current is not None or timeout_s is None:
        return current
    return Deadline(time.monotonic() + timeout_s, timeout_s, path)


@contextmanager
def call_deadline(path: str, timeout_s: float | None) -> Iterator[None]:
    """Bound the total time of all waits inside by `timeout_s`, unless the caller has set a deadline."""
    current = current_deadline()
    if current is not None and current.reads_several and path:
        # It stays after the file: the thread that waits may see the deadline pass later than this one.
        current.path = path
    if timeout_s is None or current is not None:
        yield
        return
    deadline = Deadline(time.monotonic() + timeout_s, timeout_s, path)
    try:
        _current.set(ref(deadline))
        yield
    finally:
        # The garbage collector may end a call of a closed loop in the context of another call.
        if current_deadline() is deadline:
            _current.set(_no_deadline)

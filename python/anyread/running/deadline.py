"""The deadline of one call: it is set once and bounds every wait of the call, in every layer."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Deadline(NamedTuple):
    """The deadline of a call."""

    at: float
    """On the clock `time.monotonic`."""
    timeout_s: float
    """Seconds that the call may take."""
    path: str
    """The path that was passed to the call, for the error."""

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


# A context variable, because the layers in between (tools, readers and formats) do not use it.
_current: ContextVar[Deadline | None] = ContextVar("anyread_deadline", default=None)


def current_deadline() -> Deadline | None:
    """Return the deadline of the current call; `None` if it has none."""
    return _current.get()


def deadline_for(path: str, timeout_s: float | None) -> Deadline | None:
    """Return the deadline of the current call, or a deadline for a call that starts now.

    Args:
        path: The path to name in the error.
        timeout_s: Seconds for a call that starts now; `None` for no deadline.
    """
    current = _current.get()
    if current is not None or timeout_s is None:
        return current
    return Deadline(time.monotonic() + timeout_s, timeout_s, path)


@contextmanager
def call_deadline(path: str, timeout_s: float | None) -> Iterator[None]:
    """Bound the total time of all waits inside by `timeout_s`, unless the caller has set a deadline."""
    if timeout_s is None or _current.get() is not None:
        yield
        return
    token = _current.set(Deadline(time.monotonic() + timeout_s, timeout_s, path))
    try:
        yield
    finally:
        # The garbage collector may close a call of a closed loop in the context of another call.
        with suppress(ValueError):
            _current.reset(token)

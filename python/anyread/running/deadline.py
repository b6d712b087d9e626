"""The deadline of one call: set once, it bounds every wait that the call has, in whatever layer."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from anyread.errors import ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Deadline(NamedTuple):
    """When a call must have ended."""

    at: float
    """On the clock `time.monotonic`."""
    timeout_s: float
    """Seconds that the call was given."""
    path: str
    """The path that the call was given, for the error."""

    @property
    def seconds_left(self) -> float:
        """Seconds until then, 0 at least."""
        return max(0.0, self.at - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether the call is late."""
        return time.monotonic() >= self.at

    def error(self, *, decoding: bool = False) -> ReadTimeoutError:
        """Make the error of a call that is late; `decoding` tells whether decoders are what it waited for."""
        return ReadTimeoutError(self.path, timeout_s=self.timeout_s, decoding=decoding)


# It reaches through layers that have no other use for it: tools, readers and formats.
_current: ContextVar[Deadline | None] = ContextVar("anyread_deadline", default=None)


def current_deadline() -> Deadline | None:
    """Return the deadline of the call that runs now; `None`: it has none."""
    return _current.get()


def deadline_for(path: str, timeout_s: float | None) -> Deadline | None:
    """Return the deadline of the call that runs now, or one for a call that begins now.

    Args:
        path: The path to name in the error.
        timeout_s: Seconds for a call that begins now; `None`: without end.
    """
    current = _current.get()
    if current is not None or timeout_s is None:
        return current
    return Deadline(time.monotonic() + timeout_s, timeout_s, path)


@contextmanager
def call_deadline(path: str, timeout_s: float | None) -> Iterator[None]:
    """Bound all waits inside by `timeout_s` together, unless the caller has set a deadline already."""
    if timeout_s is None or _current.get() is not None:
        yield
        return
    token = _current.set(Deadline(time.monotonic() + timeout_s, timeout_s, path))
    try:
        yield
    finally:
        # The garbage collector ends a call whose loop was closed, in the context of another call.
        with suppress(ValueError):
            _current.reset(token)

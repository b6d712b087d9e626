"""Waiting in a thread, for descriptors and bells, without an event loop."""

from __future__ import annotations

import _socket
import select
import socket
import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from .effects import Bell, Wait

_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""Sending to a closed socket must fail with an error: by default SIGPIPE would end the host."""


def waited(wait: Wait) -> bool:
    """Block this thread until a wait ends, and return its result."""
    left = seconds_left(wait.deadline)
    if wait.bell is not None:
        return _wait_for_bell(wait.bell, left)
    if wait.descriptor is None:
        time.sleep(left or 0)
        return False
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(wait.descriptor, select.POLLOUT if wait.writable else select.POLLIN)
        # Errors and the end of a connection are events too.
        return bool(poll.poll(None if left is None else left * 1_000))
    reading, writing = (set(), {wait.descriptor}) if wait.writable else ({wait.descriptor}, set())
    return any(_polled(reading, writing, left))


def first_finished(waits: dict[int, Wait]) -> dict[int, bool]:
    """Block this thread until at least one wait ends; return the results of those that have ended."""
    reading: set[int] = set()
    writing: set[int] = set()
    for wait in waits.values():
        if wait.descriptor is not None:
            (writing if wait.writable else reading).add(wait.descriptor)
    with _Bells(waits) as bells:
        deadlines = [wait.deadline for wait in waits.values() if wait.deadline is not None]
        left = seconds_left(min(deadlines, default=None))
        readable, writable = _polled(reading | {bells.descriptor}, writing, left)
    now = time.monotonic()
    results: dict[int, bool] = {}
    for index, wait in waits.items():
        if index in bells.rung or wait.descriptor in (writable if wait.writable else readable):
            results[index] = True
        elif wait.deadline is not None and wait.deadline <= now:
            results[index] = False
    return results


def seconds_left(deadline: float | None) -> float | None:
    """Return the seconds until a deadline, at least 0; `None`: there is no deadline."""
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _polled(reading: set[int], writing: set[int], left: float | None) -> tuple[set[int], set[int]]:
    """Wait at most `left` seconds; return the descriptors that can be read from, and written to."""
    if not hasattr(select, "poll"):
        # eventlet removes `poll`, and its `select` lets other green threads run.
        can_read, can_write, _ = select.select(reading, writing, [], left)
        return set(can_read), set(can_write)
    poll = select.poll()
    for descriptor in reading | writing:
        is_read, is_written = descriptor in reading, descriptor in writing
        poll.register(descriptor, select.POLLIN * is_read | select.POLLOUT * is_written)
    found = poll.poll(None if left is None else left * 1_000)
    # Errors and the end of a connection wake readers and writers.
    readable = {descriptor for descriptor, events in found if events & ~select.POLLOUT}
    return readable, {descriptor for descriptor, events in found if events & ~select.POLLIN}


class _Bells:
    """A descriptor that becomes readable when one of several bells rings."""

    def __init__(self, waits: dict[int, Wait]) -> None:
        self.rung: set[int] = set()
        self._waits = waits
        self._receiver: _socket.socket
        self._sender: _socket.socket
        # On Windows only the module `socket` has it.
        self._receiver, self._sender = getattr(_socket, "socketpair", socket.socketpair)()

    @property
    def descriptor(self) -> int:
        return self._receiver.fileno()

    def __enter__(self) -> Self:
        for index, wait in self._waits.items():
            if wait.bell is not None:
                wait.bell.listen(partial(self._ring, index))
        return self

    def __exit__(self, *_: object) -> None:
        self._receiver.close()
        self._sender.close()

    def _ring(self, index: int) -> bool:
        self.rung.add(index)
        # The socket is closed after the wait; the next wait listens to the bell again.
        with suppress(OSError):
            self._sender.send(b"!", _NO_SIGNAL)
        return True


def _wait_for_bell(bell: Bell, left: float | None) -> bool:
    # Not a `threading.Event`: this thread may hold its internal lock when a signal handler rings the bell.
    lock = threading.Lock()
    lock.acquire()

    def wake() -> bool:
        # The bell may ring twice.
        with suppress(RuntimeError):
            lock.release()
        return True

    bell.listen(wake)
    return lock.acquire(timeout=-1 if left is None else left)

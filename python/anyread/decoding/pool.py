"""The decoders of this process: as many at work as there are cores, shared by all loops and threads.

The pool holds descriptors and numbers, and nothing of any event loop or thread.
Whoever wants a decoder while all are at work draws a ticket, a descriptor that becomes readable when
it is his turn.
"""

from __future__ import annotations

import atexit
import os
import socket
import threading
from collections import deque
from typing import TYPE_CHECKING

from .children import bury, forget_processes
from .protocol import Exchange, GoneError, Wait
from .sources import UnavailableError, source

if TYPE_CHECKING:
    from .children import Child
    from .sources import Nursery, Zygote

_LULL = 2
"""Every so many calls the child that is ahead is forked anew, if it was taken."""
_STARTS = 3
"""How often a source that was ended from outside is started anew for one call."""


class _Ticket:
    """A place in the queue."""

    def __init__(self) -> None:
        self._waiting, self._waking = socket.socketpair()
        self.is_called = False
        self.child: Child | None = None
        """The child that was handed over; `None`: a new one may be taken."""

    def call(self, child: Child | None) -> None:
        self.is_called, self.child = True, child
        self._waking.send(b"!")

    def wait(self) -> Exchange[None]:
        while not self.is_called:
            yield Wait(self._waiting.fileno(), writable=False, deadline=None)

    def close(self) -> None:
        self._waiting.close()
        self._waking.close()


class Pool:
    """Decoder processes that are started when first needed.

    Args:
        size: How many work at once; `None`: as many as this process may use cores, and at least two,
            so that one endless file does not hold up all others.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(2, _cores())
        # Entered again if a collected exchange lets go of its child inside of it.
        self._lock = threading.RLock()
        self._idle: list[Child] = []
        self._at_work = 0
        self._released = 0
        self._peak = 0
        """The most that were there at a time."""
        self._queue: deque[_Ticket] = deque()
        self._source: Zygote | Nursery | None = None
        self.walls: frozenset[str] | None = None
        """What the decoders have shut: "files", "system_calls"; `None`: none has answered yet."""
        self._starts = 0
        self._taken = 0
        self._pid = os.getpid()

    def acquire(self) -> Exchange[Child]:
        """Get a decoder, waiting for one if all are at work.

        Raises:
            UnavailableError: None can be started.
        """
        with self._lock:
            child = self._resting()
            if child is not None:
                return child
            if self._at_work < self.size:
                self._at_work += 1
                ticket = None
            else:
                ticket = _Ticket()
                self._queue.append(ticket)
        if ticket is not None:
            child = yield from self._turn(ticket)
            if child is not None and child.is_alive():
                return child
            if child is not None:
                child.dispose()
        # A place at work is ours now, and a child is not.
        child = None
        try:
            child = yield from self._new()
        finally:
            if child is None:
                self._vacate(None)
        return child

    def try_acquire(self) -> Exchange[Child | None]:
        """Get a decoder if that needs no wait for another call; otherwise `None`."""
        with self._lock:
            child = self._resting()
            if child is not None or self._at_work >= self.size or self._queue:
                return child
            self._at_work += 1
        try:
            child = yield from self._new()
        except UnavailableError:
            return None
        finally:
            if child is None:
                self._vacate(None)
        return child

    def release(self, child: Child, *, is_fit: bool) -> None:
        """Give a decoder back; one that is not fit is ended, and another takes its place when needed."""
        if os.getpid() != self._pid:
            # An exchange that a forked host inherited: the decoder works for the parent.
            child.connection.close()
            return
        if not is_fit:
            child.kill()
            child.dispose()
        self._vacate(child if is_fit else None)
        with self._lock:
            self._released += 1
            if self._source is not None and self._released % _LULL == 0:
                self._source.order_owed()
            self._replenish()

    def stats(self) -> dict[str, int]:
        """Count decoders.

        `decoders_started` were taken into use; `decoder_restarts` counts the starts of their source
        after the first. `decoder_walls` is how many of the two walls of the sandbox stand, which
        an old kernel may lack: files and system calls.
        """
        with self._lock:
            return {
                "decoders_started": self._taken,
                "decoder_restarts": max(0, self._starts - 1),
                "decoder_walls": len(self.walls or ()),
            }

    def close(self) -> None:
        """End all decoders that rest, and their source; those at work end with it on Linux."""
        with self._lock:
            idle, self._idle = self._idle, []
            ended, self._source = self._source, None
        for child in idle:
            child.dispose()
        if ended is not None:
            ended.close()

    def abandon(self) -> None:
        """Let go of everything, as after a fork of the host: it is the parent's, and nothing is ended."""
        for child in self._idle:
            child.dispose()
        if self._source is not None:
            self._source.abandon()

    def _resting(self) -> Child | None:
        """Take a resting child that is alive; call inside the lock."""
        while self._idle:
            child = self._idle.pop()
            if child.is_alive():
                self._at_work += 1
                return child
            child.dispose()
        return None

    def _turn(self, ticket: _Ticket) -> Exchange[Child | None]:
        is_taken = False
        try:
            yield from ticket.wait()
            is_taken = True
            return ticket.child
        finally:
            with self._lock:
                if not ticket.is_called:
                    self._queue.remove(ticket)
            if ticket.is_called and not is_taken:
                # Cancelled when it was called already: the next in the queue is called instead.
                self._vacate(ticket.child)
            ticket.close()

    def _vacate(self, child: Child | None) -> None:
        with self._lock:
            if self._queue:
                self._queue.popleft().call(child)
                return
            self._at_work -= 1
            if child is not None:
                self._idle.append(child)

    def _replenish(self) -> None:
        """Take the child that is ahead in place of one that was ended, if it is ready; call inside the lock.

        Whoever comes next finds as many at rest as there were.
        """
        while self._source is not None and self._at_work + len(self._idle) < self._peak:
            try:
                child = self._source.ready_child()
            except (GoneError, UnavailableError, OSError):
                # Who needs a child will hear of it.
                return
            if child is None:
                return
            self._taken += 1
            self._idle.append(child)

    def _new(self) -> Exchange[Child]:
        for _ in range(_STARTS):
            current = self._current_source()
            try:
                child = yield from current.child()
            except GoneError:
                self._discard(current)
                continue
            except UnavailableError:
                self._discard(current)
                raise
            if child.is_alive():
                with self._lock:
                    self._taken += 1
                    self._peak = max(self._peak, self._at_work + len(self._idle))
                return child
            child.dispose()
        raise UnavailableError(f"{_STARTS} of them were ended from outside as soon as they had started")

    def _current_source(self) -> Zygote | Nursery:
        with self._lock:
            if self._source is None:
                self._source = source()
                self._starts += 1
            return self._source

    def _discard(self, gone: Zygote | Nursery) -> None:
        with self._lock:
            if self._source is gone:
                self._source = None
                gone.abandon()
                pid = getattr(gone, "pid", None)
                if pid is not None:
                    bury(pid)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


# One for the process; all readers share it, whatever their limits.
_lock = threading.Lock()
_shared: Pool | None = None


def shared_pool() -> Pool:
    """Give the pool of this process, made on first use."""
    global _shared  # noqa: PLW0603 - there is one, as there is one set of cores
    with _lock:
        if _shared is None:
            _shared = Pool()
        return _shared


def close_shared_pool() -> None:
    """End the decoders of this process; the next picture or PDF starts new ones."""
    global _shared
    with _lock:
        closed, _shared = _shared, None
    if closed is not None:
        closed.close()


atexit.register(close_shared_pool)


def _after_fork() -> None:
    # A lock may have been held by a thread that this process does not have.
    global _lock, _shared  # noqa: PLW0603
    _lock = threading.Lock()
    inherited, _shared = _shared, None
    forget_processes()
    if inherited is not None:
        inherited.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

"""The decoders of this process: as many at work as there are cores, shared by all loops and threads.

The pool holds descriptors and numbers, and nothing of any event loop or thread, but for what wakes those
that wait. `seats` keeps who has which decoder.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from typing import TYPE_CHECKING

from anyread.decoding.protocol import GoneError, LateError
from anyread.running.effects import Wait

from .children import forget_processes
from .seats import GRACE_S, SeatClaim, Seats, nobody
from .sources import START_S, RefusedError, UnavailableError, source

if TYPE_CHECKING:
    from anyread.running.effects import Steps

    from .children import Child
    from .seats import Seat
    from .sources import Nursery, Zygote

_LULL = 2
"""Every so many calls the child that is ahead is forked again, if it was taken."""
_STARTS = 3
"""How often a source that was ended from outside is started again for one call."""
_LOOK_S = 1
"""Seconds after which a waiting read looks for a free seat by itself.

Nobody calls it if an exception interrupted the read that had the seat.
"""
_SHUT_S = 1
"""Seconds for which a seat stays empty after the system refused another process."""


class Pool:
    """Decoder processes that are started when first needed.

    Args:
        size: How many work at once; `None`: as many as this process may use cores, and at least two,
            so that one endless file does not hold up all others.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(2, _cores())
        # Reentrant: the garbage collector may close steps that release a decoder while this thread holds it.
        self._lock = threading.RLock()
        self._seats = Seats(self.size)
        self._released = 0
        self._source: Zygote | Nursery | None = None
        self.walls: frozenset[str] | None = None
        """What the decoders have shut: "files", "system_calls"; `None`: none has answered yet."""
        self._starts = 0
        self._taken = 0
        self._pid = os.getpid()

    def acquire(self, deadline: float = math.inf) -> Steps[SeatClaim]:
        """Get a decoder, waiting for one if all are at work.

        Args:
            deadline: When to stop waiting, on the clock `time.monotonic`.

        Raises:
            LateError: The deadline passed.
            UnavailableError: None can be started.
        """
        claim = SeatClaim()
        is_served = False
        try:
            while True:
                yield from self._turn(claim, deadline)
                try:
                    yield from self._staffed(claim, deadline)
                except RefusedError:
                    if not self._has_another(claim):
                        raise
                else:
                    is_served = True
                    return claim
        finally:
            if not is_served:
                self._withdraw(claim)

    def try_acquire(self, deadline: float = math.inf) -> Steps[SeatClaim | None]:
        """Get a decoder if that needs no wait for another call; otherwise `None`."""
        claim = SeatClaim()
        with self._lock:
            seat = self._seats.free()
            if seat is None:
                return None
            self._seats.give(seat, claim)
            self._occupy(claim)
        is_served = False
        try:
            yield from self._staffed(claim, deadline)
            is_served = True
        except UnavailableError:
            return None
        finally:
            if not is_served:
                self._withdraw(claim)
        return claim

    def release(self, claim: SeatClaim, *, is_fit: bool) -> None:
        """Hand a decoder back; one that is not fit is ended, and another takes its place when needed.

        It may be called again after it was interrupted. A claim that has lost its seat is ignored.
        """
        if os.getpid() != self._pid:
            # Steps that a forked host inherited: the decoder works for the parent.
            return
        with self._lock:
            seat = claim.seat
            if seat is not None and claim.has_seat():
                if not is_fit:
                    seat.empty()
                seat.claim = nobody
            self._released += 1
            if self._source is not None and self._released % _LULL == 0:
                self._source.restock(self._seats.starting())
            self._replenish()
            self._seats.deal()

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
            for seat in self._seats.all:
                if seat.is_free and seat.child is not None:
                    seat.child.dispose()
                    seat.child = None
            ended, self._source = self._source, None
        if ended is not None:
            ended.close()

    def abandon(self) -> None:
        """Let go of everything, as after a fork of the host: it is the parent's, and nothing is ended."""
        for seat in self._seats.all:
            if seat.child is not None:
                seat.child.dispose()
        if self._source is not None:
            self._source.abandon()

    @property
    def _at_work(self) -> int:
        return self._seats.at_work()

    @property
    def _idle(self) -> list[Child]:
        return self._seats.idle()

    @property
    def _queue(self) -> list[SeatClaim]:
        return [claim for reference in self._seats.queue if (claim := reference()) is not None]

    def _turn(self, claim: SeatClaim, deadline: float) -> Steps[None]:
        """Wait until the claim has a seat."""
        while not self._is_seated(claim):
            now = time.monotonic()
            if now >= deadline:
                raise LateError
            yield from Wait(None, writable=False, deadline=min(deadline, now + _LOOK_S), bell=claim)

    def _is_seated(self, claim: SeatClaim) -> bool:
        with self._lock:
            if not claim.has_seat():
                claim.is_waiting, claim.is_rung = True, False
                self._seats.queue_up(claim)
                self._seats.deal()
            return self._occupy(claim)

    def _occupy(self, claim: SeatClaim) -> bool:
        """Take the seat that was given to a claim, if it has one; call inside the lock."""
        if claim.seat is None or not claim.has_seat():
            return False
        claim.is_waiting = False
        claim.seat.expires = time.monotonic() + START_S + GRACE_S
        return True

    def _withdraw(self, claim: SeatClaim) -> None:
        """Let a claim have nothing any more."""
        with self._lock:
            self._seats.leave(claim)
        self.release(claim, is_fit=True)

    def _has_another(self, claim: SeatClaim) -> bool:
        """Leave a seat shut for which there is no process, and tell whether another has a decoder."""
        with self._lock:
            if claim.seat is None or all(seat.child is None for seat in self._seats.all):
                return False
            claim.seat.shut_until = time.monotonic() + _SHUT_S
            if claim.has_seat():
                claim.seat.claim = nobody
            return True

    def _staffed(self, claim: SeatClaim, deadline: float) -> Steps[None]:
        """See to it that there is a living decoder at the seat of a claim."""
        seat = claim.seat
        if seat is None:
            raise RuntimeError("a claim without a seat was used")
        if seat.child is not None:
            if seat.child.is_alive():
                return
            seat.empty()
        child = yield from self._new(min(deadline, time.monotonic() + START_S))
        with self._lock:
            if claim.has_seat():
                self._settle(seat, child)
                return
        child.dispose()
        raise LateError

    def _settle(self, seat: Seat, child: Child) -> None:
        seat.child, seat.was_used = child, True
        self._taken += 1

    def _replenish(self) -> None:
        """Take the child that is ahead in place of one that was ended, if it is ready; call inside the lock.

        Whoever comes next finds as many at rest as there were.
        """
        if self._source is None or self._seats.starting():
            # A read waits for the child that is ahead.
            return
        for seat in self._seats.all:
            if not (seat.was_used and seat.child is None and seat.is_free):
                continue
            try:
                child = self._source.ready_child()
            except (GoneError, UnavailableError, OSError):
                # Who needs a child will hear of it.
                return
            if child is None:
                return
            seat.tidy()
            self._settle(seat, child)

    def _new(self, deadline: float) -> Steps[Child]:
        for _ in range(_STARTS):
            current = self._current_source()
            try:
                child = yield from current.child(self._starting, deadline)
            except GoneError:
                self._discard(current)
                continue
            except RefusedError:
                raise
            except UnavailableError:
                self._discard(current)
                raise
            if child.is_alive():
                return child
            child.dispose()
        raise UnavailableError(f"{_STARTS} in a row ended as soon as they had started")

    def _starting(self) -> int:
        with self._lock:
            return self._seats.starting()

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
                gone.discard()


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


# One for the process; all readers share it, whatever their limits.
_lock = threading.Lock()
_shared: Pool | None = None


def shared_pool() -> Pool:
    """Return the pool of this process, made on first use."""
    global _shared  # noqa: PLW0603 - there is one, as there is one set of cores
    with _lock:
        if _shared is None:
            _shared = Pool()
        return _shared


def close_shared_pool() -> None:
    """End the decoders of this process; the next image or PDF starts new ones."""
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

"""The decoders of this process: as many as there are cores, shared by all event loops and threads.

The pool refers to no event loop or thread, except through the functions that wake waiting reads.
`seats` records which read uses which decoder.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from typing import TYPE_CHECKING

from anyread.decoding.protocol import GoneError, LateError
from anyread.running.cores import cores
from anyread.running.effects import Wait

from .children import ReaderTerms, forget_processes
from .seats import GRACE_S, SeatClaim, Seats, no_claim
from .sources import START_S, RefusedError, UnavailableError, source

if TYPE_CHECKING:
    from anyread.running.effects import Steps

    from .children import Child
    from .seats import Seat
    from .sources import Nursery, Zygote

_RESTOCK_INTERVAL = 2
"""The number of releases after which the child that was started in advance is replaced if it was taken."""
_MAX_STARTS = 3
"""Maximum number of times that a source that was killed is started for one call."""
_LOOK_S = 1
"""Seconds after which a waiting read looks for a free seat itself: an interrupted read may not wake it."""
_ANY = ReaderTerms()
_REFUSAL_S = 1
"""Seconds for which a seat stays empty after the system refused another process."""


class Pool:
    """Decoder processes that are started when first needed.

    Args:
        size: The maximum number of decoders; `None` for the number of cores that this process may use,
            but at least two, so that one slow file does not delay all others.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size or max(2, cores())
        # Reentrant: the garbage collector may close steps that release a decoder while this thread holds it.
        self._lock = threading.RLock()
        self._seats = Seats(self.size)
        self._released = 0
        self._source: Zygote | Nursery | None = None
        self.walls: frozenset[str] | None = None
        """The restrictions on decoders: "files", "system_calls"; `None` if none has responded yet."""
        self.is_closed = False
        """Whether the host has ended all decoders, as at its exit."""
        self._starts = 0
        self._taken = 0
        self._pid = os.getpid()

    def acquire(self, deadline: float = math.inf, terms: ReaderTerms = _ANY) -> Steps[SeatClaim]:
        """Get a decoder, waiting for one if all are in use.

        Args:
            deadline: When to stop waiting, on the clock `time.monotonic`.
            terms: The terms of the file; a decoder that has had files with others is replaced.

        Raises:
            LateError: The deadline passed.
            UnavailableError: No decoder can be started.
        """
        claim = SeatClaim(terms)
        is_served = False
        try:
            while True:
                yield from self._wait_for_seat(claim, deadline)
                try:
                    yield from self._ensure_child(claim, deadline)
                except RefusedError:
                    if not self._has_another(claim):
                        raise
                else:
                    is_served = True
                    return claim
        finally:
            if not is_served:
                self._withdraw(claim)

    def try_acquire(self, deadline: float = math.inf, terms: ReaderTerms = _ANY) -> Steps[SeatClaim | None]:
        """Get a decoder unless all are in use; then return `None`."""
        claim = SeatClaim(terms)
        with self._lock:
            seat = self._seats.free(terms)
            if seat is None:
                return None
            self._seats.give(seat, claim)
            self._occupy(claim)
        is_served = False
        try:
            yield from self._ensure_child(claim, deadline)
            is_served = True
        except UnavailableError:
            return None
        finally:
            if not is_served:
                self._withdraw(claim)
        return claim

    def release(self, claim: SeatClaim, *, is_fit: bool) -> None:
        """Return a decoder; one that is not fit is killed and replaced when needed.

        It may be called again if it was interrupted. A claim that has lost its seat is ignored.
        """
        if os.getpid() != self._pid:
            # A forked host inherited the steps: the decoder belongs to the parent.
            return
        with self._lock:
            seat = claim.seat
            if seat is not None and claim.has_seat():
                if not is_fit:
                    seat.empty()
                seat.claim = no_claim
            self._released += 1
            if self._source is not None and self._released % _RESTOCK_INTERVAL == 0:
                self._source.restock(self._seats.starting())
            self._replenish()
            self._seats.deal()

    def stats(self) -> dict[str, int]:
        """Return counters.

        `decoders_started` counts the decoders that were used; `decoder_restarts` counts the starts of
        their source after the first. `decoder_walls` is the number of sandbox restrictions (files and
        system calls) that the kernel supports.
        """
        with self._lock:
            return {
                "decoders_started": self._taken,
                "decoder_restarts": max(0, self._starts - 1),
                "decoder_walls": len(self.walls or ()),
            }

    def close(self) -> None:
        """End idle decoders and their source; on Linux, busy decoders end with it."""
        self.is_closed = True
        with self._lock:
            for seat in self._seats.all:
                if seat.is_free and seat.child is not None:
                    seat.child.dispose()
                    seat.child = None
            ended, self._source = self._source, None
        if ended is not None:
            ended.close()

    def abandon(self) -> None:
        """Close descriptors only, as after a fork of the host, where the decoders belong to the parent."""
        for seat in self._seats.all:
            if seat.child is not None:
                seat.child.dispose()
        if self._source is not None:
            self._source.abandon()

    @property
    def capacity(self) -> int:
        """How many decoders can exist at once: one per seat, and one that is started in advance."""
        return len(self._seats.all) + 1

    @property
    def _at_work(self) -> int:
        return self._seats.at_work()

    @property
    def _idle(self) -> list[Child]:
        return self._seats.idle()

    @property
    def _queue(self) -> list[SeatClaim]:
        return [claim for reference in self._seats.queue if (claim := reference()) is not None]

    def _wait_for_seat(self, claim: SeatClaim, deadline: float) -> Steps[None]:
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
        """Take the seat that was given to a claim, if it has one; the lock must be held."""
        if claim.seat is None or not claim.has_seat():
            return False
        claim.is_waiting = False
        claim.seat.expires = time.monotonic() + START_S + GRACE_S
        return True

    def _withdraw(self, claim: SeatClaim) -> None:
        """Remove a claim from the queue and release its seat."""
        with self._lock:
            self._seats.leave(claim)
        self.release(claim, is_fit=True)

    def _has_another(self, claim: SeatClaim) -> bool:
        """Close the seat of a claim for a while and return true if another seat has a decoder."""
        with self._lock:
            if claim.seat is None or all(seat.child is None for seat in self._seats.all):
                return False
            claim.seat.closed_until = time.monotonic() + _REFUSAL_S
            if claim.has_seat():
                claim.seat.claim = no_claim
            return True

    def _ensure_child(self, claim: SeatClaim, deadline: float) -> Steps[None]:
        """Ensure that the seat of a claim has a living decoder."""
        seat = claim.seat
        if seat is None:
            raise RuntimeError("a claim without a seat was used")
        child = seat.child
        if child is not None and child.is_alive() and child.accept(claim.terms):
            return
        if child is not None:
            seat.empty()
        child = yield from self._new(min(deadline, time.monotonic() + START_S))
        child.accept(claim.terms)
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
        """Replace killed children with the one started in advance if it is ready; the lock must be held.

        The next reads then find as many idle decoders as before.
        """
        if self._source is None or self._seats.starting():
            # A read is waiting for the child that was started in advance.
            return
        for seat in self._seats.all:
            if not (seat.was_used and seat.child is None and seat.is_free):
                continue
            try:
                child = self._source.ready_child()
            except (GoneError, UnavailableError, OSError):
                # The next read that needs a child will report it.
                return
            if child is None:
                return
            seat.tidy()
            self._settle(seat, child)

    def _new(self, deadline: float) -> Steps[Child]:
        for _ in range(_MAX_STARTS):
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
        raise UnavailableError(f"{_MAX_STARTS} in a row ended as soon as they had started")

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


# All readers share the pool, regardless of their limits.
_lock = threading.Lock()
_shared: Pool | None = None


def shared_pool() -> Pool:
    """Return the pool of this process, which is created on first use."""
    global _shared  # noqa: PLW0603 - one pool per process
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
    # The lock may have been held by a thread that does not exist in this process.
    global _lock, _shared  # noqa: PLW0603 - the one place that replaces them
    _lock = threading.Lock()
    inherited, _shared = _shared, None
    forget_processes()
    if inherited is not None:
        inherited.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

"""The seats of a pool: a fixed number of slots for decoders, and the claims of reads to them.

A seat has a weak reference to the claim that holds it. It is free if the claim was released, was
garbage-collected or is overdue, or if its event loop is closed; nothing else is counted.
So no seat is lost, wherever an exception interrupts a read: a signal handler may raise one between any two
instructions, even in the code that releases a seat, and a closed event loop does not run that code.
Every method leaves a consistent state if it is interrupted.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from typing import TYPE_CHECKING, Final

from anyread.running.waking import lifeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from .children import Child, ReaderTerms

TAKE_S: Final = 2
"""Seconds in which a waiting read must take the seat that it was given."""

GRACE_S: Final = 5
"""Seconds after its deadline until a read should have released its seat."""


def no_claim() -> SeatClaim | None:
    """Take the place of a weak reference to a claim if there is no claim."""
    return None


class SeatClaim:
    """One read's claim to a decoder: it waits in the queue, then holds a seat."""

    __slots__ = ("__weakref__", "_wake", "can_continue", "is_rung", "is_waiting", "seat", "terms")

    def __init__(self, terms: ReaderTerms) -> None:
        self.terms = terms
        """The terms of its file."""
        self.can_continue = lifeline()
        """Returns whether its event loop is open or its thread is running."""
        self.seat: Seat | None = None
        """The seat that it was given last; `has_seat` returns whether it still holds it."""
        self.is_waiting = True
        """Whether it is waiting for a seat."""
        self.is_rung = False
        self._wake: Callable[[], object] | None = None

    def has_seat(self) -> bool:
        """Return whether it holds a seat."""
        seat = self.seat
        return seat is not None and seat.claim() is self

    @property
    def child(self) -> Child:
        """The decoder at its seat."""
        if self.seat is None or self.seat.child is None:
            raise RuntimeError("a claim without a decoder was used")
        return self.seat.child

    def hold_until(self, deadline: float) -> None:
        """Keep the seat until shortly after a deadline."""
        if self.seat is not None and self.has_seat():
            self.seat.expires = deadline + GRACE_S

    def listen(self, wake: Callable[[], object]) -> None:
        """Set the function that ends the wait of its read, or call it if there is a seat already."""
        self._wake = wake
        if self.is_rung:
            wake()

    def ring(self) -> bool:
        """End the wait of its read; return whether the read can still take the seat."""
        self.is_rung = True
        wake = self._wake
        return wake is None or wake() is not False


class Seat:
    """A slot for one decoder process."""

    __slots__ = ("child", "claim", "closed_until", "expires", "was_used")

    def __init__(self) -> None:
        self.claim: Callable[[], SeatClaim | None] = no_claim
        """A weak reference to the claim that holds it."""
        self.expires = 0.0
        """When the claim is overdue, on the clock `time.monotonic`."""
        self.child: Child | None = None
        """The decoder; `None` if one must be started."""
        self.was_used = False
        """Whether it has had a decoder."""
        self.closed_until = 0.0
        """Until when it stays empty because the system refused another process."""

    @property
    def is_free(self) -> bool:
        """Whether no claim holds it, or its claim can no longer be released by its read."""
        claim = self.claim()
        return claim is None or time.monotonic() > self.expires or not claim.can_continue()

    def cost(self, terms: ReaderTerms) -> int:
        """Return what must happen before it can have a file: nothing, a start, or an end and a start."""
        if self.child is None:
            return 1
        return 0 if self.child.terms in {None, terms} else 2

    def tidy(self) -> None:
        """Kill the decoder of a free seat whose last claim was never released."""
        if self.claim is not no_claim:
            self.empty()
            self.claim = no_claim

    def empty(self) -> None:
        """Kill the decoder, whatever code it is running."""
        child = self.child
        if child is not None:
            child.kill()
            child.dispose()
            self.child = None


class Seats:
    """All seats of a pool, and the queue of claims that wait for one; the pool's lock must be held."""

    def __init__(self, size: int) -> None:
        self.all = [Seat() for _ in range(size)]
        self.queue: deque[weakref.ref[SeatClaim]] = deque()

    def at_work(self) -> int:
        """Count the seats that a claim holds."""
        return sum(not seat.is_free for seat in self.all)

    def idle(self) -> list[Child]:
        """List the decoders of free seats."""
        return [seat.child for seat in self.all if seat.child is not None and seat.is_free]

    def starting(self) -> int:
        """Count the seats that are held and have no decoder yet."""
        return sum(seat.child is None and not seat.is_free for seat in self.all)

    def queue_up(self, claim: SeatClaim) -> None:
        """Add a claim to the queue unless it is there or has a seat."""
        reference = weakref.ref(claim)
        if not claim.has_seat() and reference not in self.queue:
            claim.is_rung = False
            self.queue.append(reference)

    def leave(self, claim: SeatClaim) -> None:
        """Remove a claim from the queue if it is there."""
        claim.is_waiting = False
        reference = weakref.ref(claim)
        if reference in self.queue:
            self.queue.remove(reference)

    def deal(self) -> None:
        """Give free seats to waiting claims, seats with a decoder first."""
        for seat in self._open():
            seat.tidy()
        while self.queue and (free := [seat for seat in self._open() if seat.is_free]):
            claim = self.queue[0]()
            if claim is not None and claim.is_waiting and not claim.has_seat():
                seat = min(free, key=lambda seat: seat.cost(claim.terms))
                self.give(seat, claim)
                if not claim.ring():
                    # Its event loop was closed.
                    seat.claim = no_claim
            self.queue.popleft()

    def give(self, seat: Seat, claim: SeatClaim) -> None:
        """Let a claim hold a free seat."""
        claim.seat = seat
        seat.expires = time.monotonic() + TAKE_S
        seat.claim = weakref.ref(claim)

    def free(self, terms: ReaderTerms) -> Seat | None:
        """Find a free seat for a read that does not wait; reads in the queue come first."""
        self.deal()
        seats = self._open()
        return min(seats, key=lambda seat: seat.cost(terms)) if seats and not self.queue else None

    def _open(self) -> list[Seat]:
        """List the free seats, without closed ones if another seat has a decoder."""
        free = [seat for seat in self.all if seat.is_free]
        if all(seat.child is None for seat in self.all):
            return free
        now = time.monotonic()
        return [seat for seat in free if seat.child is not None or seat.closed_until <= now]

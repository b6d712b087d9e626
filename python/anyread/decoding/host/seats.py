"""The seats of a pool: a fixed number of places for decoders, and the claims of reads to them.

A seat refers to the claim that holds it, weakly, and until a deadline.
It is free once the claim is given back, or exists no longer, or is overdue, or its event loop is closed;
nothing else is counted.
So no seat is lost, wherever an exception interrupts a read: a signal handler may raise one between any
two instructions, also inside of the code that gives a seat back, and a closed event loop runs none of it.
Every step here leaves a state from which the next step goes on.
"""

from __future__ import annotations

import time
import weakref
from collections import deque
from typing import TYPE_CHECKING, Final

from anyread.running.waking import lifeline

if TYPE_CHECKING:
    from collections.abc import Callable

    from .children import Child

TAKE_S: Final = 2
"""Seconds in which a waiting read must take the seat that it is given."""

GRACE_S: Final = 5
"""Seconds after its deadline in which a read should have given its seat back."""


def nobody() -> SeatClaim | None:
    """Stand for the reference to a claim where there is none."""
    return None


class SeatClaim:
    """One read's claim to a decoder: first it waits in the queue, then it holds a seat."""

    __slots__ = ("__weakref__", "_wake", "is_rung", "is_waiting", "lives", "seat")

    def __init__(self) -> None:
        self.lives = lifeline()
        """Tells whether its event loop is open, or its thread runs."""
        self.seat: Seat | None = None
        """The seat that was given to it last; `has_seat` tells whether it still is its own."""
        self.is_waiting = True
        """Whether it wants a seat."""
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
        """Hold the seat until soon after a deadline."""
        if self.seat is not None and self.has_seat():
            self.seat.expires = deadline + GRACE_S

    def listen(self, wake: Callable[[], object]) -> None:
        """Set what ends the wait of its read; it is called at once if the seat came before."""
        self._wake = wake
        if self.is_rung:
            wake()

    def ring(self) -> bool:
        """End the wait of its read; tells whether the read can still take the seat."""
        self.is_rung = True
        wake = self._wake
        return wake is None or wake() is not False


class Seat:
    """A place for one decoder process."""

    __slots__ = ("child", "claim", "expires", "shut_until", "was_used")

    def __init__(self) -> None:
        self.claim: Callable[[], SeatClaim | None] = nobody
        """A weak reference to the claim that holds it."""
        self.expires = 0.0
        """When the claim is overdue, on the clock `time.monotonic`."""
        self.child: Child | None = None
        """The decoder; `None`: one must be started."""
        self.was_used = False
        """Whether a decoder was here before."""
        self.shut_until = 0.0
        """Until when it is left empty, because the system refused another process."""

    @property
    def is_free(self) -> bool:
        """Whether no claim holds it, or none that its read can give back."""
        claim = self.claim()
        return claim is None or time.monotonic() > self.expires or not claim.lives()

    def tidy(self) -> None:
        """End the decoder of a free seat whose last claim was never given back."""
        if self.claim is not nobody:
            self.empty()
            self.claim = nobody

    def empty(self) -> None:
        """End the decoder, in whatever code it is."""
        child = self.child
        if child is not None:
            child.kill()
            child.dispose()
            self.child = None


class Seats:
    """All seats of a pool, and the claims that wait for one, in order; use it inside the pool's lock."""

    def __init__(self, size: int) -> None:
        self.all = [Seat() for _ in range(size)]
        self.queue: deque[weakref.ref[SeatClaim]] = deque()

    def at_work(self) -> int:
        """Count the seats that a claim holds."""
        return sum(not seat.is_free for seat in self.all)

    def idle(self) -> list[Child]:
        """List the decoders that wait for a file."""
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
        """Take a claim out of the queue, which it may have left already."""
        claim.is_waiting = False
        reference = weakref.ref(claim)
        if reference in self.queue:
            self.queue.remove(reference)

    def deal(self) -> None:
        """Return free seats to waiting claims, seats with a decoder first."""
        for seat in sorted(self._open(), key=_lacks_child):
            seat.tidy()
            while self.queue and seat.is_free:
                claim = self.queue[0]()
                if claim is not None and claim.is_waiting and not claim.has_seat():
                    self.give(seat, claim)
                    if not claim.ring():
                        # Its event loop was closed.
                        seat.claim = nobody
                self.queue.popleft()

    def give(self, seat: Seat, claim: SeatClaim) -> None:
        """Let a claim hold a free seat."""
        claim.seat = seat
        seat.expires = time.monotonic() + TAKE_S
        seat.claim = weakref.ref(claim)

    def free(self) -> Seat | None:
        """Find a free seat for a read that does not want to wait; those that wait come first."""
        self.deal()
        seats = sorted(self._open(), key=_lacks_child)
        return seats[0] if seats and not self.queue else None

    def _open(self) -> list[Seat]:
        """List the free seats; one that the system had no process for stays shut while there are others."""
        free = [seat for seat in self.all if seat.is_free]
        if all(seat.child is None for seat in self.all):
            return free
        now = time.monotonic()
        return [seat for seat in free if seat.child is not None or seat.shut_until <= now]


def _lacks_child(seat: Seat) -> bool:
    return seat.child is None

"""The queue in which tasks wait for their share of a turn of the event loop, on asyncio, uvloop and trio.

A turn is one pass of the loop over its tasks. At its start, a callback of the loop wakes as many tasks as
the budget of the turn can serve, those that came first, and each of them reads without asking again.
So a task wakes once for each wait, however many others wait (`docs/design/013`).

No task passes its share on to another: one that is cancelled, before or after it was woken, leaves part of
a turn unused, and the next turn comes all the same.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeAlias, TypeVar
from weakref import WeakValueDictionary

from .waking import in_trio

if TYPE_CHECKING:
    from collections.abc import Callable

_PlaceT = TypeVar("_PlaceT")

QUANTUM: Final = 1 / 4
"""The part of the budget that each task may use if more tasks wait than a turn can serve.

It is a few small reads, which share the cost of waking the task. It also bounds the number of tasks that a
turn serves, which could all begin to read larger files than before.
"""
_DECAY: Final = 0.7
"""The weight of earlier turns in the estimate of what a task takes, while it falls."""
_LOST_S: Final = 1.0
"""Seconds after which a callback of the loop counts as lost: a signal handler raised as it began."""


class SharedTurn(Protocol):
    """The turn of a thread's event loop, of which a waiting task gets a share."""

    def grant(self, seconds: float) -> None:
        """Let the running task use this part of the budget."""

    def renew(self) -> float:
        """Start a new turn, and return the seconds of the budget that were used in the last one."""


async def wait_for_turn(turn: SharedTurn, budget_s: float) -> None:
    """Wait in the queue of the running loop, and take a share of the turn.

    A cancellation of the task is raised here.

    Args:
        turn: The turn of this thread.
        budget_s: The budget of each turn, in seconds.
    """
    queue = _queues.of_running_loop(turn, budget_s)
    if queue is None:
        # Something else drives the coroutine, and has no turns.
        turn.renew()
        await asyncio.sleep(0)
        return
    await queue.wait()
    turn.grant(queue.share_s)


class _Queue(Generic[_PlaceT]):
    """The tasks of one event loop that wait for their share of a turn.

    While tasks wait, the loop holds a callback of the queue, and nothing else does. So a loop that is
    closed or abandoned drops its queue with the tasks in it.

    Args:
        loop: What identifies the event loop.
        turn: The turn of its thread.
        budget_s: The budget of each turn, in seconds.
    """

    def __init__(self, loop: object, turn: SharedTurn, budget_s: float) -> None:
        self.loop = loop
        self.share_s = budget_s
        """Seconds that a task may read after it was woken."""
        self._places: deque[_PlaceT] = deque()
        self._due_since: float | None = None
        """When the loop was asked to call `_open_turn`; `None` if it was not."""
        self._woken = 0
        """The number of tasks that the current turn serves, if more waited; otherwise 0."""
        self._turn = turn
        self._budget_s = budget_s
        self._cost_s = budget_s
        """The estimate of what a task takes of its turn."""

    async def wait(self) -> None:
        """Wait until the running task is woken."""
        raise NotImplementedError

    def _soon(self, callback: Callable[[], object]) -> bool:
        """Have something called in the next turn of the loop; return false if there will be none."""
        raise NotImplementedError

    def _wake(self, place: _PlaceT) -> bool:
        """Wake the task in a place; return whether it still waited."""
        raise NotImplementedError

    def _ensure_next_turn(self) -> bool:
        now = perf_counter()
        if self._due_since is None or now - self._due_since > _LOST_S:
            if not self._soon(self._open_turn):
                return False
            self._due_since = now
        return True

    def _open_turn(self) -> None:
        """Wake the tasks that came first."""
        try:
            self._due_since = None
            self._learn(self._turn.renew())
            waiting, served = len(self._places), max(1, int(self._budget_s / self._cost_s))
            is_crowded = waiting > served
            self._woken = served if is_crowded else 0
            self.share_s = self._budget_s * (QUANTUM if is_crowded else 1 / max(1, waiting))
            self._wake_first(served)
        finally:
            if self._places and not self._ensure_next_turn():
                self._wake_first(len(self._places))

    def _learn(self, used_s: float) -> None:
        """Estimate the cost of a task from the turn that has ended; a rise counts at once."""
        if self._woken:
            cost_s = max(QUANTUM * self._budget_s, used_s / self._woken)
            self._cost_s = max(cost_s, _DECAY * self._cost_s + (1 - _DECAY) * cost_s)

    def _wake_first(self, count: int) -> None:
        while self._places and count > 0:
            # A place leaves the queue last, because a signal handler may raise at any time.
            count -= self._wake(self._places[0])
            self._places.popleft()


class _AsyncioQueue(_Queue["asyncio.Future[None]"]):
    loop: asyncio.AbstractEventLoop

    async def wait(self) -> None:
        place: asyncio.Future[None] = self.loop.create_future()
        self._ensure_next_turn()
        self._places.append(place)
        # If the task is cancelled, so is its future, which then stays until its turn comes.
        await place

    def _soon(self, callback: Callable[[], object]) -> bool:
        self.loop.call_soon(callback)
        return True

    def _wake(self, place: asyncio.Future[None]) -> bool:
        if place.done():
            return False
        place.set_result(None)
        return True


_TrioPlace: TypeAlias = list[Any]
"""The task in a place of a queue of trio; empty once it has been woken or cancelled."""


class _TrioQueue(_Queue[_TrioPlace]):
    # `loop` is the token of a run.

    async def wait(self) -> None:
        lowlevel = sys.modules["trio"].lowlevel
        if not self._ensure_next_turn():
            # The run ends, and only its last tasks are left.
            self._turn.renew()
            await lowlevel.checkpoint()
            return
        place: _TrioPlace = [lowlevel.current_task()]
        self._places.append(place)

        def give_up(_: object) -> Any:
            place.clear()
            return lowlevel.Abort.SUCCEEDED

        await lowlevel.wait_task_rescheduled(give_up)

    def _soon(self, callback: Callable[[], object]) -> bool:
        token: Any = self.loop
        try:
            token.run_sync_soon(callback)
        except sys.modules["trio"].RunFinishedError:
            return False
        return True

    def _wake(self, place: _TrioPlace) -> bool:
        if not place:
            return False
        sys.modules["trio"].lowlevel.reschedule(place.pop())
        return True


class _Queues(threading.local):
    """The queues of the event loops of a thread, one of which may run inside another."""

    def __init__(self) -> None:
        self._by_number: WeakValueDictionary[int, _Queue[Any]] = WeakValueDictionary()

    def of_running_loop(self, turn: SharedTurn, budget_s: float) -> _Queue[Any] | None:
        """Return the queue of the loop that runs the current task; `None` if no loop does."""
        if in_trio():
            loop: object = sys.modules["trio"].lowlevel.current_trio_token()
            kind: type[_Queue[Any]] = _TrioQueue
        else:
            loop = asyncio._get_running_loop()  # noqa: SLF001 - documented, and returns None if there is none
            kind = _AsyncioQueue
            if loop is None:
                return None
        queue = self._by_number.get(id(loop))
        if queue is None or queue.loop is not loop:
            self._by_number[id(loop)] = queue = kind(loop, turn, budget_s)
        return queue


_queues = _Queues()

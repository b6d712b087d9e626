"""The time that inline reads may take from an event loop: one budget per thread and turn of the loop.

All tasks share the budget: with one per call, every task that runs in the same turn would have its own.
Once it is spent, tasks wait in a queue. At the start of each turn, a callback of the loop wakes those that
came first, and divides the budget among them, so a task wakes once for each wait (`docs/design/013`).

No task passes its share on to another: one that is cancelled, before or after it was woken, leaves part of
a turn unused, and the next turn comes all the same.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from .waking import asyncio_loop, in_trio

if TYPE_CHECKING:
    from collections.abc import Callable

BUDGET_S: Final = 0.00035
"""Seconds of inline reads in one turn of an event loop, in all tasks together."""

WOKEN_TASKS: Final = 4
"""The maximum number of waiting tasks that run in one turn.

Their shares are a few small reads each, which outweigh the cost of waking the tasks. All of them may begin a
read that takes longer than its share, so more tasks would make such turns longer.
"""


class LoopTurn(threading.local):
    """What is left of the current turn of this thread's event loop for inline reads."""

    spent_s = 0.0
    """The part of the budget that the running task may not use: it is spent, or reserved for other tasks."""
    _queue: weakref.ref[_Queue] | None = None
    """The queue in which a task of this thread waited last."""

    async def give_way(self) -> None:
        """Let other tasks run until it is this task's turn again; a cancellation of this task is raised here.

        Tasks get their turns in the order in which they called this.
        """
        if in_trio():
            lowlevel = sys.modules["trio"].lowlevel
            token = lowlevel.current_trio_token()
            queue = self._queue_of(token, token.run_sync_soon)
            await _wait_in_trio(queue, lowlevel)
        elif (loop := asyncio_loop()) is not None:
            queue = self._queue_of(loop, loop.call_soon)
            await _wait_in_asyncio(queue, loop)
        else:
            # Something else drives the coroutine, and has no turns.
            import asyncio

            await asyncio.sleep(0)
            self.spent_s = 0.0
            return
        self.spent_s = BUDGET_S - queue.share_s

    def _queue_of(self, loop: object, call_soon: Callable[[Callable[[], None]], object]) -> _Queue:
        queue = None if self._queue is None else self._queue()
        # A loop may run inside a task of another one.
        if queue is None or queue.loop is not loop:
            queue = _Queue(loop, call_soon)
            self._queue = weakref.ref(queue)
        return queue


class _Queue:
    """The tasks of one event loop that wait for their share of a turn.

    While tasks wait, the loop holds a callback of the queue, and nothing else does. So a loop that is
    closed or abandoned drops its queue with the tasks in it.
    """

    def __init__(self, loop: object, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self.loop = loop
        self.share_s = BUDGET_S
        """Seconds that each task may read that was woken last."""
        self._call_soon = call_soon
        self._places: deque[Callable[[], bool]] = deque()

    def append(self, wake: Callable[[], bool]) -> None:
        """Take a place; `wake` is called in a later turn, and returns whether the task still waited."""
        if not self._places:
            self._call_soon(self._start_turn)
        self._places.append(wake)

    def _start_turn(self) -> None:
        try:
            self.share_s = BUDGET_S / max(1, min(len(self._places), WOKEN_TASKS))
            woken = 0
            while self._places and woken < WOKEN_TASKS:
                # A place leaves the queue last, because a signal handler may raise at any time.
                woken += self._places[0]()
                self._places.popleft()
        finally:
            if self._places:
                self._call_soon(self._start_turn)


async def _wait_in_asyncio(queue: _Queue, loop: Any) -> None:
    woken = loop.create_future()

    def wake() -> bool:
        if woken.done():
            return False
        woken.set_result(None)
        return True

    queue.append(wake)
    await woken


async def _wait_in_trio(queue: _Queue, lowlevel: Any) -> None:
    waiting = [lowlevel.current_task()]

    def wake() -> bool:
        if not waiting:
            return False
        lowlevel.reschedule(waiting.pop())
        return True

    def give_up(_: object) -> Any:
        waiting.clear()
        return lowlevel.Abort.SUCCEEDED

    queue.append(wake)
    await lowlevel.wait_task_rescheduled(give_up)


turn = LoopTurn()
"""The turn of each thread; a thread runs one event loop at a time."""

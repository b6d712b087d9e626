"""The time that inline reads may take from an event loop: one budget per thread and turn of the loop.

All tasks share the budget: with one per call, every task that runs in the same turn would have its own.
The first task that runs again after giving way starts a new turn.
"""

from __future__ import annotations

import threading

BUDGET_S = 0.0005
"""Seconds of inline reads in one turn of an event loop, in all tasks together."""


class LoopTurn(threading.local):
    """The time that inline reads have taken in the current turn of this thread's event loop."""

    spent_s = 0.0
    number = 0

    async def give_way(self) -> None:
        """Let other tasks run until a new turn has started; a cancellation of this task is raised here."""
        from .waking import checkpoint

        while self.spent_s > BUDGET_S:
            number = self.number
            await checkpoint()
            if number == self.number:
                self.number += 1
                self.spent_s = 0.0


turn = LoopTurn()
"""The turn of each thread; a thread runs one event loop at a time."""

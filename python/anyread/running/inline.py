"""The time that reads may take from an event loop before they give way: one budget a thread and turn.

A clock in each call does not do: when its turn comes round, all waiting tasks run at once, each with a
clock of its own. So the budget is shared, and only the first task that comes back from giving way opens a
new turn.
"""

from __future__ import annotations

import threading

BUDGET_S = 0.0005
"""Seconds of inline reads in one turn of an event loop, in all tasks together."""


class LoopTurn(threading.local):
    """What inline reads have taken of the present turn of this thread's event loop."""

    spent_s = 0.0
    number = 0

    async def give_way(self) -> None:
        """Let other tasks run until a new turn has opened; also sees whether this task is cancelled."""
        from .waking import checkpoint

        while self.spent_s > BUDGET_S:
            number = self.number
            await checkpoint()
            if number == self.number:
                self.number += 1
                self.spent_s = 0.0


turn = LoopTurn()
"""The turn of each thread; a thread runs one event loop at a time."""

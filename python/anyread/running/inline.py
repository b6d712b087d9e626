"""The time that inline reads may take from an event loop: one budget per thread and turn of the loop.

All tasks share the budget: with one per call, every task that runs in the same turn would have its own.
Once it is spent, tasks wait in the queue of their loop for a later turn (`turns.py`).
"""

from __future__ import annotations

import threading

BUDGET_S = 0.0005
"""Seconds of inline reads in one turn of an event loop, in all tasks together."""


class LoopTurn(threading.local):
    """What is left of the current turn of this thread's event loop for inline reads."""

    spent_s = 0.0
    """The part of the budget that the running task may not use: it is spent, or reserved for other tasks."""
    _granted_at_s = 0.0
    """The value of `spent_s` when time was granted last."""
    _used_s = 0.0
    """Seconds that inline reads took in this turn before that."""

    async def give_way(self) -> None:
        """Let other tasks run until it is this task's turn again; a cancellation of this task is raised here.

        Tasks get their turns in the order in which they called this.
        """
        from .turns import wait_for_turn

        await wait_for_turn(self, BUDGET_S)

    def grant(self, seconds: float) -> None:
        """Let the running task use this part of the budget."""
        self._used_s += self.spent_s - self._granted_at_s
        self.spent_s = self._granted_at_s = BUDGET_S - seconds

    def renew(self) -> float:
        """Start a new turn, in which the running task may use the whole budget.

        Returns:
            Seconds that inline reads took in the turn that has ended.
        """
        self.grant(BUDGET_S)
        used_s, self._used_s = self._used_s, 0.0
        return used_s


turn = LoopTurn()
"""The turn of each thread; a thread runs one event loop at a time."""

"""The rule for iterators over results: one task or thread at a time waits for the next one."""

from __future__ import annotations


class OneWaiter:
    """Refuses a second waiter, which would get the same result as the first."""

    __slots__ = ("_is_waiting",)

    def __init__(self) -> None:
        self._is_waiting = False

    def __enter__(self) -> None:
        """Mark that a task or thread waits for the next result.

        Raises:
            RuntimeError: Another one is waiting.
        """
        if self._is_waiting:
            raise RuntimeError("another task or thread is waiting for these results: take them one at a time")
        self._is_waiting = True

    def __exit__(self, *_: object) -> None:
        """Mark that nobody waits any more."""
        self._is_waiting = False

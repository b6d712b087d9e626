"""How far the scans of a task have come, for whoever waits beside it and shows that."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread._native import Cancel


class Scans:
    """Sum what the reads scan that begin while this is the task's `current_scans`."""

    def __init__(self) -> None:
        self._reads: list[Cancel] = []

    def add(self, read: Cancel) -> None:
        """Count one more read."""
        self._reads.append(read)

    @property
    def scanned_bytes(self) -> int:
        """Bytes scanned so far, by all of them."""
        return sum(read.scanned_bytes for read in self._reads)


# It reaches through layers that have no business with it: tools, readers and formats.
current_scans: ContextVar[Scans | None] = ContextVar("anyread_scans", default=None)
"""Where the reads of this task report their progress; `None`: nowhere."""

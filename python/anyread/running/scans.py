"""The progress of a task's scans, for code that waits for the task and reports it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anyread._native import Cancel


class Scans:
    """The total number of bytes scanned by the reads that start while this is the task's `current_scans`."""

    def __init__(self) -> None:
        self._reads: list[Cancel] = []

    def add(self, read: Cancel) -> None:
        """Count one more read."""
        self._reads.append(read)

    @property
    def scanned_bytes(self) -> int:
        """Bytes scanned so far, by all reads."""
        return sum(read.scanned_bytes for read in self._reads)

    @property
    def total_bytes(self) -> int | None:
        """Bytes that all reads so far scan at most; `None` if that is not known."""
        totals = [read.total_bytes for read in self._reads]
        known = [total for total in totals if total is not None]
        return sum(known) if known and len(known) == len(totals) else None


# A context variable, because the layers in between (tools, readers and formats) do not use it.
current_scans: ContextVar[Scans | None] = ContextVar("anyread_scans", default=None)
"""The object to which the reads of this task report progress; `None` if there is none."""

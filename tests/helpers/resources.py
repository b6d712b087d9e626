"""The resources that this process uses, which must return to where they were."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import NamedTuple

from anyread.running import workers

PATIENCE_S = 15
"""Seconds in which decoders are replaced and threads end, even on a busy machine."""
STEADY = 4
"""Equal counts in a row, a tenth of a second apart, after which nothing is expected to change."""


class Resources(NamedTuple):
    """The resources that a process uses."""

    descriptors: int
    threads: int
    processes: int
    """All descendants, without zombies."""
    zombies: int
    """Descendants that have ended and were not reaped."""

    def beyond(self, other: Resources) -> int:
        """Return by how many these exceed the others, over all kinds."""
        return sum(max(0, now - then) for now, then in zip(self, other, strict=True))


def resources() -> Resources:
    """Count the descriptors, threads and descendant processes of this process."""
    own = Path("/proc/self")
    parents: dict[int, int] = {}
    zombies = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = entry.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        parents[int(entry.parent.name)] = int(parent)
        if state == "Z":
            zombies.add(int(entry.parent.name))
    pids = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in pids} - pids:
        pids |= more
    return Resources(
        len(list((own / "fd").iterdir())),
        len(list((own / "task").iterdir())),
        len(pids - zombies) - 1,
        len(pids & zombies),
    )


def resident_bytes() -> int:
    """Return the memory of this process that is in RAM."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def settled_resources(expected: Resources | None = None) -> Resources:
    """Wait until idle threads have ended and decoders are replaced; return the resources in use.

    Args:
        expected: Return as soon as no more than these are in use; `None` to return once nothing changes.
    """
    deadline = time.monotonic() + PATIENCE_S
    time.sleep(workers.IDLE_S * 1.1)
    gc.collect()
    found, unchanged = resources(), 0
    while time.monotonic() < deadline and (found.beyond(expected) if expected else unchanged < STEADY):
        time.sleep(0.1)
        now = resources()
        unchanged = unchanged + 1 if now == found else 0
        found = now
    return found

"""How many cores this process may use."""

from __future__ import annotations

import os


def cores() -> int:
    """Return the number of cores that this process may use, at least one."""
    try:
        return len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        # Other systems do not have the call, and a sandbox may forbid it.
        return os.cpu_count() or 1


def decoder_count() -> int:
    """Return how many decoders a process has: at least two, so that one slow file delays no other."""
    return max(2, cores())

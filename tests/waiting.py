"""Waiting in tests: for events, for threads, and for a processor that others have."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

PROMPTLY_S = 5.0
"""Far more than a bound should need, far less than for ever."""


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that must come."""
    end = time.monotonic() + PROMPTLY_S
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


def ours() -> set[threading.Thread]:
    """Tell the threads behind hops."""
    return {thread for thread in threading.enumerate() if thread.name == "anyread"}


def kept_waiting_s() -> float:
    """Return how long this thread has been ready to run while others had the processors."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except FileNotFoundError:
        return 0.0

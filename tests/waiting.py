"""Waiting in tests for what must come, and the threads that are waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

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

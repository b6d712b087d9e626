"""Wait in tests: for events, for threads, for files to be closed, and for a processor that is busy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PROMPTLY_S = 30.0
"""Much longer than the awaited events take on a loaded machine, and short enough to notice a hang."""


def until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail if it does not hold in time."""
    end = time.monotonic() + PROMPTLY_S
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


def ours() -> set[threading.Thread]:
    """Return the threads to which reads hop."""
    return {thread for thread in threading.enumerate() if thread.name == "anyread"}


def descriptors_of(path: Path) -> int:
    """Return how many open descriptors of a file this process has; other threads may open and close some."""
    count = 0
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            count += link.readlink() == path
    return count


def kept_waiting_s() -> float:
    """Return how many seconds this thread has been ready to run without a processor."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except FileNotFoundError:
        return 0.0

"""Cancel a framework's run in the middle of a read, and check that the read has ended."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PROMPTLY_S = 10
"""Much longer than a cancelled read needs on a busy machine, much shorter than the read would take."""


async def cancel_during_read(run: Coroutine[Any, Any, object], path: Path) -> None:
    """Start a run, cancel it while it reads the file, and wait until the file is closed.

    Args:
        run: The run, which reads `Samples.endless` from `ENDLESS_OFFSET`.
        path: That file.
    """
    assert not is_open(path)
    task = asyncio.ensure_future(run)
    await until(lambda: task.done() or is_open(path), timeout_s=60)
    assert not task.done(), "the run ended before it opened the file"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, PROMPTLY_S)
    await until(lambda: not is_open(path), timeout_s=PROMPTLY_S)


@contextmanager
def interrupted_read(path: Path, interrupt: Callable[[], object]) -> Iterator[None]:
    """Interrupt a synchronous run while it reads the file, and check that the file is closed afterwards.

    Args:
        path: `Samples.endless`, which the run in the `with` block reads from `ENDLESS_OFFSET`.
        interrupt: Called in another thread as soon as the file is open.
    """

    def wait() -> None:
        while not is_open(path):
            time.sleep(0.005)
        interrupt()

    assert not is_open(path)
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    yield
    thread.join(PROMPTLY_S)
    end = time.monotonic() + PROMPTLY_S
    while is_open(path) and time.monotonic() < end:
        time.sleep(0.005)
    assert not is_open(path)


def is_open(path: Path) -> bool:
    """Return whether this process has the file open."""
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            if descriptor.readlink() == path:
                return True
        except OSError:
            pass  # it was closed in the meantime
    return False


async def until(holds: Callable[[], bool], *, timeout_s: float) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(timeout_s):
        while not holds():
            await asyncio.sleep(0.005)

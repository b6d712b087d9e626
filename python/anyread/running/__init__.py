"""Where the work of a read runs: one hop to a thread, or one watched thread for synchronous callers."""

from __future__ import annotations

import sys


def prepare() -> None:
    """Load the event loop's backend now if a loop is running, and not at its first read.

    anyio imports a backend (50 ms) when it first awaits; a reader made inside a loop pays at once,
    where a pause is expected.
    """
    if loop_is_running():
        from .hop import limiter

        limiter()


def loop_is_running() -> bool:
    """Tell whether this thread is inside asyncio or trio, without importing either."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is not None and asyncio._get_running_loop() is not None:  # noqa: SLF001 - documented
        return True
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_run())

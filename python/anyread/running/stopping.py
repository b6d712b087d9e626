"""Ends a call when another thread sets a flag, for hosts that cancel in this way instead of the task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_POLL_S = 0.05


async def unless_stopped(call: Coroutine[Any, Any, T], flag: threading.Event | None) -> T | None:
    """Run a call in asyncio; once the flag is set, cancel the call and return `None`.

    Args:
        call: What to run; cancelling this function cancels it too.
        flag: Ends the call within 50 ms when it is set; `None`: nothing does.
    """
    if flag is None:
        return await call
    task = asyncio.ensure_future(call)
    try:
        while not task.done():
            if flag.is_set():
                return None
            await asyncio.wait([task], timeout=_POLL_S)
        return task.result()
    finally:
        task.cancel()

"""Ending a call when another thread sets a flag."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from anyread.running.stopping import unless_stopped


class Call:
    """A call that ends only when it is cancelled."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.was_cancelled = False

    async def wait(self) -> bool:
        self.began.set()
        try:
            return await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


async def value() -> int:
    await asyncio.sleep(0)
    return 7


def test_call_without_a_flag_returns_its_result() -> None:
    assert asyncio.run(unless_stopped(value(), None)) == 7


def test_call_that_is_not_stopped_returns_its_result() -> None:
    assert asyncio.run(unless_stopped(value(), threading.Event())) == 7


def test_error_of_a_call_is_raised() -> None:
    async def fail() -> Any:
        raise ValueError("a defect")

    with pytest.raises(ValueError, match="a defect"):
        asyncio.run(unless_stopped(fail(), threading.Event()))


def test_flag_from_another_thread_cancels_the_call() -> None:
    call, flag = Call(), threading.Event()

    def stop() -> None:
        call.began.wait()
        flag.set()

    async def main() -> None:
        threading.Thread(target=stop).start()
        assert await asyncio.wait_for(unless_stopped(call.wait(), flag), 30) is None
        await asyncio.sleep(0)

    asyncio.run(main())
    assert call.was_cancelled


def test_cancelling_the_waiting_task_cancels_the_call() -> None:
    call = Call()

    async def main() -> None:
        task = asyncio.ensure_future(unless_stopped(call.wait(), threading.Event()))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)

    asyncio.run(main())
    assert call.was_cancelled

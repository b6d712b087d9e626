"""A decoder's seat in the pool is freed however the read that uses it is interrupted."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from anyread.decoding.host import pool as pools
from anyread.decoding.host.pool import Pool
from anyread.decoding.protocol import LateError
from anyread.running.loop import run
from anyread.running.polling import waited
from anyread.running.threads import run as run_sync
from media import read, read_sync
from waiting import until

DECODING = os.path.dirname(pools.__file__)  # noqa: PTH120 - compared as text


class Interruption(BaseException):
    """Like KeyboardInterrupt, or an exception that a timeout raises in a thread."""


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def raising_at(number: int) -> tuple[Any, list[int]]:
    """Make a trace function that raises at line `number` executed in `decoding.host`, and a line counter."""
    passed = [0]

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if not frame.f_code.co_filename.startswith(DECODING):
            return None
        if event == "line":
            passed[0] += 1
            if passed[0] == number:
                raise Interruption
        return trace

    return trace, passed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exception_at_any_line_of_a_read_loses_no_seat(png: Path, pool: Pool) -> None:
    """An exception inside `release` lost the decoder's seat: every later image waited forever."""
    read_sync(png, pool=pool)
    former, number, interrupted = sys.gettrace(), 0, 0
    descriptors = open_descriptors()
    while True:
        number += 3
        trace, passed = raising_at(number)
        sys.settrace(trace)
        try:
            read_sync(png, pool=pool)
        except Interruption:
            interrupted += 1
        finally:
            sys.settrace(former)
        gc.collect(0)
        assert pool._at_work == 0, f"line {number}"
        if passed[0] < number:
            break
    assert interrupted > 50
    assert read_sync(png, pool=pool).shown.width == 20
    # A read interrupted just after the kernel returned a descriptor may have left it open.
    assert open_descriptors() <= descriptors + 8


def test_seat_of_an_overdue_claim_goes_to_the_next_read(pool: Pool) -> None:
    """A traceback that the caller keeps also keeps the claim of an interrupted read."""
    held = [run_sync(pool.acquire()) for _ in range(2)]
    child = held[0].child
    with pytest.raises(LateError):
        run_sync(pool.acquire(time.monotonic()))
    held[0].hold_until(time.monotonic() - 60)
    taken = run_sync(pool.acquire(time.monotonic() + 10))
    assert taken.child is not child
    # The owner releases its claim after losing the seat.
    pool.release(held[0], is_fit=True)
    assert pool._at_work == 2
    pool.release(taken, is_fit=True)
    pool.release(held[1], is_fit=True)
    assert pool._at_work == 0


def test_waiting_read_finds_a_free_seat_without_being_woken(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read waited forever if the `release` that should have woken it was interrupted."""
    monkeypatch.setattr(pools, "_LOOK_S", 0.02)
    held = [run_sync(pool.acquire()) for _ in range(2)]
    waiting = pool.acquire(time.monotonic() + 10)
    wait: Any = next(waiting)
    assert wait.deadline is not None
    assert wait.deadline <= time.monotonic() + 1
    held.pop()
    claims: list[Any] = []
    while not claims:
        try:
            wait = waiting.send(waited(wait))
        except StopIteration as stop:
            claims.append(stop.value)
    pool.release(claims[0], is_fit=True)


def test_seat_of_an_ended_thread_is_freed(pool: Pool) -> None:
    """A thread that was ended by an exception from outside kept its seat."""
    kept = []
    thread = threading.Thread(target=lambda: kept.append(run_sync(pool.acquire())))
    thread.start()
    thread.join()
    assert kept
    assert pool._at_work == 0


def pending_reads(png: Path, pool: Pool) -> list[asyncio.Task[Any]]:
    """Return the tasks of reads that were pending when their loop was closed."""
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(read(png, pool=pool)) for _ in range(4)]
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert pool._at_work == 0
    assert read_sync(png, pool=pool).shown.width == 20
    return tasks


def drop_quietly(tasks: list[asyncio.Task[Any]]) -> None:
    """Keep garbage-collected tasks from reporting that they were pending."""
    for task in tasks:
        setattr(task, "_log_destroy_pending", False)  # noqa: B010 - the stubs do not have it


def test_loop_closed_with_pending_reads_leaks_nothing(png: Path, pool: Pool) -> None:
    """Reads that were pending when their loop was closed kept their decoders and open files."""
    read_sync(png, pool=pool)
    gc.collect()
    descriptors = open_descriptors()
    # A notebook may likewise keep the tasks in a variable.
    kept = [pending_reads(png, pool) for _ in range(3)]
    while kept:
        drop_quietly(kept.pop())
    gc.collect()
    assert not pool._queue
    # A second decoder may have been started.
    assert open_descriptors() <= descriptors + 3


async def test_queued_reads_hold_no_descriptors(pool: Pool, anyio_backend: Any) -> None:
    """Each read that waited for a decoder held a socket pair; 340 of them used up the host's limit."""
    import anyio

    held = [run_sync(pool.acquire()) for _ in range(2)]
    before = open_descriptors()
    served = []

    async def wait() -> None:
        claim = await run(pool.acquire())
        served.append(claim)
        pool.release(claim, is_fit=True)

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(wait)
        while len(pool._queue) < 50:
            await anyio.sleep(0.01)
        assert open_descriptors() <= before
        for claim in held:
            pool.release(claim, is_fit=True)
    assert len(served) == 50
    assert pool._at_work == 0


def test_reads_are_served_in_order(pool: Pool) -> None:
    held = [run_sync(pool.acquire()) for _ in range(2)]
    order: list[int] = []

    def wait(number: int) -> None:
        claim = run_sync(pool.acquire())
        order.append(number)
        pool.release(claim, is_fit=True)

    threads = []
    for number in range(5):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        until(lambda: len(pool._queue) == len(threads))
    pool.release(held[0], is_fit=True)
    for thread in threads:
        thread.join(10)
    assert order == list(range(5))
    pool.release(held[1], is_fit=True)

"""Calls that share the pool of decoders: those that end early, closed loops, and their order."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

import anyread
from anyread.decoding.host.pool import Pool
from anyread.decoding.protocol import LateError
from helpers.media import read, read_sync, tiled_pdf
from helpers.waiting import until


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def pending_reads(png: Path, pool: Pool) -> list[asyncio.Task[Any]]:
    """Return the tasks of reads that were pending when their loop was closed."""
    loop = asyncio.new_event_loop()
    tasks = [loop.create_task(read(png, pool=pool)) for _ in range(4)]
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
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
    # The tasks stay in a variable, as they do when a user keeps them in a notebook.
    kept = [pending_reads(png, pool) for _ in range(3)]
    while kept:
        drop_quietly(kept.pop())
    gc.collect()
    until(lambda: not pool._busy and not pool._waiting)
    # A second decoder may have been started.
    until(lambda: open_descriptors() <= descriptors + 6)


def test_wait_for_a_decoder_ends_at_the_deadline(pool: Pool) -> None:
    held = [pool.acquire() for _ in range(pool.size)]
    with pytest.raises(LateError):
        pool.acquire(time.monotonic() + 0.02)
    assert pool.try_acquire() is None
    assert not pool._waiting
    for child in held:
        pool.release(child, is_fit=True)
    assert not pool._busy


@pytest.mark.posix("/proc")
def test_reads_wait_without_descriptors(pool: Pool) -> None:
    """Each read that waited for a decoder held a socket pair; 340 of them used up the host's limit."""
    held = [pool.acquire() for _ in range(pool.size)]
    before = open_descriptors()
    served: list[Any] = []

    def wait() -> None:
        child = pool.acquire()
        served.append(child)
        pool.release(child, is_fit=True)

    waiting = [threading.Thread(target=wait) for _ in range(20)]
    for thread in waiting:
        thread.start()
    until(lambda: pool._waiting == 20)
    assert open_descriptors() <= before
    for child in held:
        pool.release(child, is_fit=True)
    for thread in waiting:
        thread.join(10)
    assert len(served) == 20
    assert not pool._busy


async def test_image_never_delays_a_text_that_is_not_cached(tmp_path: Path) -> None:
    """A decoder call in the threads of local files would make texts wait for images."""
    slow = tmp_path / "slow.pdf"
    slow.write_bytes(tiled_pdf())
    text = tmp_path / "a.txt"
    text.write_text("one\n" * 50_000)
    reader = anyread.Reader(limits=anyread.Limits(inline_bytes=1, decode_timeout_s=20))

    async def read_slow_file() -> None:
        await reader.read(slow)

    async with anyio.create_task_group() as group:
        for _ in range(16):
            group.start_soon(read_slow_file)
        await anyio.sleep(0.3)
        with anyio.fail_after(60):
            for _ in range(20):
                anyread.clear_caches()
                assert (await reader.read(text, offset=40_000, limit=1, kind="text")).content == "one\n"
        group.cancel_scope.cancel()

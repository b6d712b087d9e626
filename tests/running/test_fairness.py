"""Inline reads let the other tasks of an event loop run, and do not release the interpreter."""

from __future__ import annotations

import contextlib
import gc
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

import anyread
from anyread import errors
from anyread.running.inline import turn

Reader = anyread.Reader

pytestmark = pytest.mark.anyio

FILES = 5_000
TICK_S = 0.001
# The limit for the 90th percentile of what the loop computes before a task that waits runs again.
LATE_S = 0.010
# Far longer than anything here should take.
LONG_S = 30.0


@pytest.fixture(autouse=True)
def _not_portable(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Unset the variable of the suite's second run, because portable reads are never inline."""
    monkeypatch.delenv("ANYREAD_PORTABLE", raising=False)
    yield
    turn.spent_s = 0.0


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    """Return a small file that is read inline."""
    path = tmp_path / "poem.txt"
    path.write_text("Tyger Tyger, burning bright,\n")
    return path if reads_inline(path) else pytest.skip("needs temporary files that are read inline")


def reads_inline(path: Path) -> bool:
    reader = Reader()
    for _ in range(5):
        reader.read_sync(path)
    return bool(reader.stats()["inline"])


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of many files of about 1 KiB, all in the page cache."""
    directory = tmp_path_factory.mktemp("many")
    for number in range(FILES):
        (directory / f"{number}.txt").write_bytes(b"a line of some length, like others\n" * 30)
    return directory


async def lateness(reader: Any, directory: Path, tasks: int) -> float:
    """Read all files in several tasks, beside one that sleeps.

    Returns:
        The 90th percentile of the processor time of the loop's thread during one sleep, in seconds; some 50
        sleeps fit into the reads, and the first of them includes the start of all tasks.
    """
    names = iter(range(FILES))
    late: list[float] = []

    async def reads() -> None:
        for number in names:
            await reader.read(f"{directory}/{number}.txt")

    async def ticks() -> None:
        while True:
            before = time.thread_time()
            await anyio.sleep(TICK_S)
            late.append(time.thread_time() - before)

    async with anyio.create_task_group() as watch:
        watch.start_soon(ticks)
        async with anyio.create_task_group() as group:
            for _ in range(tasks):
                group.start_soon(reads)
        watch.cancel_scope.cancel()
    assert len(late) >= 10, "the loop did not run its other tasks"
    return statistics.quantiles(late, n=10)[8]


@contextlib.contextmanager
def untraced() -> Iterator[None]:
    """Turn tracing and garbage collection off: both take longer than the reads."""
    tracer = sys.gettrace()
    sys.settrace(None)
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        sys.settrace(tracer)


@pytest.mark.catalogue(row=140)
@pytest.mark.slow
@pytest.mark.parametrize("tasks", [1, 64, 256])
async def test_loop_stays_punctual_during_many_reads(directory: Path, tasks: int) -> None:
    reader = Reader()
    with untraced():
        assert await lateness(reader, directory, tasks) < TICK_S + LATE_S
    stats = reader.stats()
    if not stats["hop_device"]:
        assert stats["inline"] > 0.9 * stats["reads"], stats


async def endless(reader: Any, path: Path, **arguments: Any) -> int:
    """Read until cancelled, or for at most `LONG_S` if the cancellation is never delivered."""
    end = time.monotonic() + LONG_S
    count = 0
    while time.monotonic() < end:
        with contextlib.suppress(errors.ReadError):
            await reader.read(path, **arguments)
        count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param({}, id="page"),
        pytest.param({"offset": 99}, id="error"),
        pytest.param({"unless_version": "own"}, id="unchanged"),
    ],
)
async def test_deadline_fires_during_endless_inline_reads(poem: Path, arguments: dict[str, Any]) -> None:
    reader = Reader()
    if "unless_version" in arguments:
        time.sleep(0.03)
        arguments = {"unless_version": reader.read_sync(poem).version}
        assert isinstance(reader.read_sync(poem, **arguments), anyread.Unchanged)
    started = time.monotonic()
    with anyio.move_on_after(0.1) as scope:
        await endless(reader, poem, **arguments)
    assert scope.cancelled_caught
    assert time.monotonic() - started < LONG_S / 2
    stats = reader.stats()
    assert stats["inline"] > 0.9 * stats["reads"] > 10, stats


# ---------------------------------------------------------------- the budget, with a fake clock


# ---------------------------------------------------------------- the interpreter


@pytest.fixture
def _busy() -> Iterator[None]:
    """Run a busy thread, which takes the interpreter for 5 ms whenever it is released."""
    stop = threading.Event()

    def count() -> None:
        number = 0
        while not stop.is_set():
            number += 1

    thread = threading.Thread(target=count)
    thread.start()
    yield
    stop.set()
    thread.join()


@pytest.mark.slow
@pytest.mark.usefixtures("_busy")
async def test_inline_and_synchronous_reads_hold_the_interpreter(poem: Path) -> None:
    reader = Reader()
    reads = 2_000
    started = time.perf_counter()
    for _ in range(reads):
        await reader.read(poem)
    assert time.perf_counter() - started < reads * 0.001
    started = time.perf_counter()
    for _ in range(reads):
        reader.read_sync(poem)
    assert time.perf_counter() - started < reads * 0.001

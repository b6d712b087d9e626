"""Threads of a host that call `read_sync`: no thread waits for another's read of a different file."""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import pytest
from benches import inputs
from benches.record import quantity
from benches.test_small_files import busy_thread

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.benchmark

READER = anyread.Reader()
COUNTING = anyread.Reader(limits=anyread.Limits(exact_total=True))
NO_TOKEN_BUDGET = anyread.Reader(limits=anyread.Limits(max_tokens=10**9))
COUNTS = (1, 2, 4)
ROUNDS = 5
DEEP = 9_000
"""A line that every file of 1 MiB has."""


def small(paths: Sequence[Path]) -> None:
    for path in paths:
        READER.read_sync(path)


def medium(paths: Sequence[Path]) -> None:
    for path in paths:
        READER.read_sync(path, offset=DEEP, limit=100)


def pages(paths: Sequence[Path]) -> None:
    for path in paths:
        NO_TOKEN_BUDGET.read_sync(path, offset=DEEP - 2_000, limit=2_000)


def large(paths: Sequence[Path]) -> None:
    for path in paths:
        anyread.clear_caches()
        COUNTING.read_sync(path, limit=100)


WORK: dict[str, tuple[Callable[[Sequence[Path]], None], Callable[[], list[Path]]]] = {
    "small": (small, lambda: inputs.small_files()[:4_000]),
    "medium": (medium, lambda: inputs.logs(inputs.MIB, 16) * 25),
    "pages": (pages, lambda: inputs.logs(inputs.MIB, 16) * 50),
    "large": (large, lambda: inputs.logs(64 * inputs.MIB, 4) * 4),
}


@pytest.mark.parametrize("is_busy", [False, True], ids=["", "busy"])
@pytest.mark.parametrize("kind", WORK)
def test_threads_of_host(report: Callable[..., None], kind: str, *, is_busy: bool) -> None:
    """Small reads and scans must only be no slower: they keep the GIL, or use all cores anyway."""
    work, paths_of = WORK[kind]
    paths = paths_of()
    work(paths)
    with busy_thread() if is_busy else nullcontext():
        rounds = [[seconds_with(count, work, paths) for count in COUNTS] for _ in range(ROUNDS)]
    medians = [statistics.median(taken) * 1e3 for taken in zip(*rounds, strict=True)]
    times = dict(zip(COUNTS, medians, strict=True))
    best = max(count for count in COUNTS if count <= max(2, inputs.cores()))
    detail = ", ".join(f"{count} threads {quantity(taken, 'ms')}" for count, taken in times.items())
    report(f"threads-{kind}{'-busy' * is_busy}", times[best], "ms", f"{detail}; one thread", times[1])


def seconds_with(count: int, work: Callable[[Sequence[Path]], None], paths: Sequence[Path]) -> float:
    """Divide paths among threads, and return how long they take."""
    threads = [threading.Thread(target=partial(work, paths[number::count])) for number in range(count)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


def test_read_beside_the_scan_of_another_file(report: Callable[..., None]) -> None:
    path = inputs.logs(inputs.MIB, 16)[0]
    log = inputs.log(inputs.GB).path
    stop = False

    def scan() -> None:
        while not stop:
            anyread.clear_caches()
            COUNTING.read_sync(log, limit=100)

    alone = median_of_reads(path)
    thread = threading.Thread(target=scan)
    thread.start()
    try:
        beside = median_of_reads(path)
    finally:
        stop = True
        thread.join()
    report("threads-other-scan", beside * 1e3, "ms", "alone", alone * 1e3)


def median_of_reads(path: Path) -> float:
    taken = []
    for _ in range(300):
        started = time.perf_counter()
        READER.read_sync(path, offset=DEEP, limit=100)
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)

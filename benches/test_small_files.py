"""P6: a source file, read whole and numbered, the most frequent read of agents."""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from benches import inputs
from benches.usual import bare_python, usual_python

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benches.conftest import Measure

pytestmark = pytest.mark.benchmark

READER = anyread.Reader(gutter=anyread.Gutter.CAT_N)
BARE_READER = anyread.Reader()


def checked_path() -> str:
    path = str(inputs.source_file())
    assert READER.read_sync(path).text == usual_python(path)
    return path


def test_small_file(measure: Measure) -> None:
    path = checked_path()
    measure.pair(
        "small",
        lambda: READER.read_sync(path),
        lambda: usual_python(path),
        "typical Python",
        rounds=5000,
    )


def test_small_file_bare(measure: Measure) -> None:
    """The minimum in plain Python, which is not a usable read tool; this row has no goal."""
    path = checked_path()
    shown = BARE_READER.read_sync(path).text
    assert shown == bare_python(path).removesuffix(f"\n{shown.count(chr(10)) + 2}\t")
    measure.pair(
        "small-bare",
        lambda: BARE_READER.read_sync(path),
        lambda: bare_python(path),
        "minimal Python",
        rounds=5000,
    )


def test_small_file_beside_busy_thread(report: Callable[..., None]) -> None:
    """Before each read, the busy thread runs, as it does while an event loop waits."""
    path = checked_path()
    readers: tuple[Callable[[str], object], ...] = (READER.read_sync, usual_python)
    times: tuple[list[float], ...] = ([], [])
    with busy_thread():
        for _ in range(300):
            for read, taken in zip(readers, times, strict=True):
                time.sleep(0.001)
                started = time.perf_counter()
                read(path)
                taken.append(time.perf_counter() - started)
    name = "typical Python"
    for key, figure in (("small-busy", statistics.median), ("small-busy-mean", statistics.mean)):
        ours_ms, rival_ms = (figure(taken) * 1e3 for taken in times)
        report(key, ours_ms, "ms", name, rival_ms)


@contextmanager
def busy_thread() -> Iterator[None]:
    """Run one thread of plain Python that never waits."""
    stop = False

    def work() -> None:
        while not stop:
            sum(range(100))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop = True
        thread.join()

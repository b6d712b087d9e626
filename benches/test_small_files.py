"""P6: a source file, read whole and numbered, the most frequent read of agents."""

from __future__ import annotations

import statistics
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from benches import floor, inputs
from benches.usual import bare_python, usual_python

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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


@pytest.mark.parametrize("key", ["small-floor", "tiny-floor"])
def test_small_file_beside_system_calls(report: Callable[..., None], key: str, tmp_path: Path) -> None:
    path = inputs.source_file() if key == "small-floor" else tmp_path / "tiny"
    if key == "tiny-floor":
        path.write_bytes(b"x\n")
    name, size = str(path), path.stat().st_size
    page = BARE_READER.read_sync(name)
    assert isinstance(page, anyread.TextPage)
    assert page.content == path.read_text("utf-8")
    ours, bare = floor.beside(
        lambda: BARE_READER.read_sync(name), lambda: floor.four_calls(name, size), turns=100, calls=200
    )
    report(key, ours * 1e3, "ms", floor.FOUR_CALLS, bare * 1e3)


def test_small_file_beside_busy_thread(report: Callable[..., None]) -> None:
    """Before each read, the busy thread runs, as it does while an event loop waits."""
    path = checked_path()
    alone = times_of(path)[0]
    with busy_thread():
        ours, typical = times_of(path)
    report("small-busy", statistics.median(ours) * 1e3, "ms", "alone", statistics.median(alone) * 1e3)
    for key, figure in (("small-busy-typical", statistics.median), ("small-busy-mean", statistics.mean)):
        report(key, figure(ours) * 1e3, "ms", "typical Python", figure(typical) * 1e3)


def times_of(path: str) -> tuple[list[float], list[float]]:
    """Return the seconds of reads by anyread and by typical Python, each after a pause."""
    readers: tuple[Callable[[str], object], ...] = (READER.read_sync, usual_python)
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(300):
        for read, taken in zip(readers, times, strict=True):
            time.sleep(0.001)
            started = time.perf_counter()
            read(path)
            taken.append(time.perf_counter() - started)
    return times


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

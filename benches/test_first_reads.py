"""P2 and P15: files from 64 KiB to 64 MiB, and the first read of a process and of a `Reader`."""

from __future__ import annotations

import statistics
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from benches import floor, inputs, judges

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from benches.conftest import Measure

pytestmark = pytest.mark.benchmark

KIB = 1024
READER = anyread.Reader()
PROCESSES = 21
LINES = 100

FIRST_READ = """
import sys, time, anyread
path, way = sys.argv[1:]
if way == "sync":
    started = time.perf_counter()
    anyread.read_sync(path)
else:
    import asyncio
    async def main():
        global started
        started = time.perf_counter()
        await anyread.read(path)
    asyncio.run(main())
print(time.perf_counter() - started)
"""


def middle_of(size_bytes: int) -> tuple[Path, int, int]:
    """Return a log, its middle line, and where that line begins; the window there is checked."""
    path = inputs.logs(size_bytes, 1)[0]
    data = path.read_bytes()
    first = data.count(b"\n") // 2
    page = READER.read_sync(path, offset=first, limit=LINES)
    assert isinstance(page, anyread.TextPage)
    assert page.content == judges.sed_window(path, first, first + LINES - 1)
    return path, first, data.index(page.content.encode())


@pytest.mark.parametrize("kib", [64, 256, 1024])
def test_lines_in_the_middle_of_a_file_seen_before(report: Callable[..., None], kib: int) -> None:
    path, first, place = middle_of(kib * KIB)
    name = str(path)
    ours, bare = floor.beside(
        lambda: READER.read_sync(name, offset=first, limit=LINES),
        lambda: floor.four_calls(name, 8 * KIB, place),
        turns=60,
        calls=50,
    )
    report(f"middle-{kib}", ours * 1e6, "µs", floor.FOUR_CALLS, bare * 1e6)


@pytest.mark.parametrize("mib", [1, 4, 10, 64])
def test_unseen_file(measure: Measure, mib: int) -> None:
    """The first lines and the exact number of all lines."""
    path = inputs.logs(mib * inputs.MIB, 1)[0]
    inputs.warm(path)
    page = READER.read_sync(path, limit=LINES)
    assert isinstance(page, anyread.TextPage)
    assert page.total_lines == judges.wc_lines(path)
    assert page.content == judges.head(path, LINES)
    with floor.loads(path) as load:
        measure.alone(
            f"unseen-{mib}",
            lambda: READER.read_sync(path, limit=LINES),
            rounds=200,
            before=anyread.clear_caches,
            floor=load,
        )


@pytest.mark.parametrize("way", ["sync", "async"])
def test_first_read_of_a_process(report: Callable[..., None], way: str) -> None:
    path = inputs.source_file()
    command = [sys.executable, "-c", FIRST_READ, str(path), way]
    seconds = [
        float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(PROCESSES)
    ]
    # The first process fills the page cache.
    report(f"first-{way}", statistics.median(seconds[1:]) * 1e6, "µs")


def test_first_read_of_a_reader(measure: Measure) -> None:
    path = str(inputs.source_file())
    readers: list[anyread.Reader] = []
    measure.alone(
        "first-reader",
        lambda: readers[-1].read_sync(path),
        rounds=500,
        before=lambda: readers.append(anyread.Reader()),
        floor=(floor.FOUR_CALLS, lambda: floor.four_calls(path, 8 * KIB)),
    )

"""P11: how late an event loop runs other tasks while many tasks read, measured in a separate process.

A ticker is due every millisecond.
A loop that is blocked for 20 ms misses 20 ticks, and each counts with its own delay, which is how long a
request that arrived at that moment would have waited.
A ticker that measured only its own sleeps would count one delay for all of them.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import aiofiles
import anyio
import anyio.to_thread
from benches import inputs
from benches.usual import numbered, usual_python

import anyread

_ROOT = Path(__file__).parent.parent
_STEP = 0.001
READERS = ("anyread", "threads", "idle")
"""anyread; typical Python in anyio's threads; and no reader, for the ticker's own delays.

A fourth one, "mixed", is anyread with scans of a log, photographs and pages of a PDF in turn, and a fifth,
"pages", is anyread with pages of a log that are too large to be read on the event loop.
"""
COLD_READERS = ("cold-anyread", "cold-threads", "cold-aiofiles")
"""The same with files that are not in the page cache; their names are in the kernel's cache of names."""
_COLD_FILES = 4_000
COLD_BYTES = _COLD_FILES * 4_096 * 9 // 10
"""How much must at least come from the disk."""
_PASSES = 20
"""So many that the start of the tasks, which the benchmark itself takes, is far below 1 % of the time."""
_MIXED = 256
_PAGES = 5_000
_PAGE_LINES = 2_000
_SCANNED_BYTES = 100 * inputs.MIB
_IDLE_SECONDS = 2

_SCANNING = anyread.Reader(limits=anyread.Limits(exact_total=True))
_NO_TOKEN_BUDGET = anyread.Reader(limits=anyread.Limits(max_tokens=10**9))


@dataclass(frozen=True, slots=True)
class Lag:
    """The delays of an event loop, in milliseconds."""

    p50: float
    p99: float
    worst: float
    ticks: int
    """The number of measured delays."""
    seconds: float
    """How long the reads took."""
    disk_bytes: int
    """How much of the files came from the disk."""


def measured(loop: str, reader: str, tasks: int) -> Lag:
    """Measure an event loop (`asyncio`, `uvloop` or `trio`) in a new process."""
    command = [sys.executable, "-m", "benches.lag", loop, reader, str(tasks)]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=_ROOT).stdout
    return Lag(**json.loads(output))


def median(loop: str, reader: str, tasks: int) -> Lag:
    """Measure three times, and return the measurement with the median 99th percentile."""
    return sorted((measured(loop, reader, tasks) for _ in range(3)), key=lambda found: found.p99)[1]


class Ticker:
    """Records the delay of each tick in seconds."""

    def __init__(self) -> None:
        self.delays: list[float] = []

    async def run(self) -> None:
        due = perf_counter() + _STEP
        while True:
            await anyio.sleep(max(0.0, due - perf_counter()))
            now = perf_counter()
            while due <= now:
                self.delays.append(now - due)
                due += _STEP


Read = Callable[[], Awaitable[object]]


def _reads(reader: str) -> Sequence[Read]:
    """Return the reads to make, in order."""
    if reader == "mixed":
        kinds: list[Read] = [
            partial(_scan, inputs.log(_SCANNED_BYTES).path),
            partial(anyread.read, inputs.photograph()),
            partial(anyread.read, inputs.report(), pages="1-4"),
        ]
        return [kinds[number % len(kinds)] for number in range(_MIXED)]
    if reader == "pages":
        log = inputs.log(_SCANNED_BYTES)
        places = random.Random(1)
        return [partial(_page, log.path, places.randrange(1, log.lines - _PAGE_LINES)) for _ in range(_PAGES)]
    paths = [str(path) for path in inputs.small_files()]
    if reader in _COLD:
        return [partial(_COLD[reader], path) for path in paths[:_COLD_FILES]]
    if reader == "anyread":
        return [partial(anyread.read, path) for path in paths] * _PASSES
    if reader == "threads":
        return [partial(anyio.to_thread.run_sync, usual_python, path) for path in paths]
    return [partial(anyio.sleep, _IDLE_SECONDS)]


async def _with_aiofiles(path: str) -> object:
    async with aiofiles.open(path, encoding="utf-8", errors="replace") as file:
        return numbered(await file.read())


async def _with_thread(path: str) -> object:
    return await asyncio.to_thread(usual_python, path)


_COLD: dict[str, Callable[[str], Awaitable[object]]] = {
    "cold-anyread": anyread.read,
    "cold-threads": _with_thread,
    "cold-aiofiles": _with_aiofiles,
}


def _evict(paths: Iterable[Path]) -> None:
    """Remove files from the page cache."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def _bytes_from_disk() -> int:
    """Return how many bytes this process has read from a disk."""
    found = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(found["read_bytes"])


async def _scan(path: Path) -> object:
    # With an index, only the first scan would search for the lines.
    anyread.clear_caches()
    return await _SCANNING.read(path, offset=500_000, limit=100)


async def _page(path: Path, offset: int) -> object:
    return await _NO_TOKEN_BUDGET.read(path, offset=offset, limit=_PAGE_LINES)


async def _watch(reader: str, tasks: int) -> Lag:
    reads = _reads(reader)
    for read in dict.fromkeys(reads[:3]):  # warm up: the first calls cost more
        await read()
    # The garbage collector must not search the benchmark's own lists.
    gc.collect()
    gc.freeze()
    if reader in _COLD:
        _evict(inputs.small_files()[:_COLD_FILES])
    ticker = Ticker()
    async with anyio.create_task_group() as ticking:
        ticking.start_soon(ticker.run)
        await anyio.sleep(0.01)
        disk_bytes = _bytes_from_disk()
        started = perf_counter()
        waiting = iter(reads)

        async def work() -> None:
            for read in waiting:
                await read()

        async with anyio.create_task_group() as readers:
            for _ in range(tasks):
                readers.start_soon(work)
        seconds = perf_counter() - started
        disk_bytes = _bytes_from_disk() - disk_bytes
        ticking.cancel_scope.cancel()
    late = sorted(delay * 1e3 for delay in ticker.delays)
    return Lag(late[len(late) // 2], late[len(late) * 99 // 100], late[-1], len(late), seconds, disk_bytes)


def main() -> None:
    """Print the lag of the loop, reader and number of tasks that the command line names."""
    loop, reader, tasks = sys.argv[1:]
    lag = anyio.run(
        _watch,
        reader,
        int(tasks),
        backend="trio" if loop == "trio" else "asyncio",
        backend_options={"use_uvloop": True} if loop == "uvloop" else {},
    )
    print(json.dumps({name: getattr(lag, name) for name in Lag.__slots__}))


if __name__ == "__main__":
    main()

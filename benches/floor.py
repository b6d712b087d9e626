"""What the machine can do at best; these figures are shown beside anyread's own."""

from __future__ import annotations

import mmap
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benches import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FOUR_CALLS = "open, fstat, pread, close"
ONE_CORE, ALL_CORES = "loading each byte once, one core", "loading each byte once, all cores"
_WORDS = 1 << 17
"""Words of eight bytes that are loaded in one step."""
_FOR_THREADS = 32 * inputs.MIB


def four_calls(path: str, size_bytes: int, offset: int = 0) -> None:
    """Read part of a file with the fewest system calls, called from Python."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    os.fstat(descriptor)
    os.pread(descriptor, size_bytes, offset)
    os.close(descriptor)


@contextmanager
def loads(path: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield a name and a function that loads each word of a file from the page cache.

    The file is mapped before, and every page of it touched. A file that takes hardly longer than to wake
    threads is loaded by the calling one.
    """
    import numpy as np

    with path.open("rb") as file:
        # It is closed with the last array that refers to it.
        mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    words = np.frombuffer(mapped, dtype=np.uint64, count=len(mapped) // 8)
    share = len(words) if len(mapped) < _FOR_THREADS else -(-len(words) // inputs.cores())

    def load(first: int) -> None:
        part = words[first : first + share]
        for start in range(0, len(part), _WORDS):
            np.bitwise_or.reduce(part[start : start + _WORDS])

    load(0)
    if share == len(words):
        yield ONE_CORE, lambda: load(0)
        return
    with ThreadPoolExecutor(inputs.cores()) as threads:

        def load_all() -> None:
            list(threads.map(load, range(0, len(words), share)))

        load_all()
        yield ALL_CORES, load_all


def beside(
    ours: Callable[[], object], floor: Callable[[], object], *, turns: int, calls: int
) -> tuple[float, float]:
    """Time two functions in turn; return the median seconds of a call of each.

    Args:
        ours: The first function.
        floor: The second function.
        turns: How often each has its turn.
        calls: How many calls a turn has.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(turns):
        for function, taken in zip((ours, floor), times, strict=True):
            started = time.perf_counter()
            for _ in range(calls):
                function()
            taken.append((time.perf_counter() - started) / calls)
    return statistics.median(times[0]), statistics.median(times[1])

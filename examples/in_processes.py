"""Call a function in several processes, and repeat the work of a killed one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import Any

Columns = dict[str, Any]


def in_processes(
    function: Callable[[Columns], Columns],
    paths: Sequence[str],
    *,
    workers: int = 2,
    batch_rows: int = 1_000,
    attempts: int = 3,
) -> Iterator[Columns]:
    """Yield the result of each batch as soon as it is complete, exactly once.

    If the system kills a worker, for example for lack of memory, the pool ends. Its
    unfinished batches are repeated in another pool, at most `attempts` times in all.
    """
    starts = range(0, len(paths), batch_rows)
    waiting: dict[int, Columns] = {
        start: {"path": paths[start : start + batch_rows]} for start in starts
    }
    for _ in range(attempts):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            running = {
                pool.submit(function, batch): start for start, batch in waiting.items()
            }
            for future in as_completed(running):
                try:
                    result = future.result()
                except BrokenProcessPool:
                    continue
                del waiting[running[future]]
                yield result
        if not waiting:
            return
    raise RuntimeError(f"{len(waiting):,} batches ended their worker {attempts} times")

"""The log at the sizes of the growth curves, and its lines, computed without reading the file.

A log of any size is the beginning of every larger one, byte for byte.
No tool can be limited to the beginning of a file, so each size up to 1 GiB is a separate file; for 10 GiB,
the log of 10 GB is extended, and cut back afterwards.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from benches import inputs
from benches.inputs import BIG_LOG_BYTES, MIB, Log

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = tuple(mib * MIB for mib in (1, 10, 100, 1_024, 10_240))
"""In bytes; the last one needs only the budget of the largest log, because that log is extended."""


def runs_here(size_bytes: int) -> bool:
    """Return whether `ANYREAD_BENCH_GB` allows this size."""
    return min(size_bytes, BIG_LOG_BYTES) <= inputs.budget_bytes()


@contextmanager
def log_of(size_bytes: int) -> Iterator[Log]:
    """Yield the log of this size, in the page cache."""
    made = inputs.log(min(size_bytes, inputs.budget_bytes()))
    try:
        log = made if made.size_bytes > size_bytes - MIB else _extended(made, size_bytes)
        inputs.warm(log.path)
        yield log
    finally:
        if made.path.stat().st_size > made.size_bytes:
            os.truncate(made.path, made.size_bytes)


def _extended(log: Log, size_bytes: int) -> Log:
    size, lines = log.size_bytes, log.lines
    with log.path.open("ab") as file:
        for block in inputs.log_blocks(log.lines):
            room = size_bytes - size
            text = block if len(block) <= room else block[: block.rindex(b"\n", 0, room) + 1]
            file.write(text)
            size, lines = size + len(text), lines + text.count(b"\n")
            if len(text) < len(block):
                break
        file.flush()
        # Otherwise the disk is still writing it during the measurement.
        os.fsync(file.fileno())
    return Log(log.path, size, lines)


def lines_of(first: int, count: int) -> list[str]:
    """Return `count` lines of the log from line `first` on, without their endings."""
    found: list[str] = []
    for block in inputs.log_blocks(first - 1):
        found += block.decode().split("\n")[:-1]
        if len(found) >= count:
            return found[:count]
    return found

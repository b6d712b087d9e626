"""Measures what reads take, each time in a fork of this process: the load of row S18.

`python -m torture.measured_reads` takes JSON: paths that are read first, and for each measurement the name of
a function, paths, and the arguments of the reads. It prints each figure, or how its process ended.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import anyread

MIB = 1 << 20
ADDRESS_SPACE = 2 << 30
INDEX_BYTES = 8 * MIB
"""The limit of what is kept where that is measured."""
MOST_PAGES, ENOUGH_S, TIMEOUT_S = 20, 1.0, 10.0
"""Where the pages of a file end, and the time of each read."""
MOMENTS = (0.2, 0.5, 0.8)
"""When reads are cancelled, as parts of their time."""
LEAST_S = 0.05
"""Faster reads are not cancelled."""
Arguments = dict[str, Any]


class Mallinfo(ctypes.Structure):
    """What `mallinfo2` of glibc returns; the fifth and the eighth number are bytes in use."""

    _fields_ = (("numbers", ctypes.c_size_t * 10),)


LIBC = ctypes.CDLL(None)
LIBC.mallinfo2.restype = Mallinfo


def new_reader(**limits: Any) -> anyread.Reader:
    """Return a reader with the time limit, which lists directories and decompresses too."""
    limits = {"timeout_s": TIMEOUT_S, **limits}
    return anyread.Reader(limits=anyread.Limits(**limits), directories="list", decompress=True)


READER = new_reader()


def resident(field: str) -> int:
    """Return the memory of this process: `VmRSS` now, `VmHWM` the most since it was reset."""
    status = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith(f"{field}:"))


def grown(work: Callable[[], object]) -> float:
    """Return by how many MiB the memory of this process grew at most during some work."""
    gc.collect()
    LIBC.malloc_trim(0)
    before = resident("VmRSS")
    # Resets the peak.
    Path("/proc/self/clear_refs").write_text("5", "utf-8")
    work()
    return max(0, resident("VmHWM") - before) / MIB


def allocated() -> int:
    """Return the bytes in use; resident memory has what the allocator keeps for later, too."""
    gc.collect()
    numbers = LIBC.mallinfo2().numbers
    return int(numbers[4] + numbers[7])


def read(path: str, arguments: Arguments, reader: anyread.Reader = READER, pages: int = MOST_PAGES) -> int:
    """Read pages of a file and its facts, or list a directory; return the bytes of the largest page."""
    started, largest = time.monotonic(), 0
    with suppress(anyread.ReadError):
        found: Iterator[Any] = islice(reader.pages_sync(path, **arguments), pages)
        for page in found:
            images = sum(len(block.data) for block in page.blocks if isinstance(block, anyread.ImageBlock))
            largest = max(largest, len(page.text.encode()) + images)
            if time.monotonic() - started > ENOUGH_S:
                break
    with suppress(anyread.ReadError):
        reader.info_sync(path)
    if Path(path).is_dir():
        reader.files(path)
    return largest


def one(paths: list[str], arguments: Arguments) -> float:
    """Return the MiB that a read takes."""
    return grown(lambda: read(paths[0], arguments))


def beyond_page(paths: list[str], arguments: Arguments) -> float:
    """Return the MiB that a read takes beyond four times its largest page."""
    sizes: list[int] = []
    return grown(lambda: sizes.append(read(paths[0], arguments))) - 4 * sizes[0] / MIB


def eight(paths: list[str], arguments: Arguments) -> float:
    """Return the MiB that reads of all paths take at once."""
    with ThreadPoolExecutor(len(paths)) as threads:
        return grown(lambda: list(threads.map(lambda path: read(path, arguments), paths)))


def many(paths: list[str], arguments: Arguments) -> float:
    """Return the MiB that a call for many files takes, which reads eight at once."""
    results = READER.read_many_sync(paths, concurrency=8, **arguments)
    return grown(lambda: [len(result.summary()) for result in results])


def kept(paths: list[str], arguments: Arguments) -> float:
    """Return the MiB that are kept after all paths were read."""
    keeper, before = new_reader(index_bytes=INDEX_BYTES), allocated()
    for path in paths:
        read(path, arguments, keeper, 2)
    return (allocated() - before) / MIB


def stop(paths: list[str], arguments: Arguments) -> float:
    """Return the most ms of processor time that a read takes after a cancellation, or after its time."""
    started = time.monotonic()
    with suppress(anyread.ReadError):
        READER.read_sync(paths[0], **arguments)
    seconds = time.monotonic() - started
    if seconds < LEAST_S:
        return 0.0
    hasty = new_reader(timeout_s=seconds / 2)
    stops = [(READER, moment * seconds) for moment in MOMENTS] + [(hasty, TIMEOUT_S)]
    return 1_000 * max(
        asyncio.run(work_after(reader, path, arguments, cancel_s))
        for path, (reader, cancel_s) in zip(paths[1:], stops, strict=False)
    )


async def work_after(reader: anyread.Reader, path: str, arguments: Arguments, cancel_s: float) -> float:
    """Cancel a read, and return the seconds of processor time until this process is idle.

    Unlike the time that passes, it does not depend on other processes.
    """
    task = asyncio.ensure_future(reader.read(path, **arguments))
    await asyncio.wait([task], timeout=cancel_s)
    task.cancel()
    begun = last = time.process_time()
    idle = 0
    while idle < 5:
        await asyncio.sleep(0.02)
        now = time.process_time()
        idle, last = (idle + 1 if now - last < 0.002 else 0), now
    await asyncio.gather(task, return_exceptions=True)
    return last - begun


def figures(warm: list[str], jobs: list[tuple[str, list[str], Arguments]]) -> Iterator[float | str]:
    """Yield the figure of each measurement."""
    # What is imported and allocated once for all reads.
    for path in warm * 2:
        read(path, {})
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, resource.RLIM_INFINITY))
    for function, paths, arguments in jobs:
        ours, theirs = os.pipe()
        # What one measurement leaves would change what the next one finds.
        if os.fork() == 0:
            os.write(theirs, json.dumps(globals()[function](paths, arguments)).encode())
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours, "rb") as pipe:
            written = pipe.read()
        status = os.waitstatus_to_exitcode(os.wait()[1])
        yield json.loads(written) if written else f"ended with {status}"


if __name__ == "__main__":
    for figure in figures(*json.load(sys.stdin)):
        print(json.dumps(figure), flush=True)

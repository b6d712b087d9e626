"""What thousands of reads of every kind leave behind: no descriptor, thread, process or memory."""

from __future__ import annotations

import gc
import itertools
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

import anyread
import notebooks
from anyread.decoding.host.pool import close_shared_pool
from media import encoded, noise, picture, text_pdf

pytestmark = [
    pytest.mark.torture,
    pytest.mark.skipif(
        sys.platform != "linux", reason="needs Linux: descriptors and processes are counted in /proc"
    ),
]
WARM_UP_READS = 500
READS = 2_000
TASKS = 8
GROWTH_BYTES = 8 * 2**20


class Held(NamedTuple):
    """What a process has."""

    descriptors: int
    threads: int
    processes: int


def held() -> Held:
    """Count what this process has, with the processes below it."""
    own = Path("/proc/self")
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return Held(len(list((own / "fd").iterdir())), len(list((own / "task").iterdir())), len(below) - 1)


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def written(folder: Path) -> list[Path]:
    """Write files of every kind."""
    plot = notebooks.code("plot()", notebooks.display(image_png=notebooks.png(40, 30)))
    cells = [notebooks.markdown("# Title"), plot, notebooks.code("1 + 1", notebooks.stream("2\n"))]
    files = {
        "a.py": b"print('hello')\n" * 300,
        "large.log": b"a line of a log, which is long enough\n" * 50_000,
        "data.json": json.dumps(list(range(5_000))).encode(),
        "a.png": encoded(picture(300, 200), "PNG"),
        "large.jpg": encoded(noise(1_600, 300), "JPEG"),
        "a.gif": encoded(picture(60, 60), "GIF"),
        "broken.png": b"\x89PNG\r\n\x1a\nbroken",
        "a.pdf": text_pdf(3),
        "long.pdf": text_pdf(5, lines=20),
        "broken.pdf": b"%PDF-1.4 broken",
    }
    paths = [notebooks.write(folder, *cells)]
    for name, data in files.items():
        paths.append(folder / name)
        paths[-1].write_bytes(data)
    return paths


async def read_all(paths: list[Path], count: int) -> None:
    """Read the files in turn, several at once."""
    waiting = itertools.islice(itertools.cycle(paths), count)

    async def work() -> None:
        for path in waiting:
            if "broken" in path.name:
                with pytest.raises(anyread.DamagedFileError):
                    await anyread.read(path)
            else:
                assert (await anyread.read(path)).text

    async with anyio.create_task_group() as group:
        for _ in range(TASKS):
            group.start_soon(work)


def settled(expected: Held | None = None) -> Held:
    """Wait until threads without work have ended and decoders have taken their places."""
    deadline = time.monotonic() + 15
    # Threads wait for work for five seconds.
    time.sleep(6)
    gc.collect()
    found = held()
    while expected is not None and found != expected and time.monotonic() < deadline:
        time.sleep(0.1)
        found = held()
    return found


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_reads_of_every_kind_leave_nothing_behind(tmp_path: Path, backend: str) -> None:
    paths = written(tmp_path)
    close_shared_pool()
    anyio.run(read_all, paths, WARM_UP_READS, backend=backend)
    before, resident = settled(), resident_bytes()
    anyio.run(read_all, paths, READS, backend=backend)
    assert settled(before) == before
    growth = resident_bytes() - resident
    print(f"\n{backend}: {before}, {growth / 1024:.0f} KiB more after {READS:,} reads")
    assert growth < GROWTH_BYTES
    close_shared_pool()
    assert held().processes < before.processes

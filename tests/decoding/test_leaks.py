"""Thousands of reads of every kind leak no descriptors, threads, processes or memory."""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path

import anyio
import pytest

import anyread
import notebooks
from anyread.decoding.host.pool import close_shared_pool
from media import drawing, encoded, noise, text_pdf
from resources import resident_bytes, resources, settled_resources

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


def written_files(directory: Path) -> list[Path]:
    """Write files of every kind."""
    plot = notebooks.code("plot()", notebooks.display(image_png=notebooks.png(40, 30)))
    cells = [notebooks.markdown("# Title"), plot, notebooks.code("1 + 1", notebooks.stream("2\n"))]
    files = {
        "a.py": b"print('hello')\n" * 300,
        "large.log": b"a line of a log, which is long enough\n" * 50_000,
        "data.json": json.dumps(list(range(5_000))).encode(),
        "a.png": encoded(drawing(300, 200), "PNG"),
        "large.jpg": encoded(noise(1_600, 300), "JPEG"),
        "a.gif": encoded(drawing(60, 60), "GIF"),
        "broken.png": b"\x89PNG\r\n\x1a\nbroken",
        "a.pdf": text_pdf(3),
        "long.pdf": text_pdf(5, lines=20),
        "broken.pdf": b"%PDF-1.4 broken",
    }
    paths = [notebooks.write(directory, *cells)]
    for name, data in files.items():
        paths.append(directory / name)
        paths[-1].write_bytes(data)
    return paths


async def read_all(paths: list[Path], count: int) -> None:
    """Read `count` files, cycling through `paths`, in several tasks."""
    remaining = itertools.islice(itertools.cycle(paths), count)

    async def read_some() -> None:
        for path in remaining:
            if "broken" in path.name:
                with pytest.raises(anyread.DamagedFileError):
                    await anyread.read(path)
            else:
                assert (await anyread.read(path)).text

    async with anyio.create_task_group() as group:
        for _ in range(TASKS):
            group.start_soon(read_some)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_reads_of_every_kind_leak_nothing(tmp_path: Path, backend: str) -> None:
    paths = written_files(tmp_path)
    close_shared_pool()
    anyio.run(read_all, paths, WARM_UP_READS, backend=backend)
    before, resident = settled_resources(), resident_bytes()
    anyio.run(read_all, paths, READS, backend=backend)
    assert settled_resources(before) == before
    growth = resident_bytes() - resident
    print(f"\n{backend}: {before}, {growth / 1024:.0f} KiB more after {READS:,} reads")
    assert growth < GROWTH_BYTES
    close_shared_pool()
    assert resources().processes < before.processes

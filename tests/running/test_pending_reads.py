"""Reads that wait for a thread with their file open need few descriptors, and close them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from anyread import Reader
from helpers.waiting import descriptors_of, until

# All reads begin before a thread has finished any of them.
READS = """
import asyncio, resource, sys
import anyread

path, count, limit = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
anyread.read_sync(path)
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


async def main():
    reads = (anyread.read(path, offset=number + 1, limit=1000) for number in range(count))
    return await asyncio.gather(*reads)


pages = asyncio.run(main())
assert [page.start_line for page in pages] == list(range(1, count + 1))
print(len(pages))
"""


@pytest.fixture(autouse=True)
def _not_portable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset the variable of the suite's second run, because portable reads never begin on the event loop."""
    monkeypatch.delenv("ANYREAD_PORTABLE", raising=False)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Return a text file of which 1,000 lines cannot be read on the event loop, even if it is known."""
    path = tmp_path / "large.log"
    path.write_text(f"{'a line of text ' * 6}\n" * 10_000)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("count", "limit"), [(1_000, 1_024), (1_000, 64)])
def test_concurrent_reads_need_few_descriptors(large: Path, count: int, limit: int) -> None:
    arguments = [sys.executable, "-c", READS, str(large), str(count), str(limit)]
    done = subprocess.run(arguments, check=False, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{count}\n", done.stderr


@pytest.mark.anyio
async def test_cancelled_reads_close_their_files(large: Path) -> None:
    reader = Reader()
    await reader.read(large)
    async with anyio.create_task_group() as group:
        for _ in range(100):
            group.start_soon(reader.read, large)
        await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    until(lambda: not descriptors_of(large))

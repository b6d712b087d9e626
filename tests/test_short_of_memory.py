"""Reads in a process that gets no more memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Each read runs with a little more address space than the one before, and again without a limit.
SCRIPT = """
import errno, resource, sys
import anyread

reader = anyread.Reader()


def read_whole(path):
    return reader._engine._core.open(path.encode(), repair=False, whole=8 << 20).read(8 << 20)


def limit(bytes_):
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, resource.RLIM_INFINITY))


def used():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


outcomes = set()
for path in sys.argv[1:]:
    for read in (reader.read_sync, read_whole):
        for spare_kib in range(0, 4_000, 100):
            limit(used() + (spare_kib << 10))
            try:
                read(path)
                outcomes.add("read")
            except anyread.errors.FileSystemError as error:
                outcomes.add(errno.errorcode[error.errno])
            finally:
                limit(resource.RLIM_INFINITY)
            read(path)
data = bytes(3 << 20)
for spare_kib in range(0, 10_000, 200):
    limit(used() + (spare_kib << 10))
    try:
        anyread._native.b64encode(data)
    except MemoryError:
        outcomes.add("MemoryError")
    finally:
        limit(resource.RLIM_INFINITY)
print(*sorted(outcomes))
"""


@pytest.mark.slow
def test_read_without_memory_is_an_error_and_the_next_read_works(tmp_path: Path) -> None:
    """A buffer of a megabyte that the process could not get ended it (`memory allocation failed`)."""
    line = "y" * 63 + "\n"
    (tmp_path / "a.log").write_text(line * ((1 << 20) // 64))
    (tmp_path / "wide.log").write_text(line * ((1 << 20) // 130), encoding="utf-16-le")
    run = [sys.executable, "-c", SCRIPT, str(tmp_path / "a.log"), str(tmp_path / "wide.log")]
    result = subprocess.run(run, check=False, capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "ENOMEM MemoryError read\n"), result.stderr

"""Reads in a process that cannot allocate more memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each call runs with a little more address space than the one before, and again without a limit.
COMMON = """
import errno, resource, sys
import anyread


def limit(bytes_):
    resource.setrlimit(resource.RLIMIT_AS, (bytes_, resource.RLIM_INFINITY))


def used():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


outcomes = set()
"""

READS = """
reader = anyread.Reader()


def read_whole(path):
    file = reader._engine._native.open(path.encode(), repair=False, whole=8 << 20, may_wait=True)
    return file.read(8 << 20)


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
print(*sorted(outcomes))
"""

BUFFERS = """
import base64, json

data = bytes(3 << 20)
notebook = b'{"nbformat": 4, "cells": [{"source": "%s"}]}' % (b"x" * (3 << 20))
picture = base64.encodebytes(data[: 1 << 20]).decode()
output = {"output_type": "display_data", "data": {"image/png": picture}}
cell = {"cell_type": "code", "source": "", "outputs": [output]}
with_picture = json.dumps({"nbformat": 4, "cells": [cell]})
opened = anyread._native.Notebook(with_picture.encode())
start = with_picture.index(json.dumps(picture))
whole = anyread.Reader(limits=anyread.Limits(max_lines=1 << 20, max_bytes=8 << 20, max_tokens=1 << 30))
for call in (
    lambda: anyread._native.b64encode(data),
    lambda: anyread._native.Notebook(notebook),
    lambda: opened.images([(start, start + len(json.dumps(picture)))]),
    # The slot of the class contains the text before it is decoded.
    anyread.TextPage.content.__get__(whole.read_sync(sys.argv[1])).decode,
):
    call()
    refused = 0
    for spare_kib in range(0, 10_000, 200):
        limit(used() + (spare_kib << 10))
        try:
            call()
        except MemoryError:
            refused += 1
        finally:
            limit(resource.RLIM_INFINITY)
    outcomes.add("MemoryError" if refused else "never refused")
print(*sorted(outcomes))
"""


def printed(script: str, *paths: Path, **environment: str) -> str:
    """Run a script in a separate process, and return what it prints."""
    result = subprocess.run(
        [sys.executable, "-c", COMMON + script, *map(str, paths)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.slow
def test_read_without_memory_is_an_error_and_the_next_read_works(tmp_path: Path) -> None:
    """The process was aborted if it could not allocate a buffer of 1 MB (`memory allocation failed`)."""
    line = "y" * 63 + "\n"
    (tmp_path / "a.log").write_text(line * ((1 << 20) // 64))
    (tmp_path / "wide.log").write_text(line * ((1 << 20) // 130), encoding="utf-16-le")
    assert printed(READS, tmp_path / "a.log", tmp_path / "wide.log") == "ENOMEM read"


@pytest.mark.slow
def test_large_buffer_without_memory_is_an_error(tmp_path: Path) -> None:
    """The process was aborted if it could not allocate a copy of a notebook or of the content of a page."""
    (tmp_path / "a.log").write_text(("y" * 63 + "\n") * ((1 << 20) // 64))
    # Otherwise glibc keeps large blocks that were freed and reuses them.
    assert printed(BUFFERS, tmp_path / "a.log", MALLOC_MMAP_THRESHOLD_=str(128 << 10)) == "MemoryError"

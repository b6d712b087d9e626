"""Reads in a process that cannot start more threads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Less address space than the stack of one more thread (2 MiB), more than the buffers of a scan.
SCRIPT = """
import resource, sys, threading
import anyread
from anyread.arguments.request import checked

path, lines = sys.argv[1], int(sys.argv[2])
reader = anyread.Reader(mmap="never")
reader.read_sync(path, limit=1)
# The first read is made before the limit is set, because it imports modules and allocates memory.
anyread._native.clear_caches()
pages = int(open("/proc/self/statm").read().split()[0])
used = pages * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1_500 << 10), resource.RLIM_INFINITY))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
else:
    sys.exit("a thread could be started")
page = reader.read_sync(path, offset=lines - 1, limit=1)
assert page.content == "last\\n", page.content
request = checked(path, limit=1)
pages = reader._engine._native.read_batch(
    [path.encode()] * 3, [request], unless=(), max_bytes=None, max_tokens=None, threads=3, cancel=None
)
assert [page.end_line for page in pages] == [1, 1, 1], pages
"""


@pytest.mark.slow
def test_scan_that_cannot_start_a_thread_still_works(tmp_path: Path) -> None:
    """A scan and a read of several files raised `PanicException` when the system refused a thread."""
    path = tmp_path / "big.log"
    path.write_bytes(b"x" * 63 + b"\n" + (b"y" * 63 + b"\n") * (400 << 10) + b"last\n")
    lines = (400 << 10) + 3
    run = [sys.executable, "-c", SCRIPT, str(path), str(lines)]
    result = subprocess.run(run, check=False, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr

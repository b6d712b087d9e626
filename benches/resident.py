"""Read one window in a separate process and report the memory that the read took.

Before the read, the process waits for a line on its standard input, so that its parent can start sampling.
"""

from __future__ import annotations

import ctypes
import json
import re
import select
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyread

_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that a read took beyond what the process had before."""

    peak_anonymous: int
    """The peak of anonymous memory: the largest sample of `RssAnon`, or, if that is more, the high-water
    mark of resident memory minus the largest sample of mapped pages."""
    peak_mapped: int
    """The largest sample of mapped file pages (`RssFile`), which belong to the page cache."""
    held_anonymous: int
    """Anonymous memory that the process still has after the read."""
    used_anonymous: int
    """The part of it that is in use, without freed memory that the allocator keeps."""
    text: str
    """The page's content."""
    total_lines: int | None
    """The page's total."""


def measured_read(path: Path, *, exact_total: bool = False, **arguments: Any) -> Memory:
    """Read a window in a new process and return the memory that it took."""
    command = [sys.executable, "-m", "benches.resident", str(path), json.dumps([exact_total, arguments])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT) as child:
        if child.stdin is None or child.stdout is None:
            raise RuntimeError("the child has no pipes")
        before = json.loads(child.stdout.readline())
        samples = [before]
        child.stdin.write(b"go\n")
        child.stdin.flush()
        while not select.select([child.stdout], [], [], 0.0005)[0]:
            samples.append(_memory(f"/proc/{child.pid}/status"))
        after = json.loads(child.stdout.readline())
    samples.append(after)
    anonymous, mapped = (
        max(sample[name] for sample in samples) - before[name] for name in ("RssAnon", "RssFile")
    )
    return Memory(
        # The high-water mark includes peaks between two samples.
        peak_anonymous=max(anonymous, after["VmHWM"] - before["VmRSS"] - mapped),
        peak_mapped=mapped,
        held_anonymous=after["Anonymous"] - before["Anonymous"],
        used_anonymous=after["used"] - before["Anonymous"],
        text=after["text"],
        total_lines=after["total_lines"],
    )


def main() -> None:
    """Read the window that the command line names, and print the memory before and after it."""
    path, given = sys.argv[1:]
    exact_total, arguments = json.loads(given)
    reader = anyread.Reader(limits=anyread.Limits(exact_total=exact_total))
    # Exclude what only the first read of a process takes: code, relocations, the signal check.
    reader.read_sync(__file__)
    _trim_heap()
    # Reset the high-water mark.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    print(json.dumps(_own_memory()), flush=True)
    sys.stdin.readline()
    page = reader.read_sync(path, **arguments)
    if not isinstance(page, anyread.TextPage):
        raise TypeError(f"not text: {page!r}")
    after: dict[str, Any] = _own_memory() | {"text": page.content, "total_lines": page.total_lines}
    _trim_heap()
    print(json.dumps(after | {"used": _own_memory()["Anonymous"]}))


def _trim_heap() -> None:
    """Make the allocator return freed memory to the system, if it supports that (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _own_memory() -> dict[str, int]:
    # `status` may be out of date by a few pages per core; `smaps_rollup` is exact, but slow.
    return _memory("/proc/self/status") | _memory("/proc/self/smaps_rollup")


def _memory(path: str) -> dict[str, int]:
    """Return the values of a file in /proc that are in kB, in bytes."""
    text = Path(path).read_text(encoding="ascii")
    return {
        name: int(kilobytes) * 1024
        for name, kilobytes in re.findall(r"^(\w+):\s*(\d+) kB$", text, re.MULTILINE)
    }


if __name__ == "__main__":
    main()

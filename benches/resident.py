"""A process of its own that reads one window and tells what memory that took.

It stops before the read for a line on its standard input, so that its parent can watch it from there on.
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
    """The most memory of its own: what was seen of `RssAnon`, or what the kernel's own high-water mark of all
    resident memory holds beyond the most that was seen of mapped pages, if that is more."""
    peak_mapped: int
    """The most pages of mapped files that were seen (`RssFile`); they are the page cache's."""
    held_anonymous: int
    """Anonymous memory that the process still has after the read."""
    used_anonymous: int
    """What of it is in use: without freed memory that the allocator keeps for later."""
    text: str
    """The page's content."""
    total_lines: int | None
    """The page's total."""


def measured_read(path: Path, *, exact_total: bool = False, **arguments: Any) -> Memory:
    """Read a window in a fresh process and return what it took."""
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
        # A peak between two samples escapes them, and never the mark.
        peak_anonymous=max(anonymous, after["VmHWM"] - before["VmRSS"] - mapped),
        peak_mapped=mapped,
        held_anonymous=after["Anonymous"] - before["Anonymous"],
        used_anonymous=after["used"] - before["Anonymous"],
        text=after["text"],
        total_lines=after["total_lines"],
    )


def main() -> None:
    """Read the window that the command line names, between two looks at the own memory."""
    path, given = sys.argv[1:]
    exact_total, arguments = json.loads(given)
    reader = anyread.Reader(limits=anyread.Limits(exact_total=exact_total))
    # What the first read of any file costs once: code, relocations, the signal check.
    reader.read_sync(__file__)
    _give_back_freed()
    # From here on the high-water mark counts anew.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    print(json.dumps(_own_memory()), flush=True)
    sys.stdin.readline()
    page = reader.read_sync(path, **arguments)
    if not isinstance(page, anyread.TextPage):
        raise TypeError(f"not text: {page!r}")
    after: dict[str, Any] = _own_memory() | {"text": page.content, "total_lines": page.total_lines}
    _give_back_freed()
    print(json.dumps(after | {"used": _own_memory()["Anonymous"]}))


def _give_back_freed() -> None:
    """Let the allocator return to the system what the program has freed, where it can (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _own_memory() -> dict[str, int]:
    # `status` may lag behind by some pages a core; `smaps_rollup` counts, and takes its time.
    return _memory("/proc/self/status") | _memory("/proc/self/smaps_rollup")


def _memory(path: str) -> dict[str, int]:
    """Return the lines of a file of /proc that are in kB, as bytes."""
    text = Path(path).read_text(encoding="ascii")
    return {
        name: int(kilobytes) * 1024
        for name, kilobytes in re.findall(r"^(\w+):\s*(\d+) kB$", text, re.MULTILINE)
    }


if __name__ == "__main__":
    main()

"""A host that does something unusual, and then reads every kind of file.

usage: unusual.py DIRECTORY WHAT; it prints the number of reads and the failures as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import anyread
from anyread.running import workers
from torture.programs import reads

if TYPE_CHECKING:
    from collections.abc import Callable

IS_3_12, FROM_3_14 = sys.version_info[:2] == (3, 12), sys.version_info >= (3, 14)
SMALLEST_STACK = (56 if FROM_3_14 else 32) * 1024
"""The smallest stack of a thread, which is 32 KiB; Python 3.14 refuses stacks below 52 KiB."""
IMPORTING_STACK = (80 if FROM_3_14 else 48 if IS_3_12 else 32) * 1024
"""The smallest stack of a thread whose reads are the first of the process, so that they import modules.

Python 3.12 and 3.14 need more than the smallest stack for an import, also in a plain thread without anyread:
with 32 KiB, 3.12 ends with SIGSEGV while it imports `urllib.robotparser` and `importlib.metadata`; 3.14
raises `MemoryError: Parser stack overflowed` for them with 72 KiB, and for a small dataclass with 64 KiB.
"""
KEPT_READERS = 2_000


def problems(each: reads.Reads, kinds: tuple[str, ...] = reads.KINDS) -> list[str]:
    """Read each kind of file twice; return what is wrong."""
    found = []
    for kind in (*kinds, *kinds):
        try:
            each.sync(kind)
            reads.run_on("asyncio", lambda kind=kind: each.on_loop(kind))  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - any error is wrong
            found.append(f"{kind}: {error!r}"[:300])
    return found


def ignored_children(each: reads.Reads) -> list[str]:
    """Ignore SIGCHLD, so that the kernel reaps all children."""
    from torture.hosts import descendants

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    found = problems(each)
    source, *decoders = descendants(os.getpid())
    for pid in decoders:
        os.kill(pid, signal.SIGKILL)
    found += problems(each, ("image", "pdf"))
    if source not in descendants(os.getpid()):
        found.append("the source of decoders ended with one of them")
    return found + killed_decoders(each)


def foreign_reaper(each: reads.Reads) -> list[str]:
    """Reap all children in another thread, as an init process does."""
    stop = threading.Event()

    def reap() -> None:
        while not stop.wait(0.001):
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                continue

    thread = threading.Thread(target=reap)
    thread.start()
    found = problems(each) + killed_decoders(each)
    stop.set()
    thread.join()
    return found


def killed_decoders(each: reads.Reads) -> list[str]:
    """Kill all decoders and their source, then read."""
    from torture.hosts import descendants

    found = []
    for _ in range(5):
        for pid in descendants(os.getpid()):
            os.kill(pid, signal.SIGKILL)
        found += problems(each, ("image", "pdf"))
    return found


def small_stacks(each: reads.Reads) -> list[str]:
    """Give all threads the smallest stack, after the modules were imported."""
    # Threads that wait for work would keep their larger stack.
    workers.IDLE_S = 0
    everything(each)
    deadline = time.monotonic() + reads.PATIENCE_S
    while reads.our_threads() and time.monotonic() < deadline:
        time.sleep(0.01)
    reads.require(not reads.our_threads(), "threads with the usual stack are left")
    return stacks_of(SMALLEST_STACK, each)


def importing_stacks(each: reads.Reads) -> list[str]:
    """Give all threads the smallest stack in which Python can import the modules of the first reads."""
    return stacks_of(IMPORTING_STACK, each)


def stacks_of(size_bytes: int, each: reads.Reads) -> list[str]:
    """Read in a thread with a small stack, while all new threads have one."""
    threading.stack_size(size_bytes)
    found: list[str] = []

    def read() -> None:
        found.extend(everything(each))
        found.append("read")

    thread = threading.Thread(target=read)
    thread.start()
    thread.join()
    found.remove("read")
    return found


def everything(each: reads.Reads) -> list[str]:
    """Read each kind of file, and count tokens; return what is wrong."""
    found = problems(each)
    counting = anyread.Reader(limits=anyread.Limits(tokenizer="o200k_base"))
    reads.check("inline", counting.read_sync(each.directory / "poem.txt"))
    return found


def other_user(each: reads.Reads) -> list[str]:
    """Drop the privileges of root after the decoders have started."""
    rooted = reads.Reads(each.directory)
    rooted.plain = anyread.Reader(roots=[each.directory], deny=["**/*.secret"])
    found = problems(each) + problems(rooted)
    each.directory.chmod(0o755)
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    return found + problems(each) + problems(rooted) + problems(reads.Reads(each.directory))


def other_root(each: reads.Reads) -> list[str]:
    """Change the root directory, where there is neither `/proc` nor a Python, after decoders have started."""
    rooted = reads.Reads(each.directory)
    rooted.plain = anyread.Reader(roots=[each.directory])
    found = problems(each)
    os.chroot(each.directory)
    os.chdir("/")
    inside = reads.Reads(Path("/"))
    found += problems(inside, ("inline", "hop", "scan", "missing"))
    content = reads.content(rooted.plain.read_sync("poem.txt"))
    return found if content == "one\ntwo\nthree\n" else [*found, f"rooted: {content}"]


def other_directory(each: reads.Reads) -> list[str]:
    """Change the working directory, and remove it."""
    os.chdir(each.directory)
    relative = reads.Reads(Path())
    found = problems(relative)
    gone = each.directory / f"gone-{os.getpid()}"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    with suppress(anyread.ReadError):
        found.append(f"relative to a removed directory: {anyread.read_sync('poem.txt')}")
    return found + problems(each)


def many_readers(each: reads.Reads) -> list[str]:
    """Create and drop many readers with roots."""
    before = reads.other_descriptors()
    for _ in range(KEPT_READERS):
        reads.check("inline", anyread.Reader(roots=[each.directory]).read_sync("poem.txt"))
    return problems(each) + reads.leftovers(before)


SITUATIONS: dict[str, Callable[[reads.Reads], list[str]]] = {
    "SIGCHLD ignored": ignored_children,
    "children reaped by the host": foreign_reaper,
    "smallest stacks": small_stacks,
    "smallest stacks that can import": importing_stacks,
    "another user": other_user,
    "another root directory": other_root,
    "working directory removed": other_directory,
    "2,000 readers dropped": many_readers,
}


def main() -> None:
    each = reads.Reads(Path(sys.argv[1]))
    if "stacks" not in sys.argv[2]:
        # There the threads and decoders are started in the situation.
        reads.warm_up(each.sync)
    print(json.dumps({"failures": SITUATIONS[sys.argv[2]](each), "of": 4 * len(reads.KINDS)}))


if __name__ == "__main__":
    main()

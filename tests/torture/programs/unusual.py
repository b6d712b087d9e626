"""A host that does something unusual, and then reads every kind of file.

usage: unusual.py DIRECTORY WHAT; it prints the number of reads and the failures as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import anyread
from anyread.running import workers
from helpers.waiting import until
from torture.processes import descendants
from torture.programs import reads

FORKS = 5
SMALLEST_STACK = (56 if sys.version_info >= (3, 14) else 32) * 1024
"""The smallest stack of a thread, which is 32 KiB; Python 3.14 refuses stacks below 52 KiB."""


def ignored_children(each: reads.Reads) -> list[str]:
    """Ignore SIGCHLD, so that the kernel reaps all children, and kill them."""
    reads.warm_up(each.sync)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    found = reads.problems(each)
    source, *decoders = descendants(os.getpid())
    for killed in (decoders, *[None] * 5):
        for pid in descendants(os.getpid()) if killed is None else killed:
            os.kill(pid, signal.SIGKILL)
        found += reads.problems(each, ("image", "pdf"))
        if killed is decoders and source not in descendants(os.getpid()):
            found.append("the source of decoders ended with one of them")
    return found


def small_stacks(each: reads.Reads) -> list[str]:
    """Give all threads the smallest stack, after the modules were imported."""
    # Threads that wait for work would keep their larger stack.
    workers.IDLE_S = 0
    everything(each)
    until(lambda: not reads.our_threads())
    threading.stack_size(SMALLEST_STACK)
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
    found = reads.problems(each)
    counting = anyread.Reader(limits=anyread.Limits(tokenizer="o200k_base"))
    reads.check("inline", counting.read_sync(each.directory / "poem.txt"))
    return found


def other_user(each: reads.Reads) -> list[str]:
    """Drop the privileges of root after the decoders have started."""
    rooted = reads.Reads(each.directory)
    rooted.plain = anyread.Reader(roots=[each.directory], deny=["**/*.secret"])
    found = reads.problems(each) + reads.problems(rooted)
    each.directory.chmod(0o755)
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    return found + reads.problems(each) + reads.problems(rooted)


def forks(each: reads.Reads) -> list[str]:
    """Fork while other threads read; parent and child read afterwards."""
    # Python warns about forks in a process with threads, which is what this is about.
    warnings.simplefilter("ignore", DeprecationWarning)
    found, stop = reads.problems(each), threading.Event()

    def read_on() -> None:
        while not stop.is_set():
            found.extend(reads.problems(each))

    threads = [threading.Thread(target=read_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(FORKS):
        if not (child := os.fork()):
            signal.alarm(30)
            os._exit(len(reads.problems(each)))
        if status := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            found.append(f"child ended with {status}")
    stop.set()
    for thread in threads:
        thread.join(30)
    return found + [f"{thread.name} hangs" for thread in threads if thread.is_alive()]


def closed_descriptors(each: reads.Reads) -> list[str]:
    """Become a daemon that closes all descriptors, whose numbers are then used again."""
    for name in ("root/a.txt", "outside/a.txt", "outside/secret.txt"):
        (each.directory / name).parent.mkdir(exist_ok=True)
        (each.directory / name).write_text(name)
    rooted = anyread.Reader(roots=[each.directory / "root"])
    found = reads.problems(each)
    rooted.read_sync("a.txt")
    receiver, sender = os.pipe()
    if not os.fork():
        os.dup2(sender, 1_000)
        os.closerange(3, 1_000)
        reused = [os.open(each.directory / "outside", os.O_RDONLY) for _ in range(64)]
        with suppress(anyread.NotFoundError):
            found.append(f"escaped: {rooted.read_sync('secret.txt')}")
        if (content := reads.content(rooted.read_sync("a.txt"))) != "root/a.txt":
            found.append(f"read instead: {content}")
        found += reads.problems(reads.Reads(each.directory))
        del rooted
        for descriptor in reused:
            # It is the host's, not the reader's.
            os.close(descriptor)
        os.write(1_000, json.dumps(found).encode())
        os._exit(0)
    os.close(sender)
    reads.require(reads.content(rooted.read_sync("a.txt")) == "root/a.txt", "the parent reads something else")
    answer: list[str] = json.loads(os.read(receiver, 1 << 16))
    return answer


SITUATIONS = {
    "all descriptors closed after a fork": closed_descriptors,
    "forks": forks,
    "SIGCHLD ignored": ignored_children,
    "smallest stacks": small_stacks,
    "another user": other_user,
}

failures = SITUATIONS[sys.argv[2]](reads.Reads(Path(sys.argv[1])))
print(json.dumps({"failures": failures, "of": 4 * len(reads.KINDS)}))

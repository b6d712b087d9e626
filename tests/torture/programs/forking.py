"""A host that forks while several of its threads read; parent and children read correctly afterwards.

usage: forking.py DIRECTORY HOW COUNT, where HOW is threads, for `os.fork` during reads, or a start method of
`multiprocessing`. It prints the number of forks or reads and the failures as JSON.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torture.programs import reads

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

CHILD_S = 30
"""Seconds in which a child must have ended."""
DIRECTORY = Path(sys.argv[1]) if len(sys.argv) > 1 else Path()


def problems(each: reads.Reads, kinds: tuple[str, ...] = reads.KINDS) -> list[str]:
    """Read each kind of file, synchronously and on an event loop; return what is wrong."""
    found = []
    for kind in kinds:
        try:
            each.sync(kind)
            reads.run_on("asyncio", lambda kind=kind: each.on_loop(kind))  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - any error is wrong
            found.append(f"{os.getpid()} {kind}: {error!r}"[:300])
    return found


def fork_during_reads(count: int) -> tuple[int, list[str]]:
    """Fork while four threads read all kinds of files."""
    each, failures, stop = reads.Reads(DIRECTORY), [], threading.Event()

    def read_on(start: int) -> None:
        number = start
        while not stop.is_set():
            number += 1
            failures.extend(problems(each, (reads.KINDS[number % len(reads.KINDS)],)))

    threads = [threading.Thread(target=read_on, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(count):
        child = os.fork()
        if not child:
            signal.alarm(CHILD_S)
            found = problems(each)
            os.write(2, "".join(f"{line}\n" for line in found).encode())
            os._exit(bool(found))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            failures.append(f"child ended with {status}")
        each.sync("image")
    stop.set()
    for thread in threads:
        thread.join(CHILD_S)
    alive = sum(thread.is_alive() for thread in threads)
    return count, failures + ([f"{alive} threads hang"] if alive else []) + problems(each)


EARLY = reads.Reads(DIRECTORY)


def child(results: Queue[tuple[int, list[str]]], directory: Path) -> None:
    """Read with a reader from before the process began, and with a new one."""
    late = reads.Reads(directory)
    early = EARLY if EARLY.directory == directory else late
    results.put((2 * len(reads.KINDS), problems(early) + problems(late)))


def read_in_processes(method: str, count: int) -> tuple[int, list[str]]:
    """Read in processes of a start method, before and after this process has read itself."""
    context: Any = multiprocessing.get_context(method)
    results, total, failures = context.Queue(), 0, []
    for number in range(2 * count):
        if number == 1:
            failures += problems(EARLY)
        process = context.Process(target=child, args=(results, DIRECTORY))
        process.start()
        try:
            of, found = results.get(timeout=CHILD_S)
        except Exception as error:  # noqa: BLE001 - it did not come
            of, found = 1, [f"no result of a process: {error!r}"]
        process.join(CHILD_S)
        if process.exitcode:
            found.append(f"a process ended with {process.exitcode}")
        total, failures = total + of, failures + found
    return total, failures


def main() -> None:
    how, count = sys.argv[2], int(sys.argv[3])
    # Python warns about forks in a process with threads, which is what this is about.
    warnings.simplefilter("ignore", DeprecationWarning)
    of, failures = fork_during_reads(count) if how == "threads" else read_in_processes(how, count)
    print(json.dumps({"of": of, "failures": failures}))


if __name__ == "__main__":
    main()

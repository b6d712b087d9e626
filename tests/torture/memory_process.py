"""Runs operations in processes with little address space; prints what came of each as a line of JSON.

Each step forks, so that it begins with the same memory. The memory that the C library has already obtained
from the system is used up first, because it would hide the limit.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from torture.operations import Operations

if TYPE_CHECKING:
    from collections.abc import Callable

LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
STEPS = [int(4_096 * 1.45**step) // 4_096 * 4_096 for step in range(32)]
"""Bytes of address space beyond what the process uses: from a page to 400 MB."""


def address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def limit_memory(spare_bytes: int) -> None:
    """Leave the process this much more address space, and nothing in the C library's heap."""
    used = address_space()
    resource.setrlimit(resource.RLIMIT_AS, (used, resource.RLIM_INFINITY))
    size = 1 << 20
    while size >= 24:
        while LIBC.malloc(size):
            pass
        size //= 2
    resource.setrlimit(resource.RLIMIT_AS, (used + spare_bytes, resource.RLIM_INFINITY))


def attempt(operations: Operations, operation: str, spare_bytes: int) -> dict[str, str]:
    """Run an operation with little memory, and again without a limit."""
    operations.prepare(operation)
    limit_memory(spare_bytes)
    try:
        outcome = operations.outcome(operation)
    except MemoryError:
        # Raised while the outcome was described.
        outcome = "memory"
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    operations.prepare(operation)
    return {"outcome": outcome, "next": operations.outcome(operation)}


def in_fork(work: Callable[[], dict[str, str]]) -> dict[str, str]:
    """Return the result of a function that runs in a fork, or how the fork ended."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs, 2)
        try:
            os.write(theirs, b"\0" + json.dumps(work()).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        written, _, result = pipe.read().partition(b"\0")
    status = os.waitpid(pid, 0)[1]
    if result and status == 0:
        answer: dict[str, str] = json.loads(result)
        return answer
    reason = written.decode(errors="replace").strip().splitlines()
    return {"outcome": f"abort: {os.waitstatus_to_exitcode(status)}: {' / '.join(reason[:2])[:200]}"}


def main() -> None:
    directory, state, steps, *names = sys.argv[1:]
    operations = Operations(Path(directory))
    for name in names:

        def warm() -> None:
            if state == "warm":
                operations.prepare(name)  # noqa: B023 - it is called in this round
                operations.outcome(name)  # noqa: B023

        def expected() -> dict[str, str]:
            warm()
            return {"outcome": operations.outcome(name)}  # noqa: B023

        right = in_fork(expected)["outcome"]
        for spare_bytes in STEPS[:: 32 // int(steps)]:

            def step() -> dict[str, str]:
                warm()
                return attempt(operations, name, spare_bytes)  # noqa: B023

            found = in_fork(step)
            print(json.dumps({"operation": name, "spare": spare_bytes, "right": right, **found}), flush=True)


if __name__ == "__main__":
    main()

"""Runs operations whose system calls a supervisor lets fail; started by `fault_supervisor`."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from torture.fault_supervisor import CONTROL, MARK, filter_program
from torture.operations import Operations

LIBC = ctypes.CDLL(None, use_errno=True)
SECCOMP, SET_MODE_FILTER, NEW_LISTENER, WAIT_KILLABLE = 317, 1, 1 << 3, 1 << 5
PR_SET_NO_NEW_PRIVS = 38


def install_filter() -> int:
    """Report the system calls of this process from now on; return the descriptor of the reports."""
    code = filter_program()

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    program = Program(len(code) // 8, code)
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    flags = NEW_LISTENER | WAIT_KILLABLE
    listener = LIBC.syscall(SECCOMP, SET_MODE_FILTER, flags, ctypes.byref(program))
    if listener < 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")
    return int(listener)


def answer(**facts: object) -> None:
    os.write(CONTROL, json.dumps(facts).encode() + b"\n")


def order() -> str:
    data = b""
    while not data.endswith(b"\n"):
        received = os.read(CONTROL, 4_096)
        if not received:
            os._exit(0)
        data += received
    return data.decode().strip()


def descriptors() -> dict[str, int]:
    """Count the open descriptors by what they refer to, without those of decoders."""
    pool_module = sys.modules.get("anyread.decoding.host.pool")
    owned: set[int] = set()
    pool = pool_module and pool_module._shared
    if pool:
        if pool._starter is not None:
            owned |= {pool._starter._connection.fileno(), *pool._starter._pidfd}
        for child in (*pool._idle, *pool._working):
            owned |= {child.connection.fileno(), *child._owned}
    counts: dict[str, int] = {}
    for link in Path("/proc/self/fd").iterdir():
        if int(link.name) in owned:
            continue
        try:
            target = str(link.readlink()).partition(":[")[0]
        except FileNotFoundError:
            continue
        counts[target] = counts.get(target, 0) + 1
    return counts


def leaked(before: dict[str, int]) -> dict[str, int]:
    """Return what is open now and was not before."""
    for is_last in (False, True):
        now = descriptors()
        more = {name: count - before.get(name, 0) for name, count in now.items()}
        more = {name: count for name, count in more.items() if count > 0}
        if not more or is_last:
            return more
        # An exception may refer to an opened file by a cycle.
        gc.collect()
    return {}


def main() -> None:
    directory, control = sys.argv[1:]
    os.dup2(int(control), CONTROL, inheritable=False)
    os.close(int(control))
    operations = Operations(Path(directory))
    answer(listener=install_filter())
    order()
    loop = operations.loop
    pair = (loop._ssock, loop._csock)  # type: ignore[attr-defined]
    answer(loop=[loop._selector.fileno(), *(end.fileno() for end in pair)])  # type: ignore[attr-defined]
    before: dict[str, dict[str, int]] = {}
    while operation := order():
        if operation == "close":
            from anyread.decoding.host.pool import close_shared_pool

            close_shared_pool()
            answer(threads=threading.active_count())
            continue
        if operation not in before:
            for _ in range(3):
                operations.prepare(operation)
                operations.outcome(operation)
            before[operation] = descriptors()
        operations.prepare(operation)
        LIBC.getpriority(MARK, 1)
        outcome = operations.outcome(operation)
        LIBC.getpriority(MARK, 0)
        operations.prepare(operation)
        following = operations.outcome(operation)
        answer(outcome=outcome, next=following, leaked=leaked(before[operation]))


if __name__ == "__main__":
    main()

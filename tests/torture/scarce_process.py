"""Runs all operations in a process that lacks something, twice each; writes the outcomes to a file.

The first argument is what is missing: "processes", a number of free descriptors as in "descriptors=3", or
"nothing" for what the caller has taken away.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import resource
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import anyread
from anyread.decoding.host.pool import close_shared_pool
from torture.operations import Operations

LIBC = ctypes.CDLL(None, use_errno=True)
CLONES = (56, 57, 58, 435)
"""`clone`, `fork`, `vfork` and `clone3` on x86-64."""


def refuse_processes() -> None:
    """Let every start of a thread or process fail with EAGAIN, as at a limit of processes."""
    load, equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0)]
    for number in CLONES:
        code += [(equal, 0, 1, number), (give, 0, 0, 0x00050000 | errno.EAGAIN)]
    code.append((give, 0, 0, 0x7FFF0000))
    data = b"".join(struct.pack("=HBBI", *each) for each in code)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    LIBC.prctl(38, 1, 0, 0, 0)
    program = Program(len(code), data)
    if LIBC.prctl(22, 2, ctypes.byref(program)) != 0:
        sys.exit(f"seccomp: {os.strerror(ctypes.get_errno())}")


def open_descriptors() -> set[int]:
    return {number for number in range(256) if is_open(number)}


def is_open(number: int) -> bool:
    try:
        fcntl.fcntl(number, fcntl.F_GETFD)
    except OSError:
        return False
    return True


def limit_descriptors(free: int) -> None:
    """Leave this many numbers for new descriptors."""
    limit = max(open_descriptors()) + 1
    while len(open_descriptors()) < limit:
        os.dup(max(open_descriptors()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit + free, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def can_write_to_streams(closed: set[int]) -> list[int]:
    """Return the numbers of closed standard streams that now lead to something that can be written to."""

    def is_writable(number: int) -> bool:
        return is_open(number) and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY

    return sorted(filter(is_writable, closed))


def main() -> None:
    missing, directory, result, *names = sys.argv[1:]
    closed = {0, 1, 2} - open_descriptors()
    if closed:
        # The first descriptors become those of decoders, and not those of the roots of readers.
        anyread.read_sync(Path(directory, "picture.png"))
    operations = Operations(Path(directory))
    what, _, number = missing.partition("=")
    if what == "processes":
        refuse_processes()
    found: dict[str, dict[str, object]] = {}
    for name in names or operations.all:
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        if what == "descriptors":
            # CPython reports modules that it cannot open as `OSError`, so they are loaded before. A read that
            # does not hop to a thread the first time has not loaded all of them.
            from anyread.running import loop, threads  # noqa: F401

            operations.outcome(name)
            close_shared_pool()
            limit_descriptors(int(number))
        operations.prepare(name)
        outcome = operations.outcome(name)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        following = operations.outcome(name)
        # A thread or a decoder that an operation starts stays, so the third run shows what leaks.
        before = len(open_descriptors())
        operations.outcome(name)
        leaked = max(0, len(open_descriptors()) - before)
        streams = can_write_to_streams(closed)
        found[name] = {"outcome": outcome, "next": following, "leaked": leaked, "streams": streams}
    Path(result).write_text(json.dumps(found))
    os._exit(0)


if __name__ == "__main__":
    main()

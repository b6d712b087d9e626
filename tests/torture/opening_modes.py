"""The ways in which anyread resolves a path below a root, each in a process of its own.

In `openat2` the kernel resolves it, and in `walk` (`ANYREAD_PORTABLE=1`) it never does. In the others, a
seccomp filter makes the call fail as on old kernels and in some sandboxes (ENOSYS), or in some containers
(EPERM).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import subprocess
from pathlib import Path
from typing import IO

from torture import processes

OPENAT2_ERRORS = {"openat2": 0, "walk": 0, "ENOSYS": errno.ENOSYS, "EPERM": errno.EPERM}
"""Each mode, and the error with which `openat2` fails in it; 0: it works."""

# The same number on every architecture, because it was added after they were unified.
OPENAT2 = 437
AT_FDCWD = -100
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000

libc = ctypes.CDLL(None, use_errno=True)


def start(mode: str, module: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a program in which `enter(mode)` can be called."""
    is_walk = str(int(mode == "walk"))
    return processes.start(module, *arguments, stdin=subprocess.PIPE, ANYREAD_PORTABLE=is_walk)


def enter(mode: str) -> None:
    """Make this process resolve paths in a mode, which cannot be undone, and check that it does."""
    expected = OPENAT2_ERRORS[mode]
    if expected:
        forbid_openat2(expected)
    assert (os.environ.get("ANYREAD_PORTABLE") == "1") == (mode == "walk")
    actual = openat2_error()
    assert actual == expected, f"openat2 fails with {errno.errorcode.get(actual, actual)} in the mode {mode}"


def forbid_openat2(error: int) -> None:
    """Install a seccomp filter that makes `openat2` fail with an error."""
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (LOAD_WORD, 0, 0, 0),
            (JUMP_IF_EQUAL, 0, 1, OPENAT2),
            (RETURN, 0, 0, SECCOMP_RET_ERRNO | error),
            (RETURN, 0, 0, SECCOMP_RET_ALLOW),
        )
    )
    instructions = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("HP", len(program) // 8, ctypes.addressof(instructions))
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter_)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


def openat2_error() -> int:
    """Call `openat2` for the working directory and return its error, or 0."""
    how = struct.pack("QQQ", os.O_PATH | os.O_CLOEXEC, 0, 0)
    descriptor = libc.syscall(OPENAT2, AT_FDCWD, b".", how, len(how))
    if descriptor < 0:
        return ctypes.get_errno()
    os.close(descriptor)
    return 0


def output(process: subprocess.Popen[str]) -> IO[str]:
    """Return what a process from `start` prints."""
    assert process.stdout is not None
    return process.stdout

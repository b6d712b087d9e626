"""Which errors each system call may report, and which outcome of an operation is right after one."""

from __future__ import annotations

import errno
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from torture.fault_supervisor import SHORT, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = (errno.EIO, errno.EINTR, errno.ENOMEM, errno.EACCES, errno.EPERM, errno.ESTALE)
_NEW = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_SOCKETS = (errno.EIO, errno.EINTR, errno.EAGAIN, errno.ENOMEM, errno.ENOBUFS)
_PROCESSES = (errno.EAGAIN, errno.ENOMEM, errno.EPERM)

ERRORS: Final[dict[str, tuple[int | str, ...]]] = {
    "openat2": (*_FILES, *_NEW[:2], errno.EAGAIN, errno.ENOSYS),
    "openat": (*_FILES, *_NEW[:2]),
    "open": (*_FILES, *_NEW[:2]),
    "statx": (*_FILES, errno.ENOSYS),
    "stat": _FILES,
    "lstat": _FILES,
    "fstat": _FILES,
    "newfstatat": _FILES,
    "access": _FILES,
    "readlink": _FILES,
    "readlinkat": _FILES,
    "statfs": (*_FILES, errno.ENOSYS),
    "fstatfs": (*_FILES, errno.ENOSYS),
    "getdents64": _FILES,
    "lseek": (errno.EIO, errno.ESPIPE),
    "read": (*_FILES, errno.EAGAIN),
    "pread64": (*_FILES, errno.EAGAIN, SHORT),
    "preadv2": (*_FILES, errno.EAGAIN, errno.EOPNOTSUPP, errno.ENOSYS, SHORT),
    "mmap": (errno.ENOMEM, errno.EAGAIN, errno.EPERM, errno.EACCES, errno.ENODEV),
    "mincore": (errno.ENOMEM, errno.EAGAIN, errno.EPERM, errno.ENOSYS),
    "write": _SOCKETS,
    "sendto": (*_SOCKETS, errno.EPIPE),
    "sendmsg": (*_SOCKETS, errno.EPIPE),
    "recvfrom": (*_SOCKETS, errno.ECONNRESET),
    "recvmsg": (*_SOCKETS, errno.ECONNRESET),
    "poll": (errno.EINTR, errno.ENOMEM),
    "ppoll": (errno.EINTR, errno.ENOMEM),
    "pselect6": (errno.EINTR, errno.ENOMEM),
    "dup": _NEW,
    "dup2": (errno.EINTR, errno.EMFILE),
    "fcntl": (errno.EMFILE, errno.EACCES),
    "pipe2": _NEW,
    "eventfd2": _NEW,
    "socketpair": _NEW,
    "pidfd_open": (*_NEW, errno.EPERM, errno.ENOSYS),
    "clone": _PROCESSES,
    "clone3": (*_PROCESSES, errno.ENOSYS),
    "fork": _PROCESSES,
    "vfork": _PROCESSES,
    "execve": (errno.EACCES, errno.ENOMEM, errno.EIO, errno.EAGAIN),
    "wait4": (errno.EINTR,),
    "clock_nanosleep": (errno.EINTR,),
    "getrandom": (errno.EINTR, errno.EAGAIN),
    "pidfd_send_signal": (errno.EPERM,),
}
"""The errors that a call may report."""
OTHERS: Final = (errno.EIO, errno.EPERM, errno.ENOSYS, errno.ENOMEM)
"""The errors of every other call."""

LASTING: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EACCES, errno.EPERM})
"""The errors that are also tested as errors of all later calls of an operation."""

CODES: Final = frozenset(
    {
        "io_error",
        "permission_denied",
        "changed_during_read",
        "decoder_unavailable",
        "decoder_crashed",
        "decoder_memory",
        "decoder_timeout",
        "contract",
    }
)
"""The codes of errors that a failed call may cause; any other would be a wrong statement about the file."""


def faults(calls: list[tuple[str, bool]]) -> Iterator[Fault]:
    """Yield every fault of an operation that makes these calls, those of the host first."""
    for in_child in (False, True):
        counts = Counter(name for name, is_child in calls if is_child == in_child)
        for name, count in counts.items():
            for error in ERRORS.get(name, OTHERS):
                for occurrence in range(1, count + 1):
                    yield Fault(name, occurrence, error, in_child)
                if error in LASTING and count > 1 and not in_child:
                    yield Fault(name, 1, error, lasts=True)


def mistake(fault: Fault, expected: str, answer: dict[str, Any]) -> str | None:
    """Return what is wrong with the answer of a process; `None` if nothing is."""
    found, right = answer["outcome"].split("\n"), expected.split("\n")
    # One error may be about all files at once.
    pairs = zip(found, right if len(found) == len(right) else [""] * len(found), strict=True)
    for each, wanted in pairs:
        if each != wanted and not is_typed(each, wanted, fault):
            return f"expected {wanted}, found {each}"
    if answer["next"] != expected:
        return f"the next call: {answer['next']}"
    return f"left open: {answer['leaked']}" if answer["leaked"] else None


def is_typed(outcome: str, wanted: str, fault: Fault) -> bool:
    """Return whether an outcome is the error of a failed call, or the expected error with fewer facts."""
    if outcome == "memory":
        return fault.error == errno.ENOMEM
    code = code_of(outcome)
    return code in CODES or (code is not None and code == code_of(wanted))


def code_of(outcome: str) -> str | None:
    """Return the code of a typed error; `None` for anything else."""
    kind, _, rest = outcome.partition(": ")
    return rest.partition(" ")[0] if kind == "error" else None

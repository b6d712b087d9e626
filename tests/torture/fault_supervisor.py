"""A process whose system calls fail as ordered, by seccomp's user notifications.

The kernel reports every system call of the process, its threads and its children to this supervisor, which
lets it pass or answers it with an error. That is a thousand times faster than `strace --inject`, counts calls
across threads, and can answer with part of the bytes. Only calls that `EXCLUDED` names pass unseen.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import os
import select
import socket
import struct
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from torture.system_call_names import EXCLUDED, NAMES

CONTROL: Final = 200
"""The descriptor through which the process receives orders; calls on it are not reported."""
MARK: Final = 0x7EAD
"""The first argument of `getpriority` at the beginning and the end of an operation."""
SHORT: Final = "short"
"""Instead of an errno: a read returns one byte."""

_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_CONTINUE: Final = 1
_NUMBERS: Final = {name: number for number, name in NAMES.items()}
_PIDFD_GETFD: Final = 438
_TIMEOUT_S: Final = 30


class GoneError(Exception):
    """The process has ended, or does not answer."""


@dataclass
class Fault:
    """One system call that fails: the `occurrence`-th call of this name during an operation."""

    call: str
    occurrence: int
    error: int | str
    in_child: bool = False
    """Whether it is a call of a decoder or of the zygote, and not of the host."""
    lasts: bool = False
    """Whether all later calls of this name fail as well."""

    def __str__(self) -> str:
        name = errno.errorcode[self.error] if isinstance(self.error, int) else self.error
        return f"{self.call} {self.occurrence}{'+' * self.lasts}{' inside' * self.in_child}: {name}"


class Supervised:
    """A process that runs operations, and the calls that it makes.

    Args:
        directory: The files of the operations.
        environment: Variables to set.
    """

    def __init__(self, directory: Path, **environment: str) -> None:
        ours, theirs = socket.socketpair()
        self._control = ours
        program = Path(__file__).with_name("faulty_process.py")
        self._process = subprocess.Popen(
            [sys.executable, str(program), str(directory), str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, **environment},
        )
        theirs.close()
        self.pid = self._process.pid
        self._buffer = b""
        self._tgids: dict[int, int] = {}
        self._is_running = False
        self._fault: Fault | None = None
        self._seen = 0
        self.injected = 0
        self.calls: list[tuple[str, bool]] = []
        """The calls of the last operation: names, and whether a child made them."""
        self.skipped: set[int] = set()
        """Descriptors that belong to the event loop."""
        self._listener = -1
        number = int(self._answer(_TIMEOUT_S)["listener"])
        pidfd = os.pidfd_open(self.pid)
        self._listener = ctypes.CDLL(None).syscall(_PIDFD_GETFD, pidfd, number, 0)
        os.close(pidfd)
        assert self._listener >= 0
        self._control.sendall(b"taken\n")
        self.skipped = set(self._answer(_TIMEOUT_S)["loop"])

    def run(self, operation: str, fault: Fault | None = None) -> dict[str, Any]:
        """Run an operation with a fault, and again without; return both outcomes and what is left.

        Raises:
            GoneError: The process has ended, or hangs.
        """
        self._fault, self._seen, self.injected = fault, 0, 0
        self.calls.clear()
        self._control.sendall(operation.encode() + b"\n")
        return self._answer(_TIMEOUT_S)

    def survivors(self) -> list[int]:
        """Let the process end its decoders, and return the children that still run some time later."""
        self.run("close")
        deadline = time.monotonic() + 10
        while True:
            left = [pid for pid in set(self._tgids.values()) - {self.pid} if _is_running(pid)]
            if not left or time.monotonic() > deadline:
                return left
            self._serve(0.05)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._control.close()
        if self._listener >= 0:
            os.close(self._listener)

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left < 0:
                raise GoneError("it hangs")
            self._serve(left)
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _serve(self, timeout_s: float) -> None:
        """Handle what arrives first: a system call, or bytes of an answer."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        if self._listener >= 0:
            poll.register(self._listener, select.POLLIN)
        for descriptor, _ in poll.poll(timeout_s * 1_000):
            if descriptor == self._listener:
                self._decide()
            else:
                received = self._control.recv(65_536)
                if not received:
                    raise GoneError(f"it ended with {self._process.wait()}")
                self._buffer += received

    def _decide(self) -> None:
        """Let one system call pass, or answer it."""
        notification = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, notification)
        except OSError:
            # The thread was killed meanwhile.
            return
        key, thread, _, number, _, _, *arguments = _NOTIFICATION.unpack(notification)
        answer = self._answer_to(thread, number, arguments)
        with suppress(OSError):
            fcntl.ioctl(self._listener, _SEND, _ANSWER.pack(key, *answer))

    def _answer_to(self, thread: int, number: int, arguments: list[int]) -> tuple[int, int, int]:
        name = NAMES.get(number, f"call {number}")
        is_child = self._tgid(thread) != self.pid
        if name == "getpriority" and arguments[0] == MARK:
            self._is_running = bool(arguments[1])
        elif self._is_running and not (arguments[0] in self.skipped and not is_child):
            self.calls.append((name, is_child))
            fault = self._fault
            if fault is not None and (fault.call, fault.in_child) == (name, is_child):
                self._seen += 1
                if self._seen == fault.occurrence or (fault.lasts and self._seen > fault.occurrence):
                    if fault.error == SHORT:
                        count = short_read(thread, name, arguments)
                        if count is not None:
                            self.injected += 1
                            return (count, 0, 0)
                    else:
                        self.injected += 1
                        return (0, -int(fault.error), 0)
        return (0, 0, _CONTINUE)

    def _tgid(self, thread: int) -> int:
        """Return the process of a thread."""
        found = self._tgids.get(thread)
        if found is None:
            with suppress(OSError):
                status = Path(f"/proc/{thread}/status").read_text()
                found = int(status.partition("\nTgid:")[2].split(maxsplit=1)[0])
            self._tgids[thread] = found = found or thread
        return found


def short_read(thread: int, name: str, arguments: list[int]) -> int | None:
    """Carry out a positional read of a regular file for the process, but of one byte only."""
    descriptor, address, length, offset = arguments[:4]
    with Path(f"/proc/{thread}/mem").open("r+b", buffering=0) as memory:
        if name == "preadv2":
            memory.seek(address)
            address, length = struct.unpack("=QQ", memory.read(16))
        if length < 2:
            return None
        with Path(f"/proc/{thread}/fd/{descriptor}").open("rb", buffering=0) as file:
            data = os.pread(file.fileno(), 1, offset)
        memory.seek(address)
        memory.write(data)
    return len(data)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def filter_program() -> bytes:
    """Return the BPF program: report every call, except of `EXCLUDED` and on the control descriptor."""
    load, equal, both, give = 0x20, 0x15, 0x45, 0x06
    allow, report = 0x7FFF0000, 0x7FC00000
    code: list[tuple[int, int, int, int]] = []
    low_argument = (16, 24, 32, 40, 48)
    code += [(load, 0, 0, low_argument[0]), (equal, 0, 1, CONTROL), (give, 0, 0, allow), (load, 0, 0, 0)]
    for name in EXCLUDED:
        if name in _NUMBERS:
            code += [(equal, 0, 1, _NUMBERS[name]), (give, 0, 0, allow)]
    # Mappings of files, and stacks of threads; the others are the memory of the C library and of Python.
    code += [(equal, 0, 5, _NUMBERS["mmap"]), (load, 0, 0, low_argument[4]), (equal, 0, 3, 0xFFFFFFFF)]
    code += [(load, 0, 0, low_argument[3]), (both, 1, 0, 0x20000), (give, 0, 0, allow)]
    code += [(give, 0, 0, report)]
    return b"".join(struct.pack("=HBBI", *each) for each in code)

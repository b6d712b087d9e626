"""The host's handles of decoder processes: a socket for messages, and the means to end the process."""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from anyread.decoding.protocol import Owned, Socket, close_all
from anyread.running.effects import Wait

if TYPE_CHECKING:
    from anyread.running.effects import Steps

OBITUARY = struct.Struct("!iQ?")
"""How the zygote reports an end: wait status, peak memory in bytes, whether the OOM killer was at work."""
PATIENCE_S = 1
"""Seconds to wait for a process that is about to end."""
_TICK_S = 0.005


class ProcessEnd(NamedTuple):
    """How a process ended."""

    code: int
    """Its exit code, or the negative number of the signal that ended it."""
    peak_bytes: int
    """The most memory that it held."""
    memory_ran_out: bool
    """Whether the system's OOM killer ended it."""


def oom_kills() -> int:
    """Count the processes that Linux has killed since it started because memory ran out."""
    try:
        _, found, rest = Path("/proc/vmstat").read_bytes().partition(b"\noom_kill ")
    except OSError:
        # Not Linux, or a container without /proc.
        return 0
    return int(rest.split(maxsplit=1)[0]) if found else 0


class Child:
    """One decoder process.

    Args:
        connection: The socket to it.
        pid: Its number.
    """

    def __init__(self, connection: Socket, pid: int) -> None:
        self.connection = connection
        self.pid = pid
        connection.settimeout(0)

    def is_alive(self) -> bool:
        """Return whether it waits for a job; false if it has ended or has sent an unexpected message."""
        try:
            self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def kill(self) -> None:
        """Kill it, whatever code it is running."""
        raise NotImplementedError

    def ending(self) -> Steps[ProcessEnd | None]:
        """Wait for it to end and return how it ended; `None` if that is unknown."""
        raise NotImplementedError

    def dispose(self) -> None:
        """Close its descriptors, which also ends it if it is still running; may be called repeatedly."""
        with suppress(OSError):
            self.connection.close()

    def __del__(self) -> None:
        # An exception may have come between its start and the seat that it was for, or into its `__init__`.
        with suppress(AttributeError):
            self.dispose()


class ForkedChild(Child):
    """A child of the zygote.

    Args:
        connection: The socket to it.
        pid: Its number.
        owned: Two descriptors: of the process, which no later process with that number can be mistaken
            for; and of a pipe on which the zygote reports how it ended.
    """

    def __init__(self, connection: Socket, pid: int, owned: Owned) -> None:
        super().__init__(connection, pid)
        self._owned = owned

    def kill(self) -> None:  # noqa: D102 - as in the base
        # One that cannot be killed ends with its socket.
        with suppress(OSError):
            if self._owned:
                signal.pidfd_send_signal(self._owned[0], signal.SIGKILL)

    def ending(self) -> Steps[ProcessEnd | None]:  # noqa: D102 - as in the base
        if not self._owned:
            return None
        obituary = self._owned[1]
        if not (yield from Wait(obituary, writable=False, deadline=time.monotonic() + PATIENCE_S)):
            return None
        try:
            written = os.read(obituary, OBITUARY.size)
        except OSError:
            return None
        if len(written) != OBITUARY.size:
            # The zygote was ended as well.
            return None
        status, peak_bytes, memory_ran_out = OBITUARY.unpack(written)
        return ProcessEnd(os.waitstatus_to_exitcode(status), peak_bytes, memory_ran_out)

    def dispose(self) -> None:  # noqa: D102 - as in the base
        super().dispose()
        close_all(self._owned)


class SpawnedChild(Child):
    """A child of the host itself, where there is no zygote.

    Args:
        connection: The socket to it.
        pid: Its number.
        lifeline: The host's end of a pipe; when it is closed, the child ends.
    """

    def __init__(self, connection: Socket, pid: int, lifeline: Owned) -> None:
        self._lifeline = lifeline
        self._ending: ProcessEnd | None = None
        self._is_buried = False
        super().__init__(connection, pid)
        self.started = time.monotonic()
        """When it was started, on the clock `time.monotonic`."""
        self._oom_kills = oom_kills()

    def kill(self) -> None:  # noqa: D102 - as in the base
        # Once it is reaped its number may be another's.
        if self._ending is None and not self._is_buried:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)

    def ending(self) -> Steps[ProcessEnd | None]:  # noqa: D102 - as in the base
        deadline = time.monotonic() + PATIENCE_S
        while self._ending is None and time.monotonic() < deadline:
            try:
                pid, status, usage = os.wait4(self.pid, os.WNOHANG)
            except ChildProcessError:
                # Other code in the host has already reaped the child.
                break
            if pid:
                # macOS counts bytes, other systems kibibytes.
                unit = 1 if sys.platform == "darwin" else 1024
                code = os.waitstatus_to_exitcode(status)
                memory_ran_out = code == -signal.SIGKILL and oom_kills() > self._oom_kills
                self._ending = ProcessEnd(code, usage.ru_maxrss * unit, memory_ran_out)
            else:
                yield from Wait(None, writable=False, deadline=time.monotonic() + _TICK_S)
        return self._ending

    def let_go(self) -> None:
        """Close its descriptors only, as in a forked host, where it works for the parent."""
        super().dispose()
        close_all(self._lifeline)

    def dispose(self) -> None:  # noqa: D102 - as in the base
        self.let_go()
        if self._ending is None and not self._is_buried:
            self._is_buried = True
            bury(self.pid)


_unburied: deque[int] = deque()
"""Our own processes that are ending and are not reaped; threads share it by single operations."""


def bury(pid: int) -> None:
    """Note a child process of the host that is ending, so that it is reaped later."""
    _unburied.append(pid)
    bury_ended()


def bury_ended(*, patience_s: float = 0) -> None:
    """Reap what has ended of the processes noted."""
    deadline = time.monotonic() + patience_s
    while True:
        for _ in range(len(_unburied)):
            try:
                pid = _unburied.popleft()
            except IndexError:
                return
            if exit_code(pid) is None:
                _unburied.append(pid)
        if not _unburied or time.monotonic() >= deadline:
            return
        time.sleep(_TICK_S)


def exit_code(pid: int) -> int | None:
    """Reap a child process; `None`: it has not ended.

    A child that other code has reaped counts as ended with exit code 0.
    """
    try:
        reaped, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if reaped else None


def forget_processes() -> None:
    """Forget the recorded processes: in a forked host they belong to the parent."""
    _unburied.clear()

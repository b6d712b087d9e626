"""The host's handles of decoder processes: sending messages, killing, and reaping."""

from __future__ import annotations

import math
import os
import signal
import socket
import struct
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from anyread.arguments.limits import Limits
from anyread.decoding.protocol import (
    Descriptors,
    Socket,
    bound_transfers,
    close_all,
    move_above_streams,
    send,
)
from anyread.running.polling import pause, ready

if sys.platform != "win32":
    import fcntl
    import resource

    from anyread.decoding.protocol import F_DUPFD_CLOEXEC

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FILES = 32
"""The number of files after which a decoder is replaced."""
GRACE_S = 2
"""Seconds after the host's deadline at which a decoder ends itself if the host has not killed it."""
_UNKNOWN_BYTES = 1 << 30
"""The assumed address space of a decoder before its first file, where the system does not tell it."""
EXIT_REPORT = struct.Struct("!iQ?")
"""The fork server's report of an exit: wait status, peak memory in bytes, whether the OOM killer acted."""
PATIENCE_S = 1
"""Seconds to wait for a process that is about to end."""
_TICK_S = 0.005


class ProcessEnd(NamedTuple):
    """How a process ended."""

    code: int
    """Its exit code, or the negative number of the signal that killed it."""
    peak_bytes: int
    """Its peak memory."""
    memory_ran_out: bool
    """Whether the system's OOM killer killed it."""


def oom_kills() -> int:
    """Return how many processes the OOM killer has killed since the system started."""
    try:
        _, found, rest = Path("/proc/vmstat").read_bytes().partition(b"\noom_kill ")
    except OSError:
        # Not Linux, or a container without /proc.
        return 0
    return int(rest.split(maxsplit=1)[0]) if found else 0


def _address_space_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[0]) * resource.getpagesize()
    except FileNotFoundError:
        # A container without /proc.
        return _UNKNOWN_BYTES


def _limit(pid: int, limit: int, maximum: int) -> None:
    hard = resource.prlimit(pid, limit)[1]
    maximum = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
    resource.prlimit(pid, limit, (maximum, maximum))


class KillPipe:
    """A pipe to a process that the host starts; the kernel kills the process when the host ends or closes it.

    It also kills the forks of that process, even if they are stopped or the process was killed before.

    Args:
        above: The number of the process's end is higher than this one.

    Raises:
        OSError: The system refused another descriptor.
    """

    __slots__ = ("__weakref__", "_held", "inherited")

    def __init__(self, above: int) -> None:
        ends = Descriptors(os.pipe())
        self._held = Descriptors([ends.pop()])
        move_above_streams(self._held)
        self.inherited = Descriptors([fcntl.fcntl(ends[0], F_DUPFD_CLOEXEC, above + 1)])
        """The process's end, until it has started."""
        _kill_pipes.add(self)

    def close(self) -> None:
        """Close the host's end."""
        close_all(self._held)


_kill_pipes: WeakSet[KillPipe] = WeakSet()


class ReaderSettings(NamedTuple):
    """What distinguishes the files that one decoder may get: it is ended when other files need it."""

    rules: int = 0
    """A number for the roots and deny rules of the reader."""
    memory_bytes: int = Limits().decode_memory_bytes
    """The memory for one file."""
    timeout_s: int = math.ceil(Limits().decode_timeout_s)
    """The time for one file."""
    requires_sandbox: bool = False
    """Whether a decoder without a complete sandbox refuses the files."""
    passwords: tuple[str, ...] = ()
    """The passwords for PDFs, which a decoder keeps in its memory."""


class Child:
    """One decoder process.

    Args:
        connection: The socket to it.
        pid: Its process ID.
    """

    def __init__(self, connection: Socket, pid: int) -> None:
        self.connection = connection
        self.pid = pid
        self.started = time.monotonic()
        """When it was started, on the clock `time.monotonic`."""
        self.settings: ReaderSettings | None = None
        """The settings of all files that it gets; `None` before the first."""
        bound_transfers(connection)

    def accept(self, settings: ReaderSettings) -> bool:
        """Return whether it may get files on these settings.

        Before the first one, hard limits are set, which it cannot raise later.
        """
        if self.settings is None:
            self.settings = settings
            self.limit(settings.memory_bytes, MAX_FILES * (settings.timeout_s + GRACE_S))
        return self.settings == settings

    def limit(self, memory_bytes: int, processor_s: int) -> None:
        """Limit the memory that it may use besides what it uses now, and the processor time of all files."""
        # If it has ended, its first request finds that out. If this process has become another user since
        # it started the fork server, or the system has no such call, the decoder limits itself.
        with suppress(ProcessLookupError, PermissionError, AttributeError):
            _limit(self.pid, resource.RLIMIT_AS, _address_space_bytes(self.pid) + memory_bytes)
            _limit(self.pid, resource.RLIMIT_CPU, processor_s)

    def send(
        self, header: dict[str, Any], payload: bytes, *, descriptors: Sequence[int], deadline: float
    ) -> None:
        """Send it a request with open files."""
        send(self.connection, header, payload, descriptors=descriptors, deadline=deadline)

    def is_alive(self) -> bool:
        """Return whether it waits for a job; false if it has ended or has sent an unexpected message."""
        try:
            # On Windows, the socket never waits.
            self.connection.recv(1, socket.MSG_PEEK | getattr(socket, "MSG_DONTWAIT", 0))
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def kill(self) -> None:
        """Kill it, whatever code it is running."""
        raise NotImplementedError

    def ending(self) -> ProcessEnd | None:
        """Wait for it to end and return how it ended; `None` if that is unknown."""
        raise NotImplementedError

    def close_descriptors(self) -> None:
        """Close its descriptors only, as after a fork of the host, where it belongs to the parent."""
        with suppress(OSError):
            self.connection.close()

    def dispose(self) -> None:
        """Close its descriptors, which also ends it if it is still running; may be called repeatedly."""
        self.close_descriptors()

    def __del__(self) -> None:
        self.dispose()


class ForkedChild(Child):
    """A child of the fork server.

    Args:
        connection: The socket to it.
        pid: Its process ID.
        owned: Two descriptors: its pidfd, and a pipe on which the fork server reports how it ended.
        kill_pipe: That of the fork server, which must not be closed before this child has ended.
    """

    def __init__(self, connection: Socket, pid: int, owned: Descriptors, kill_pipe: KillPipe) -> None:
        # Before the base, which may raise: `dispose` closes them.
        self._owned, self._kill_pipe = owned, kill_pipe
        super().__init__(connection, pid)

    def kill(self) -> None:  # noqa: D102 - as in the base
        # A process that cannot be killed ends when its socket is closed.
        with suppress(OSError):
            if self._owned:
                signal.pidfd_send_signal(self._owned[0], signal.SIGKILL)

    def ending(self) -> ProcessEnd | None:  # noqa: D102 - as in the base
        if not self._owned:
            return None
        pipe = self._owned[1]
        if not ready(pipe, writable=False, deadline=time.monotonic() + PATIENCE_S):
            return None
        try:
            report = os.read(pipe, EXIT_REPORT.size)
        except OSError:
            return None
        if len(report) != EXIT_REPORT.size:
            # The fork server was killed as well.
            return None
        status, peak_bytes, memory_ran_out = EXIT_REPORT.unpack(report)
        return ProcessEnd(os.waitstatus_to_exitcode(status), peak_bytes, memory_ran_out)

    def dispose(self) -> None:  # noqa: D102 - as in the base
        super().dispose()
        close_all(self._owned)


class SpawnedChild(Child):
    """A child process of the host, where there is no fork server.

    Args:
        connection: The socket to it.
        pid: Its process ID.
        kill_pipe: Ends the child when it is closed.
    """

    def __init__(self, connection: Socket, pid: int, kill_pipe: KillPipe) -> None:
        self._kill_pipe = kill_pipe
        self._ending: ProcessEnd | None = None
        self._is_disposed = False
        super().__init__(connection, pid)
        self._oom_kills = oom_kills()

    def kill(self) -> None:  # noqa: D102 - as in the base
        # After it was reaped, another process may have its number.
        if self._ending is None and not self._is_disposed:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)

    def ending(self) -> ProcessEnd | None:  # noqa: D102 - as in the base
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
                pause(_TICK_S)
        return self._ending

    def close_descriptors(self) -> None:  # noqa: D102 - as in the base
        super().close_descriptors()
        self._kill_pipe.close()

    def dispose(self) -> None:  # noqa: D102 - as in the base
        self.close_descriptors()
        if self._ending is None and not self._is_disposed:
            self._is_disposed = True
            reap(self.pid)


_unreaped: deque[int] = deque()
"""Processes of the host that are ending and must be reaped; threads share it by atomic operations."""


def reap(pid: int) -> None:
    """Record a child process of the host that is ending, and reap it now or later."""
    _unreaped.append(pid)
    reap_ended()


def reap_ended(*, patience_s: float = 0) -> None:
    """Reap the recorded processes that have ended, waiting up to `patience_s` for the others."""
    deadline = time.monotonic() + patience_s
    while True:
        for _ in range(len(_unreaped)):
            try:
                pid = _unreaped.popleft()
            except IndexError:
                return
            if not _has_ended(pid):
                _unreaped.append(pid)
        if not _unreaped or time.monotonic() >= deadline:
            return
        time.sleep(_TICK_S)


def _has_ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        # Other code in the host has already reaped it.
        return True


def forget_processes() -> None:
    """Forget all processes: in a forked host they belong to the parent, and end with it."""
    _unreaped.clear()
    for kill_pipe in _kill_pipes:
        kill_pipe.close()

"""Starts decoder processes, always one in advance.

On Linux a fork server forks them; elsewhere, and under ANYREAD_PORTABLE=1, each is started separately.
"""

from __future__ import annotations

import _socket
import errno
import math
import os
import signal
import socket
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from anyread.decoding.protocol import (
    FIRST_FREE,
    ORDER,
    Descriptors,
    Frame,
    GoneError,
    LateError,
    MalformedError,
    Socket,
    close_all,
    field,
    move_above_streams,
    receive,
    receive_message,
    send_now,
)
from anyread.running.calls import Abandoned, current_call
from anyread.running.polling import TICK_S, pause

from . import interpreter
from .children import PATIENCE_S, Child, ForkedChild, KillPipe, SpawnedChild, reap, reap_ended

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

START_S: Final = 30
"""Maximum number of seconds for the first start of a decoder; a busy machine needs a few."""
RESTART_S: Final = 10
"""The same for later starts, when all that it loads is in memory."""
FORK_S: Final = 5
"""Maximum number of seconds for a fork, which takes 2 ms; a fork server that takes longer is replaced."""
_MAX_ATTEMPTS: Final = 3
"""Maximum number of attempts at a fork that the system refuses."""
_PAUSE_S: Final = 0.05
"""Seconds between two attempts."""
REFUSALS: Final = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""The error numbers for a limit on processes, memory or descriptors."""
_DESCRIPTORS: Final = 3
"""Descriptors that arrive with a forked child: its socket, its pidfd and the pipe of its exit report."""
_INHERITED: Final = 3
"""The descriptor number under which a started process finds its socket."""


UNSUPPORTED: Final = "this system cannot pass an open file to another process"
"""Why a system has no decoders, as a clause."""


class UnavailableError(Exception):
    """No decoder can be started; the text says why, as a clause.

    Args:
        reason: The text.
        install: What to install, such as "pillow>=12.3"; empty if that is not the reason.
    """

    def __init__(self, reason: str, *, install: str = "") -> None:
        super().__init__(reason)
        self.install = install


def is_supported() -> bool:
    """Return whether this system can run decoders."""
    return sys.platform == "win32" or (hasattr(Socket, "sendmsg") and hasattr(os, "posix_spawn"))


def starter(start_s: float) -> ForkServer | Spawner:
    """Start what starts decoders on this system; it must be ready within `start_s` seconds.

    Raises:
        UnsupportedError: This system cannot pass an open file to another process.
        UnavailableError: There is no interpreter, or it cannot be started.
    """
    if not is_supported():
        raise UnsupportedError(UNSUPPORTED)
    return ForkServer(start_s) if _can_fork() else Spawner(start_s)


class UnsupportedError(UnavailableError):
    """Decoders cannot run on this system."""


class RefusedError(UnavailableError):
    """The system refused another process or descriptor; existing decoders keep working."""


class ForkServer:
    """The process that children are forked from, always one in advance.

    Args:
        start_s: The maximum number of seconds for its start.
    """

    def __init__(self, start_s: float) -> None:
        self._kill_pipe = _kill_pipe()
        self._connection, self.pid = _started("fork_server", socket.SOCK_SEQPACKET, self._kill_pipe)
        self._connection.settimeout(0)
        try:
            self._pidfd = Descriptors([os.pidfd_open(self.pid)])
            move_above_streams(self._pidfd)
        except OSError as error:
            self._connection.close()
            reap(self.pid)
            raise RefusedError(refusal(error)) from error
        # One thread at a time takes a child.
        self._taking = threading.Lock()
        self._ordering = threading.Lock()
        self._received = 0
        """The number of the last child that arrived."""
        self._ordered = 0
        """The number of the last child that was ordered."""
        self._start_s = start_s
        self._due = math.inf
        """The deadline for the next message; infinite if no order is open."""
        self._failure: str | None = "the interpreter exited while starting"
        """The reason to report if it exits; `None` once it has started, so that it can be replaced."""
        self._install = ""
        """What to install, if that is the reason."""
        self._order()

    def child(self, deadline: float) -> Child:
        """Take the child that was forked in advance; `restock` orders another.

        Raises:
            RefusedError: The system refused another process.
            UnavailableError: The fork server cannot load what decoders need, or does not start.
            GoneError: It was killed or hangs after it had started; it can be replaced.
            LateError: The deadline passed.
        """
        with locked(self._taking, deadline):
            refused: object = None
            for _ in range(_MAX_ATTEMPTS):
                self._order()
                refused = None
                while refused is None:
                    frame = self._received_message(deadline)
                    if "pid" in frame.header:
                        try:
                            self._count(field(frame.header, "number", int))
                            return _forked(frame, self._kill_pipe)
                        except MalformedError as error:
                            raise UnavailableError(f"it violated the protocol: {error}") from error
                    refused = frame.header.get("refused")
                self._count(self._received)
                pause(_PAUSE_S)
        raise RefusedError(str(refused)[:200])

    def _received_message(self, deadline: float) -> Frame:
        while True:
            try:
                frame = receive_message(self._connection, deadline=min(deadline, self._due))
            except LateError:
                if time.monotonic() < self._due:
                    raise
                if self._failure is not None:
                    raise UnavailableError(f"it did not start within {self._start_s} s") from None
                raise GoneError from None
            except GoneError:
                if self._failure is not None:
                    raise UnavailableError(self._failure, install=self._install) from None
                raise
            except MalformedError as error:
                raise UnavailableError(f"it violated the protocol: {error}") from error
            if "unavailable" not in frame.header:
                self._failure = None
                return frame
            # It ends now.
            self._failure = str(frame.header["unavailable"])
            self._install = str(frame.header.get("install", ""))[:100]

    def restock(self) -> None:
        """Order a replacement for the child that was taken."""
        with suppress(GoneError):
            self._order()

    def _order(self) -> None:
        """Order a fork, unless one is available or ordered."""
        with self._ordering:
            if self._connection.fileno() < 0:
                # Another call has replaced this server since.
                raise GoneError
            if self._ordered > self._received:
                return
            self._ordered = self._received + 1
            self._due = time.monotonic() + (self._start_s if self._failure else FORK_S)
            # If it has exited, its last message gives the reason.
            with suppress(ConnectionError, BlockingIOError):
                send_now(self._connection, ORDER.pack(self._ordered))

    def _count(self, received: int) -> None:
        """Note the number of the child that has arrived; no order is open then."""
        with self._ordering:
            self._received = self._ordered = received
            self._due = math.inf

    def close(self) -> None:
        """End the fork server and its children."""
        self.abandon()
        self._kill_pipe.close()
        reap(self.pid)
        reap_ended(patience_s=PATIENCE_S)

    def discard(self) -> None:
        """Kill the fork server, even if it is stopped; working children continue."""
        with suppress(OSError):
            signal.pidfd_send_signal(self._pidfd[0], signal.SIGKILL)
        # Only when no call uses them, which ends now.
        with self._taking, self._ordering:
            self.abandon()
        reap(self.pid)

    def abandon(self) -> None:
        """Close descriptors only, as after a fork of the host: the fork server belongs to the parent."""
        self._connection.close()
        close_all(self._pidfd)


class Spawner:
    """Starts each child separately, one in advance: the interpreter and libraries take 0.3 s to load.

    Args:
        start_s: The maximum number of seconds for the start of a child.
    """

    def __init__(self, start_s: float) -> None:
        self._start_s = start_s
        self._ahead: deque[Child] = deque([_spawned()])

    def child(self, deadline: float) -> Child:
        """Take the child that was started in advance, once it is ready, and start another.

        Raises:
            RefusedError: The system refused another process.
            UnavailableError: It cannot load what decoders need, or does not start.
            LateError: The deadline passed.
        """
        reap_ended()
        try:
            child = self._ahead.popleft()
        except IndexError:
            child = _spawned()
        if not self._ahead:
            # If the system refuses now, the child is started when it is needed.
            with suppress(RefusedError):
                self._ahead.append(_spawned())
        due = child.started + self._start_s
        install = ""
        try:
            frame = receive(child.connection, max_payload_bytes=0, deadline=min(deadline, due))
        except Abandoned:
            # Keep the decoder for another call.
            self._ahead.appendleft(child)
            raise
        except LateError:
            if time.monotonic() < due:
                self._ahead.appendleft(child)
                raise
            failure = f"it did not start within {self._start_s} s"
        except (GoneError, MalformedError):
            failure = "the interpreter exited while starting"
        else:
            if "ready" in frame.header:
                return child
            failure, install = _failure_of(frame), str(frame.header.get("install", ""))[:100]
        child.kill()
        child.dispose()
        raise UnavailableError(failure, install=install)

    def restock(self) -> None:
        """Do nothing: `child` has started a replacement already."""

    def close(self) -> None:
        """Kill the child that was started in advance, and reap those that have ended."""
        self.discard()
        reap_ended(patience_s=PATIENCE_S)

    def discard(self) -> None:
        """Kill the child that was started in advance."""
        while self._ahead:
            child = self._ahead.popleft()
            child.kill()
            child.dispose()

    def abandon(self) -> None:
        """Close descriptors only, as after a fork of the host, where the child belongs to the parent."""
        for child in self._ahead:
            child.close_descriptors()


def refusal(error: OSError) -> str:
    """Return the limit that prevented a new process or descriptor, as a clause."""
    number = error.errno or 0
    if number == errno.EMFILE and sys.platform != "win32":
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return f"this process has reached its limit of open files, {limit:,} (RLIMIT_NOFILE)"
    if number == errno.ENFILE:
        return "the system has too many files open (ENFILE)"
    name = errno.errorcode.get(number, f"errno {number}")
    if number in {errno.EAGAIN, errno.ENOMEM}:
        return f"the system cannot start another process: {os.strerror(number)} ({name})"
    return f"{os.strerror(number)} ({name})"


@contextmanager
def locked(lock: threading.Lock, deadline: float) -> Iterator[None]:
    """Hold a lock; while another thread holds it, notice the end of the call and the deadline.

    Raises:
        LateError: The deadline passed.
    """
    call = current_call()
    while not lock.acquire(timeout=TICK_S):
        call.check()
        if time.monotonic() >= deadline:
            raise LateError
    try:
        yield
    finally:
        lock.release()


def _above_streams(connection: Socket, kind: socket.SocketKind) -> Socket:
    """Return a socket whose descriptor does not have the number of a standard stream."""
    if connection.fileno() >= FIRST_FREE:
        return connection
    descriptors = [connection.detach()]
    move_above_streams(descriptors)
    return Socket(socket.AF_UNIX, kind, 0, descriptors[0])


def _can_fork() -> bool:
    if os.environ.get("ANYREAD_PORTABLE") == "1" or not hasattr(os, "pidfd_open"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        # Linux before 5.3, and some sandboxes.
        return False
    return True


def _kill_pipe() -> KillPipe:
    try:
        return KillPipe(_INHERITED + 1)
    except OSError as error:
        raise RefusedError(refusal(error)) from error


def _spawned() -> Child:
    if sys.platform == "win32":
        from .windows import started

        with _errors_of_start():
            return started(interpreter.command("worker", 0), interpreter.environment())
    kill_pipe = _kill_pipe()
    connection, pid = _started("worker", socket.SOCK_STREAM, kill_pipe)
    return SpawnedChild(connection, pid, kill_pipe)


def _forked(frame: Frame, kill_pipe: KillPipe) -> Child:
    try:
        pid = field(frame.header, "pid", int)
    except MalformedError:
        close_all(frame.descriptors)
        raise
    if len(frame.descriptors) != _DESCRIPTORS:
        close_all(frame.descriptors)
        raise MalformedError("descriptors are missing from the message of a new child")
    # The socket owns the first descriptor from now on and closes it.
    connection = Socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, frame.descriptors.pop(0))
    return ForkedChild(connection, pid, frame.descriptors, kill_pipe)


def _failure_of(frame: Frame) -> str:
    return str(frame.header.get("unavailable", "it violated the protocol"))


def _started(module: str, kind: socket.SocketKind, kill_pipe: KillPipe) -> tuple[Socket, int]:
    """Start an interpreter that runs a module of `child`, and return the host's end of its socket.

    It inherits its end of the socket and, under the next number, that of the kill pipe.
    """
    try:
        host_end, child_end = _socket.socketpair(_socket.AF_UNIX, kind)
        host_end = _above_streams(host_end, kind)
    except OSError as error:
        raise RefusedError(refusal(error)) from error
    try:
        with _errors_of_start():
            command = interpreter.command(module, _INHERITED)
            # Before the standard streams: in a host without them, the socket may have one of their numbers.
            actions: list[tuple[Any, ...]] = [
                (os.POSIX_SPAWN_DUP2, child_end.fileno(), _INHERITED),
                (os.POSIX_SPAWN_DUP2, kill_pipe.inherited[0], _INHERITED + 1),
            ]
            actions += [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
            pid = os.posix_spawn(
                command[0],
                command,
                interpreter.environment(),
                file_actions=actions,
                # No new session: Linux schedules each session as its own group, regardless of the host's
                # load, so a decoder that is still starting would delay the host and the working decoders.
                setpgroup=0,
                setsigmask=(),
                setsigdef=_changeable_signals(),
            )
    except UnavailableError:
        host_end.close()
        raise
    finally:
        child_end.close()
        close_all(kill_pipe.inherited)
    return host_end, pid


@contextmanager
def _errors_of_start() -> Iterator[None]:
    """Raise the errors of starting an interpreter as `UnavailableError`."""
    try:
        yield
    except interpreter.NoInterpreterError as error:
        raise UnavailableError(str(error)) from None
    except OSError as error:
        if error.errno in REFUSALS:
            raise RefusedError(refusal(error)) from error
        raise UnavailableError(f"the interpreter cannot be started: {error.strerror}") from error


def _changeable_signals() -> Generator[int, None, None]:
    return (number for number in signal.valid_signals() if number not in {signal.SIGKILL, signal.SIGSTOP})

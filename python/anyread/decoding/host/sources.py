"""Starts decoder processes, always one in advance.

On Linux a zygote forks them; elsewhere, and under ANYREAD_PORTABLE=1, each is started separately.
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
    Frame,
    GoneError,
    LateError,
    MalformedError,
    Owned,
    Socket,
    close_all,
    field,
    immediate,
    move_above_streams,
    receive,
    receive_message,
    send_now,
    socket_from,
)
from anyread.running.effects import Wait

from . import interpreter
from .children import PATIENCE_S, Child, ForkedChild, Lifeline, SpawnedChild, reap, reap_ended

if sys.platform != "win32":
    import fcntl
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from anyread.running.effects import Steps

START_S: Final = 30
"""Maximum number of seconds for starting a decoder; a busy machine needs a few."""
FORK_S: Final = 5
"""Maximum number of seconds for a fork, which takes 2 ms; a zygote that takes longer is replaced."""
_REPEAT_S: Final = 0.25
"""Seconds after which a fork order is sent again."""
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
"""Why there are no decoders on Windows, as a clause."""


class UnavailableError(Exception):
    """No decoder can be started; the text says why, as a clause.

    Args:
        reason: The text.
        install: What to install, such as "pillow>=11.3"; empty if that is not the reason.
    """

    def __init__(self, reason: str, *, install: str = "") -> None:
        super().__init__(reason)
        self.install = install


def is_supported() -> bool:
    """Return whether this system can run decoders: Windows cannot."""
    return hasattr(Socket, "sendmsg") and hasattr(os, "posix_spawn")


def source() -> Zygote | Nursery:
    """Start the source of decoders that this system supports.

    Raises:
        UnsupportedError: This system cannot pass an open file to another process.
        UnavailableError: There is no interpreter, or it cannot be started.
    """
    if not is_supported():
        raise UnsupportedError(UNSUPPORTED)
    return Zygote() if _can_fork() else Nursery()


class UnsupportedError(UnavailableError):
    """Decoders cannot run on this system."""


class RefusedError(UnavailableError):
    """The system refused another process or descriptor; existing decoders keep working."""


class Zygote:
    """The process that children are forked from."""

    def __init__(self) -> None:
        self._lifeline = _lifeline()
        # Whole messages, because several threads and loops may take a child from it at once.
        self._connection, self.pid = _started("zygote", socket.SOCK_SEQPACKET, self._lifeline)
        try:
            self._pidfd = Owned(map(os.pidfd_open, [self.pid]))
            move_above_streams(self._pidfd)
        except OSError as error:
            self._connection.close()
            reap(self.pid)
            raise RefusedError(refusal(error)) from error
        # Reentrant, because a signal handler may call a read.
        self._lock = threading.RLock()
        self._received = 0
        """The number of the last child that arrived."""
        self._ordered = 0
        """The number of the last child that was ordered."""
        self._due: float | None = None
        """The deadline for the open order; `None` if no order is open."""
        self._repeat_at = 0.0
        """When the open order may be repeated."""
        self._failure: str | None = "the interpreter exited while starting"
        """The reason to report if it exits; `None` once it has started, so that it can be replaced."""
        self._install = ""
        """What to install, if that is the reason."""
        self._order(1)

    def child(self, starting: Callable[[], int], deadline: float) -> Steps[Child]:
        """Take the child that was forked in advance, and order another.

        Args:
            starting: Returns the number of reads that wait for a child, including this one.
            deadline: When to stop waiting.

        Raises:
            RefusedError: The system refused another process.
            UnavailableError: The zygote cannot load what decoders need, or does not start.
            GoneError: It was killed or hangs after it had started; it can be replaced.
            LateError: The deadline passed.
        """
        failures = 0
        with _duplicated(self._connection) as waiting:
            while True:
                self._order(starting() + 1)
                try:
                    # Orders of other threads may have overtaken this one, or a message was lost.
                    repeat_at = min(deadline, self._due or math.inf, time.monotonic() + _REPEAT_S)
                    frame = yield from receive_message(waiting, deadline=repeat_at)
                except LateError:
                    self._check_deadlines(deadline)
                    self._repeat_order()
                    continue
                except GoneError:
                    if self._failure is not None:
                        raise UnavailableError(self._failure, install=self._install) from None
                    raise
                except MalformedError as error:
                    raise UnavailableError(f"it violated the protocol: {error}") from error
                if (reason := self._update(frame)) is not None:
                    failures += 1
                    if failures >= _MAX_ATTEMPTS:
                        raise RefusedError(reason)
                    yield from Wait(None, writable=False, deadline=min(deadline, time.monotonic() + _PAUSE_S))
                elif "pid" in frame.header:
                    return _forked(frame, self._lifeline)

    def ready_child(self) -> Child | None:
        """Take the child that was forked in advance if it has arrived; `restock` orders another.

        Raises:
            GoneError: The zygote was killed.
        """
        self._connection.settimeout(0)
        frame = immediate(receive_message(self._connection, deadline=None))
        if frame is None:
            return None
        try:
            self._update(frame)
            return _forked(frame, self._lifeline) if "pid" in frame.header else None
        except MalformedError as error:
            raise GoneError from error

    def restock(self, starting: int) -> None:
        """Order a replacement for the child that `ready_child` took.

        `ready_child` does not order it itself: while one child replaces another, three processes would
        compete with the next call.
        """
        self._order(starting + 1)

    def _order(self, stock: int) -> None:
        """Order forks until `stock` children are available.

        An order names the number of the last child, so repeating it changes nothing.
        """
        with self._lock:
            wanted = self._received + stock
            if wanted <= self._ordered:
                return
            if self._due is None:
                self._due = time.monotonic() + (START_S if self._failure else FORK_S)
            self._send_order(wanted)
            self._ordered = wanted

    def _repeat_order(self) -> None:
        """Send the open order again; the zygote answers with the number of its last child.

        An exception, such as `KeyboardInterrupt` or `MemoryError`, may have come after a message was received
        and before it was used. The child in it is lost, and without this no other would be ordered.
        """
        with self._lock:
            now = time.monotonic()
            if self._ordered > self._received and now >= self._repeat_at:
                self._repeat_at = now + _REPEAT_S
                self._send_order(self._ordered)

    def _send_order(self, wanted: int) -> None:
        # If it has exited, its last message gives the reason; if it is busy, the order is repeated.
        with suppress(ConnectionError, BlockingIOError):
            send_now(self._connection, ORDER.pack(wanted))

    def _update(self, frame: Frame) -> str | None:
        """Update the state from a message of the zygote; return the reason if a fork failed."""
        header = frame.header
        with self._lock:
            if "unavailable" in header:
                self._failure = str(header["unavailable"])
                self._install = str(header.get("install", ""))[:100]
                return None
            self._failure = None
            number = field(header, "number", int)
            self._received = number if "refused" in header else max(self._received, number)
            if "refused" in header:
                self._ordered = number
            is_open = self._ordered > self._received
            self._due = time.monotonic() + FORK_S if is_open else None
            return str(header["refused"])[:200] if "refused" in header else None

    def _check_deadlines(self, deadline: float) -> None:
        """Raise the right error if no message came: the caller's deadline has passed, or the zygote hangs."""
        now = time.monotonic()
        if self._due is not None and now >= self._due:
            if self._failure is not None:
                raise UnavailableError(f"it did not start within {START_S} s")
            raise GoneError
        if now >= deadline:
            raise LateError

    def close(self) -> None:
        """End the zygote and its children."""
        self.abandon()
        self._lifeline.cut()
        reap(self.pid)
        reap_ended(patience_s=PATIENCE_S)

    def discard(self) -> None:
        """Kill the zygote, even if it is stopped; working children continue."""
        with suppress(OSError):
            signal.pidfd_send_signal(self._pidfd[0], signal.SIGKILL)
        self.abandon()
        reap(self.pid)

    def abandon(self) -> None:
        """Close its descriptors only, as after a fork of the host, where the zygote belongs to the parent."""
        self._connection.close()
        close_all(self._pidfd)


class Nursery:
    """Starts each child separately, one in advance: the interpreter and libraries take 0.3 s to load."""

    def __init__(self) -> None:
        self._ahead: deque[SpawnedChild] = deque([_spawned()])

    def child(self, starting: Callable[[], int], deadline: float) -> Steps[Child]:  # noqa: ARG002 - only a zygote needs it
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
        due = child.started + START_S
        install = ""
        try:
            frame = yield from receive(child.connection, max_payload_bytes=0, deadline=min(deadline, due))
        except GeneratorExit:
            # The read was cancelled; keep the decoder.
            self._ahead.appendleft(child)
            raise
        except LateError:
            if time.monotonic() < due:
                self._ahead.appendleft(child)
                raise
            failure = f"it did not start within {START_S} s"
        except (GoneError, MalformedError):
            failure = "the interpreter exited while starting"
        else:
            if "ready" in frame.header:
                return child
            failure, install = _failure_of(frame), str(frame.header.get("install", ""))[:100]
        child.kill()
        child.dispose()
        raise UnavailableError(failure, install=install)

    def ready_child(self) -> Child | None:
        """Take the child that was started in advance if it is ready, and start another."""
        if not self._ahead or self._ahead[0].is_alive():
            # `is_alive` is false once a message has arrived: here, that the child is ready.
            return None
        return immediate(self.child(int, math.inf))

    def restock(self, starting: int) -> None:
        """Do nothing: `ready_child` has started a replacement already."""

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
    if number == errno.EMFILE:
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return f"this process has reached its limit of open files, {limit:,} (RLIMIT_NOFILE)"
    if number == errno.ENFILE:
        return "the system has too many files open (ENFILE)"
    name = errno.errorcode.get(number, f"errno {number}")
    if number in {errno.EAGAIN, errno.ENOMEM}:
        return f"the system cannot start another process: {os.strerror(number)} ({name})"
    return f"{os.strerror(number)} ({name})"


@contextmanager
def _duplicated(connection: Socket) -> Iterator[Socket]:
    """Duplicate a socket to wait on: an event loop supports only one waiter per descriptor."""
    try:
        copies = map(fcntl.fcntl, [connection.fileno()], [fcntl.F_DUPFD_CLOEXEC], [FIRST_FREE])
        waiting = socket_from(copies, connection.type)
    except OSError as error:
        raise RefusedError(refusal(error)) from error
    try:
        waiting.settimeout(0)
        yield waiting
    finally:
        waiting.close()


def _above_streams(connection: Socket) -> Socket:
    """Return a socket whose descriptor does not have the number of a standard stream."""
    if connection.fileno() >= FIRST_FREE:
        return connection
    owned = Owned(map(Socket.detach, [connection]))
    move_above_streams(owned)
    return socket_from(map(owned.pop, [0]), connection.type)


def _can_fork() -> bool:
    if os.environ.get("ANYREAD_PORTABLE") == "1" or not hasattr(os, "pidfd_open"):
        return False
    try:
        close_all(Owned(map(os.pidfd_open, [os.getpid()])))
    except OSError:
        # Linux before 5.3, and some sandboxes.
        return False
    return True


def _lifeline() -> Lifeline:
    try:
        return Lifeline(_INHERITED + 1)
    except OSError as error:
        raise RefusedError(refusal(error)) from error


def _spawned() -> SpawnedChild:
    lifeline = _lifeline()
    connection, pid = _started("worker", socket.SOCK_STREAM, lifeline)
    return SpawnedChild(connection, pid, lifeline)


def _forked(frame: Frame, lifeline: Lifeline) -> Child:
    try:
        pid = field(frame.header, "pid", int)
    except MalformedError:
        close_all(frame.descriptors)
        raise
    if len(frame.descriptors) != _DESCRIPTORS:
        close_all(frame.descriptors)
        raise MalformedError("descriptors are missing from the message of a new child")
    # The socket owns the first descriptor from now on and closes it.
    connection = socket_from(map(frame.descriptors.pop, [0]))
    return ForkedChild(connection, pid, frame.descriptors, lifeline)


def _failure_of(frame: Frame) -> str:
    return str(frame.header.get("unavailable", "it violated the protocol"))


def _started(module: str, kind: socket.SocketKind, lifeline: Lifeline) -> tuple[Socket, int]:
    """Start an interpreter that runs a module of `child`, and return the host's end of its socket.

    It inherits its end of the socket and, under the next number, that of the lifeline.
    """
    try:
        host_end, child_end = _socket.socketpair(_socket.AF_UNIX, kind)
        host_end = _above_streams(host_end)
    except OSError as error:
        raise RefusedError(refusal(error)) from error
    try:
        command = interpreter.command(module, _INHERITED)
        # Before the standard streams: in a host without them, the socket may have one of their numbers.
        actions: list[tuple[Any, ...]] = [
            (os.POSIX_SPAWN_DUP2, child_end.fileno(), _INHERITED),
            (os.POSIX_SPAWN_DUP2, lifeline.inherited[0], _INHERITED + 1),
        ]
        actions += [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
        pid = os.posix_spawn(
            command[0],
            command,
            interpreter.environment(),
            file_actions=actions,
            # No new session: Linux schedules each session as its own group, regardless of the host's load,
            # so a decoder that is still starting would delay the host and the working decoders.
            setpgroup=0,
            setsigmask=(),
            setsigdef=_changeable_signals(),
        )
    except interpreter.NoInterpreterError as error:
        host_end.close()
        raise UnavailableError(str(error)) from None
    except OSError as error:
        host_end.close()
        if error.errno in REFUSALS:
            raise RefusedError(refusal(error)) from error
        raise UnavailableError(f"the interpreter cannot be started: {error.strerror}") from error
    finally:
        child_end.close()
        close_all(lifeline.inherited)
    return host_end, pid


def _changeable_signals() -> Generator[int, None, None]:
    return (number for number in signal.valid_signals() if number not in {signal.SIGKILL, signal.SIGSTOP})

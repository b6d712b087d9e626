"""Where decoder processes come from, one always ahead of need.

On Linux they are forked from a zygote; elsewhere, and under ANYREAD_PORTABLE=1, each starts by itself.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from . import interpreter
from .children import PATIENCE_S, Child, ForkedChild, SpawnedChild, bury, bury_ended
from .protocol import (
    Exchange,
    Frame,
    GoneError,
    LateError,
    MalformedError,
    close_all,
    field,
    receive,
    receive_message,
    send_now,
)

if TYPE_CHECKING:
    from collections.abc import Generator

START_S: Final = 30
"""Seconds that starting a decoder may take; a busy machine needs a few."""
_INHERITED: Final = 3
"""The descriptor by which a started process knows its socket."""


class UnavailableError(Exception):
    """No decoder can be had; the text says why, as a clause."""


def source() -> Zygote | Nursery:
    """Start the source of decoders that this system has.

    Raises:
        UnavailableError: There is no interpreter, or it cannot be started.
    """
    return Zygote() if _forks() else Nursery()


class Zygote:
    """The process that children are forked from."""

    def __init__(self) -> None:
        # Whole messages, because several threads and loops may take a child from it at once.
        self._connection, self.pid = _started("zygote", socket.SOCK_SEQPACKET)
        self._order()
        self._owed = 0
        """Children that were taken and are yet to be forked anew."""
        self._failure: str | None = "the interpreter ended at its start"
        """What to say if it is gone; `None`: it had started, and another one may."""

    def child(self) -> Exchange[Child]:
        """Take the child that is ahead, and have another forked.

        Raises:
            UnavailableError: The zygote cannot load what decoders need, or does not start.
            GoneError: It was ended after it had started; another may be started.
        """
        deadline = time.monotonic() + START_S
        # An event loop watches a descriptor for one waiter only.
        waiting = self._connection.dup()
        waiting.settimeout(0)
        try:
            self._order()
            self.order_owed()
            while True:
                frame = yield from receive_message(waiting, deadline=deadline)
                if "ready" in frame.header:
                    self._failure = None
                elif "unavailable" in frame.header:
                    self._failure = _told(frame)
                else:
                    return _forked(frame)
        except GoneError:
            if self._failure is not None:
                raise UnavailableError(self._failure) from None
            raise
        except LateError:
            raise UnavailableError(f"it did not start within {START_S} s") from None
        except MalformedError as error:
            raise UnavailableError(f"it does not keep to the protocol: {error}") from error
        finally:
            waiting.close()

    def ready_child(self) -> Child | None:
        """Take the child that is ahead if it is there already, and have another forked.

        Raises:
            GoneError: The zygote was ended.
        """
        exchange = receive_message(self._connection, deadline=None)
        try:
            self._connection.settimeout(0)
            next(exchange)
        except StopIteration as stop:
            frame: Frame = stop.value
        else:
            return None
        finally:
            exchange.close()
        if "pid" not in frame.header:
            self._failure = None if "ready" in frame.header else _told(frame)
            return None
        try:
            child = _forked(frame)
        except MalformedError as error:
            raise GoneError from error
        self._owed += 1
        return child

    def order_owed(self) -> None:
        """Have forked anew what `ready_child` took.

        Not at once: where a child takes the place of another, three processes would be at work
        beside the next call.
        """
        while self._owed:
            self._owed -= 1
            self._order()

    def _order(self) -> None:
        # If it is gone, what it said before tells why.
        with suppress(ConnectionError):
            send_now(self._connection, b"+")

    def close(self) -> None:
        """End it; it ends its children."""
        self.abandon()
        bury(self.pid)
        bury_ended(patience_s=PATIENCE_S)

    def abandon(self) -> None:
        """Let go of it, as after a fork of the host, where it is the parent's."""
        self._connection.close()


class Nursery:
    """Starts each child by itself, one ahead: interpreter and libraries take 0.3 s to load."""

    def __init__(self) -> None:
        self._ahead: deque[SpawnedChild] = deque([_spawned()])

    def child(self) -> Exchange[Child]:
        """Take the child that was started ahead, once it is ready, and start another.

        Raises:
            UnavailableError: It cannot load what decoders need, or does not start.
        """
        bury_ended()
        try:
            child = self._ahead.popleft()
        except IndexError:
            child = _spawned()
        self._ahead.append(_spawned())
        is_ready = False
        try:
            deadline = time.monotonic() + START_S
            frame = yield from receive(child.connection, max_payload_bytes=0, deadline=deadline)
            if "ready" not in frame.header:
                raise UnavailableError(_told(frame))
            is_ready = True
        except LateError:
            raise UnavailableError(f"it did not start within {START_S} s") from None
        except (GoneError, MalformedError):
            raise UnavailableError("the interpreter ended at its start") from None
        finally:
            if not is_ready:
                child.kill()
                child.dispose()
        return child

    def ready_child(self) -> Child | None:
        """Take the child that was started ahead if it is ready already, and start another."""
        if not self._ahead or self._ahead[0].is_alive():
            # Alive means that it has said nothing yet, which is that it is ready.
            return None
        exchange = self.child()
        try:
            next(exchange)
        except StopIteration as stop:
            child: Child = stop.value
            return child
        finally:
            exchange.close()
        return None

    def order_owed(self) -> None:
        """Do nothing: here each child is started when one is taken."""

    def close(self) -> None:
        """End the child that is ahead, and reap those that have ended."""
        while self._ahead:
            child = self._ahead.popleft()
            child.kill()
            child.dispose()
        bury_ended(patience_s=PATIENCE_S)

    def abandon(self) -> None:
        """Let go of what is ahead, as after a fork of the host, where it is the parent's."""
        for child in self._ahead:
            child.connection.close()


def _forks() -> bool:
    if os.environ.get("ANYREAD_PORTABLE") == "1" or not hasattr(os, "pidfd_open"):
        return False
    try:
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        # Linux before 5.3, and some sandboxes.
        return False
    return True


def _spawned() -> SpawnedChild:
    return SpawnedChild(*_started("worker", socket.SOCK_STREAM))


def _forked(frame: Frame) -> Child:
    try:
        connection, pidfd, obituary = frame.descriptors
        pid = field(frame.header, "pid", int)
    except (ValueError, MalformedError):
        close_all(frame.descriptors)
        raise MalformedError("a child that lacks something") from None
    return ForkedChild(socket.socket(fileno=connection), pid, pidfd, obituary)


def _told(frame: Frame) -> str:
    return str(frame.header.get("unavailable", "it does not keep to the protocol"))


def _started(module: str, kind: socket.SocketKind) -> tuple[socket.socket, int]:
    """Start an interpreter that runs a module of this folder, and give the socket to it."""
    if not hasattr(socket, "send_fds") or not hasattr(os, "posix_spawn"):
        raise UnavailableError("this system cannot pass an open file to another process")
    ours, theirs = socket.socketpair(type=kind)
    try:
        command = interpreter.command(module, _INHERITED)
        # Before the streams: in a host without them the socket may have one of their numbers.
        actions: list[tuple[Any, ...]] = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), _INHERITED)]
        actions += [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in range(3)]
        pid = os.posix_spawn(
            command[0],
            command,
            interpreter.environment(),
            file_actions=actions,
            # No session: each is a scheduling group of its own, whose share of the cores does not heed the
            # host's. So a decoder that gets ready would delay host and decoders at work.
            setpgroup=0,
            setsigmask=(),
            setsigdef=_changeable_signals(),
        )
    except interpreter.NoInterpreterError as error:
        ours.close()
        raise UnavailableError(str(error)) from None
    except OSError as error:
        ours.close()
        raise UnavailableError(f"the interpreter cannot be started: {error.strerror}") from error
    finally:
        theirs.close()
    return ours, pid


def _changeable_signals() -> Generator[int, None, None]:
    return (number for number in signal.valid_signals() if number not in {signal.SIGKILL, signal.SIGSTOP})

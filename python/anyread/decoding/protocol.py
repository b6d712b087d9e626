"""What goes over the sockets between this process and its decoders.

A frame is the length of a header and of a payload, the header as JSON, and the payload as raw bytes.
Both ends are written once, as steps that yield a `Wait` where a socket is not ready.
Nothing that arrives is trusted: lengths are bounded, headers are checked field by field, and
nothing is ever unpickled.
"""

from __future__ import annotations

import _socket
import errno
import json
import os
import socket
import struct
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from anyread.running.effects import Wait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.running.effects import Steps

_T = TypeVar("_T")
Socket: TypeAlias = _socket.socket
"""Not `socket.socket`, which gevent and eventlet replace by one that does not wait as these steps do."""

PREFIX = struct.Struct("!IQ")
ORDER = struct.Struct("!Q")
"""What the host sends to its zygote: the number of the last child that it wants."""
MAX_HEADER_BYTES = 64 * 1024
STEP_BYTES = 256 * 1024
"""Bytes of one system call: a child that is ended in between has cost no more than that."""
MAX_DESCRIPTORS = 4
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""Sending to a closed socket must fail with an error: by default SIGPIPE would end the host."""


class GoneError(Exception):
    """The other end has closed its socket."""


class UnreadError(GoneError):
    """The other end has closed its socket without having read all that was sent to it."""


class MalformedError(Exception):
    """The other end does not keep to the protocol."""


class LateError(Exception):
    """The deadline passed."""


class Owned(list[int]):
    """Open descriptors that are closed when nobody holds the list any more.

    An exception may interrupt the code between their arrival and their use anywhere.
    """

    def __del__(self) -> None:
        close_all(self)


class Frame(NamedTuple):
    """One message."""

    header: dict[str, Any]
    payload: bytearray
    descriptors: Owned


def send(
    connection: Socket,
    header: dict[str, Any],
    *payloads: bytes | bytearray,
    descriptors: Sequence[int] = (),
    deadline: float | None = None,
) -> Steps[None]:
    """Send one frame; open descriptors go along with its first byte."""
    text = json.dumps(header, separators=(",", ":")).encode()
    start = PREFIX.pack(len(text), sum(map(len, payloads))) + text
    rest = memoryview(start)
    if descriptors:
        sent = yield from _send_first(connection, start, descriptors, deadline)
        rest = rest[sent:]
    for part in (rest, *payloads):
        yield from _send_all(connection, memoryview(part), deadline)


def send_now(connection: Socket, message: bytes) -> None:
    """Send a short message without waiting.

    Raises:
        OSError: The other end is gone, or does not read.
    """
    connection.send(message, _NO_SIGNAL)


def receive(
    connection: Socket,
    *,
    max_payload_bytes: int,
    with_descriptors: bool = False,
    deadline: float | None = None,
) -> Steps[Frame]:
    """Receive one frame.

    Raises:
        GoneError: The other end closed its socket, at the start of a frame or inside one.
        MalformedError: It sent something else, or more than allowed.
    """
    descriptors = Owned()
    try:
        prefix, have = bytearray(PREFIX.size), 0
        if with_descriptors:
            start, descriptors = yield from _receive_some(connection, PREFIX.size, deadline)
            prefix[: len(start)], have = start, len(start)
        yield from _receive_all(connection, memoryview(prefix)[have:], deadline)
        header_bytes, payload_bytes = PREFIX.unpack(prefix)
        _require_lengths(header_bytes, payload_bytes, max_payload_bytes)
        text, payload = bytearray(header_bytes), bytearray(payload_bytes)
        yield from _receive_all(connection, memoryview(text), deadline)
        yield from _receive_all(connection, memoryview(payload), deadline)
        return Frame(_header(text), payload, descriptors)
    except BaseException:
        close_all(descriptors)
        raise


def receive_message(connection: Socket, *, deadline: float | None) -> Steps[Frame]:
    """Receive a frame without payload from a socket that keeps messages whole.

    Raises:
        GoneError: The other end closed its socket.
        MalformedError: It sent something else.
    """
    try:
        message, descriptors = yield from _receive_some(connection, MAX_HEADER_BYTES, deadline)
    except UnreadError:
        # Told once, before what the other end had said last.
        message, descriptors = yield from _receive_some(connection, MAX_HEADER_BYTES, deadline)
    try:
        return Frame(_header(message[PREFIX.size :]), bytearray(), descriptors)
    except MalformedError:
        close_all(descriptors)
        raise


def until_ready(connection: Socket, *, writable: bool, deadline: float | None) -> Steps[None]:
    """Wait until a socket is ready.

    Raises:
        LateError: The deadline passed.
    """
    descriptor = connection.fileno()
    if descriptor < 0:
        # Closed here, because its read was overdue.
        raise GoneError
    if not (yield from Wait(descriptor, writable, deadline)):
        raise LateError


def blocking(steps: Steps[_T]) -> _T:
    """Run steps over blocking sockets, which never have to wait."""
    try:
        next(steps)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    raise MalformedError("a blocking socket that is not ready")


def field(header: dict[str, Any], name: str, kind: type[_T], *, maximum: int | None = None) -> _T:
    """Take one field of a header, checked.

    Raises:
        MalformedError: It is missing, of another type, negative or over `maximum`.
    """
    value = header.get(name)
    # A boolean is an int to isinstance.
    if type(value) is not kind:
        raise MalformedError(f"a header with a bad `{name}`")
    if isinstance(value, int) and (value < 0 or (maximum is not None and value > maximum)):
        raise MalformedError(f"a header whose `{name}` is out of range")
    return value


def close_all(descriptors: list[int]) -> None:
    """Close descriptors and empty the list."""
    while descriptors:
        # Closed they are whatever the system says, which may be that a signal came.
        with suppress(OSError):
            os.close(descriptors.pop())


def _require_lengths(header_bytes: int, payload_bytes: int, max_payload_bytes: int) -> None:
    if header_bytes > MAX_HEADER_BYTES or payload_bytes > max_payload_bytes:
        raise MalformedError(f"a frame of {header_bytes:,} and {payload_bytes:,} bytes")


def _header(text: bytes | bytearray) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedError("a header that is no JSON") from error
    if not isinstance(header, dict):
        raise MalformedError("a header that is no object")
    return header


def _send_first(
    connection: Socket, start: bytes, descriptors: Sequence[int], deadline: float | None
) -> Steps[int]:
    # `socket.send_fds` does not pass its flags on.
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))
    while True:
        try:
            return connection.sendmsg([start], [rights], _NO_SIGNAL)
        except BlockingIOError:
            yield from until_ready(connection, writable=True, deadline=deadline)
        except ConnectionError as error:
            # Of a socket that closes with something unread in it, Linux tells by a reset.
            raise UnreadError from error


def _send_all(connection: Socket, data: memoryview, deadline: float | None) -> Steps[None]:
    while data:
        try:
            sent = connection.send(data[:STEP_BYTES], _NO_SIGNAL)
        except BlockingIOError:
            yield from until_ready(connection, writable=True, deadline=deadline)
        except ConnectionError as error:
            # Of a socket that closes with something unread in it, Linux tells by a reset.
            raise UnreadError from error
        else:
            data = data[sent:]


def _receive_some(connection: Socket, size: int, deadline: float | None) -> Steps[tuple[bytes, Owned]]:
    while True:
        try:
            data, descriptors = _receive_descriptors(connection, size)
        except BlockingIOError:
            yield from until_ready(connection, writable=False, deadline=deadline)
        except ConnectionError as error:
            # Of a socket that closes with something unread in it, Linux tells by a reset.
            raise UnreadError from error
        else:
            if not data:
                raise GoneError
            return data, descriptors


def _receive_descriptors(connection: Socket, size: int) -> tuple[bytes, Owned]:
    """Receive bytes and descriptors, which no program that the host starts may inherit."""
    # `socket.recv_fds` does not pass its flags on.
    at_once = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
    received, numbers = Owned(), array("i")
    room = socket.CMSG_SPACE(MAX_DESCRIPTORS * numbers.itemsize)
    data, messages, flags, _ = connection.recvmsg(size, room, at_once)
    for level, kind, content in messages:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
    received.extend(numbers)
    if not at_once:
        for descriptor in numbers:
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only parameter
    if flags & socket.MSG_CTRUNC:
        # The kernel drops what this process has no free descriptor for.
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return data, received


def _receive_all(connection: Socket, buffer: memoryview, deadline: float | None) -> Steps[None]:
    while buffer:
        try:
            count = connection.recv_into(buffer[:STEP_BYTES])
        except BlockingIOError:
            yield from until_ready(connection, writable=False, deadline=deadline)
        except ConnectionError as error:
            # Of a socket that closes with something unread in it, Linux tells by a reset.
            raise UnreadError from error
        else:
            if not count:
                raise GoneError
            buffer = buffer[count:]

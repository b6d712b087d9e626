"""The protocol between this process and its decoders.

A frame is the lengths of a header and of a payload, the header as JSON, and the payload as raw bytes.
Both ends use the same functions. The host waits in short steps, so that it notices
the end of a call.
Received data is not trusted: lengths are bounded, header fields are checked, and nothing is unpickled.
"""

from __future__ import annotations

import _socket
import errno
import json
import os
import socket
import struct
import sys
from array import array
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from anyread.errors.base import one_line
from anyread.running.polling import ready

if sys.platform == "win32":
    from anyread._native import open_passed
else:
    import fcntl

    # PyPy has no name for it.
    F_DUPFD_CLOEXEC = getattr(fcntl, "F_DUPFD_CLOEXEC", 67 if sys.platform == "darwin" else 1030)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_T = TypeVar("_T")
_Ancillary: TypeAlias = tuple[int, int, bytes]
"""A level, a type and the content of an ancillary message."""
Socket: TypeAlias = _socket.socket
"""Not `socket.socket`, which gevent and eventlet replace with a class that waits in its own way."""


PREFIX = struct.Struct("!IQ")
ORDER = struct.Struct("!Q")
"""A message from the host to its fork server: the number of the last child to fork."""
MAX_HEADER_BYTES = 64 * 1024
STEP_BYTES = 256 * 1024
"""Maximum number of bytes that are sent in one system call."""
TRANSFER_S = 0.01
"""Seconds after which a system call of the host ends that waits for the rest of a message."""
_JOINED_BYTES = 64 * 1024
"""Maximum size of a payload that is copied, to be sent together with its header."""
MAX_DESCRIPTORS = 4
IMAGE_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO")
"""Pillow's names of the formats that are decoded."""
_as_json = json.JSONEncoder(separators=(",", ":")).encode
_NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""Makes sending to a closed socket fail with an error instead of SIGPIPE, which would end the host."""
# Windows has no receive that waits for all bytes but not forever.
_ALL, _MOST_BYTES = (0, STEP_BYTES) if sys.platform == "win32" else (socket.MSG_WAITALL, 64 * 1024 * 1024)
"""How bytes are received, and how many at most in one system call."""


class GoneError(Exception):
    """The other end has closed its socket."""


class UnreadError(GoneError):
    """The other end has closed its socket without reading everything that was sent to it."""


class MalformedError(Exception):
    """The other end violated the protocol."""


class LateError(Exception):
    """The deadline passed."""


FIRST_FREE = 3
"""The lowest number of a descriptor that is not a standard stream."""


class Descriptors(list[int]):
    """Open descriptors, which are closed with the list unless they were taken out of it."""

    def __del__(self) -> None:
        close_all(self)


class Frame(NamedTuple):
    """One message."""

    header: dict[str, Any]
    text: bytes
    """The first bytes of its payload: as many as the header field `text_bytes` says, by default none."""
    payload: bytes
    """The rest."""
    descriptors: Descriptors


def send(
    connection: Socket,
    header: dict[str, Any],
    *payloads: bytes | bytearray,
    descriptors: Sequence[int] = (),
    deadline: float | None = None,
) -> None:
    """Send one frame; the descriptors are attached to its first byte."""
    text = _as_json(header).encode()
    payload_bytes = sum(map(len, payloads))
    start = PREFIX.pack(len(text), payload_bytes) + text
    if payload_bytes <= _JOINED_BYTES:
        # In one call: the first part would wake the other end, which would have to wait again for the rest.
        start, payloads = b"".join((start, *payloads)), ()
    rest = memoryview(start)
    if descriptors:
        # `socket.send_fds` does not pass its flags on.
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))
        call = partial(connection.sendmsg, [start], [rights], _NO_SIGNAL)
        sent = _when_ready(connection, call, writable=True, deadline=deadline)
        rest = rest[sent:]
    for part in (rest, *payloads):
        _send_all(connection, memoryview(part), deadline)


def bound_transfers(connection: Socket) -> None:
    """Let system calls on a socket wait for the other end, but for `TRANSFER_S` only; not on Windows."""
    if sys.platform == "win32":
        connection.settimeout(0)
        return
    connection.settimeout(None)
    seconds, microseconds = divmod(int(TRANSFER_S * 1e6), 1_000_000)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", seconds, microseconds))


def send_now(connection: Socket, message: bytes) -> None:
    """Send a short message without waiting.

    Raises:
        OSError: The other end is gone, or its buffer is full.
    """
    connection.send(message, _NO_SIGNAL)


def receive(
    connection: Socket,
    *,
    max_payload_bytes: int,
    with_descriptors: bool = False,
    deadline: float | None = None,
) -> Frame:
    """Receive one frame.

    Raises:
        GoneError: The other end closed its socket before or inside the frame.
        MalformedError: It sent an invalid or too large frame.
    """
    descriptors = Descriptors()
    try:
        prefix = b""
        if with_descriptors:
            prefix, descriptors = _receive_some(connection, PREFIX.size, deadline)
        elif deadline is not None:
            # The other end has work to do before it answers.
            until_ready(connection, writable=False, deadline=deadline)
        prefix += _receive_bytes(connection, PREFIX.size - len(prefix), deadline)
        header_bytes, payload_bytes = PREFIX.unpack(prefix)
        _require_lengths(header_bytes, payload_bytes, max_payload_bytes)
        # Parts that were sent in one call are received in one.
        joined_bytes = payload_bytes if payload_bytes <= _JOINED_BYTES else 0
        start = _receive_bytes(connection, header_bytes + joined_bytes, deadline)
        header, rest = _header(start[:header_bytes]), start[header_bytes:]
        text_bytes = 0
        if "text_bytes" in header:
            text_bytes = field(header, "text_bytes", int, maximum=payload_bytes)
        if payload_bytes > joined_bytes:
            text = _receive_bytes(connection, text_bytes, deadline)
            payload = _receive_bytes(connection, payload_bytes - text_bytes, deadline)
        else:
            text, payload = rest[:text_bytes], rest[text_bytes:]
        return Frame(header, text, payload, descriptors)
    except BaseException:
        close_all(descriptors)
        raise


def receive_message(connection: Socket, *, deadline: float | None) -> Frame:
    """Receive a frame without a payload from a socket that preserves message boundaries.

    Raises:
        GoneError: The other end closed its socket.
        MalformedError: It sent an invalid frame.
    """
    try:
        message, descriptors = _receive_some(connection, MAX_HEADER_BYTES, deadline)
    except UnreadError:
        # The reset is reported once, before the last messages of the other end.
        message, descriptors = _receive_some(connection, MAX_HEADER_BYTES, deadline)
    try:
        return Frame(_header(message[PREFIX.size :]), b"", b"", descriptors)
    except MalformedError:
        close_all(descriptors)
        raise


def until_ready(connection: Socket, *, writable: bool, deadline: float | None) -> None:
    """Wait until a socket is ready.

    Raises:
        LateError: The deadline passed.
    """
    descriptor = connection.fileno()
    if descriptor < 0:
        # This process closed it because its read was overdue.
        raise GoneError
    if not ready(descriptor, writable=writable, deadline=deadline):
        raise LateError


MAX_SIZE = 2**31
"""The maximum width, height or number of something in a file."""


def size_field(header: dict[str, Any], name: str) -> int:
    """Return a width, a height or a number of things of which there is at least one.

    Raises:
        MalformedError: It is missing, of another type, not positive or over `MAX_SIZE`.
    """
    return field(header, name, int, minimum=1, maximum=MAX_SIZE)


def field(
    header: dict[str, Any], name: str, kind: type[_T], *, minimum: int = 0, maximum: int = sys.maxsize
) -> _T:
    """Return one field of a header after checking it.

    Raises:
        MalformedError: It is missing, of another type, under `minimum` or over `maximum`.
    """
    value = header.get(name)
    # Not `isinstance`, for which a boolean is an int.
    if type(value) is not kind:
        raise MalformedError(f"the header field `{name}` is missing or has the wrong type")
    # JSON has numbers of any length, for which arithmetic with floats raises `OverflowError`.
    if isinstance(value, int) and not minimum <= value <= maximum:
        raise MalformedError(f"the header field `{name}` is out of range")
    return value


def text_field(header: dict[str, Any], name: str, max_chars: int) -> str:
    """Return a text of a header on one line, without control characters and shortened.

    Raises:
        MalformedError: It is missing or of another type.
    """
    return one_line(field(header, name, str), max_chars)


if sys.platform == "win32":

    def read_at(handle: int, size: int, offset: int) -> bytes:
        """Read from the open file with a handle, as `os.pread` does elsewhere."""
        return open_passed(handle, 0).read_at(offset, size)
else:
    read_at = os.pread


def move_above_streams(descriptors: list[int]) -> None:
    """Give descriptors with the numbers 0 to 2 others.

    If the standard streams of a host are closed, its output to them would otherwise reach a decoder.
    """
    for index, descriptor in enumerate(descriptors):
        if descriptor < FIRST_FREE:
            descriptors[index] = fcntl.fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_FREE)
            os.close(descriptor)


def close_all(descriptors: list[int]) -> None:
    """Close descriptors and empty the list."""
    while descriptors:
        # The descriptor is closed even if `close` fails, for example because a signal arrived.
        with suppress(OSError):
            os.close(descriptors.pop())


def _require_lengths(header_bytes: int, payload_bytes: int, max_payload_bytes: int) -> None:
    if header_bytes > MAX_HEADER_BYTES or payload_bytes > max_payload_bytes:
        sizes = f"{header_bytes:,} header bytes and {payload_bytes:,} payload bytes"
        raise MalformedError(f"the frame is too large: {sizes}")


def _header(text: bytes) -> dict[str, Any]:
    try:
        # `json` looks for other encodings in bytes.
        header = json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise MalformedError("the header is not valid JSON") from error
    if not isinstance(header, dict):
        raise MalformedError("the header is not a JSON object")
    return header


def _when_ready(connection: Socket, call: Callable[[], _T], *, writable: bool, deadline: float | None) -> _T:
    """Make a system call on a socket, waiting until the socket is ready for it."""
    while True:
        try:
            return call()
        except BlockingIOError:
            until_ready(connection, writable=writable, deadline=deadline)
        except ConnectionError as error:
            # Linux reports a reset if the other end closes its socket with unread data in it, and Windows
            # whenever the other end is killed.
            raise (GoneError if sys.platform == "win32" else UnreadError) from error


def _send_all(connection: Socket, data: memoryview, deadline: float | None) -> None:
    while data:
        call = partial(connection.send, data[:STEP_BYTES], _NO_SIGNAL)
        sent = _when_ready(connection, call, writable=True, deadline=deadline)
        data = data[sent:]


def _receive_some(connection: Socket, size: int, deadline: float | None) -> tuple[bytes, Descriptors]:
    call = partial(_receive_descriptors, connection, size)
    data, descriptors = _when_ready(connection, call, writable=False, deadline=deadline)
    if not data:
        raise GoneError
    return data, descriptors


def _receive_descriptors(connection: Socket, size: int) -> tuple[bytes, Descriptors]:
    """Receive bytes and descriptors; programs that the host starts must not inherit the descriptors."""
    # `socket.recv_fds` does not pass its flags on.
    close_on_exec = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
    ancillary_bytes = socket.CMSG_SPACE(MAX_DESCRIPTORS * array("i").itemsize)
    data, messages, flags, _ = connection.recvmsg(size, ancillary_bytes, close_on_exec)
    descriptors = Descriptors(_descriptors_in(messages))
    move_above_streams(descriptors)
    if not close_on_exec:
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only parameter
    if flags & socket.MSG_CTRUNC:
        # The kernel drops descriptors that would exceed the limit of this process.
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
    return data, descriptors


def _descriptors_in(messages: list[_Ancillary]) -> array[int]:
    numbers = array("i")
    for level, kind, content in messages:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
    return numbers


def _receive_bytes(connection: Socket, size: int, deadline: float | None) -> bytes:
    """Receive exactly this many bytes.

    In most cases, this is one call, in which the system fills a new object while other threads have the
    GIL: to fill a buffer with zeros and copy it later takes longer than all else that is done for an image.
    """
    parts = []
    while size:
        call = partial(connection.recv, min(size, _MOST_BYTES), _ALL)
        part = _when_ready(connection, call, writable=False, deadline=deadline)
        if not part:
            raise GoneError
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)

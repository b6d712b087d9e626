"""The job loop of a decoder process, which runs each job under resource limits.

The jobs are the keys of `JOBS`. Every response has a field `fit`: whether this process may get another
file. It is false after `MAX_FILES` files, if the process uses much memory, and after unexpected errors.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any, Final, TypeVar

from anyread._native import enter_sandbox
from anyread.decoding.host.children import GRACE_S, MAX_FILES
from anyread.decoding.protocol import Frame, GoneError, close_all, field, read_at, receive, send

from . import encoding, freed_memory, images, pages
from .core_file import CoreFile
from .damage import RefusalError
from .preload import isolate, preload_or_exit

if sys.platform == "win32":
    import msvcrt

    from anyread.decoding.host.windows import THIS_PROCESS, memory_of
else:
    import resource

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_RESIDENT_BYTES: Final = 256 * 1024 * 1024
MUCH_FREED_BYTES: Final = 16 * 1024 * 1024
"""How much more memory than at its start a decoder may use while it waits for its next file."""
PAUSE_S: Final = 1
"""Seconds without a file after which it returns what it has freed."""
MAX_FILE_BYTES: Final = 1 << 40
MAX_DESCRIPTORS: Final = 64
NICENESS: Final = 10
"""How much lower a decoder's scheduling priority is than the host's: a tenth of the host's share of a core.

Two files that are slow on purpose would otherwise take most of two cores from all other reads
(docs/design/011).
"""
_ALL_RESTRICTIONS: Final = 2
_REPETITIONS: Final = 10
"""How often the code of a job runs before the interpreter has specialized it."""
FONT_DIRECTORIES: Final = (
    b"/usr/share/fonts",
    b"/usr/share/X11/fonts",
    b"/usr/local/share/fonts",
)
"""The directories in which pdfium looks for fonts on Linux; nothing else can be opened."""

_File = TypeVar("_File", pages.PdfFile, CoreFile)
Response = tuple[dict[str, Any], tuple[bytes | bytearray, ...]]


def main(connection: socket.socket) -> None:
    """Run a decoder that was started without a fork server."""
    isolate(connection.fileno())
    preload_or_exit(connection)
    freed_memory.keep()
    send(connection, {"ready": os.getpid()})
    try:
        serve(connection)
    finally:
        os._exit(0)


def serve(connection: socket.socket) -> None:
    """Do jobs for the host until it closes the connection."""
    _set_limits()
    worker = _Worker(_MemoryUsage())
    _rehearse(worker)
    worker.restrictions = enter_sandbox(readable_directories=FONT_DIRECTORIES)
    worker.is_serving = True
    while True:
        try:
            worker.wait(connection)
            worker.serve_one(connection)
        except GoneError:
            return


def _rehearse(worker: _Worker) -> None:
    """Do a few small jobs, so that memory shared with the fork server is copied before a read waits."""
    client, server = socket.socketpair()
    for sample, wanted in images.samples():
        header = {"job": "image", "timeout_s": 60, "memory_bytes": 1 << 30, **wanted}
        send(client, header, sample)
        worker.serve_one(server)
        receive(client, max_payload_bytes=1 << 20)
    client.close()
    server.close()
    worker.files = 0


def specialize() -> None:
    """Run the code of a job until the interpreter has specialized it, for all later forks of this process."""
    memory = _MemoryUsage()
    try:
        worker = _Worker(memory)
        for _ in range(_REPETITIONS):
            _rehearse(worker)
    finally:
        memory.close()


def _set_limits() -> None:
    """Permanently drop the privileges and the priority that no decoder needs; on Windows the host does."""
    if sys.platform == "win32":
        return
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The host may have a lower limit, which only root may raise.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    maximum = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(MAX_DESCRIPTORS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


class _MemoryUsage:
    """The memory usage of this process, from a file that stays open: the sandbox forbids opening it later."""

    def __init__(self) -> None:
        try:
            self._statm = os.open("/proc/self/statm", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        except OSError:
            self._statm = -1

    def close(self) -> None:
        if self._statm >= 0:
            os.close(self._statm)
            self._statm = -1

    def address_space_bytes(self) -> int:
        return self._field(0)

    def resident_bytes(self) -> int:
        return self._field(1)

    def _field(self, index: int) -> int:
        if sys.platform == "win32":
            return memory_of(THIS_PROCESS).used_bytes
        if self._statm < 0:
            # Without /proc, the peak resident size is used for both; macOS counts it in bytes.
            unit = 1 if sys.platform == "darwin" else 1024
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return int(os.pread(self._statm, 200, 0).split()[index]) * resource.getpagesize()


class _Worker:
    """The jobs of a decoder, and the state that it keeps between them."""

    def __init__(self, memory: _MemoryUsage) -> None:
        self.files = 0
        self.file: pages.PdfFile | CoreFile | None = None
        self.memory = memory
        self.base_resident_bytes = self.resident_bytes = memory.resident_bytes()
        self.restrictions: list[str] = []
        self.is_serving = False
        """Whether its next file is one of the host."""

    def wait(self, connection: socket.socket) -> None:
        """Wait for a job; return freed memory to the system if none comes for a while."""
        if sys.platform == "win32" or self.resident_bytes < self.base_resident_bytes + MUCH_FREED_BYTES:
            return
        poll = select.poll()
        poll.register(connection, select.POLLIN)
        if not poll.poll(PAUSE_S * 1_000):
            freed_memory.release()
            self.resident_bytes = self.memory.resident_bytes()

    def serve_one(self, connection: socket.socket) -> None:
        """Receive one job and send the response."""
        with_descriptors = sys.platform != "win32"
        frame = receive(connection, max_payload_bytes=MAX_FILE_BYTES, with_descriptors=with_descriptors)
        response = self.respond(frame)
        if response is not None:
            send(connection, response[0], *response[1])

    def respond(self, frame: Frame) -> Response | None:
        """Do one job and return the response; `None` if the job has none."""
        header, _, payload, descriptors = frame
        if sys.platform == "win32":
            handles = header.get("handles", ())
            descriptors.extend(msvcrt.open_osfhandle(handle, os.O_RDONLY) for handle in handles)
        try:
            job = JOBS[field(header, "job", str)]
            result = job(self, header, payload, descriptors)
        except RefusalError as refusal:
            return {**refusal.header, "fit": self.is_fit() and not refusal.is_doubtful}, ()
        except MemoryError:
            return {"error": "memory", "fit": False}, ()
        finally:
            close_all(descriptors)
        if result is None:
            return None
        fields, payloads = result
        return {**fields, "fit": self.is_fit(), "restrictions": self.restrictions}, payloads

    def is_fit(self) -> bool:
        self.resident_bytes = self.memory.resident_bytes()
        return self.files < MAX_FILES and self.resident_bytes < MAX_RESIDENT_BYTES

    def begin(self, header: dict[str, Any]) -> None:
        """Begin with one file."""
        if header.get("requires_sandbox") and len(self.restrictions) < _ALL_RESTRICTIONS:
            raise RefusalError({"error": "sandbox"})
        self.files += 1
        if sys.platform == "win32":
            # The host has set limits, and kills this process when its time is up.
            return
        seconds = field(header, "timeout_s", int, maximum=10**9) + GRACE_S
        if self.files == 1 and self.is_serving:
            # In most cases the host has set lower limits already.
            memory_bytes = self.memory.address_space_bytes() + field(header, "memory_bytes", int)
            _lower(resource.RLIMIT_CPU, MAX_FILES * seconds)
            # macOS refuses values below the current size.
            if sys.platform != "darwin":
                _lower(resource.RLIMIT_AS, memory_bytes)
        # Without a handler, the signal kills the process even while it runs C code.
        signal.alarm(seconds)

    def end(self) -> None:
        """End with one file."""
        if sys.platform != "win32":
            signal.alarm(0)

    def image(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:
        """Fit one image, which is sent as a descriptor or as its bytes."""
        self.begin(header)
        try:
            data = _content(header, descriptors) if descriptors else payload
            fitted = images.fit(data, encoding.Wanted.from_header(header))
            return fitted.header(), (fitted.data,)
        finally:
            self.end()

    def describe(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:  # noqa: ARG002 - all jobs have them
        """Describe one image file, which is sent as a descriptor."""
        self.begin(header)
        try:
            return images.describe(_content(header, descriptors)), ()
        finally:
            self.end()

    def pdf(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:
        """Open a PDF, whose pages the next jobs request."""
        self.rest(header, payload, descriptors)
        self.begin(header)
        data = _content(header, descriptors) if descriptors else payload
        self.file = pages.PdfFile(data, passwords=field(header, "passwords", list))
        return self.file.header(), ()

    def page(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:  # noqa: ARG002 - all jobs have them
        """Return the text and the image of a page of the open PDF."""
        page = self.opened(pages.PdfFile).page(pages.WantedPage.from_header(header))
        return page.header, (page.text, page.image)

    def label(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:  # noqa: ARG002 - all jobs have them
        """Return the number of the page with a label of the open PDF, 0 if there is none."""
        return {"number": self.opened(pages.PdfFile).page_of(field(header, "label", str))}, ()

    def core(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:
        """Open a file whose content the core parses, as the next jobs request."""
        self.rest(header, payload, descriptors)
        self.begin(header)
        self.file = CoreFile(descriptors[0], field(header, "max_file_bytes", int))
        return {}, ()

    def call(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> Response:  # noqa: ARG002 - all jobs have them
        """Call a function of the core."""
        return self.opened(CoreFile).call(header, payload)

    def rest(self, header: dict[str, Any], payload: bytes, descriptors: list[int]) -> None:  # noqa: ARG002 - all jobs have them
        """Close the open file."""
        if self.file is not None:
            self.file.close()
            self.file = None
        self.end()

    def opened(self, kind: type[_File]) -> _File:
        if not isinstance(self.file, kind):
            raise RefusalError.damaged("no file is open")
        return self.file


JOBS: Final[dict[str, Callable[[_Worker, dict[str, Any], bytes, list[int]], Response | None]]] = {
    "image": _Worker.image,
    "describe": _Worker.describe,
    "pdf": _Worker.pdf,
    "page": _Worker.page,
    "label": _Worker.label,
    "core": _Worker.core,
    "call": _Worker.call,
    "rest": _Worker.rest,
}


def _content(header: dict[str, Any], descriptors: list[int]) -> bytes:
    """Read a whole file, so that a later change cannot make the sent bytes differ from the decoded ones.

    The reads have offsets because a descriptor shares its position with the host and other children.
    """
    maximum = field(header, "max_file_bytes", int)
    number = descriptors[0]
    if sys.platform == "win32":
        number = msvcrt.get_osfhandle(number)
    parts, offset = [], 0
    while part := read_at(number, 8 * 1024 * 1024, offset):
        parts.append(part)
        offset += len(part)
        if offset > maximum:
            raise RefusalError.too_large(offset, maximum, "bytes")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _lower(limit: int, maximum: int) -> None:
    """Lower a hard limit, unless it is lower already."""
    hard = resource.getrlimit(limit)[1]
    if hard == resource.RLIM_INFINITY or hard > maximum:
        resource.setrlimit(limit, (maximum, maximum))

"""The loop of one decoder process: a job comes in, an answer goes out, under limits of its own.

Jobs are the keys of `JOBS`. Every answer says by `fit` whether this process should get another file:
it says no after `MAX_JOBS` files, when it holds much memory, and after anything unexpected.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from anyread._native import enter_sandbox
from anyread.decoding.protocol import Frame, GoneError, blocking, close_all, field, receive, send

from . import images, pages
from .damage import RefusalError
from .preload import end_with, preload, shut_off

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_JOBS: Final = 32
MAX_RESIDENT_BYTES: Final = 256 * 1024 * 1024
MAX_FILE_BYTES: Final = 1 << 40
GRACE_S: Final = 2
"""Seconds after the host's deadline at which a child ends itself, if the host does not."""
MAX_DESCRIPTORS: Final = 64
STINT_S: Final = 0.0003
"""Seconds that a decoder gets itself ready in one go; it takes ten such stints."""
PAUSE_S: Final = 0.0005
"""Seconds between two stints."""
FONT_FOLDERS: Final = (
    b"/usr/share/fonts",
    b"/usr/share/X11/fonts",
    b"/usr/local/share/fonts",
)
"""Where pdfium looks for fonts on Linux; nothing else can be opened."""

Answer = tuple[dict[str, Any], tuple[bytes | bytearray, ...]]


def main(descriptor: int) -> None:
    """Be a decoder that was started by itself, where there is no zygote."""
    lifeline = descriptor + 1
    shut_off(keep=range(descriptor, lifeline + 1))
    end_with(lifeline)
    connection = socket.socket(fileno=descriptor)
    try:
        preload()
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must hear of it
        blocking(send(connection, {"unavailable": f"{type(error).__name__}: {error}"[:1000]}))
        os._exit(1)
    blocking(send(connection, {"ready": os.getpid()}))
    try:
        serve(connection)
    finally:
        os._exit(0)


def serve(connection: socket.socket) -> None:
    """Do the jobs of one host until it closes the connection."""
    _set_limits()
    worker = _Worker(_MemoryBudget())
    with _pauses(until=connection):
        _rehearse(worker)
    worker.walls = enter_sandbox(readable_folders=FONT_FOLDERS)
    while True:
        try:
            worker.serve_one(connection)
        except GoneError:
            return


def _rehearse(worker: _Worker) -> None:
    """Do a few small jobs for oneself.

    A forked child shares its memory until it writes to it; so it does now, while nobody waits for it.
    """
    asking, answering = socket.socketpair()
    for sample, wanted in images.samples():
        header = {"job": "image", "timeout_s": 60, "memory_bytes": 1 << 30, **wanted}
        blocking(send(asking, header, sample))
        worker.serve_one(answering)
        blocking(receive(asking, max_payload_bytes=1 << 20))
    asking.close()
    answering.close()
    worker.files = 0


@contextmanager
def _pauses(*, until: socket.socket) -> Iterator[None]:
    """Work in short stints until a first job comes.

    A decoder gets ready while others are at work; where all cores are taken, they wait for each stint.
    """
    due = perf_counter() + STINT_S

    def pause(*_: object) -> None:
        nonlocal due
        if perf_counter() > due:
            if select.select([until], [], [], PAUSE_S)[0]:
                sys.setprofile(None)
            due = perf_counter() + STINT_S

    # Python calls it at each call and return, of which none here takes long.
    sys.setprofile(pause)
    try:
        yield
    finally:
        sys.setprofile(None)


def _set_limits() -> None:
    """Permanently drop the privileges that no decoder needs."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # A host with a lower limit has passed it on, and only root may raise it.
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = MAX_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(MAX_DESCRIPTORS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


class _MemoryBudget:
    """How much memory this process takes; it is told by a file that stays open, as no other can be opened."""

    def __init__(self) -> None:
        try:
            self._told = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._told = -1

    def address_space_bytes(self) -> int:
        return self._field(0)

    def resident_bytes(self) -> int:
        return self._field(1)

    def _field(self, index: int) -> int:
        if self._told < 0:
            # Without /proc the most that was ever resident stands for both.
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return int(os.pread(self._told, 200, 0).split()[index]) * resource.getpagesize()


class _Worker:
    """What a child keeps from job to job."""

    def __init__(self, memory: _MemoryBudget) -> None:
        self.files = 0
        self.document: pages.PdfFile | None = None
        self.memory = memory
        # Limits are counted from what the loaded libraries take already.
        self.base_bytes = memory.address_space_bytes()
        self.walls: list[str] = []

    def serve_one(self, connection: socket.socket) -> None:
        """Take one job and answer it."""
        frame = blocking(receive(connection, max_payload_bytes=MAX_FILE_BYTES, with_descriptors=True))
        answer = self.answer(frame)
        if answer is not None:
            blocking(send(connection, answer[0], *answer[1]))

    def answer(self, frame: Frame) -> Answer | None:
        """Do one job; `None`: it has no answer."""
        header, payload, descriptors = frame
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
        answer, payloads = result
        return {**answer, "fit": self.is_fit(), "walls": self.walls}, payloads

    def is_fit(self) -> bool:
        return self.files < MAX_JOBS and self.memory.resident_bytes() < MAX_RESIDENT_BYTES

    def begin(self, header: dict[str, Any]) -> None:
        """Set the limits of one file."""
        self.files += 1
        seconds = field(header, "timeout_s", int, maximum=10**9) + GRACE_S
        # Without a handler the signal ends the process, whatever C code it is in.
        signal.alarm(seconds)
        used = resource.getrusage(resource.RUSAGE_SELF)
        cpu_s = int(used.ru_utime + used.ru_stime) + seconds
        _set_soft(resource.RLIMIT_CPU, cpu_s)
        _set_soft(resource.RLIMIT_AS, self.base_bytes + field(header, "memory_bytes", int))

    def end(self) -> None:
        """Lift the limits of a file; the next one's question must find room to be heard."""
        signal.alarm(0)
        _set_soft(resource.RLIMIT_AS, resource.RLIM_INFINITY)

    def image(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> Answer:
        """Fit one image, which comes as a descriptor or as its bytes."""
        self.begin(header)
        try:
            data = _content(header, descriptors) if descriptors else bytes(payload)
            fitted = images.fit(data, images.Wanted.from_header(header))
            return fitted.header(), (fitted.data,)
        finally:
            self.end()

    def describe(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> Answer:  # noqa: ARG002 - as all jobs
        """Describe one image file, which comes as a descriptor."""
        self.begin(header)
        try:
            return images.describe(_content(header, descriptors)), ()
        finally:
            self.end()

    def pdf(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> Answer:
        """Open a PDF, whose pages the next jobs ask for."""
        self.rest(header, payload, descriptors)
        self.begin(header)
        data = _content(header, descriptors) if descriptors else bytes(payload)
        self.document = pages.PdfFile(data, passwords=field(header, "passwords", list))
        return self.document.header(), ()

    def page(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> Answer:  # noqa: ARG002
        """Return text and image of a page of the open PDF."""
        page = self.opened().page(pages.WantedPage.from_header(header))
        return page.header, (page.text, page.picture)

    def original(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> Answer:  # noqa: ARG002
        """Return the open PDF as it is."""
        return {}, (self.opened().data,)

    def rest(self, header: dict[str, Any], payload: bytearray, descriptors: list[int]) -> None:  # noqa: ARG002
        """Let go of the open PDF."""
        if self.document is not None:
            self.document.close()
            self.document = None
        self.end()

    def opened(self) -> pages.PdfFile:
        if self.document is None:
            raise RefusalError.damaged("no document is open")
        return self.document


JOBS: Final[dict[str, Callable[[_Worker, dict[str, Any], bytearray, list[int]], Answer | None]]] = {
    "image": _Worker.image,
    "describe": _Worker.describe,
    "pdf": _Worker.pdf,
    "page": _Worker.page,
    "original": _Worker.original,
    "rest": _Worker.rest,
}


def _content(header: dict[str, Any], descriptors: list[int]) -> bytes:
    """Read a whole file: what is decoded is then what is handed on, whoever writes to it meanwhile.

    At offsets, because a descriptor shares its position with the host and with a second child.
    """
    maximum = field(header, "max_file_bytes", int)
    parts, offset = [], 0
    while part := os.pread(descriptors[0], 8 * 1024 * 1024, offset):
        parts.append(part)
        offset += len(part)
        if offset > maximum:
            raise RefusalError.too_large(offset, maximum, "bytes")
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _set_soft(limit: int, soft: int) -> None:
    # The hard limit stays, because the next file may be granted more.
    hard = resource.getrlimit(limit)[1]
    bounds = [bound for bound in (soft, hard) if bound != resource.RLIM_INFINITY]
    resource.setrlimit(limit, (min(bounds, default=resource.RLIM_INFINITY), hard))

"""File systems in user space: a minimal FUSE server in its own process.

`mounted` mounts a file system whose files hang. Every name exists in its only directory.
A request for a file named `hang-lookup…`, `hang-open…` or `hang-read…` blocks until its reader is killed.
All other files are small and readable at once.
A file named `moves…` is modified whenever it is read.
A file named `no-size…` reports no size; if its name contains `changes`, every read returns other content.

Source: linux/fuse.h, protocol 7.31.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

HEADER = struct.Struct("<IIQQIIIHH")
ANSWER = struct.Struct("<IiQ")
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET = 25, 26, 27, 28, 29, 36, 38, 42
PARALLEL_DIROPS = 1 << 18
"""Without it, one lookup that hangs blocks all others in the directory."""

ROOT = 1
DIRECT_IO = 1
MNT_DETACH = 2
NOT_PERMITTED = 77
"""The exit code of a server that has no permission to mount."""

libc = ctypes.CDLL(None, use_errno=True)


def text_of(name: str) -> bytes:
    """Return the content of a file."""
    return f"this is {name}\n".encode()


class Server:
    """Answers the requests of one mount, and logs each that gets no answer."""

    def __init__(self, device: int, log: int) -> None:
        self.device = device
        self.reads = 0
        self.log = log
        self.names: dict[int, str] = {}
        self.numbers: dict[str, int] = {}
        self.stuck: set[int] = set()
        self.handlers: dict[int, Callable[[int, bytes], bytes | None]] = {
            INIT: lambda _node, _body: struct.pack(
                "<IIIIHHIIHHI28x", 7, 31, 65536, PARALLEL_DIROPS, 64, 48, 65536, 1, 16, 0, 0
            ),
            LOOKUP: lambda _node, body: self.entry(body[:-1].decode()),
            GETATTR: lambda node, _body: (
                struct.pack("<QII", self.cache_s(node), 0, 0) + self.attributes(node)
            ),
            OPEN: self.open,
            READ: self.read,
            STATFS: lambda _node, _body: struct.pack("<5Q4I24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0),
            OPENDIR: lambda _node, _body: struct.pack("<QII", 0, 0, 0),
            **dict.fromkeys((READDIR, RELEASE, RELEASEDIR, FLUSH), lambda _node, _body: b""),
        }

    def serve(self) -> None:
        while True:
            try:
                request = os.read(self.device, 1 << 20)
            except OSError as error:
                if error.errno in {errno.EINTR, errno.ENOENT, errno.EAGAIN}:
                    continue
                # ENODEV: unmounted.
                return
            _, code, number, node, *_ = HEADER.unpack_from(request)
            body = request[HEADER.size :]
            if code == INTERRUPT:
                # The reader was killed, but stays until it gets an answer.
                (number,) = struct.unpack_from("<Q", body)
                if number in self.stuck:
                    self.stuck.discard(number)
                    self.answer(number, error=errno.EINTR)
                continue
            if code in {FORGET, BATCH_FORGET, DESTROY}:
                continue
            handler = self.handlers.get(code)
            if handler is None:
                self.answer(number, error=errno.ENOSYS)
            else:
                self.handle(number, code, partial(handler, node, body))

    def handle(self, number: int, code: int, handler: Callable[[], bytes | None]) -> None:
        answer = handler()
        if answer is None:
            self.stuck.add(number)
            os.write(self.log, f"{code}\n".encode())
        else:
            self.answer(number, answer)

    def answer(self, number: int, body: bytes = b"", *, error: int = 0) -> None:
        # ENOENT: the reader is gone.
        with contextlib.suppress(FileNotFoundError):
            os.write(self.device, ANSWER.pack(ANSWER.size + len(body), -error, number) + body)

    def entry(self, name: str) -> bytes | None:
        if name.startswith("hang-lookup"):
            return None
        node = self.numbers.setdefault(name, len(self.numbers) + ROOT + 1)
        self.names[node] = name
        return struct.pack("<QQQQII", node, 0, 60, self.cache_s(node), 0, 0) + self.attributes(node)

    def cache_s(self, node: int) -> int:
        """Return for how many seconds the kernel may cache the entry and the attributes of a file."""
        return 0 if self.names.get(node, "").startswith("moves") else 60

    def attributes(self, node: int) -> bytes:
        is_root = node == ROOT
        has_size = not is_root and not self.names[node].startswith("no-size")
        size = len(text_of(self.names[node])) if has_size else 0
        mode = stat.S_IFDIR | 0o755 if is_root else stat.S_IFREG | 0o644
        modified = self.reads if self.cache_s(node) == 0 else 0
        return struct.pack("<6Q10I", node, size, 1, 0, modified, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def open(self, node: int, _body: bytes) -> bytes | None:
        name = self.names[node]
        # The kernel would read nothing of a file without a size.
        flags = DIRECT_IO if name.startswith("no-size") else 0
        return None if name.startswith("hang-open") else struct.pack("<QII", 0, flags, 0)

    def read(self, node: int, body: bytes) -> bytes | None:
        name = self.names[node]
        self.reads += 1
        _, offset, size = struct.unpack_from("<QQI", body)
        shown = f"{name} {self.reads}" if "changes" in name else name
        return None if name.startswith("hang-read") else text_of(shown)[offset : offset + size]


def main(directory: str, log: str) -> None:
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={device},rootmode=40755,user_id={os.geteuid()},group_id={os.getegid()}"
        if libc.mount(b"stuck", directory.encode(), b"fuse.stuck", 0, options.encode()):
            raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError as error:
        print(error, flush=True)
        sys.exit(NOT_PERMITTED)
    print("mounted", flush=True)
    log_file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    Server(device, log_file).serve()


class Mount(NamedTuple):
    """A mounted server."""

    directory: Path
    log: Path
    server: subprocess.Popen[str]

    def stuck(self) -> int:
        """Return how many requests got no answer so far."""
        return len(self.log.read_text().splitlines())

    def hanging(self, count: int) -> list[Path]:
        """Return paths that hang, in turn when they are looked up, opened or read."""
        operations = ("lookup", "open", "read")
        return [self.directory / f"hang-{operations[number % 3]}-{number}" for number in range(count)]


@contextlib.contextmanager
def mounted(base: Path) -> Iterator[Mount]:
    """Mount the file system below `base`; skip the test where that is not permitted."""
    directory, log = base / "remote", base / "stuck.log"
    directory.mkdir()
    log.touch()
    # The server needs no packages, and starts faster without them and without coverage.
    command = [sys.executable, "-S", __file__, str(directory), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            status = server.stdout.readline().strip()
            if status != "mounted":
                assert server.wait() == NOT_PERMITTED, status
                import pytest

                pytest.skip(f"needs permission to mount FUSE file systems ({status})")
            # Wait for the answer to INIT: a lookup that begins earlier and hangs blocks all others.
            os.statvfs(directory)
            yield Mount(directory, log, server)
        finally:
            # Once the server is gone, requests that hang fail.
            server.kill()
            libc.umount2(bytes(directory), MNT_DETACH)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A file system whose files hang: the least server of the FUSE protocol, in a process of its own.

Its one folder has every name that is asked for. A file whose name begins with `hang-lookup`, `hang-open` or
`hang-read` gets no answer to that request until its reader dies; any other is small and reads at once.
One whose name begins with `moves` is modified whenever it is read.

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
from pathlib import Path
from typing import NamedTuple

import pytest

HEADER = struct.Struct("<IIQQIIIHH")
ANSWER = struct.Struct("<IiQ")
LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE = 1, 2, 3, 14, 15, 17, 18
FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, INTERRUPT, DESTROY, BATCH_FORGET = 25, 26, 27, 28, 29, 36, 38, 42
PARALLEL_DIROPS = 1 << 18
"""Without it one lookup that hangs holds up all others in the folder."""

ROOT = 1
MNT_DETACH = 2
NOT_PERMITTED = 77
"""The exit code of a server that may not mount."""

libc = ctypes.CDLL(None, use_errno=True)


def text_of(name: str) -> bytes:
    """Tell what a file holds."""
    return f"this is {name}\n".encode()


class Server:
    """Answer the requests of one mount, and write down each that is left without an answer."""

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
                struct.pack("<QII", self.patience(node), 0, 0) + self.attributes(node)
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
                # Its reader is being killed, and would not die before the answer.
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
            elif (answer := handler(node, body)) is None:
                self.stuck.add(number)
                os.write(self.log, f"{code}\n".encode())
            else:
                self.answer(number, answer)

    def answer(self, number: int, body: bytes = b"", *, error: int = 0) -> None:
        # ENOENT: its reader has gone.
        with contextlib.suppress(FileNotFoundError):
            os.write(self.device, ANSWER.pack(ANSWER.size + len(body), -error, number) + body)

    def entry(self, name: str) -> bytes | None:
        if name.startswith("hang-lookup"):
            return None
        node = self.numbers.setdefault(name, len(self.numbers) + ROOT + 1)
        self.names[node] = name
        return struct.pack("<QQQQII", node, 0, 60, self.patience(node), 0, 0) + self.attributes(node)

    def patience(self, node: int) -> int:
        """Give the seconds for which the kernel may keep what it was told of a file."""
        return 0 if self.names.get(node, "").startswith("moves") else 60

    def attributes(self, node: int) -> bytes:
        is_root = node == ROOT
        size = 0 if is_root else len(text_of(self.names[node]))
        mode = stat.S_IFDIR | 0o755 if is_root else stat.S_IFREG | 0o644
        modified = self.reads if self.patience(node) == 0 else 0
        return struct.pack("<6Q10I", node, size, 1, 0, modified, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def open(self, node: int, _body: bytes) -> bytes | None:
        return None if self.names[node].startswith("hang-open") else struct.pack("<QII", 0, 0, 0)

    def read(self, node: int, body: bytes) -> bytes | None:
        name = self.names[node]
        self.reads += 1
        _, offset, size = struct.unpack_from("<QQI", body)
        return None if name.startswith("hang-read") else text_of(name)[offset : offset + size]


def main(folder: str, log: str) -> None:
    try:
        device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        options = f"fd={device},rootmode=40755,user_id={os.geteuid()},group_id={os.getegid()}"
        if libc.mount(b"stuck", folder.encode(), b"fuse.stuck", 0, options.encode()):
            raise PermissionError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError as error:
        print(error, flush=True)
        sys.exit(NOT_PERMITTED)
    print("mounted", flush=True)
    Server(device, os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)).serve()


class Mount(NamedTuple):
    """A mounted server."""

    folder: Path
    log: Path
    server: subprocess.Popen[str]

    def stuck(self) -> int:
        """Count the requests that got no answer so far."""
        return len(self.log.read_text().splitlines())

    def hanging(self, count: int) -> list[Path]:
        """Name files that hang, in all three ways in turn."""
        ways = ("lookup", "open", "read")
        return [self.folder / f"hang-{ways[number % 3]}-{number}" for number in range(count)]


@contextlib.contextmanager
def mounted(base: Path) -> Iterator[Mount]:
    """Mount such a file system below `base`; the test is skipped where that is not permitted."""
    folder, log = base / "remote", base / "stuck.log"
    folder.mkdir()
    log.touch()
    command = [sys.executable, __file__, str(folder), str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            said = server.stdout.readline().strip()
            if said != "mounted":
                assert server.wait() == NOT_PERMITTED, said
                pytest.skip(f"needs permission to mount FUSE file systems ({said})")
            yield Mount(folder, log, server)
        finally:
            # Without its server a request that hangs is an error.
            server.kill()
            libc.umount2(bytes(folder), MNT_DETACH)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""S6: what is not a regular file is refused within 10 ms, by an error that names its kind."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pytest

import anyread
from anyread import errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torture.scoreboard import Scale, Score

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: /proc and devices")

Refusal: TypeAlias = tuple[type[errors.ReadError], str]
"""The class of an error, and the words in its text that name the kind of the file."""

DEVICE: Refusal = (errors.NotRegularFileError, "character device")
BLOCK_DEVICE: Refusal = (errors.NotRegularFileError, "block device")
FIFO: Refusal = (errors.NotRegularFileError, "a FIFO")
SOCKET: Refusal = (errors.NotRegularFileError, "a socket")
DIRECTORY: Refusal = (errors.DirectoryError, "a directory")
DANGLING: Refusal = (errors.NotFoundError, "a symbolic link whose target does not exist")
LOOP: Refusal = (errors.FileSystemError, "symbolic links form a loop")
NO_DIRECTORY: Refusal = (errors.FileSystemError, "Not a directory")
SECRET: Refusal = (errors.DeniedError, "deny rule")
UNREADABLE: Refusal = (errors.AccessError, "permission denied")

HERE: dict[str, Refusal] = {
    "fifo": FIFO,
    "./directory/../fifo": FIFO,
    "link_to_fifo": FIFO,
    "socket": SOCKET,
    "directory": DIRECTORY,
    "directory/": DIRECTORY,
    "link_to_directory": DIRECTORY,
    ".": DIRECTORY,
    "loop": LOOP,
    "ping/file": LOOP,
    "dangling": DANGLING,
    "dangling/file": DANGLING,
    "directory/../dangling": DANGLING,
    "n" * 256: (errors.BadPathError, "one of its names is too long"),
    "directory/" + "n" * 256: (errors.BadPathError, "one of its names is too long"),
    "directory/../" * 316: (errors.BadPathError, "longer than 4,095 bytes"),
    "": (errors.BadPathError, "it is empty"),
    "fifo\0": (errors.BadPathError, "a NUL byte"),
    "fifo/": NO_DIRECTORY,
    "socket/.": NO_DIRECTORY,
}
"""Paths below the directory of the fixture `here`."""
ELSEWHERE: dict[str, Refusal] = {
    **{f"/dev/{name}": DEVICE for name in ("null", "zero", "full", "random", "urandom", "tty", "console")},
    **{f"/dev/{name}": DEVICE for name in ("ptmx", "kmsg", "mem", "fuse", "watchdog", "hwrng", "net/tun")},
    **{f"/dev/{name}": BLOCK_DEVICE for name in ("vda", "sda", "nvme0n1", "loop0", "ram0")},
    **{f"/proc/{name}": SECRET for name in ("kmsg", "kcore", "self/mem", "self/environ")},
    **{f"/proc/{name}": SECRET for name in ("thread-self/mem", "thread-self/environ", "self/task/self/mem")},
    "/proc/self/fd": DIRECTORY,
    "/sys/kernel": DIRECTORY,
}
"""Paths of the system; not every system has all of them."""


class Case(NamedTuple):
    """A reader, a path, and how it must be refused."""

    reader: anyread.Reader
    path: str
    refusal: Refusal


@pytest.fixture
def here() -> Iterator[Path]:
    """Yield a directory with special files; its name is short, because that of a socket must be."""
    with tempfile.TemporaryDirectory() as name, socket.socket(socket.AF_UNIX) as listener:
        directory = Path(name)
        os.mkfifo(directory / "fifo")
        listener.bind(f"{name}/socket")
        (directory / "directory").mkdir()
        links = {"link_to_fifo": "fifo", "link_to_directory": "directory", "link_to_zero": "/dev/zero"}
        for link, target in {
            **links,
            "dangling": "nowhere",
            "loop": "loop",
            "ping": "pong",
            "pong": "ping",
        }.items():
            (directory / link).symlink_to(target)
        yield directory


@contextmanager
def opened_files(here: Path) -> Iterator[dict[str, Refusal]]:
    """Open a terminal, a FIFO and a socket, and yield their paths in `/dev/pts` and `/proc`."""
    controller, terminal = os.openpty()
    fifo = os.open(here / "fifo", os.O_RDWR)
    left, right = socket.socketpair()
    try:
        yield {
            os.ttyname(terminal): DEVICE,
            f"/proc/self/fd/{terminal}": DEVICE,
            f"/proc/self/fd/{fifo}": FIFO,
            f"/proc/self/fd/{left.fileno()}": SOCKET,
            f"/dev/fd/{fifo}": FIFO,
        }
    finally:
        left.close()
        right.close()
        for descriptor in (controller, terminal, fifo):
            os.close(descriptor)


def cases(here: Path, opened: dict[str, Refusal], monkeypatch: pytest.MonkeyPatch) -> Iterator[Case]:
    """Yield each path for each reader that can reach it."""
    anywhere, everything = anyread.Reader(), anyread.Reader(roots=["/"])
    readers = [anywhere, anyread.Reader(roots=[here])]
    with monkeypatch.context() as patch:
        patch.setenv("ANYREAD_PORTABLE", "1")
        readers.append(anyread.Reader(roots=[here]))
    for path, refusal in HERE.items():
        for reader in readers:
            whole = f"{here}/{path}" if reader is anywhere and path else path
            yield Case(reader, whole, refusal)
    existing = {path: refusal for path, refusal in ELSEWHERE.items() if Path(path).exists()}
    # A reader with roots does not follow the links in `/proc/self/fd`.
    for path, refusal in {**existing, **opened, f"{here}/link_to_zero": DEVICE}.items():
        yield Case(anywhere, path, refusal)
    for path, refusal in {**existing, f"{here}/link_to_zero": DEVICE}.items():
        yield Case(everything, path, refusal)


class Refusals:
    """Counts refusals, and measures how long they take."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self.slowest: tuple[float, str] = (0.0, "")
        """The longest time in seconds that a refusal took without its waits for a processor, and its path."""
        self.count = 0

    @contextmanager
    def expected(self, case: Case) -> Iterator[None]:
        """Expect that the block is refused as the case requires."""
        error: BaseException | None = None
        waited, started = waits_for_processor(), time.perf_counter()
        try:
            yield
        except Exception as refusal:  # noqa: BLE001 - its type is what is tested
            error = refusal
        elapsed = time.perf_counter() - started
        elapsed -= min(elapsed, waits_for_processor() - waited)
        self.count += 1
        self.slowest = max(self.slowest, (elapsed, case.path))
        wanted, words = case.refusal
        if not isinstance(error, wanted) or words not in str(error):
            self.failures.append(f"`{case.path}`: {error!r}")

    def record(self, score: Score, part: str) -> None:
        """Record them as a part of the row."""
        found = "; ".join(self.failures[:3])
        score("S6", part, failures=len(self.failures), of=self.count, unit="refusals", detail=found)
        seconds, path = self.slowest
        detail = f"`{path[:60]}`, without waits for a processor"
        score.figure("S6", f"slowest of the {part}", seconds * 1_000, "ms", must=10, detail=detail)


def waits_for_processor() -> float:
    """Return for how many seconds the threads of this process have waited for a processor."""
    try:
        files = [path.read_text() for path in Path("/proc/self/task").glob("*/schedstat")]
    except OSError:
        return 0.0
    return sum(int(text.split()[1]) for text in files) / 1e9


def descriptors() -> int:
    """Return the number of open descriptors."""
    return len(list(Path("/proc/self/fd").iterdir()))


async def read_all(found: list[Case], times: int, refusals: Refusals) -> None:
    """Read each path by blocking and asynchronously."""
    for _ in range(times):
        for case in found:
            with refusals.expected(case):
                case.reader.read_sync(case.path)
            with refusals.expected(case):
                await case.reader.read(case.path)


def test_special_files_are_refused_at_once(
    here: Path, scale: Scale, score: Score, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = Refusals()
    with opened_files(here) as opened:
        found = list(cases(here, opened, monkeypatch))
        # Classes and messages are imported by the first refusal of each kind.
        asyncio.run(read_all(found, 1, Refusals()))
        before = descriptors()
        asyncio.run(read_all(found, scale(2, 100), refusals))
        assert descriptors() == before
    refusals.record(score, "special files")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Run the block without the privileges of root if this process has them."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65_534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_unreadable_files_are_refused_at_once(here: Path, scale: Scale, score: Score) -> None:
    here.chmod(0o755)
    for name, mode in (("secret", 0), ("closed", 0), ("unlisted", 0o111)):
        path = here / name
        if name != "secret":
            path.mkdir()
            (path / "file").touch(0)
        else:
            path.touch()
        path.chmod(mode)
    refusals = Refusals()
    found = [
        Case(reader, path, UNREADABLE)
        for reader in (anyread.Reader(), anyread.Reader(roots=[here]))
        for path in (f"{here}/secret", f"{here}/closed/file", f"{here}/unlisted/file")
    ]
    for _ in range(2):
        with as_nobody():
            asyncio.run(read_all(found, scale(2, 100), refusals))
    refusals.record(score, "unreadable files")
    for name in ("closed", "unlisted"):
        (here / name).chmod(0o755)

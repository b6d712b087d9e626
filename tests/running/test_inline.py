"""Whether a read runs inline on the event loop or hops, and why, as `reader.stats()` counts it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Limits, errors

Reader = anyread.Reader

pytestmark = pytest.mark.anyio

POEM = "Tyger Tyger, burning bright,\nIn the forests of the night;\n"
# After a cache miss, no inline read is tried on the same mount for 2 ms.
PAUSE_S = 0.003
# A file that was rewritten within this time could go unnoticed, so its index is not trusted.
TICK_S = 0.03
ATTEMPTS = 5
MNT_DETACH = 2

libc = ctypes.CDLL(None, use_errno=True)


@pytest.fixture(autouse=True)
def _not_portable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset the variable of the suite's second run, because portable reads are never inline."""
    monkeypatch.delenv("ANYREAD_PORTABLE", raising=False)


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """Return a directory on a file system that supports `RWF_NOWAIT`."""
    probe = tmp_path / "probe"
    probe.write_bytes(b"x")
    descriptor = os.open(probe, os.O_RDONLY)
    try:
        os.preadv(descriptor, [bytearray(1)], 0, os.RWF_NOWAIT)
    except OSError as error:
        pytest.skip(f"needs temporary files on ext4, xfs or btrfs ({error.strerror})")
    finally:
        os.close(descriptor)
    return tmp_path


@pytest.fixture
def poem(disk: Path) -> Path:
    """Return a small file in the page cache, on a mount that has been read from."""
    return written(disk / "poem.txt", POEM)


def written(path: Path, text: str) -> Path:
    """Write a file and read it once, so that its mount is known."""
    path.write_text(text)
    assert Reader().read_sync(path, kind="text", limit=1).start_line == 1
    return path


def mount(kind: str, directory: Path, options: str = "") -> None:
    """Mount a file system, or skip the test if that is not permitted."""
    directory.mkdir()
    if libc.mount(kind.encode(), bytes(directory), kind.encode(), 0, options.encode()):
        reason = os.strerror(ctypes.get_errno())
        pytest.skip(f"needs permission to mount {kind} ({reason})")


def unmount(directory: Path) -> None:
    libc.umount2(bytes(directory), MNT_DETACH)


def drop_pages(path: Path) -> None:
    """Evict a file from the page cache."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(descriptor)


def risen_counters(reader: Any, before: dict[str, int]) -> set[str]:
    """Return the inline and hop counters that have risen since `before`."""
    counters = {name for name in before if name.startswith(("inline", "hop"))}
    return {name for name in counters if reader.stats()[name] > before[name]}


async def read_as(
    counter: str, reader: Any, path: Path, *, prepare: Callable[[], object] = lambda: None, **arguments: Any
) -> Any:
    """Read a file and assert the counter that rises: "inline", or the reason for a hop.

    It may need several attempts: a rename anywhere on the machine makes a lookup uncertain.
    """
    expected = {"inline"} if counter == "inline" else {"hops", counter}
    risen: set[str] = set()
    for _ in range(ATTEMPTS):
        time.sleep(PAUSE_S)
        prepare()
        before = reader.stats()
        page = await reader.read(path, **arguments)
        if (risen := risen_counters(reader, before)) == expected:
            return page
    pytest.fail(f"expected {counter}, but these counters rose: {sorted(risen)}")


# ---------------------------------------------------------------- devices


async def test_cached_file_is_read_inline(poem: Path) -> None:
    page = await read_as("inline", Reader(), poem)
    assert page.content == POEM


async def test_places_of_cached_files_are_read_inline(poem: Path) -> None:
    """One call for ten ranges took longer than ten calls, because it always waited for other threads."""
    written(poem.with_name("neighbor.txt"), POEM)
    reader, names = Reader(roots=[poem.parent]), ["poem.txt:1-1", "neighbor.txt:2-2", "poem.txt:2-2"]

    async def contents() -> list[str]:
        return [page.content async for page in reader.read_many(names) if isinstance(page, anyread.TextPage)]

    risen: set[str] = set()
    for _ in range(ATTEMPTS):
        time.sleep(PAUSE_S)
        before = reader.stats()
        assert await contents() == [POEM, POEM.splitlines(keepends=True)[1]]
        if (risen := risen_counters(reader, before)) == {"inline"}:
            break
    assert risen == {"inline"}
    # A file that really has such a name comes first, although its absence was known.
    poem.with_name("poem.txt:1-1").write_text("real\n")
    assert (await contents())[0] == "real\n"


async def test_file_outside_the_page_cache_hops(poem: Path) -> None:
    reader = Reader()
    page = await read_as("hop_pages", reader, poem, prepare=lambda: drop_pages(poem))
    assert page.content == POEM
    await read_as("inline", reader, poem)


async def test_cached_file_hops_after_a_cache_miss_on_its_mount(poem: Path) -> None:
    neighbor = written(poem.with_name("neighbor.txt"), POEM)
    cold, reader = Reader(), Reader()

    def miss() -> None:
        drop_pages(poem)
        before = cold.stats()
        cold.read_sync(poem)
        assert risen_counters(cold, before) <= {"hop_pages", "hop_lookup"}

    page = await read_as("hop_pages", reader, neighbor, prepare=miss)
    assert page.content == POEM


# ---------------------------------------------------------------- paths


async def test_file_below_a_root_is_read_inline(poem: Path) -> None:
    reader = Reader(roots=[poem.parent], deny=["**/.env"])
    (poem.parent / "link.txt").symlink_to("poem.txt")
    for path in (Path("poem.txt"), poem, Path("link.txt"), Path("./nothing/../poem.txt")):
        (poem.parent / "nothing").mkdir(exist_ok=True)
        page = await read_as("inline", reader, path)
        assert page.resolved_path == str(poem), path


async def test_refused_path_hops(poem: Path) -> None:
    secret = poem.with_name(".env")
    secret.write_text("PASSWORD=1\n")
    poem.with_name("harmless").symlink_to(".env")
    poem.with_name("out").symlink_to("/etc/hostname")
    reader = Reader(roots=[poem.parent], deny=["**/.env"])
    for name, error in [
        (".env", errors.DeniedError),
        ("harmless", errors.DeniedError),
        ("out", errors.OutsideRootError),
        (f"../{poem.parent.name}/poem.txt", errors.OutsideRootError),
        ("absent", errors.NotFoundError),
        (".", errors.DirectoryError),
        ("poem.txt/", errors.ReadError),
    ]:
        before = reader.stats()
        with pytest.raises(error):
            await reader.read(name)
        assert risen_counters(reader, before) == {"hops", "hop_lookup"}, name


# ---------------------------------------------------------------- work


async def test_file_larger_than_inline_bytes_hops(poem: Path) -> None:
    size = poem.stat().st_size
    await read_as("inline", Reader(limits=Limits(inline_bytes=size)), poem)
    await read_as("hop_work", Reader(limits=Limits(inline_bytes=size - 1)), poem)
    await read_as("hop_work", Reader(limits=Limits(inline_bytes=1)), poem)


async def test_window_of_a_large_file_is_read_inline_once_indexed(disk: Path) -> None:
    log = disk / "app.log"
    log.write_text("".join(f"{n} {'.' * (n % 60)}\n" for n in range(1, 100_001)))
    time.sleep(TICK_S)
    anyread.clear_caches()
    reader = Reader()
    hopped = await read_as("hop_work", reader, log, prepare=anyread.clear_caches, offset=90_000, limit=20)
    indexed = reader.stats()["indexed"]
    inline = await read_as("inline", reader, log, offset=90_000, limit=20)
    assert reader.stats()["indexed"] > indexed
    assert hopped.text == inline.text
    assert inline.content.startswith("90000 ")
    assert inline.total_lines == 100_000
    await read_as("hop_pages", reader, log, prepare=lambda: drop_pages(log), offset=90_000, limit=20)


async def test_long_text_in_a_stateful_encoding_hops(disk: Path) -> None:
    """One line of 64 KiB in ISO-2022-JP was decoded on the event loop, which took three milliseconds."""
    path = disk / "line.txt"
    path.write_bytes(("日本語" * 2_500).encode("iso2022_jp"))
    await read_as("hop_work", Reader(), path)
    path.write_bytes(("日本語\n" * 400).encode("iso2022_jp"))
    await read_as("inline", Reader(), path)


# ---------------------------------------------------------------- slow opens

SCANNER = """
import ctypes, os, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
CONTENT, ADD, MOUNT, OPEN_PERM, ALLOW = 4, 1, 16, 0x10000, 1
queue = libc.fanotify_init(CONTENT, os.O_RDONLY)
mask, directory = ctypes.c_uint64(OPEN_PERM), sys.argv[1].encode()
if queue < 0 or libc.fanotify_mark(queue, ADD | MOUNT, mask, -100, directory):
    print(os.strerror(ctypes.get_errno()), flush=True)
    sys.exit()
print("listening", flush=True)
while True:
    events = os.read(queue, 4096)
    while events:
        length, _, _, _, _, descriptor, _ = struct.unpack_from("=IBBHQii", events)
        time.sleep(float(sys.argv[2]))
        os.write(queue, struct.pack("=iI", descriptor, ALLOW))
        os.close(descriptor)
        events = events[length:]
"""


@pytest.fixture
def scanned(tmp_path: Path) -> Iterator[Path]:
    """Return a mount on which another process scans each opened file for 20 ms, like a virus scanner.

    It must be another process, because a read that waits for it holds the interpreter.
    """
    directory = tmp_path / "scanned"
    mount("tmpfs", directory)
    (directory / "poem.txt").write_text(POEM)
    # The first read of a mount hops.
    Reader().read_sync(directory / "poem.txt")
    command = [sys.executable, "-c", SCANNER, str(directory), "0.02"]
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as scanner:
            try:
                assert scanner.stdout is not None
                status = scanner.stdout.readline().strip()
                if status != "listening":
                    pytest.skip(f"needs permission for fanotify events ({status})")
                yield directory
            finally:
                scanner.kill()
    finally:
        unmount(directory)


async def test_slow_open_demotes_its_mount(scanned: Path, poem: Path) -> None:
    reader = Reader()
    path = scanned / "poem.txt"
    before = reader.stats()
    started = time.perf_counter()
    assert (await reader.read(path, kind="text")).content == POEM
    assert time.perf_counter() - started >= 0.02
    assert risen_counters(reader, before) == {"inline"}
    for _ in range(3):
        before = reader.stats()
        assert (await reader.read(path, kind="text")).content == POEM
        assert risen_counters(reader, before) == {"hops", "hop_slow_open"}
    # Other mounts are not affected.
    await read_as("inline", reader, poem)

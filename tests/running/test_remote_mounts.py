"""Reads on a file system that really hangs (`tests/helpers/fuse.py`) delay only their own callers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

import anyread
from anyread import Limits, errors
from anyread.running.workers import THREADS
from helpers import fuse
from helpers.waiting import PROMPTLY_S, ours, until

Reader = anyread.Reader

# A new mount is noticed within a second.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.slow,
    pytest.mark.usefixtures("own_threads", "no_coverage_of_processes"),
]

# How long the interpreter may take to exit.
EXIT_S = 15.0


@pytest.fixture
def remote(tmp_path: Path, own_threads: None) -> Iterator[fuse.Mount]:
    """Return a mount that hangs until the test ends."""
    with fuse.mounted(tmp_path) as mount:
        # The mount table may have been read a moment before this mount.
        until(lambda: is_remote(mount.directory))
        yield mount


def is_remote(directory: Path) -> bool:
    return Reader()._engine._live().remote_mount(os.fsencode(directory / "x")) is not None


def always_hops(**limits: Any) -> Any:
    return Reader(limits=Limits(inline_bytes=1, **limits))


@pytest.mark.catalogue(row=106)
async def test_stuck_reads_do_not_delay_local_ones(remote: fuse.Mount, poem: Path) -> None:
    reader = always_hops()
    # Threads of earlier tests may still wait for work.
    earlier = ours()
    async with anyio.create_task_group() as group:
        for path in remote.hanging(40):
            group.start_soon(reader.read, path)
        while remote.stuck() < THREADS:
            await anyio.sleep(0.005)
        with anyio.fail_after(PROMPTLY_S):
            for _ in range(100):
                assert (await reader.read(poem)).total_lines == 1
            results = [result async for result in reader.read_many([poem] * 20)]
            assert len(results) == 20
        assert reader.read_sync(poem).total_lines == 1
        assert always_hops(timeout_s=PROMPTLY_S).read_sync(poem).total_lines == 1
        # The number of threads stuck on one mount is limited.
        await anyio.sleep(0.05)
        assert remote.stuck() == THREADS
        assert len(ours() - earlier) <= 2 * THREADS
        group.cancel_scope.cancel()


async def test_cancelled_stuck_read_returns_at_once(remote: fuse.Mount, poem: Path) -> None:
    reader = Reader()
    for path in remote.hanging(3):
        expected = remote.stuck() + 1
        async with anyio.create_task_group() as group:
            group.start_soon(reader.read, path)
            with anyio.fail_after(PROMPTLY_S):
                while remote.stuck() < expected:
                    await anyio.sleep(0.005)
            group.cancel_scope.cancel()
            cancelled = time.monotonic()
        assert time.monotonic() - cancelled < PROMPTLY_S / 5
        assert remote.stuck() == expected
    assert (await reader.read(poem, kind="text")).total_lines == 1


@pytest.mark.catalogue(row=106)
async def test_timeout_ends_the_wait_for_a_stuck_read(remote: fuse.Mount, poem: Path) -> None:
    reader = Reader(limits=Limits(timeout_s=0.2))
    for path in remote.hanging(3):
        with anyio.fail_after(PROMPTLY_S), pytest.raises(errors.ReadTimeoutError) as caught:
            await reader.read(path)
        assert caught.value.timeout_s == 0.2
        assert caught.value.path == str(path)
        assert (await reader.read(poem, kind="text")).total_lines == 1


async def test_read_many_continues_past_stuck_files(remote: fuse.Mount, poem: Path) -> None:
    paths = [poem, *remote.hanging(3), poem, remote.directory / "well", poem]
    reader = Reader(limits=Limits(timeout_s=0.2))
    with anyio.fail_after(PROMPTLY_S):
        results = [result async for result in reader.read_many(paths)]
    assert [result.path for result in results] == [str(path) for path in paths]
    stuck = [type(result.error) for result in results if isinstance(result, anyread.Failed)]
    assert stuck == [errors.ReadTimeoutError] * 3
    assert [page.total_lines for page in results if isinstance(page, anyread.TextPage)] == [1, 1, 1, 1]


async def test_remote_file_is_read_like_any_other(remote: fuse.Mount, poem: Path) -> None:
    reader = Reader()
    link = poem.with_name("link")
    link.symlink_to(remote.directory)
    assert (await reader.read(remote.directory / "well", kind="text")).content == "this is well\n"
    assert (await reader.read(link / "well", kind="text")).content == "this is well\n"
    assert (await Reader(roots=[remote.directory]).read("well", kind="text")).content == "this is well\n"
    results = [result async for result in reader.read_many([poem, remote.directory / "well", poem])]
    assert [page.total_lines for page in results if isinstance(page, anyread.TextPage)] == [1, 1, 1]
    before = reader.stats()
    await reader.read(remote.directory / "well")
    after = reader.stats()
    assert after["hops"] == before["hops"] + 1
    assert after["inline"] == 0
    # Every name exists there, so that this one is no place, whether the file is read or only its size.
    for budget in (None, 1):
        found = reader.read_many([poem, f"{remote.directory}/well:1"] * 20, budget_tokens=budget)
        assert {result.path async for result in found} == {str(poem), f"{remote.directory}/well:1"}


@pytest.mark.parametrize("way", ["root", "link", "dots", "url"])
async def test_stuck_read_leaves_local_threads_free_however_it_is_reached(
    remote: fuse.Mount, poem: Path, way: str
) -> None:
    """Forty stuck reads of such paths must not use up the threads for local files."""
    link = poem.with_name("link")
    link.symlink_to("remote")
    reader = Reader(roots=[remote.directory]) if way == "root" else Reader()
    base = {
        "root": "",
        "link": f"{link}/",
        "dots": f"{remote.directory}/../link/./",
        "url": f"file://{remote.directory}/",
    }[way]
    async with anyio.create_task_group() as group:
        for path in remote.hanging(40):
            group.start_soon(reader.read, f"{base}{path.name}")
        while remote.stuck() < THREADS:
            await anyio.sleep(0.005)
        with anyio.fail_after(PROMPTLY_S):
            assert (await always_hops().read(poem)).total_lines == 1
        group.cancel_scope.cancel()


def test_read_continues_after_a_signal(remote: fuse.Mount) -> None:
    """After Ctrl-Z and `fg`, a read from a slow server ended with `EINTR`."""
    ended: list[object] = []
    (path,) = remote.hanging(1)

    def read() -> None:
        try:
            ended.append(Reader().read_sync(path))
        except anyread.ReadError as error:
            ended.append(error)

    before, handler = set(threading.enumerate()), signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        threading.Thread(target=read, daemon=True).start()
        until(lambda: remote.stuck() == 1)
        for thread in set(threading.enumerate()) - before:
            signal.pthread_kill(thread.ident or 0, signal.SIGUSR1)
        until(lambda: bool(ended) or remote.stuck() == 2)
        assert not ended
        # Killing the server ends the read.
        remote.server.kill()
        until(lambda: len(ended) == 1)
    finally:
        signal.signal(signal.SIGUSR1, handler)


STUCK = """
import asyncio, sys, threading, time
import anyread
way, directory = sys.argv[1:]
paths = [f"{directory}/hang-{('lookup', 'open', 'read')[n % 3]}-{n}" for n in range(20)]
reader = anyread.Reader()
async def main(sleep):
    async def one(path):
        await reader.read(path)
    if way == "trio":
        async with trio.open_nursery() as nursery:
            for path in paths:
                nursery.start_soon(one, path)
            await sleep(0.3)
            nursery.cancel_scope.cancel()
    else:
        tasks = [asyncio.create_task(one(path)) for path in paths]
        await sleep(0.3)
if way == "asyncio":
    asyncio.run(main(asyncio.sleep))
elif way == "trio":
    import trio
    trio.run(main, trio.sleep)
elif way == "sync":
    reader = anyread.Reader(limits=anyread.Limits(timeout_s=0.1))
    for path in paths[:3]:
        try:
            reader.read_sync(path)
        except anyread.ReadTimeoutError:
            pass
elif way == "loop in a daemon thread":
    threading.Thread(target=lambda: asyncio.run(main(lambda _: asyncio.sleep(60))), daemon=True).start()
    time.sleep(0.3)
print("ends", flush=True)
"""


@pytest.mark.parametrize("way", ["asyncio", "trio", "sync", "loop in a daemon thread"])
def test_interpreter_exits_despite_stuck_reads(remote: fuse.Mount, way: str) -> None:
    command = [sys.executable, "-c", STUCK, way, str(remote.directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "ends\n", process.stderr.read()
            assert remote.stuck() >= 3
            assert process.wait(EXIT_S) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_file_modified_while_it_is_opened_is_not_whole(remote: fuse.Mount) -> None:
    """A tool showed and hashed a mix of two states of a file, under the earlier version."""
    engine = anyread.Reader()._engine
    for name, is_whole in (("still.txt", True), ("moves.txt", False)):
        opened = engine.open(os.fsencode(remote.directory / name), repair=False, whole=1_000)
        assert (opened.head, opened.is_whole) == (fuse.text_of(name), is_whole)


def test_file_without_a_size_is_read_if_two_reads_agree(remote: fuse.Mount) -> None:
    """A file that was rewritten twice during a read has no size either, and a line mixed its two states."""
    reader = anyread.Reader()
    page = reader.read_sync(remote.directory / "no-size.txt", kind="text")
    assert page.content == fuse.text_of("no-size.txt").decode()
    with pytest.raises(anyread.FileChangedError):
        reader.read_sync(remote.directory / "no-size-changes.txt")

"""Calls on an event loop, in threads and in the thread of a caller: results, errors, ends, second starts."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest

import anyread
from anyread.running import calls, loop, threads
from anyread.running.calls import WorkTarget
from helpers.waiting import descriptors_of, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_threads")]

T = TypeVar("T")
TARGET = WorkTarget("x", lambda: None, lambda: None)


def work(function: Callable[[Any], T]) -> T:
    return calls.work(function, TARGET)


@pytest.mark.posix("/proc")
async def test_abandoned_call_closes_its_file_only_when_its_thread_ends(tmp_path: Path) -> None:
    """A decoder could have got the descriptor of another file, which had the same number meanwhile."""
    path = tmp_path / "a.txt"
    path.write_text("a")
    reader = anyread.Reader()
    opened, release = threading.Event(), threading.Event()

    def call() -> None:
        file = reader.open_sync(path)
        work(lambda _: opened.set())
        release.wait(30)
        assert os.fstat(file.opened.fileno()).st_ino == path.stat().st_ino
        usable.set()

    usable = threading.Event()
    async with anyio.create_task_group() as group:
        group.start_soon(loop.run, call)
        while not opened.is_set():
            await anyio.sleep(0.001)
        group.cancel_scope.cancel()
    assert descriptors_of(path) == 1
    release.set()
    until(lambda: not descriptors_of(path))
    assert usable.is_set()


async def test_cancelled_call_learns_that_nobody_waits_for_it() -> None:
    """Its thread was free only after the whole wait."""
    began, ended = threading.Event(), threading.Event()

    def call() -> None:
        work(lambda _: began.set())
        try:
            while True:
                work(lambda _: threading.Event().wait(0.01))
        finally:
            ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(loop.run, call)
        while not began.is_set():
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    until(ended.is_set)


class Interruption(BaseException):
    """Like KeyboardInterrupt."""


def test_signal_ends_the_wait_for_work_that_needs_its_flag() -> None:
    here, release = threading.get_ident(), threading.Event()
    began: list[int] = []

    def function(_: Any) -> bool:
        began.append(threading.get_ident())
        os.kill(os.getpid(), signal.SIGUSR1)
        return release.wait(30)

    def interrupt(*_: object) -> None:
        raise Interruption

    previous = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(Interruption):
            threads.run(lambda: calls.work(function, TARGET, needs_flag=True))
    finally:
        signal.signal(signal.SIGUSR1, previous)
        release.set()
    assert began
    assert here not in began


async def test_session_records_a_call_once_though_it_starts_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n" * 100)
    seen: list[Any] = []
    session = anyread.Session(on_read=seen.append)
    reader = anyread.Reader(session=session, limits=anyread.Limits(inline_bytes=1))
    await reader.read(path)
    await anyread.tool("opencode", reader=reader, session=session).call({"filePath": str(path)})
    assert len(seen) == 2

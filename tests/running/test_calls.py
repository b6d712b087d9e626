"""Calls on an event loop, in threads and in the thread of a caller: results, errors, ends, second starts."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest

import anyread
from anyread.running import calls, loop, threads
from anyread.running.calls import WorkTarget, at_end, current_call, once, with_decoder
from anyread.running.deadline import call_deadline
from waiting import descriptors_of, until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_threads")]

T = TypeVar("T")
TARGET = WorkTarget("x", lambda: None, lambda: None)


def work(function: Callable[[Any], T]) -> T:
    return calls.work(function, TARGET)


async def test_work_runs_in_another_thread_under_a_loop_or_deadline() -> None:
    here = threading.get_ident()

    def where() -> int:
        return work(lambda _: threading.get_ident())

    assert await loop.run(where) != here
    assert threads.run(where) == here
    with call_deadline("x", 30):
        assert threads.run(where) != here


async def test_call_without_work_runs_on_the_loop() -> None:
    assert await loop.run(threading.get_ident) == threading.get_ident()


@pytest.mark.parametrize("kind", [ValueError, OSError, anyread.NotFoundError])
async def test_move_to_a_thread_is_not_caught_as_an_error(kind: type[Exception]) -> None:
    def call() -> int:
        try:
            return work(lambda _: 1)
        except kind:
            return 2

    assert await loop.run(call) == 1


async def test_call_moves_from_the_loop_to_a_thread_and_to_a_decoder_thread() -> None:
    """It starts again in each, and what it kept or does at its end happens once."""
    places: list[str] = []
    opened: list[int] = []
    ended: list[int] = []

    def open_it() -> str:
        opened.append(1)
        return "opened"

    def call() -> str:
        places.append(current_call().place)
        at_end(partial(ended.append, len(places)))
        found = once("file", lambda: work(lambda _: open_it()))
        with_decoder(TARGET)
        return found

    assert await loop.run(call) == "opened"
    assert places == ["loop", "thread", "decoder"]
    assert (opened, ended) == ([1], [3])
    places.clear()
    ended.clear()
    assert threads.run(call) == "opened"
    assert places == ["caller", "decoder"]
    assert ended == [2]


async def test_call_on_a_mount_that_may_hang_runs_in_its_threads() -> None:
    places: list[str] = []
    remote = WorkTarget("x", lambda: 7, lambda: None)

    def call() -> None:
        places.append(current_call().place)
        work(lambda _: None)
        calls.work(lambda _: None, remote)

    await loop.run(call)
    assert places == ["loop", "thread", "mount"]


async def test_nothing_happens_at_the_end_of_a_call_that_fails() -> None:
    ended: list[int] = []

    def call() -> None:
        at_end(partial(ended.append, 1))
        work(lambda _: 1 // 0)

    with pytest.raises(ZeroDivisionError):
        await loop.run(call)
    with pytest.raises(ZeroDivisionError):
        threads.run(call)
    assert ended == []


async def test_call_past_its_deadline_times_out() -> None:
    release = threading.Event()

    def call() -> bool:
        return work(lambda _: release.wait(30))

    with pytest.raises(anyread.ReadTimeoutError, match="`late`"), call_deadline("late", 0.05):
        threads.run(call)
    with pytest.raises(anyread.ReadTimeoutError, match="`late`"), call_deadline("late", 0.05):
        await loop.run(call)
    release.set()


@pytest.mark.parametrize("fails", [False, True])
async def test_end_of_a_call_closes_what_it_opened(tmp_path: Path, fails: bool) -> None:
    path = tmp_path / "a.txt"
    path.write_text("a")
    reader = anyread.Reader()
    files = []

    def call() -> None:
        files.append(reader.open_sync(path))
        work(lambda _: None)
        if fails:
            raise KeyError

    for _ in range(3):
        with suppress(KeyError):
            await loop.run(call)
        with suppress(KeyError):
            threads.run(call)
    assert not descriptors_of(path)
    files = [reader.open_sync(path), await reader.open(path)]
    assert descriptors_of(path) == len(files)


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


def test_progress_is_reported_while_work_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "TICK_S", 0.001)
    reported = threading.Event()
    seen: list[int] = []

    def report(scanned: int) -> None:
        seen.append(scanned)
        reported.set()

    assert threads.run(lambda: work(lambda _: reported.wait(30)), progress=report)
    assert seen[0] == 0


async def test_session_records_a_call_once_though_it_starts_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n" * 100)
    seen: list[Any] = []
    session = anyread.Session(on_read=seen.append)
    reader = anyread.Reader(session=session, limits=anyread.Limits(inline_bytes=1))
    await reader.read(path)
    await anyread.tool("opencode", reader=reader, session=session).call({"filePath": str(path)})
    assert len(seen) == 2

"""Threads for hops: their number and lifetime, several event loops, and the interpreter's exit."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import trio

import anyread
from anyread import Limits
from anyread.running import workers
from anyread.running.calls import Call, WorkTarget
from anyread.running.workers import Job
from helpers.waiting import PROMPTLY_S, ours, until

Reader = anyread.Reader

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_threads")]

# How long the interpreter may take to exit.


def always_hops(**limits: Any) -> Any:
    return Reader(limits=Limits(inline_bytes=1, **limits))


async def test_read_while_another_thread_imports_trio(poem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read raised AttributeError, because the module was there but did not have its names yet."""
    if asyncio._get_running_loop() is None:
        pytest.skip("trio has been imported where it runs")
    monkeypatch.setitem(sys.modules, "trio", ModuleType("trio"))
    assert (await always_hops().read(poem)).total_lines == 1


# ---------------------------------------------------------------- the threads themselves


def about_x(function: Callable[..., Any], remote_mount: Callable[[], int | None] = lambda: None) -> Job[Any]:
    """Return a call about a file named x."""
    target = WorkTarget("x", remote_mount, lambda: None)
    return Job(Call(), partial(function, None), target, decodes=False)


def run_job(work: Callable[[], Any], remote_mount: Callable[[], int | None] = lambda: None) -> Any:
    """Run work in a thread as a read does, and return its result."""
    done = threading.Event()
    job = about_x(lambda _cancel: work(), remote_mount)
    job.start(done.set)
    assert done.wait(PROMPTLY_S), "the work has neither a result nor an error"
    return job.outcome()


def test_threads_end_when_idle() -> None:
    before = ours()
    for _ in range(3):
        assert run_job(lambda: threading.current_thread() in before) is False
        assert ours() - before
        until(lambda: not ours() - before)
    assert workers._pool(None)._threads == set()


@pytest.mark.parametrize("mount", [None, 7])
def test_failing_thread_start_raises_an_error(monkeypatch: pytest.MonkeyPatch, mount: int | None) -> None:
    """The wait for a thread that could not be started never ended, or ended with a bare `RuntimeError`."""
    start = threading.Thread.start
    started = ["for local files"] * (mount is None)

    def refuse(thread: threading.Thread) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append("for local files")
        start(thread)

    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refuse)
        with pytest.raises(anyread.FileSystemError, match="cannot start a thread for `x`"):
            run_job(lambda: 1, remote_mount=lambda: mount)
    assert run_job(lambda: 1, remote_mount=lambda: mount) == 1
    until(lambda: workers._pool(mount)._threads == set())


def interrupt_while_it_starts(thread: threading.Thread) -> None:
    """Do what `start` does if a signal handler raises while it waits: its lock hides the exception."""
    try:
        raise KeyboardInterrupt
    finally:
        raise RuntimeError("release unlocked lock")


def test_ctrl_c_while_a_thread_starts_is_raised_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """It became a `FileSystemError` about a missing thread, so Ctrl-C seemed to be ignored."""
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", interrupt_while_it_starts)
        with pytest.raises(KeyboardInterrupt):
            run_job(lambda: 1)
    assert run_job(lambda: 1) == 1


# ---------------------------------------------------------------- loops


async def test_loops_in_several_threads_read_at_once(poem: Path) -> None:
    """trio runs in this thread while asyncio runs in another, and vice versa."""
    reader = always_hops()
    counts: dict[str, int] = {}

    async def reads(name: str) -> None:
        for _ in range(50):
            assert (await reader.read(poem)).total_lines == 1
            counts[name] = counts.get(name, 0) + 1

    others = [
        threading.Thread(target=asyncio.run, args=(reads("asyncio"),)),
        threading.Thread(target=trio.run, args=(reads, "trio")),
    ]
    for thread in others:
        thread.start()
    await reads("here")
    for thread in others:
        thread.join(PROMPTLY_S)
    assert counts == {"asyncio": 50, "trio": 50, "here": 50}


# ---------------------------------------------------------------- interpreter exit

"""Threads for hops: their number and lifetime, several event loops, and the interpreter's exit."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import count, repeat
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import trio

import anyread
from anyread import Limits
from anyread.running import workers
from anyread.running.calls import Call, WorkTarget
from anyread.running.workers import BUSY_TASKS, THREADS, WAITING_THREADS, Job
from waiting import PROMPTLY_S, ours, until

Reader = anyread.Reader

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_threads")]

# How long the interpreter may take to exit.
EXIT_S = 15.0


def always_hops(**limits: Any) -> Any:
    return Reader(limits=Limits(inline_bytes=1, **limits))


async def test_read_while_another_thread_imports_trio(poem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read raised AttributeError, because the module was there but did not have its names yet."""
    if asyncio._get_running_loop() is None:
        pytest.skip("trio has been imported where it runs")
    monkeypatch.setitem(sys.modules, "trio", ModuleType("trio"))
    assert (await always_hops().read(poem)).total_lines == 1


# ---------------------------------------------------------------- the threads themselves


def remote() -> int:
    """Return the mount of a file on a server."""
    return 7


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


def test_threads_are_kept_while_there_is_work() -> None:
    """A thread that has finished takes the next work; another starts only if none is free."""
    for _ in range(200):
        run_job(lambda: None)
    assert 1 <= len(ours()) <= 5


def test_work_submitted_while_the_last_thread_ends_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that arrives just as the last idle thread ends is still done."""
    monkeypatch.setattr(workers, "IDLE_S", 0.001)
    for number in range(200):
        time.sleep(0.001 * (number % 4) / 4)
        assert run_job(partial(int, number)) == number


def wait_at(gate: threading.Event, _cancel: Any) -> None:
    gate.wait(PROMPTLY_S)


def test_threads_end_though_another_took_the_task_that_woke_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread whose wait ended as another one took the task then waited forever."""
    monkeypatch.setattr(workers, "IDLE_S", 0.001)
    before, interval = ours(), sys.getswitchinterval()
    # Threads lose the GIL between any two steps.
    sys.setswitchinterval(1e-6)
    try:
        for number in range(600):
            if len(ours()) < WAITING_THREADS:
                gate = threading.Event()
                for _ in range(WAITING_THREADS):
                    about_x(partial(wait_at, gate), remote).start(int)
                gate.set()
            # The waits of all threads end at about the time of this task.
            time.sleep(workers.IDLE_S * (0.9 + number % 20 / 100))
            about_x(int, remote).start(int)
    finally:
        sys.setswitchinterval(interval)
    until(lambda: not ours() - before)


def test_number_of_threads_per_mount_is_limited() -> None:
    gate = threading.Event()
    running: list[int] = []
    done = [threading.Event() for _ in range(100)]

    def work(number: int, _cancel: Any) -> None:
        running.append(number)
        gate.wait(PROMPTLY_S)

    for number, finished in enumerate(done):
        mount = partial({0: 7}.get, number % 2)
        about_x(partial(work, number), mount).start(finished.set)
    until(lambda: len(running) == 2 * THREADS)
    time.sleep(0.02)
    assert len(running) == 2 * THREADS
    assert {number % 2 for number in running} == {0, 1}
    gate.set()
    assert all(finished.wait(PROMPTLY_S) for finished in done)
    assert sorted(running) == list(range(100))


class Gated:
    """Tasks that wait until `open` is called, while the clock of the threads stands still.

    Args:
        monkeypatch: Replaces the clock, and the sleep of the thread that lets others work.
        mount: The mount that all tasks are about.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, mount: Callable[[], int | None]) -> None:
        self.running: list[int] = []
        self._now = time.perf_counter()
        self._sleepers = threading.Semaphore(0)
        clock = SimpleNamespace(sleep=self._sleep, perf_counter=lambda: self._now)
        monkeypatch.setattr(workers, "time", clock)
        self._gate = threading.Event()
        self._finished = [threading.Event() for _ in range(20)]
        for number, finished in enumerate(self._finished):
            about_x(partial(self._wait, number), mount).start(finished.set)

    def _sleep(self, _seconds: float) -> None:
        self._sleepers.acquire(timeout=PROMPTLY_S)

    def _wait(self, number: int, _cancel: Any) -> None:
        self.running.append(number)
        self._gate.wait(PROMPTLY_S)

    def expect_running(self, number: int) -> None:
        """Check that so many tasks run, and no more."""
        until(lambda: len(self.running) == number)
        time.sleep(0.02)
        assert len(self.running) == number

    def after_a_while(self, holds: Callable[[], bool]) -> bool:
        """Let all tasks that run become long, and return what `holds` does."""
        self._now += 2 * workers.LONG_S
        self._sleepers.release()
        return holds()

    def open(self) -> None:
        self._gate.set()
        assert all(finished.wait(PROMPTLY_S) for finished in self._finished)
        for mount in (None, 0):
            pool = workers._pool(mount)
            until(partial(self.after_a_while, partial(has_no_watcher, pool)))


@pytest.mark.parametrize("mount", [lambda: None, lambda: 0])
def test_more_threads_work_only_while_tasks_are_long(
    monkeypatch: pytest.MonkeyPatch, mount: Callable[[], int | None]
) -> None:
    """With sixteen threads that finish at the same time, the event loop waited for the GIL."""
    gated = Gated(monkeypatch, mount)
    gated.expect_running(WAITING_THREADS)
    until(lambda: gated.after_a_while(lambda: len(gated.running) == THREADS))
    gated.open()


@pytest.mark.parametrize("has_waited", [True, False])
def test_only_spare_cores_work_if_tasks_do_not_wait(
    monkeypatch: pytest.MonkeyPatch, *, has_waited: bool
) -> None:
    """Threads that read cached pages delayed the event loop, and each other."""
    waits = count() if has_waited else repeat(1)
    monkeypatch.setattr(workers, "thread_waits", partial(next, waits))
    # While a task runs, the threads remember what the others did. It takes long, so it does not count.
    gate = threading.Event()
    about_x(partial(wait_at, gate)).start(int)
    for _ in range(2 * BUSY_TASKS):
        run_job(partial(time.sleep, workers.LONG_S / 2))
    gated = Gated(monkeypatch, lambda: None)
    gated.expect_running(WAITING_THREADS if has_waited else workers._spare_cores())
    gate.set()
    gated.open()


def has_no_watcher(pool: Any) -> bool:
    return pool._watcher is None


def test_error_is_raised_to_the_waiting_caller() -> None:
    def fails() -> Any:
        raise KeyError("x")

    with pytest.raises(KeyError):
        run_job(fails)
    with pytest.raises(KeyError):
        run_job(lambda: None, remote_mount=fails)
    assert run_job(lambda: 1) == 1


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


def test_thread_that_cannot_start_is_reported_while_the_caller_handles_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    try:
        int("an error that the caller handles")
    except ValueError:
        with monkeypatch.context() as limited:
            limited.setattr(threading.Thread, "start", refuse)
            with pytest.raises(anyread.FileSystemError, match="cannot start a thread for `x`"):
                run_job(lambda: 1)


def test_work_is_done_by_one_thread_if_no_more_can_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "IDLE_S", 1)
    assert run_job(lambda: 1) == 1

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    finished = [threading.Event() for _ in range(20)]
    with monkeypatch.context() as limited:
        limited.setattr(threading.Thread, "start", refuse)
        for event in finished:
            about_x(lambda _cancel: None).start(event.set)
        assert all(event.wait(PROMPTLY_S) for event in finished)


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


def test_reads_with_trio_as_a_guest_of_asyncio(poem: Path) -> None:
    reader = always_hops()

    async def guest() -> int:
        with trio.move_on_after(PROMPTLY_S):
            return sum([(await reader.read(poem)).total_lines for _ in range(20)])
        return 0

    async def host() -> Any:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[Any] = loop.create_future()
        trio.lowlevel.start_guest_run(
            guest, run_sync_soon_threadsafe=loop.call_soon_threadsafe, done_callback=ended.set_result
        )
        own = sum([(await reader.read(poem)).total_lines for _ in range(20)])
        return own, (await ended).unwrap()

    assert asyncio.run(host()) == (20, 20)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forked_child_hops_to_its_own_threads(poem: Path) -> None:
    reader = always_hops(timeout_s=PROMPTLY_S)
    assert reader.read_sync(poem).total_lines == 1
    assert ours()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            watched = reader.read_sync(poem).total_lines
            hopped = asyncio.run(reader.read(poem)).total_lines
            code = 0 if (watched, hopped) == (1, 1) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert reader.read_sync(poem).total_lines == 1


# ---------------------------------------------------------------- interpreter exit

# Before 3.14, CPython ends a thread that returns to Python during finalization, wherever it is.
ENDING = """
import asyncio, sys, threading, time
import anyread
what, path, delay_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
reader = anyread.Reader(limits=anyread.Limits(inline_bytes=1))
async def one():
    while True:
        if what == "scans":
            anyread.clear_caches()
        try:
            await reader.read(path, offset=20_000, limit=2)
        except anyread.ReadError:
            pass
async def main(seconds):
    tasks = [asyncio.create_task(one()) for _ in range(8)]
    await asyncio.sleep(seconds)
def in_a_thread():
    asyncio.run(main(60))
if what == "loops":
    for _ in range(3):
        threading.Thread(target=in_a_thread, daemon=True).start()
    time.sleep(delay_s)
else:
    asyncio.run(main(delay_s))
sys.exit(3)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["scans", "errors", "loops"])
def test_reads_at_interpreter_exit_do_not_abort_it(tmp_path: Path, what: str) -> None:
    log = tmp_path / "app.log"
    log.write_text("".join(f"{n} {'.' * (n % 60)}\n" for n in range(1, 40_001 if what == "scans" else 101)))
    for number in range(18):
        run = subprocess.run(
            [sys.executable, "-c", ENDING, what, str(log), str(0.02 + number * 0.0007)],
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert (run.returncode, run.stderr) == (3, ""), number


def test_local_scan_does_not_delay_interpreter_exit(tmp_path: Path) -> None:
    """Counting the lines of a sparse log of 1 TiB takes minutes."""
    huge = tmp_path / "huge.log"
    huge.write_bytes(b"line\n" * 4_000)
    os.truncate(huge, 1 << 40)
    code = (
        "import asyncio, sys, anyread\n"
        "async def main():\n"
        "    task = asyncio.create_task(anyread.read(sys.argv[1], offset=10**9))\n"
        "    await asyncio.sleep(0.1)\n"
        "    print('ends', flush=True)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code, str(huge)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline() == "ends\n"
            assert process.wait(EXIT_S) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()

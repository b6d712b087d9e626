"""Steps on both drivers: results, errors, deadlines, cancellation and concurrency."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest

import anyread
from anyread.running import loop, threads
from anyread.running.deadline import call_deadline
from anyread.running.effects import All, Effect, Wait, Work, WorkTarget

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread.running.effects import Steps

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("own_threads")]

T = TypeVar("T")
NOW = Wait(None, writable=False, deadline=0.0)


def work(function: Callable[[Any], T]) -> Work[T]:
    return Work(function, WorkTarget("x", lambda: None, lambda: None))


def ticking(count: int, log: list[str], name: str) -> Steps[str]:
    for number in range(count):
        log.append(f"{name}{number}")
        assert not (yield from NOW)
    return name


def failing(log: list[str]) -> Steps[str]:
    yield from NOW
    log.append("fails")
    raise LookupError("no")


# ---------------------------------------------------------------- sequential steps


def adding() -> Steps[int]:
    first = yield from work(lambda _: 1)
    yield from NOW
    both = yield from All([ticking(1, [], "a"), ticking(2, [], "b")], at_once=2)
    return first + len(both)


async def test_both_drivers_run_every_effect() -> None:
    assert threads.run(adding()) == 3
    assert await loop.run(adding()) == 3


async def test_work_runs_in_another_thread_under_a_loop_or_deadline() -> None:
    here = threading.get_ident()

    def where() -> Steps[int]:
        return (yield from work(lambda _: threading.get_ident()))

    assert await loop.run(where()) != here
    assert threads.run(where()) == here
    with call_deadline("x", 30):
        assert threads.run(where()) != here


async def test_error_of_work_is_raised_at_its_yield() -> None:
    def catching() -> Steps[str]:
        try:
            yield from work(lambda _: str(1 // 0))
        except ZeroDivisionError:
            return (yield from work(lambda _: "caught"))
        return "not raised"

    assert threads.run(catching()) == "caught"
    assert await loop.run(catching()) == "caught"


async def test_uncaught_error_reaches_the_caller() -> None:
    with pytest.raises(LookupError):
        threads.run(failing([]))
    with pytest.raises(LookupError):
        await loop.run(failing([]))


async def test_yielding_anything_but_an_effect_raises_type_error() -> None:
    def odd() -> Any:
        yield "x"

    with pytest.raises(TypeError, match="no effect: 'x'"):
        threads.run(odd())
    with pytest.raises(TypeError, match="no effect: 'x'"):
        await loop.run(odd())
    assert isinstance(NOW, Effect)


# ---------------------------------------------------------------- deadlines and cancellation


async def test_work_past_its_deadline_times_out_on_both_drivers() -> None:
    release = threading.Event()

    def steps() -> Steps[bool]:
        return (yield from work(lambda _: release.wait(30)))

    with pytest.raises(anyread.ReadTimeoutError, match="`late`"), call_deadline("late", 0.05):
        threads.run(steps())
    with pytest.raises(anyread.ReadTimeoutError, match="`late`"), call_deadline("late", 0.05):
        await loop.run(steps())
    release.set()


async def test_cancelled_task_closes_its_steps() -> None:
    closed: list[bool] = []
    release = threading.Event()

    def steps() -> Steps[None]:
        try:
            yield from work(lambda _: release.wait(30))
        finally:
            closed.append(True)

    with anyio.move_on_after(0.05) as scope:
        await loop.run(steps())
    release.set()
    assert scope.cancelled_caught
    assert closed == [True]


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
            threads.run(iter(Work(function, work(function).target, needs_flag=True)))
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

    def steps() -> Steps[bool]:
        return (yield from work(lambda _: reported.wait(30)))

    assert threads.run(steps(), progress=report)
    assert seen[0] == 0


# ---------------------------------------------------------------- concurrent steps


def test_concurrent_steps_take_turns_in_a_thread() -> None:
    log: list[str] = []
    several = [ticking(3, log, "a"), ticking(0, log, "b"), ticking(2, log, "c"), ticking(1, log, "d")]
    assert threads.run(iter(All(several, at_once=2))) == ["a", "b", "c", "d"]
    assert log == ["a0", "c0", "a1", "c1", "a2", "d0"]


async def test_concurrent_steps_take_turns_on_a_loop() -> None:
    log: list[str] = []
    several = [ticking(3, log, "a"), ticking(0, log, "b"), ticking(2, log, "c")]
    assert await loop.run(iter(All(several, at_once=2))) == ["a", "b", "c"]
    assert {"a2", "c1"} <= set(log)


async def test_first_failure_ends_the_other_steps_on_both_drivers() -> None:
    async def here(steps: Steps[Any]) -> Any:
        return threads.run(steps)

    for run in (here, loop.run):
        log: list[str] = []
        other = ticking(100_000, log, "a")
        with pytest.raises(LookupError):
            await run(iter(All([other, failing(log)], at_once=2)))
        assert list(other) == []
        assert len(log) < 1_000


async def test_no_concurrent_steps_return_an_empty_list() -> None:
    assert threads.run(iter(All([], at_once=2))) == []
    assert await loop.run(iter(All([], at_once=2))) == []


class Doorbell:
    """An event that happens once, in another thread."""

    def __init__(self) -> None:
        self.has_rung = False
        self.wake: Callable[[], object] = lambda: None
        self.is_heard = threading.Event()

    def listen(self, wake: Callable[[], object]) -> None:
        self.wake = wake
        self.is_heard.set()
        if self.has_rung:
            wake()

    def ring(self) -> None:
        self.is_heard.wait(30)
        self.has_rung = True
        self.wake()


def waiting(bell: Doorbell) -> Steps[bool]:
    return (yield from Wait(None, writable=False, deadline=None, bell=bell))


def test_bell_wakes_steps_that_run_with_others() -> None:
    bell, log = Doorbell(), list[str]()
    ringer = threading.Thread(target=bell.ring)
    ringer.start()
    assert threads.run(iter(All([waiting(bell), ticking(2, log, "a")], at_once=2))) == [True, "a"]
    ringer.join(30)
    assert log == ["a0", "a1"]

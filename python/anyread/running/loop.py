"""The driver for event loops: it runs steps in a task of asyncio or trio and never blocks the loop."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from . import polling
from .deadline import current_deadline
from .effects import All, Wait, Work
from .frames import release_locals
from .inline import BUDGET_S, turn
from .lanes import Job
from .waking import in_tasks, ready, sleep, wait_for_wake

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from .effects import Effect, Steps
    from .waking import Wake

_T = TypeVar("_T")


async def run(steps: Steps[_T]) -> _T:
    """Run steps to their end and return their result.

    The time between two effects is charged to the turn of the event loop. Cancelling the task ends the
    wait at once and closes the steps, which then release what they hold.

    Raises:
        ReadTimeoutError: The deadline of the call passed.
        RuntimeError: Neither asyncio nor trio runs.
    """
    effect: Effect[Any] | None = None
    answer: object = None
    outside = sys.exception()
    try:
        if turn.spent_s > BUDGET_S:
            try:
                await turn.give_way()
            except BaseException:
                _end_unstarted(steps)
                raise
        started = perf_counter()
        try:
            effect = next(steps)
        finally:
            turn.spent_s += perf_counter() - started
        while True:
            try:
                answer = await _perform(effect)
                if turn.spent_s > BUDGET_S:
                    await turn.give_way()
            except Exception as error:  # noqa: BLE001 - the steps handle it
                effect = _charged(steps.throw, error)
            else:
                effect = _charged(steps.send, answer)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    except BaseException as error:
        release_locals(error, outside=outside)
        raise
    finally:
        steps.close()
        # A caller that keeps the cancellation keeps this frame, which must not keep the file open.
        effect = answer = None


def _end_unstarted(steps: Steps[Any]) -> None:
    """End steps that have not begun: since CPython 3.12, `close` would leave what they refer to."""
    with suppress(GeneratorExit):
        steps.throw(GeneratorExit())


def _charged(resume: Callable[[Any], Effect[Any]], value: object) -> Effect[Any]:
    started = perf_counter()
    try:
        return resume(value)
    finally:
        turn.spent_s += perf_counter() - started


def _perform(effect: Effect[Any]) -> Coroutine[Any, Any, object]:
    # Not itself a coroutine: each coroutine between the driver and its wait makes a hop about 1 % slower.
    if isinstance(effect, Work):
        return _in_thread(effect)
    if isinstance(effect, Wait):
        return _wait(effect)
    if isinstance(effect, All):
        return _run_all(effect)
    raise TypeError(f"steps yielded something that is no effect: {effect!r}")


async def _in_thread(work: Work[_T]) -> _T:
    """Run work in a thread; cancel it if the wait for it ends early."""
    started = perf_counter()
    job = Job(work)
    work.target.count_hop()
    deadline = current_deadline()

    def start(wake: Wake) -> None:
        job.start(wake)
        # Next to busy threads, this takes longer than many reads.
        turn.spent_s += perf_counter() - started

    try:
        in_time = await wait_for_wake(start, None if deadline is None else deadline.seconds_left)
        if in_time or deadline is None:
            return job.outcome()
        raise deadline.error()
    finally:
        job.abandon()
        # As in `run`.
        del work


async def _wait(wait: Wait) -> bool:
    left = polling.seconds_left(wait.deadline)
    if wait.bell is not None:
        return await wait_for_wake(wait.bell.listen, left)
    if wait.descriptor is None:
        await sleep(left or 0)
        return False
    if await ready(wait.descriptor, writable=wait.writable, timeout_s=left):
        return True
    # If the host blocked the loop, the descriptor may have become ready in time without being noticed.
    return polling.waited(Wait(wait.descriptor, writable=wait.writable, deadline=0))


async def _run_all(concurrent: All[_T]) -> list[_T]:
    results: dict[int, _T] = {}
    errors: list[Exception] = []
    due = deque(enumerate(concurrent.steps))

    async def work() -> None:
        while due:
            index, steps = due.popleft()
            try:
                results[index] = await run(steps)
            except Exception as error:
                due.clear()
                errors.append(error)
                raise

    try:
        await in_tasks(work, count=min(concurrent.at_once, len(concurrent.steps)))
    except BaseExceptionGroup:
        # A task group raises an exception group; the caller gets the error of the steps that failed first.
        if errors:
            raise errors[0] from None
        raise
    return [results[index] for index in range(len(concurrent.steps))]

"""The driver for threads: it runs steps by blocking the thread that calls it."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Generator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .deadline import current_deadline
from .effects import All, Wait, Work
from .frames import release_locals
from .lanes import Job
from .polling import first_finished, waited

if TYPE_CHECKING:
    from .effects import Effect, Steps

_T = TypeVar("_T")
Progress: TypeAlias = Callable[[int], None] | None
"""Called every `TICK_S` with the number of bytes that the current work has scanned."""
_Waits: TypeAlias = Generator[Wait, bool, _T]
"""Steps whose remaining effects are all waits."""

TICK_S = 0.1
"""Seconds between two reports of progress."""


def run(steps: Steps[_T], *, progress: Progress = None) -> _T:
    """Run steps to their end and return their result.

    Work runs on this thread, unless a deadline or progress reports need this thread.

    Raises:
        ReadTimeoutError: The deadline of the call passed.
    """
    outside = sys.exception()
    waits: _Waits[_T] | None = None
    try:
        # Most steps end without any effect, and need no more than this.
        waits = _waits_of(steps, progress, next(steps))
        wait = next(waits)
        while True:
            try:
                answer = waited(wait)
            except OSError as error:
                wait = waits.throw(error)
            else:
                wait = waits.send(answer)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    except BaseException as error:
        release_locals(error, outside=outside)
        raise
    finally:
        # After Ctrl-C during a wait, the steps release what they hold.
        if waits is not None:
            waits.close()


def _waits_of(steps: Steps[_T], progress: Progress, first: Effect[Any] | None = None) -> _Waits[_T]:
    """Run steps to their end, and perform all effects except waits, which are yielded.

    Args:
        steps: The steps.
        progress: As in `run`.
        first: The first effect, if the steps have already yielded it.
    """
    effect: Effect[Any] | None = None
    answer: object = None
    try:
        effect = next(steps) if first is None else first
        while True:
            try:
                answer = (yield effect) if isinstance(effect, Wait) else _perform(effect, progress)
            except Exception as error:  # noqa: BLE001 - the steps handle it
                effect = steps.throw(error)
            else:
                effect = steps.send(answer)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    finally:
        steps.close()
        # Whoever keeps an error may keep this frame, which must not keep the file open.
        effect = answer = None


def _perform(effect: Effect[Any], progress: Progress) -> object:
    if isinstance(effect, Work):
        return _run_work(effect, progress)
    if isinstance(effect, All):
        return _run_all(effect, progress)
    raise TypeError(f"steps yielded something that is no effect: {effect!r}")


def _run_work(work: Work[_T], progress: Progress) -> _T:
    deadline = current_deadline()
    if deadline is None and progress is None and not work.needs_flag:
        return work.function(None)
    # Not an event: if a signal handler raises while one is waited for, its lock may hide the exception
    # behind a `RuntimeError`.
    done = threading.Lock()
    done.acquire()
    job = Job(work)
    try:
        job.start(done.release)
        while True:
            left = None if deadline is None else deadline.seconds_left
            tick = None if progress is None else TICK_S
            if done.acquire(
                timeout=min((seconds for seconds in (left, tick) if seconds is not None), default=-1)
            ):
                return job.outcome()
            if deadline is not None and deadline.has_passed:
                raise deadline.error()
            if progress is not None:
                progress(job.cancel.scanned_bytes)
    finally:
        # Ctrl-C and the deadline end the wait; the flag ends the work.
        job.abandon()


def _run_all(concurrent: All[_T], progress: Progress) -> list[_T]:
    results: dict[int, _T] = {}
    running = [_waits_of(steps, progress) for steps in concurrent.steps]
    due = deque(enumerate(running))
    waits: dict[int, Wait] = {}

    def advance(index: int, resume: Callable[[], Wait]) -> None:
        try:
            waits[index] = resume()
        except StopIteration as stop:
            results[index] = stop.value

    try:
        while due or waits:
            while due and len(waits) < concurrent.at_once:
                index, steps = due.popleft()
                advance(index, partial(next, steps))
            for index, answer in (first_finished(waits) if waits else {}).items():
                del waits[index]
                advance(index, partial(running[index].send, answer))
    finally:
        for steps in running:
            steps.close()
    return [results[index] for index in range(len(running))]

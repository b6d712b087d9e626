"""Runs calls for tasks of asyncio or trio, and never blocks their loop."""

from __future__ import annotations

from functools import partial
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, TypeVar

from .calls import Call, Fetch, WouldBlock
from .deadline import current_deadline
from .inline import BUDGET_S, turn
from .waking import wait_for_wake
from .workers import Job

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable
    from typing import Any

    from .calls import CanBlock, WorkTarget
    from .waking import Wake

_T = TypeVar("_T")


async def run(function: Callable[[], _T], *, kept: dict[Hashable, Any] | None = None) -> _T:
    """Run a call: here if it need not wait, otherwise in a thread, and return its result.

    Cancelling the task ends the wait at once, and the work in the thread as soon as it looks at its flag.

    Args:
        function: The call.
        kept: What has been opened for it already.

    Raises:
        ReadTimeoutError: The deadline of the call passed.
        RuntimeError: Neither asyncio nor trio runs.
    """
    call = Call(kept)
    target, decodes = None, False
    try:
        if turn.spent_s > BUDGET_S:
            await turn.give_way()
        while True:
            try:
                if target is None:
                    return call.finished(_on_loop(call, function))
                return call.finished(await _in_thread(call, function, target, decodes=decodes))
            except WouldBlock as blocked:
                target, decodes = blocked.target, blocked.decodes
                continue
            except Fetch as needed:
                fetch = needed.get, needed.mount, needed.target
            await _fetched(call, *fetch)
    finally:
        call.close()


def _on_loop(call: Call, function: Callable[[], _T]) -> _T:
    started = perf_counter()
    try:
        return call.run_at("loop", None, function)
    finally:
        turn.spent_s += perf_counter() - started


async def _fetched(
    call: Call, get: Callable[[], Awaitable[None]], mount: CanBlock, target: WorkTarget
) -> None:
    """Fetch what a call needs of a file that is elsewhere: here, or in a thread if that blocks."""
    # Few programs read such files, and its imports would take as long as all others.
    from .fetching import IsAsynchronousError, driven

    if mount.blocks:
        try:
            return await _in_thread(call, partial(driven, get), target, decodes=False)
        except IsAsynchronousError:
            mount.blocks = False
    import anyio

    deadline = current_deadline()
    deadline.wait(None)
    with anyio.move_on_after(deadline.ends - monotonic()):
        return await call.fetched(get)
    raise deadline.error()


async def _in_thread(call: Call, function: Callable[[], _T], target: WorkTarget, *, decodes: bool) -> _T:
    """Run a call in a thread; abandon it if the wait for it ends early."""
    started = perf_counter()
    job = Job(call, function, target, decodes=decodes)
    target.count_hop()
    deadline = current_deadline()

    def start(wake: Wake) -> None:
        job.start(wake)
        # Next to busy threads, this takes longer than many reads.
        turn.spent_s += perf_counter() - started

    try:
        if await wait_for_wake(start, partial(deadline.seconds_left, job.cancel)):
            return job.outcome()
        raise deadline.error(decoding=call.where == "decoder")
    finally:
        job.abandon()

"""Runs calls for synchronous callers, by blocking their thread."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from .calls import Call, Fetch, WouldBlock
from .deadline import NO_DEADLINE, current_deadline
from .workers import Job

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .calls import CanBlock, WorkTarget

_T = TypeVar("_T")
Progress: TypeAlias = Callable[[int], None] | None
"""Called every `TICK_S` with the number of bytes that the current work has scanned."""

TICK_S = 0.1
"""Seconds between two reports of progress."""


def run(
    function: Callable[[], _T], *, progress: Progress = None, kept: dict[Hashable, Any] | None = None
) -> _T:
    """Run a call and return its result.

    It runs in this thread, unless it uses a decoder, or a deadline or progress reports need this thread.

    Args:
        function: The call.
        progress: Reports the progress of scans.
        kept: What has been opened for it already.

    Raises:
        ReadTimeoutError: The deadline of the call passed.
    """
    call = Call(kept)
    may_wait_here = progress is None and current_deadline() is NO_DEADLINE
    target, decodes = None, False
    try:
        while True:
            try:
                if target is None:
                    return call.finished(call.run_at("caller" if may_wait_here else "loop", None, function))
                return call.finished(_in_thread(call, function, target, progress, decodes=decodes))
            except WouldBlock as blocked:
                target, decodes = blocked.target, blocked.decodes
                continue
            except Fetch as needed:
                fetch = needed.get, needed.mount, needed.target
            _fetched(call, *fetch, may_wait_here=may_wait_here)
    finally:
        call.close()


def _fetched(
    call: Call,
    get: Callable[[], Awaitable[None]],
    mount: CanBlock,
    target: WorkTarget,
    *,
    may_wait_here: bool,
) -> None:
    """Fetch what a call needs of a file that is elsewhere."""
    # As in `loop`.
    from .fetching import IsAsynchronousError, driven

    with suppress(IsAsynchronousError):
        if mount.blocks and may_wait_here:
            return call.run_at("caller", None, partial(driven, get))
        if mount.blocks:
            return _in_thread(call, partial(driven, get), target, None, decodes=False)
    raise TypeError(
        f"the store of {target.path!r} is asynchronous: use `await reader.read(…)` instead of `read_sync`"
    )


def _in_thread(
    call: Call, function: Callable[[], _T], target: WorkTarget, progress: Progress, *, decodes: bool
) -> _T:
    deadline = current_deadline()
    # Not an event: if a signal handler raises while one is waited for, its lock may hide the exception
    # behind a `RuntimeError`.
    done = threading.Lock()
    done.acquire()
    job = Job(call, function, target, decodes=decodes)
    try:
        job.start(done.release)
        while True:
            left = deadline.seconds_left(job.cancel)
            seconds = left if progress is None else min(left, TICK_S)
            if done.acquire(timeout=-1 if seconds == inf else seconds):
                return job.outcome()
            if not left:
                raise deadline.error(decoding=call.where == "decoder")
            if progress is not None:
                progress(job.cancel.scanned_bytes)
    finally:
        # Ctrl-C and the deadline end the wait; the flag ends the work.
        job.abandon()

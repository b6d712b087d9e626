"""Who waits for decoders: an event loop, or a thread.

An exchange is a generator that holds no loop's object and no thread's; each is driven to its end
where it was started, so that one pool serves any number of loops and threads.
"""

from __future__ import annotations

import select
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from anyread.running.waking import ready, sleep, woken

if TYPE_CHECKING:
    from .protocol import Bell, Exchange, Wait

_T = TypeVar("_T")


def run_sync(exchange: Exchange[_T]) -> _T:
    """Drive an exchange by blocking this thread."""
    try:
        wait = next(exchange)
        while True:
            try:
                is_ready = _blocked(wait)
            except OSError as error:
                # The exchange knows which file it is about.
                wait = exchange.throw(error)
            else:
                wait = exchange.send(is_ready)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    finally:
        # Ctrl-C while waiting: the exchange lets go of what it holds.
        exchange.close()


async def run(exchange: Exchange[_T]) -> _T:
    """Drive an exchange without blocking the event loop; a cancelled one ends the child that it used."""
    try:
        wait = next(exchange)
        while True:
            try:
                is_ready = await _awaited(wait)
            except OSError as error:
                wait = exchange.throw(error)
            else:
                wait = exchange.send(is_ready)
    except StopIteration as stop:
        result: _T = stop.value
        return result
    finally:
        exchange.close()


def _blocked(wait: Wait) -> bool:
    left = _seconds_left(wait.deadline)
    if wait.bell is not None:
        return _heard(wait.bell, left)
    if wait.descriptor is None:
        time.sleep(left or 0)
        return False
    if not hasattr(select, "poll"):
        # eventlet takes it away, and its `select` lets other green threads run.
        to_read, to_write = ([], [wait.descriptor]) if wait.writable else ([wait.descriptor], [])
        return any(select.select(to_read, to_write, [], left))
    poll = select.poll()
    poll.register(wait.descriptor, select.POLLOUT if wait.writable else select.POLLIN)
    return bool(poll.poll(None if left is None else left * 1_000))


def _heard(bell: Bell, left: float | None) -> bool:
    # A lock and no `threading.Event`: a signal handler may ring inside of this thread's own wait.
    silence = threading.Lock()
    silence.acquire()

    def wake() -> bool:
        # Whoever rings for the second time finds it released.
        with suppress(RuntimeError):
            silence.release()
        return True

    bell.listen(wake)
    return silence.acquire(timeout=-1 if left is None else left)


async def _awaited(wait: Wait) -> bool:
    left = _seconds_left(wait.deadline)
    if wait.bell is not None:
        return await woken(wait.bell.listen, left)
    if wait.descriptor is None:
        await sleep(left or 0)
        return False
    if await ready(wait.descriptor, writable=wait.writable, timeout_s=left):
        return True
    # A loop that was held up by its host comes back late to an answer that was in time.
    return _blocked(wait._replace(deadline=0))


def _seconds_left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())

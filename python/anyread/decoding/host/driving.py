"""Who waits for decoders: an event loop, or a thread.

An exchange is a generator that holds no loop's object and no thread's; each is driven to its end
where it was started, so that one pool serves any number of loops and threads.
"""

from __future__ import annotations

import _socket
import select
import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from anyread.decoding.protocol import send_now
from anyread.running.waking import in_tasks, ready, sleep, woken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from anyread.decoding.protocol import Bell, Exchange, Wait

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


def run_all_sync(exchanges: Sequence[Exchange[_T]], *, at_once: int) -> list[_T]:
    """Drive exchanges side by side by blocking this thread; give their results in order.

    Args:
        exchanges: What to drive. The first that fails ends the others.
        at_once: How many are driven at a time.
    """
    results: dict[int, _T] = {}
    due = deque(enumerate(exchanges))
    waits: dict[int, Wait] = {}

    def note(index: int, step: Callable[[], Wait]) -> None:
        try:
            waits[index] = step()
        except StopIteration as stop:
            results[index] = stop.value

    try:
        while due or waits:
            while due and len(waits) < at_once:
                index, exchange = due.popleft()
                note(index, partial(next, exchange))
            for index, is_ready in _first_ready(waits).items():
                del waits[index]
                note(index, partial(exchanges[index].send, is_ready))
    finally:
        for exchange in exchanges:
            exchange.close()
    return [results[index] for index in range(len(exchanges))]


async def run_all(exchanges: Sequence[Exchange[_T]], *, at_once: int) -> list[_T]:
    """Drive exchanges side by side without blocking the event loop; give their results in order.

    Args:
        exchanges: What to drive. They must not raise: what tasks raise comes in groups.
        at_once: How many are driven at a time.
    """
    results: dict[int, _T] = {}
    due = deque(enumerate(exchanges))

    async def work() -> None:
        while due:
            index, exchange = due.popleft()
            results[index] = await run(exchange)

    await in_tasks(work, count=min(at_once, len(exchanges)))
    return [results[index] for index in range(len(exchanges))]


def _blocked(wait: Wait) -> bool:
    left = _seconds_left(wait.deadline)
    if wait.bell is not None:
        return _heard(wait.bell, left)
    if wait.descriptor is None:
        time.sleep(left or 0)
        return False
    reading, writing = (set(), {wait.descriptor}) if wait.writable else ({wait.descriptor}, set())
    return any(_polled(reading, writing, left))


def _polled(reading: set[int], writing: set[int], left: float | None) -> tuple[set[int], set[int]]:
    """Wait for descriptors, at most `left` seconds: which can be read from, and which can be written to."""
    if not hasattr(select, "poll"):
        # eventlet takes it away, and its `select` lets other green threads run.
        can_read, can_write, _ = select.select(reading, writing, [], left)
        return set(can_read), set(can_write)
    poll = select.poll()
    for descriptor in reading | writing:
        is_read, is_written = descriptor in reading, descriptor in writing
        poll.register(descriptor, select.POLLIN * is_read | select.POLLOUT * is_written)
    found = poll.poll(None if left is None else left * 1_000)
    # Errors and the end of a connection wake readers and writers.
    readable = {descriptor for descriptor, events in found if events & ~select.POLLOUT}
    return readable, {descriptor for descriptor, events in found if events & ~select.POLLIN}


def _first_ready(waits: dict[int, Wait]) -> dict[int, bool]:
    """Wait until some of these waits are over: which, and whether what they waited for is there."""
    if not waits:
        return {}
    reading: set[int] = set()
    writing: set[int] = set()
    for wait in waits.values():
        if wait.descriptor is not None:
            (writing if wait.writable else reading).add(wait.descriptor)
    with _Bells(waits) as bells:
        deadlines = [wait.deadline for wait in waits.values() if wait.deadline is not None]
        left = _seconds_left(min(deadlines, default=None))
        readable, writable = _polled(reading | {bells.descriptor}, writing, left)
    now = time.monotonic()
    over: dict[int, bool] = {}
    for index, wait in waits.items():
        if index in bells.rung or wait.descriptor in (writable if wait.writable else readable):
            over[index] = True
        elif wait.deadline is not None and wait.deadline <= now:
            over[index] = False
    return over


class _Bells:
    """A descriptor that becomes readable when one of several bells rings."""

    def __init__(self, waits: dict[int, Wait]) -> None:
        self.rung: set[int] = set()
        self._waits = waits
        self._ears, self._mouth = _socket.socketpair()

    @property
    def descriptor(self) -> int:
        return self._ears.fileno()

    def __enter__(self) -> Self:
        for index, wait in self._waits.items():
            if wait.bell is not None:
                wait.bell.listen(partial(self._ring, index))
        return self

    def __exit__(self, *_: object) -> None:
        self._ears.close()
        self._mouth.close()

    def _ring(self, index: int) -> bool:
        self.rung.add(index)
        # After the wait nobody is woken, and the bell is asked again by the next one.
        with suppress(OSError):
            send_now(self._mouth, b"!")
        return True


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

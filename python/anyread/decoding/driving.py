"""Who waits for decoders: an event loop, or a thread.

An exchange is a generator that holds no loop's object and no thread's; each is driven to its end
where it was started, so that one pool serves any number of loops and threads.
"""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .protocol import Exchange, Wait

_T = TypeVar("_T")


def run_sync(exchange: Exchange[_T]) -> _T:
    """Drive an exchange by blocking this thread."""
    try:
        wait = next(exchange)
        while True:
            wait = exchange.send(_blocked(wait))
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
            wait = exchange.send(await _awaited(wait))
    except StopIteration as stop:
        result: _T = stop.value
        return result
    finally:
        exchange.close()


def load(loop: str) -> None:
    """Import what waiting on a loop takes, "asyncio" or "trio", in whatever thread this is."""
    import anyio

    # Which modules those are, only anyio knows; it imports them when it first runs there.
    anyio.run(anyio.sleep, 0, backend=loop)


def _blocked(wait: Wait) -> bool:
    left = _seconds_left(wait.deadline)
    if wait.descriptor is None:
        time.sleep(left or 0)
        return False
    poll = select.poll()
    poll.register(wait.descriptor, select.POLLOUT if wait.writable else select.POLLIN)
    return bool(poll.poll(None if left is None else left * 1_000))


async def _awaited(wait: Wait) -> bool:
    import anyio

    left = _seconds_left(wait.deadline)
    if wait.descriptor is None:
        await anyio.sleep(left or 0)
        return False
    ready = anyio.wait_writable if wait.writable else anyio.wait_readable
    if left is None:
        await ready(wait.descriptor)
        return True
    with anyio.move_on_after(left):
        await ready(wait.descriptor)
        return True
    # A loop that was held up by its host comes back late to an answer that was in time.
    return _blocked(wait._replace(deadline=0))


def _seconds_left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())

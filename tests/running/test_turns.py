"""The queue in which tasks wait for their share of a turn: order, cancellation, and no lost wake-up."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.lowlevel
import pytest
import trio

from anyread.running.inline import BUDGET_S, WOKEN_TASKS, turn

pytestmark = pytest.mark.anyio

LONG_S = 10.0
"""Far longer than anything here should take."""


@pytest.fixture(autouse=True)
def _new_turn() -> Iterator[None]:
    turn.spent_s = 0.0
    yield
    turn.spent_s = 0.0


async def read(seconds: float) -> None:
    """Do what `Reader.read` does for an inline read that takes this long."""
    if turn.spent_s > BUDGET_S:
        await turn.give_way()
    turn.spent_s += seconds


async def spend() -> None:
    """Use up the budget of the current turn."""
    await read(2 * BUDGET_S)


async def test_no_task_starves_beside_endless_readers() -> None:
    """The task that came back first took the whole budget of each turn: 64,803 of 65,058 reads."""
    counts: Counter[int] = Counter()

    async def reads(number: int) -> None:
        while counts.total() < 3_000:
            await read(BUDGET_S / 30)
            counts[number] += 1

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(reads, number)
    assert len(counts) == 50
    # A turn's worth of reads may separate two tasks at the end, and at the start.
    assert max(counts.values()) - min(counts.values()) <= 2 * 31


@pytest.mark.parametrize("cost_s", [0.0, BUDGET_S / 30, 0.9 * BUDGET_S])
async def test_reads_of_many_tasks_do_not_make_a_turn_long(cost_s: float) -> None:
    """Each of 256 waiting tasks used to wake in each turn."""
    turns: list[float] = [0.0]
    remaining = 2_000

    async def reads() -> None:
        nonlocal remaining
        while remaining > 0:
            remaining -= 1
            await read(cost_s)
            turns[-1] += cost_s

    async def watch() -> None:
        while True:
            await anyio.lowlevel.checkpoint()
            turns.append(0.0)

    await spend()
    async with anyio.create_task_group() as watching:
        watching.start_soon(watch)
        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(reads)
        watching.cancel_scope.cancel()
    # The watcher may run before or after the tasks of a turn, so two turns can count as one.
    assert max(turns) <= 2 * (BUDGET_S + WOKEN_TASKS * cost_s)
    if cost_s:
        assert sum(turns) >= 2_000 * cost_s * 0.999


class RandomReaders:
    """Tasks that read, fail and are cancelled at random; each is counted when it has ended."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.ended: Counter[str] = Counter()
        self.scopes: list[anyio.CancelScope] = []

    async def run(self) -> None:
        """Read a few times, and count how it ended."""
        with anyio.CancelScope() as scope:
            self.scopes.append(scope)
            is_failing = self.random.random() < 0.2
            for _ in range(self.random.randrange(1, 12)):
                await read(self.random.choice([0.0, 0.1, 0.4, 1.5]) * BUDGET_S)
                if self.random.random() < 0.2:
                    await anyio.lowlevel.checkpoint()
                if is_failing:
                    self.ended["failed"] += 1
                    return
            self.ended["read"] += 1
            return
        self.ended["cancelled"] += 1


@pytest.mark.parametrize("seed", range(8))
async def test_waiting_tasks_and_cancellations_at_random(seed: int) -> None:
    """Whatever is cancelled when, each other task gets its turn."""
    readers = RandomReaders(seed)
    with anyio.fail_after(LONG_S):
        async with anyio.create_task_group() as group:
            for _ in range(120):
                group.start_soon(readers.run)
                if readers.random.random() < 0.2:
                    await anyio.lowlevel.checkpoint()
                if readers.scopes and readers.random.random() < 0.3:
                    readers.random.choice(readers.scopes).cancel()
    assert readers.ended.total() == 120, readers.ended
    assert readers.ended["read"] >= 50, readers.ended


def test_closed_loop_drops_its_queue_and_tasks() -> None:
    class Kept:
        """What a waiting task refers to."""

    async def once(kept: Kept) -> None:
        turn.spent_s = 2 * BUDGET_S
        await turn.give_way()
        del kept

    def left_behind() -> weakref.ref[Kept]:
        loop = asyncio.new_event_loop()
        kept = Kept()
        task = loop.create_task(once(kept))
        # It stops after the turn in which the task begins to wait.
        loop.call_soon(loop.stop)
        loop.run_forever()
        assert not task.done()
        # asyncio would report the task, which is left behind on purpose.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        loop.close()
        return weakref.ref(kept)

    reference = left_behind()
    gc.collect()
    assert reference() is None


def test_last_tasks_of_a_run_of_trio_still_get_turns() -> None:
    """When a run ends, it calls nothing any more, but its asynchronous generators may still read."""
    finished: list[bool] = []

    async def generate() -> Any:
        try:
            yield
        finally:
            with trio.CancelScope(shield=True):
                for _ in range(5):
                    await read(2 * BUDGET_S)
            finished.append(True)

    async def main() -> None:
        generator = generate()
        await generator.__anext__()
        kept.append(generator)

    kept: list[Any] = []
    trio.run(main)
    assert finished == [True]

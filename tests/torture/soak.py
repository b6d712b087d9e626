"""A host under mixed load, which reports what it has left behind: `python -m torture.soak CONFIG`.

It runs the load twice, for a warm-up and for the measurement, and counts its resources after each.
It prints one line of JSON.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import math
import sys
import threading
import time
from collections.abc import Coroutine
from pathlib import Path
from random import Random
from typing import Any

import anyread
from anyread.decoding.host.pool import shared_pool
from anyread.running import workers
from helpers.resources import Resources, resident_bytes, settled_resources
from torture.cancelled import CancelledReads, kinds_of_reads
from torture.mutants import MutantReads
from torture.reads import HostileReads, NormalReads, rounds, written_workspace

MUTANT_TASKS = 6
ROUND_PAUSE_S = 20
"""Seconds between two rounds of normal reads, so that the other loads get their share."""
WARM_UP_PAUSE_S = 2
"""The same during the warm-up. Each round that needs more memory at its peak than all before it keeps some,
so the warm-up has as many rounds as the measurement."""
BOMB_S = 1
"""Seconds that a bomb may occupy a decoder; with the default of 10, bombs would delay the mutants."""
SETTLING_READS = 8
MOST_ROUNDS = 30
LIBC = ctypes.CDLL(None)


class Host:
    """The loads of one process.

    `config` has `directory`, `stuck`, `seed`, `mutants`, `asyncio` and `trio` (how many reads are mutants or
    are cancelled on a loop; `null` for as many as the time allows), `has_rounds`,
    `at_once`, `all_bombs`, `cancelling_tasks` (how many tasks of
    each loop cancel reads), and `cancel_pause_s` (how long they wait between two reads).
    """

    def __init__(self, config: dict[str, Any]) -> None:
        directory = Path(config["directory"])
        self._config = config
        self._rng = Random(config["seed"])
        self.reader = anyread.Reader()
        for name in ("mutants", "asyncio", "trio"):
            (directory / name).mkdir()
        self.mutants = MutantReads(self.reader, directory / "mutants", config["seed"] << 32)
        self.cancelled = {
            name: CancelledReads(kinds_of_reads(self.reader, directory / name), Random(config["seed"]))
            for name in ("asyncio", "trio")
        }
        self._image = directory / "asyncio" / "a.jpg"
        self.workspace = written_workspace(directory / "workspace", all_bombs=config["all_bombs"])
        self.normal = NormalReads(self.reader, self.workspace, self._rng)
        self.hostile: HostileReads | None = None

    def count(self, name: str) -> float:
        """Return how many reads of a load are wanted."""
        value = self._config[name]
        return math.inf if value is None else float(value)

    async def load(self, seconds: float, share: float = 1, round_pause_s: float = ROUND_PAUSE_S) -> None:
        """Run all loads until the time has passed or, where counts are set, `share` of them is reached."""
        cancelled, pause_s = self.cancelled["asyncio"], self._config["cancel_pause_s"]
        if self.count("asyncio"):
            await cancelled.warm_up()
        end_s = time.monotonic() + seconds
        if self._config["has_rounds"] and self.hostile is None:
            stuck = Path(self._config["stuck"]) if self._config["stuck"] else None
            hasty = anyread.Reader(limits=anyread.Limits(decode_timeout_s=BOMB_S))
            self.hostile = HostileReads(hasty, self.workspace, stuck, self._rng)
        thread = threading.Thread(target=self.load_trio, args=(seconds, share))
        thread.start()
        loads: list[Coroutine[None, None, None]] = []
        if self.count("mutants"):
            loads += [self.mutants.some(share * self.count("mutants"), end_s) for _ in range(MUTANT_TASKS)]
        if self.count("asyncio"):
            loads += [
                cancelled.some(share * self.count("asyncio"), end_s, pause_s)
                for _ in range(self._config["cancelling_tasks"])
            ]
        if self._config["has_rounds"]:
            loads.append(self.rounds(end_s, round_pause_s))
        await asyncio.gather(*loads)
        while thread.is_alive():
            await asyncio.sleep(0.01)
        if self.hostile is not None:
            await self.hostile.stop(even_stuck=False)

    async def rounds(self, end_s: float, pause_s: float) -> None:
        """Read normal files beside hostile ones."""
        at_once = self._config["at_once"]
        await rounds(self.normal, self.hostile, end_s, at_once=at_once, pause_s=pause_s)

    def load_trio(self, seconds: float, share: float) -> None:
        """Cancel reads on trio, in a thread of its own; its warm-up takes no time from the reads."""
        count = share * self.count("trio")
        if not count:
            return
        import trio

        pause_s = self._config["cancel_pause_s"]

        async def run() -> None:
            await self.cancelled["trio"].warm_up()
            end_s = time.monotonic() + seconds
            async with trio.open_nursery() as nursery:
                for _ in range(self._config["cancelling_tasks"]):
                    nursery.start_soon(self.cancelled["trio"].some, count, end_s, pause_s)

        trio.run(run)

    async def settled(self, expected: Resources | None = None) -> Resources:
        """Return the resources in use once each decoder that was ended is replaced."""
        pool = shared_pool()
        for number in range(MOST_ROUNDS):
            await asyncio.gather(*(self.reader.read(self._image) for _ in range(SETTLING_READS)))
            await asyncio.sleep(0.1)
            # A decoder that is fast enough serves all of these reads, so that no other one is started.
            if number >= 2 and len(pool._idle) == pool.size:
                break
        anyread.clear_caches()
        return settled_resources(expected)


def memory_in_use() -> int:
    """Return the resident memory after everything that is free was returned to the system."""
    gc.collect()
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)
    return resident_bytes()


async def run(config: dict[str, Any]) -> dict[str, Any]:
    """Run the loads and return what they counted and left behind."""
    workers.IDLE_S = config["idle_s"]
    host = Host(config)
    await host.load(config["warm_up_s"], config["warm_up_share"], WARM_UP_PAUSE_S)
    before = await host.settled()
    memory = memory_in_use()
    await host.load(config["seconds"])
    after = await host.settled(before)
    grown = memory_in_use() - memory
    normal = sorted(host.normal.latencies_s)
    return {
        "mutants": host.mutants.read,
        "mutants_ended": host.mutants.ended,
        "mutants_failed": host.mutants.failures,
        "cancelled": {name: load.cancelled for name, load in host.cancelled.items()},
        "ended": {name: load.ended for name, load in host.cancelled.items()},
        "cancelled_failed": [text for load in host.cancelled.values() for text in load.failures],
        "normal_reads": len(normal),
        "hostile": host.hostile.ended if host.hostile else {},
        "hostile_failed": host.hostile.untyped if host.hostile else [],
        "before": before,
        "after": after,
        "leaked": after.beyond(before),
        "growth_bytes": grown,
    }


def main() -> None:
    """Run the configuration that is given as JSON."""
    report = asyncio.run(run(json.loads(sys.argv[1])))
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    main()

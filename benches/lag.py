"""P11: how late an event loop comes to its other work while many tasks read; a program of its own.

A ticker is due every millisecond.
A loop that was away for 20 ms missed 20 ticks, and each of them counts with its own delay: what a request
that had come at that moment would have waited.
A ticker that only measured its own sleeps would count one delay for all of them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import anyio
import anyio.to_thread
from benches import inputs
from benches.usual import usual_python

import anyread

_ROOT = Path(__file__).parent.parent
_STEP = 0.001
READERS = ("anyread", "threads", "idle")
"""anyread; the usual Python in anyio's threads; and nobody, for what the ticker itself shows."""
_PASSES = {"anyread": 5, "threads": 1, "idle": 0}
_IDLE_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Lag:
    """Milliseconds."""

    p50: float
    p99: float
    worst: float
    ticks: int
    """How many they are taken from."""
    seconds: float
    """How long the loop was watched."""


def measured(loop: str, reader: str, tasks: int) -> Lag:
    """Watch an event loop (`asyncio`, `uvloop` or `trio`) in a fresh process."""
    command = [sys.executable, "-m", "benches.lag", loop, reader, str(tasks)]
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=_ROOT).stdout
    return Lag(**json.loads(output))


class Ticker:
    """Notes how late each tick comes."""

    def __init__(self) -> None:
        self.delays: list[float] = []

    async def run(self) -> None:
        due = perf_counter() + _STEP
        while True:
            await anyio.sleep(max(0.0, due - perf_counter()))
            now = perf_counter()
            while due <= now:
                self.delays.append(now - due)
                due += _STEP


async def _watch(reader: str, tasks: int) -> Lag:
    paths = [str(path) for path in inputs.small_files()]
    await _read(reader, paths[0])  # what only the first call costs
    ticker = Ticker()
    started = perf_counter()
    async with anyio.create_task_group() as ticking:
        ticking.start_soon(ticker.run)
        await anyio.sleep(0.01)
        waiting = iter(paths * _PASSES[reader])

        async def work() -> None:
            for path in waiting:
                await _read(reader, path)

        async with anyio.create_task_group() as readers:
            for _ in range(tasks):
                readers.start_soon(work)
        if reader == "idle":
            await anyio.sleep(_IDLE_SECONDS)
        ticking.cancel_scope.cancel()
    seconds = perf_counter() - started
    late = sorted(delay * 1e3 for delay in ticker.delays)
    return Lag(late[len(late) // 2], late[len(late) * 99 // 100], late[-1], len(late), seconds)


async def _read(reader: str, path: str) -> None:
    if reader == "anyread":
        await anyread.read(path)
    else:
        await anyio.to_thread.run_sync(usual_python, path)


def main() -> None:
    """Print the lag of the loop, reader and number of tasks that the command line names."""
    loop, reader, tasks = sys.argv[1:]
    lag = anyio.run(
        _watch,
        reader,
        int(tasks),
        backend="trio" if loop == "trio" else "asyncio",
        backend_options={"use_uvloop": True} if loop == "uvloop" else {},
    )
    print(json.dumps({name: getattr(lag, name) for name in Lag.__slots__}))


if __name__ == "__main__":
    main()

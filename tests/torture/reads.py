"""The normal and the hostile reads of the load: files of a workspace, bombs, FIFOs and a stuck reader."""

from __future__ import annotations

import asyncio
import os
import time
from array import array
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import anyread
from helpers import media, notebooks
from helpers.bombs import bombs

if TYPE_CHECKING:
    from collections.abc import Coroutine

LOG_LINES = 200_000
AT_ONCE = 1_000
"""Normal reads that are started together."""
HOSTILE_EACH = 100
"""One hostile read is started for each hundred normal ones."""
MAX_BOMBS = 20
"""Bombs that are being read or wait for a decoder; others are started once these end."""


def written_workspace(directory: Path, *, all_bombs: bool) -> Path:
    """Write normal and hostile files into a new directory and return it.

    Args:
        directory: The new directory.
        all_bombs: Whether to write all bombs, which takes 10 s, or only two that occupy a decoder.
    """
    normal, hostile = directory / "normal", directory / "hostile"
    normal.mkdir(parents=True)
    hostile.mkdir()
    rng = Random(1)
    for number in range(40):
        lines = rng.randrange(20, 1_500)
        text = "".join(f"    value_{line} = compute({number}, {line})\n" for line in range(lines))
        (normal / f"source_{number}.py").write_text(text)
    log = (f"2026-01-01T00:00:00 worker {line % 97} finished job {line}\n" for line in range(LOG_LINES))
    (normal / "server.log").write_text("".join(log))
    cells = [notebooks.code(f"print({number})", notebooks.stream(f"{number}\n")) for number in range(30)]
    notebooks.write(normal, *cells)
    few = {"endless-drawing.pdf": media.endless_pdf(), "tiny-tiles.pdf": media.tiled_pdf()}
    for name, data in bombs() if all_bombs else few.items():
        (hostile / name).write_bytes(data)
    os.mkfifo(hostile / "pipe")
    return directory


class NormalReads:
    """Reads of sources, of windows of a log, and of a notebook, chosen at random; keeps their latencies."""

    def __init__(self, reader: anyread.Reader, workspace: Path, rng: Random) -> None:
        self._reader, self._rng = reader, rng
        self._log = workspace / "normal" / "server.log"
        self._notebook = workspace / "normal" / "n.ipynb"
        self._sources = sorted((workspace / "normal").glob("*.py"))
        # Not a list: its floats would be allocated among the objects of a thousand tasks, and keep the
        # memory of these tasks from being returned to the system.
        self.latencies_s = array("d")

    async def one(self) -> None:
        """Read one file and check that the answer is not empty."""
        choice = self._rng.random()
        if choice < 0.8:
            read = self._reader.read(self._rng.choice(self._sources))
        elif choice < 0.98:
            read = self._reader.read(self._log, offset=self._rng.randrange(1, LOG_LINES - 100), limit=100)
        else:
            read = self._reader.read(self._notebook)
        started = time.perf_counter()
        page = await read
        self.latencies_s.append(time.perf_counter() - started)
        assert page.text


class HostileReads:
    """Reads of bombs and FIFOs in the background, and one read that is stuck; counts how they end.

    Args:
        reader: The reader.
        workspace: What `written_workspace` returned.
        stuck: A file whose reads hang; `None` if no file system with such files can be mounted.
        rng: Chooses the bombs.
    """

    def __init__(self, reader: anyread.Reader, workspace: Path, stuck: Path | None, rng: Random) -> None:
        self._reader, self._rng = reader, rng
        self._pipe = workspace / "hostile" / "pipe"
        self._bombs = sorted(path for path in (workspace / "hostile").iterdir() if path != self._pipe)
        self._tasks: set[asyncio.Task[None]] = set()
        self._started = 0
        self.ended: Counter[str] = Counter()
        self.untyped: list[str] = []
        self._stuck = self._begin(self._outcome(stuck)) if stuck is not None else None

    def start_one(self) -> None:
        """Start a bomb or a FIFO, in turn."""
        self._started += 1
        if self._started % 2:
            self._begin(self._outcome(self._pipe))
        elif len(self._tasks) < MAX_BOMBS:
            self._begin(self._outcome(self._rng.choice(self._bombs)))

    async def stop(self, *, even_stuck: bool = True) -> None:
        """Cancel what has not ended, with or without the stuck reader."""
        tasks = [task for task in self._tasks if even_stuck or task is not self._stuck]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def is_stuck(self) -> bool:
        """Whether the stuck reader still waits, as it must."""
        return self._stuck is not None and not self._stuck.done()

    def _begin(self, read: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(read)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _outcome(self, path: Path) -> None:
        try:
            page = await self._reader.read(path)
        except anyread.ReadError as error:
            self.ended[error.code] += 1
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - even a panic of the core must not end the count
            self.untyped.append(f"{path.name}: {error!r}")
        else:
            self.ended[page.kind] += 1


async def rounds(
    normal: NormalReads,
    hostile: HostileReads | None,
    end_s: float,
    *,
    at_once: int = AT_ONCE,
    pause_s: float = 0,
) -> None:
    """Start many normal reads together, with hostile ones among them; once, and again until the end."""
    has_time = True
    while has_time:
        tasks = []
        for number in range(at_once):
            tasks.append(asyncio.create_task(normal.one()))
            if hostile is not None and number % HOSTILE_EACH == 0:
                hostile.start_one()
        await asyncio.gather(*tasks)
        has_time = time.monotonic() + pause_s < end_s
        await asyncio.sleep(pause_s if has_time else 0)

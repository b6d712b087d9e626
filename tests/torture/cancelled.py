"""Reads of every kind that are cancelled at a random moment: the load of row S11.

Each kind of read is timed first; then its cancellation comes after a random part of that time.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import anyio

import anyread
from helpers import media, notebooks

Read = Callable[[], Awaitable[object]]

LOG_LINES = 400_000
LATER = 1.2
"""The latest cancellation, as a multiple of the usual time of the read."""


def kinds_of_reads(reader: anyread.Reader, directory: Path) -> dict[str, Read]:
    """Write files of each kind into a directory, and return reads of them by name."""
    plots = [notebooks.display(image_png=notebooks.png(400, 300, seed)) for seed in range(4)]
    notebook = notebooks.write(directory, *(notebooks.code("plot()", plot) for plot in plots))
    log, source, image, document = (directory / name for name in ("a.log", "a.py", "a.jpg", "a.pdf"))
    log.write_bytes(b"a line of a log, which is long enough\n" * LOG_LINES)
    source.write_bytes(b"print('hello')\n" * 300)
    image.write_bytes(media.encoded(media.noise(900, 600), "JPEG"))
    document.write_bytes(media.text_pdf(4))
    tool = anyread.tool("claude-code")

    async def unseen() -> object:
        anyread.clear_caches()
        return await reader.read(log, offset=LOG_LINES - 100, limit=50)

    async def pages() -> int:
        return sum([len(page.text) async for page in reader.pages(log, offset=LOG_LINES - 5_000)])

    async def many() -> object:
        return [page async for page in reader.read_many([source, image, log, document])]

    return {
        "source": lambda: reader.read(source),
        "window": lambda: reader.read(log, offset=LOG_LINES // 2, limit=50),
        "unseen log": unseen,
        "image": lambda: reader.read(image),
        "PDF": lambda: reader.read(document),
        "notebook": lambda: reader.read(notebook),
        "facts": lambda: reader.info(log),
        "pages": pages,
        "many": many,
        "tool": lambda: tool.call({"file_path": str(document)}),
    }


class CancelledReads:
    """Cancels reads of all kinds at random moments, on the event loop that is running."""

    def __init__(self, reads: dict[str, Read], rng: Random) -> None:
        self._reads, self._rng = reads, rng
        self._times_s: dict[str, float] = {}
        self.cancelled: Counter[str] = Counter()
        """How many reads of each kind were cancelled before they ended."""
        self.ended = 0
        """Reads that ended before their cancellation."""
        self.failures: list[str] = []

    async def warm_up(self) -> None:
        """Measure how long each kind of read takes."""
        for name, read in self._reads.items():
            times = []
            for _ in range(3):
                started = time.monotonic()
                await read()
                times.append(time.monotonic() - started)
            self._times_s[name] = max(times[1:])

    async def some(self, count: float, end_s: float, pause_s: float = 0) -> None:
        """Read, with pauses, until `count` reads were cancelled in total or the time is over, but once."""
        if not self._times_s:
            await self.warm_up()
        has_begun = False
        while not has_begun or (sum(self.cancelled.values()) < count and time.monotonic() < end_s):
            has_begun = True
            name = self._rng.choice(list(self._reads))
            after_s = self._rng.uniform(0, LATER * self._times_s[name])
            try:
                was_cancelled = await cut_short(self._reads[name], after_s)
            except BaseException as error:
                if is_cancellation(error):
                    raise
                self.failures.append(f"{name}: {error!r}")
            else:
                self.cancelled[name] += was_cancelled
                self.ended += not was_cancelled
            await anyio.sleep(pause_s)


def is_cancellation(error: BaseException) -> bool:
    """Return whether an exception is a cancellation of the running event loop."""
    trio = sys.modules.get("trio")
    return isinstance(error, asyncio.CancelledError) or (
        trio is not None and isinstance(error, trio.Cancelled)
    )


async def cut_short(read: Read, after_s: float) -> bool:
    """Cancel a read after a time, with the event loop's own means; return whether it was cancelled."""
    if asyncio._get_running_loop() is None:
        import trio

        with trio.move_on_after(after_s) as scope:
            await read()
        return scope.cancelled_caught
    task = asyncio.ensure_future(read())
    timer = asyncio.get_running_loop().call_later(after_s, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        if not task.cancelled():
            task.cancel()
            raise
        return True
    finally:
        timer.cancel()
    return False

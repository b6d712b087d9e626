"""The reads of a host under attack: each kind of file and of call, with the result that it must have."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyread
from anyread.decoding.host.pool import shared_pool
from anyread.running import workers

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

LINES = 120_000
"""Lines of the log: 4 MB, so that a read far into it scans for some milliseconds."""
LAST = LINES - 2
PATIENCE_S = 5
"""Seconds in which what a cancelled read still does must end."""
KINDS = ("inline", "hop", "scan", "missing", "image", "pdf", "many")


def written_files(directory: Path) -> None:
    """Write the files that the reads need."""
    from helpers.media import drawing, encoded, text_pdf

    (directory / "poem.txt").write_text("one\ntwo\nthree\n")
    (directory / "app.log").write_text("".join(f"{n} {'.' * (n % 60)}\n" for n in range(1, LINES + 1)))
    (directory / "a.png").write_bytes(encoded(drawing(120, 90), "PNG"))
    (directory / "a.pdf").write_bytes(text_pdf(3))


class Reads:
    """The reads of one directory.

    Args:
        directory: Where `written_files` wrote.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.plain = anyread.Reader()
        # Every read of this one uses a thread.
        self.hopping = anyread.Reader(limits=anyread.Limits(inline_bytes=1, timeout_s=8))

    def arguments(self, kind: str) -> tuple[anyread.Reader, Path, dict[str, Any]]:
        """Return the reader, the path and the arguments of a read."""
        reader = self.hopping if kind in {"hop", "scan"} else self.plain
        names = {"scan": "app.log", "missing": "absent.txt", "image": "a.png", "pdf": "a.pdf"}
        more: dict[str, Any] = {"offset": LAST, "limit": 1} if kind == "scan" else {}
        if kind == "pdf":
            more = {"pages": "1"}
        return reader, self.directory / names.get(kind, "poem.txt"), more

    def sync(self, kind: str) -> None:
        """Read by blocking; fail if the result is wrong."""
        with self.judged(kind) as (reader, path, more):
            if kind == "many":
                self.check_many(list(reader.read_many_sync(self.paths())))
            else:
                check(kind, reader.read_sync(path, **more))

    async def on_loop(self, kind: str) -> None:
        """Read on an event loop; fail if the result is wrong."""
        with self.judged(kind) as (reader, path, more):
            if kind == "many":
                self.check_many([page async for page in reader.read_many(self.paths())])
            else:
                check(kind, await reader.read(path, **more))

    @contextmanager
    def judged(self, kind: str) -> Iterator[tuple[anyread.Reader, Path, dict[str, Any]]]:
        """Yield what `arguments` returns; only the missing file may not be found."""
        if kind == "scan":
            anyread.clear_caches()
        try:
            yield self.arguments(kind)
        except anyread.NotFoundError:
            require(kind == "missing", f"{kind} was not found")

    def paths(self) -> list[Path]:
        """List the files that are read in one call."""
        return [self.directory / name for name in ("poem.txt", "app.log", "a.png")]

    def check_many(self, pages: list[Any]) -> None:
        """Fail unless the pages are those of `paths`; raise the error of one that could not be read."""
        for page in pages:
            if isinstance(page, anyread.Failed):
                raise page.error
        require([page.kind for page in pages] == ["text", "text", "image"], f"many: {pages}")


def problems(each: Reads, kinds: tuple[str, ...] = KINDS) -> list[str]:
    """Read each kind of file, synchronously and on an event loop; return what is wrong."""
    found = []
    for kind in kinds:
        try:
            each.sync(kind)
            run_on("asyncio", lambda kind=kind: each.on_loop(kind))  # type: ignore[misc]
        except Exception as error:  # noqa: BLE001 - any error is wrong
            found.append(f"{os.getpid()} {kind}: {error!r}"[:300])
    return found


def check(kind: str, page: Any) -> None:
    """Fail unless a page has the content that was written."""
    if kind == "scan":
        require(page.content.startswith(f"{LAST} .") and page.total_lines == LINES, f"scan: {page.content}")
    elif kind == "image":
        require((page.shown.width, page.shown.height) == (120, 90), f"image: {page}")
    elif kind == "pdf":
        require(page.count == 3, f"pdf: {page}")
    else:
        require(page.content == "one\ntwo\nthree\n", f"{kind}: {page.content!r}")


def content(page: Any) -> str:
    """Return the text of a page of a text."""
    return str(page.content)


def require(holds: bool, problem: str) -> None:
    """Fail unless something holds."""
    if not holds:
        raise WrongError(problem)


class WrongError(Exception):
    """A read returned something else than what was written."""


def other_descriptors() -> dict[int, str]:
    """Return the descriptors of this process that are not those of its idle decoders and their source."""
    pool, found = shared_pool(), {}
    known = {descriptor for child in pool._idle for descriptor in descriptors_of(child)}
    known.update(descriptors_of(pool._starter))
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - only names are needed
        with suppress(OSError):
            found[number] = str(Path(f"/proc/self/fd/{number}").readlink()).partition(":")[0]
    return {number: name for number, name in found.items() if number not in known}


def descriptors_of(owner: Any) -> list[int]:
    """List the descriptors of a decoder, or of the source of decoders."""
    connection = getattr(owner, "connection", None) or getattr(owner, "_connection", None)
    found = [] if connection is None else [connection.fileno()]
    for name in ("_owned", "_pidfd"):
        found += getattr(owner, name, [])
    found += getattr(getattr(owner, "_kill_pipe", None), "_held", [])
    for child in getattr(owner, "_ahead", []):
        found += descriptors_of(child)
    return found


def our_threads() -> int:
    """Count the threads to which reads hop."""
    return sum(thread.name == "anyread" for thread in threading.enumerate())


def leftovers(descriptors: dict[int, str]) -> list[str]:
    """List what reads that have ended still hold, beyond the descriptors that may be open.

    A cancelled scan ends in its thread a moment later, so this waits for it.
    """
    deadline = time.monotonic() + PATIENCE_S
    while (found := _held(descriptors)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def _held(descriptors: dict[int, str]) -> list[str]:
    gc.collect()
    pool, threads, found = shared_pool(), workers._pool(None), []
    if pool._busy or pool._waiting:
        found.append(f"{pool._busy} decoders in use, {pool._waiting} calls wait for one")
    if threads._busy or threads._tasks:
        found.append(f"threads: {threads._busy} busy, {len(threads._tasks)} waiting")
    now = other_descriptors()
    if len(now) > len(descriptors):
        new = [name for number, name in now.items() if descriptors.get(number) != name]
        found.append(f"{len(now) - len(descriptors)} descriptors of {new}")
    return found


def warm_up(read: Callable[[str], object]) -> dict[int, str]:
    """Start threads and all decoders; return the descriptors that are open then."""
    from anyread.running.threads import run

    for kind in KINDS:
        read(kind)
    pool = shared_pool()
    for child in [run(pool.acquire) for _ in range(pool.size)]:
        pool.release(child, is_fit=True)
    for kind in KINDS:
        read(kind)
    return other_descriptors()


def run_on(loop: str, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine on asyncio, uvloop or trio."""
    if loop == "trio":
        import trio

        trio.run(main)
    elif loop == "uvloop":
        import uvloop

        uvloop.run(main())
    else:
        asyncio.run(main())

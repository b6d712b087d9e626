"""The core as a reader uses it: one native call a read, on this thread or one hop away."""

from __future__ import annotations

from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from anyread._native import Core, display_path

from .deadline import deadline_for, has_deadline
from .inline import turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyread._native import Cancel, Opened
    from anyread.arguments import Request
    from anyread.errors import ReadError
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.results import TextPage, Unchanged

_T = TypeVar("_T")


class Engine:
    """Run checked requests on one core; safe for threads and for any event loop.

    Args:
        roots: Folders that may be read, as the system knows them; empty: everything.
        deny: Globs of files that are refused.
        limits: What a read shows and may cost; `timeout_s` bounds every wait here.
        gutter: How line numbers stand before lines where the request does not say.
        mmap: Whether large files may be mapped.
        notebook_cells: Whether a notebook comes back opened, for its cells to be shown, or as its JSON.
    """

    def __init__(
        self,
        *,
        roots: Sequence[bytes],
        deny: Sequence[str],
        limits: Limits,
        gutter: Gutter,
        mmap: bool,
        notebook_cells: bool = True,
    ) -> None:
        self.limits = limits
        self._core: Core | None = Core(
            roots=roots, deny=deny, limits=limits, gutter=gutter, mmap=mmap, notebook_cells=notebook_cells
        )
        self._hops = 0
        # Counted without a lock, which a fork could leave locked.
        self._hop_numbers = count(1)

    def read_now(self, name: bytes, request: Request) -> TextPage | Unchanged | Opened | None:
        """Read one file on this thread if nothing there can block, else give `None`.

        The time is charged to the event loop's turn, whatever comes of the read.
        """
        core = self._live()
        started = perf_counter()
        try:
            return core.read_now(name, request)
        finally:
            turn.spent_s += perf_counter() - started

    def read_sync(
        self, name: bytes, request: Request, *, progress: Callable[[int], None] | None = None
    ) -> TextPage | Unchanged | Opened:
        """Read one file and wait; `progress` is told the bytes scanned, ten times a second."""
        core = self._live()
        if progress is None and not has_deadline(self.limits.timeout_s):
            return core.read(name, request, max_bytes=None, max_tokens=None, cancel=None)
        # What cannot block needs no thread to be watched from.
        page = core.read_now(name, request)
        if page is not None:
            return page
        from .watched import watched

        path = display_path(name)
        return watched(
            lambda cancel: core.read(name, request, max_bytes=None, max_tokens=None, cancel=cancel),
            remote_mount=lambda: core.remote_mount(name),
            path=path,
            deadline=deadline_for(path, self.limits.timeout_s),
            progress=progress,
        )

    async def read(
        self, name: bytes, request: Request, *, max_bytes: int | None = None, max_tokens: int | None = None
    ) -> TextPage | Unchanged | Opened:
        """Read one file in a thread; the budgets tighten those of the limits."""
        core = self._live()
        return await self._hop(
            lambda cancel: core.read(
                name, request, max_bytes=max_bytes, max_tokens=max_tokens, cancel=cancel
            ),
            name,
            lambda: core.remote_mount(name),
        )

    async def read_batch(
        self,
        names: Sequence[bytes],
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
    ) -> list[TextPage | Unchanged | Opened | ReadError | None]:
        """Read several files in one hop, on `threads` threads of the core; results are in order.

        `None` stands for a file on a mount that may hang: it is to be read by itself.
        """
        if not names:
            return []
        core = self._live()
        return await self._hop(
            lambda cancel: core.read_batch(
                names, request, max_bytes=max_bytes, max_tokens=max_tokens, threads=threads, cancel=cancel
            ),
            names[0],
            lambda: None,
        )

    def stats(self) -> dict[str, int]:
        """Count what was done: hops to a thread, and the core's own counters."""
        return {"hops": self._hops, **self._live().stats()}

    def close(self) -> None:
        """Let go of the core; calls that run keep it until they end."""
        self._core = None

    def open_now(self, name: bytes, *, whole: int) -> Opened | None:
        """Open a file of any kind on this thread if nothing there can block, else give `None`.

        Up to `whole` bytes of it are read on the way. The time is charged to the event loop's turn.
        """
        core = self._live()
        started = perf_counter()
        try:
            return core.open_now(name, whole=whole)
        finally:
            turn.spent_s += perf_counter() - started

    def open_sync(self, name: bytes, *, repair: bool, whole: int) -> Opened:
        """Open and recognise a file of any kind, and wait for it."""
        core = self._live()
        # The fast open never repairs paths.
        opened = core.open_now(name, whole=whole)
        return opened or self.run_sync(lambda: core.open(name, repair=repair, whole=whole), name)

    async def open(self, name: bytes, *, repair: bool, whole: int) -> Opened:
        """Open and recognise a file of any kind, in a thread."""
        core = self._live()
        return await self._hop(
            lambda _: core.open(name, repair=repair, whole=whole), name, lambda: core.remote_mount(name)
        )

    async def run(self, work: Callable[[], _T], name: bytes) -> _T:
        """Run work on an opened file in a thread."""
        core = self._live()
        return await self._hop(lambda _: work(), name, lambda: core.remote_mount(name))

    def run_sync(self, work: Callable[[], _T], name: bytes) -> _T:
        """Run work on an opened file and wait for it: in a thread if there is a deadline, else here."""
        if not has_deadline(self.limits.timeout_s):
            return work()
        from .watched import watched

        core, path = self._live(), display_path(name)
        return watched(
            lambda _: work(),
            remote_mount=lambda: core.remote_mount(name),
            path=path,
            deadline=deadline_for(path, self.limits.timeout_s),
        )

    async def _hop(
        self, work: Callable[[Cancel], _T], name: bytes, remote_mount: Callable[[], int | None]
    ) -> _T:
        # Named here and not above: it brings asyncio, which `import anyread` must not cost.
        from .hop import hop

        self._hops = next(self._hop_numbers)
        path = display_path(name)
        deadline = deadline_for(path, self.limits.timeout_s)
        return await hop(work, remote_mount=remote_mount, path=path, deadline=deadline)

    def _live(self) -> Core:
        if self._core is None:
            raise RuntimeError("this reader is closed: make a new Reader")
        return self._core

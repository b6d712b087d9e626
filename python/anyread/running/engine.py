"""The native core for Python: calls that cannot wait are direct, calls that may wait are effects."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

# The core imports it for its first error, which may be that no more files can be opened.
import anyread.errors.from_core  # noqa: F401 - the core raises errors through it
from anyread._native import Engine, display_path
from anyread.errors import ReadError

from .effects import Work, WorkTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from anyread._native import Opened, PendingRead
    from anyread.arguments import Request
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.results import TextPage, Unchanged

    from .effects import Steps

    ReadNow: TypeAlias = Callable[[bytes | str, Request | None], TextPage | Unchanged | Opened | PendingRead]


class ReaderEngine:
    """Run checked requests on one core; safe for threads and for any event loop.

    Args:
        roots: Directories that may be read, as bytes for the operating system; empty for no restriction.
        deny: Globs of files to refuse.
        limits: The limits of the reader.
        gutter: The gutter to use unless the request sets one.
        mmap: Whether large files may be mapped.
        notebook_cells: Whether a notebook is returned as an opened file, to show its cells; else as JSON.
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
        self._native: Engine | None = Engine(
            roots=roots, deny=deny, limits=limits, gutter=gutter, mmap=mmap, notebook_cells=notebook_cells
        )
        self.read_now: ReadNow = self._native.read_now
        """Read one file in this thread if nothing can block; otherwise return what `read` continues with.

        It is the method of the core itself, because every call in between would cost a small read a few
        percent. A path is passed as bytes, or as a `str` of ASCII; `None` is a request without arguments.
        """
        self._hops = 0
        # Counted without a lock, because a fork could leave a lock held.
        self._hop_numbers = count(1)

    def read_here(self, name: bytes, request: Request, pending: PendingRead) -> TextPage | Unchanged | Opened:
        """Read one file by blocking this thread; `pending` is what `read_now` returned."""
        return self._live().read(name, request, max_bytes=None, max_tokens=None, cancel=None, pending=pending)

    def read(
        self,
        name: bytes,
        request: Request,
        *,
        max_bytes: int | None = None,
        max_tokens: int | None = None,
        pending: PendingRead | None = None,
    ) -> Work[TextPage | Unchanged | Opened]:
        """Read one file; budgets can only lower those of `Limits`; `pending` is what `read_now` returned."""
        core = self._live()
        return Work(
            lambda cancel: core.read(
                name, request, max_bytes=max_bytes, max_tokens=max_tokens, cancel=cancel, pending=pending
            ),
            self.target(name),
        )

    def read_batch(
        self,
        names: Sequence[bytes],
        request: Request,
        *,
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
    ) -> Work[list[TextPage | Unchanged | Opened | ReadError | None]]:
        """Read several files in one hop, on `threads` threads of the core; results are in order.

        A result of `None` means that the file is on a mount that may hang and must be read separately.
        """
        core = self._live()
        return Work(
            lambda cancel: core.read_batch(
                names, request, max_bytes=max_bytes, max_tokens=max_tokens, threads=threads, cancel=cancel
            ),
            WorkTarget(display_path(names[0]), _no_mount, self._count_hop),
            needs_flag=True,
        )

    def sizes(self, names: Sequence[bytes]) -> Work[list[int | ReadError | None]]:
        """Return the sizes of several files in one hop; `None` for one that must be opened separately."""
        core = self._live()

        def size_of(name: bytes) -> int | ReadError | None:
            try:
                return core.size_of(name)
            except ReadError as error:
                return error

        target = WorkTarget(display_path(names[0]), _no_mount, self._count_hop)
        return Work(lambda _: [size_of(name) for name in names], target)

    def open(self, name: bytes, *, repair: bool, whole: int) -> Steps[Opened]:
        """Open a file of any kind and detect its type.

        Args:
            name: The path.
            repair: Whether to try similar spellings if the path is not found.
            whole: The maximum size in bytes of a file whose content is read at once.
        """
        opened = self.open_now(name, whole=whole)
        return (yield from self.open_waiting(name, repair=repair, whole=whole)) if opened is None else opened

    def open_now(self, name: bytes, *, whole: int) -> Opened | None:
        """Open a file, without repairing its path, if nothing can block; `None`: use `open_waiting`."""
        return self._live().open_now(name, whole=whole)

    def open_waiting(self, name: bytes, *, repair: bool, whole: int) -> Work[Opened]:
        """Open a file after `open_now` has returned `None`."""
        core = self._live()
        return Work(lambda _: core.open(name, repair=repair, whole=whole), self.target(name))

    def list_directory(
        self, name: bytes, *, maximum: int
    ) -> tuple[Iterator[tuple[bytes, Literal["directory", "file", "link", "other"], bool, int]], bool]:
        """List at most `maximum` entries of a directory, and return whether these are all; this may block."""
        return self._live().list_directory(name, maximum=maximum)

    def target(self, name: bytes) -> WorkTarget:
        """Describe a file for the thread that works on it."""
        return WorkTarget(display_path(name), partial(self._live().remote_mount, name), self._count_hop)

    def stats(self) -> dict[str, int]:
        """Return the number of hops to a thread and the core's counters."""
        return {"hops": self._hops, **self._live().stats()}

    def close(self) -> None:
        """Release the core; running calls keep it until they end."""
        self._native = None
        self.read_now = _read_closed

    def _count_hop(self) -> None:
        self._hops = next(self._hop_numbers)

    def _live(self) -> Engine:
        if self._native is None:
            raise _closed_error()
        return self._native


def _closed_error() -> RuntimeError:
    return RuntimeError("this reader is closed: make a new Reader")


def _read_closed(_name: bytes | str, _request: Request | None) -> NoReturn:
    raise _closed_error()


def _no_mount() -> None:
    """Return `None`, as for a file on a local mount."""

"""The native core for Python: what may wait for a file runs where the current call may wait."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

# The core imports it for its first error, which may be that no more files can be opened.
import anyread.errors.from_core  # noqa: F401 - the core raises errors through it

from ._native import Engine, Opened, PendingRead, display_path
from .arguments.request import DEFAULTS
from .arguments.settings import LARGEST
from .errors import ReadError
from .kinds import OF_EXTENSIONS, OF_MEDIA_TYPES
from .results import TextPage
from .running.calls import WorkTarget, current_call, in_time, once, work

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from ._native import Cancel, Directory
    from .arguments.gutter import Gutter
    from .arguments.limits import Limits
    from .arguments.request import Request
    from .results import Unchanged

    ReadNow: TypeAlias = Callable[[bytes | str, Request | None], TextPage | Unchanged | Opened | PendingRead]


_FILES_NOW = 8
"""The most small files of which ranges are read on an event loop, in well under a millisecond."""


class ReaderEngine:
    """Run checked requests on one core; safe for threads and for any event loop.

    Args:
        roots: Directories that may be read, as bytes for the operating system; empty for no restriction.
        deny: Globs of files to refuse.
        limits: The limits of the reader.
        gutter: The gutter to use unless the request sets one.
        mmap: Whether large files may be mapped.
        blocks: Whether a line without a range is shown with the block around it.
        as_text: Kinds of files that are read as text unless the request names the kind.
        token_factor: Tokens of the model for each token that the core counts.
    """

    def __init__(
        self,
        *,
        roots: Sequence[bytes],
        deny: Sequence[str],
        limits: Limits,
        gutter: Gutter,
        mmap: bool,
        blocks: bool = True,
        as_text: Sequence[str] = (),
        token_factor: float = 1.0,
    ) -> None:
        self.limits = limits
        self._native: Engine | None = Engine(
            roots=roots,
            deny=deny,
            limits=limits,
            gutter=gutter,
            mmap=mmap,
            blocks=blocks,
            token_factor=token_factor,
            formats=OF_MEDIA_TYPES,
            extensions=OF_EXTENSIONS,
            as_text=as_text,
        )
        self.read_now: ReadNow = self._native.read
        """Read one file in this thread if nothing can block; otherwise return what a call keeps for `read`.

        It is the method of the core itself, because every call in between would cost a small read a few
        percent. A path is passed as bytes, or as a `str` of ASCII; `None` is a request without arguments.
        """
        self._hops = 0
        # Counted without a lock, because a fork could leave a lock held.
        self._hop_numbers = count(1)

    def read(
        self,
        name: bytes,
        request: Request,
        *,
        max_bytes: int | None = None,
        max_tokens: int | None = None,
        whole: bool = False,
    ) -> TextPage | Unchanged | Opened:
        """Read one file; the budgets, in counted tokens, can only lower those of `Limits` and the request.

        With `whole`, only whole lines are shown, perhaps none.
        """
        call = current_call()
        # The core has the request without arguments.
        passed = None if request is DEFAULTS else request
        found: TextPage | Unchanged | Opened | PendingRead | None = None
        if call.where == "loop" and not call.has_kept and max_bytes is None and max_tokens is None:
            found = self.read_now(name, passed)
            if type(found) is TextPage:
                return found
        key = self.key(name, request, max_bytes, max_tokens, whole=whole)
        if found is None:
            found = call.kept(key)
        if found is None or isinstance(found, PendingRead):
            most = None
            if max_bytes is not None or max_tokens is not None:
                most = max_bytes or LARGEST, max_tokens or LARGEST, whole
            if found is not None:
                call.keep(key, found)
            if call.where != "caller":
                call.require_thread(self.target(name))
            call.drop(key)
            with in_time():
                found = self._live().read(
                    name, passed, may_wait=True, most=most, cancel=call.cancel, pending=found
                )
        if isinstance(found, Opened):
            call.keep(key, found)
        return found

    def key(
        self,
        name: bytes,
        request: Request,
        max_bytes: int | None = None,
        max_tokens: int | None = None,
        *,
        whole: bool = False,
    ) -> Hashable:
        """Return the key under which a call keeps what it has read of a file."""
        return id(self), name, *request.values(), max_bytes, max_tokens, whole

    def read_batch(
        self,
        names: Sequence[bytes],
        requests: Sequence[Request],
        *,
        unless: Sequence[Sequence[bytes]] = (),
        max_bytes: int | None,
        max_tokens: int | None,
        threads: int,
        may_hang: bool = False,
        sizes_only: bool = False,
        keep: bool = True,
    ) -> list[TextPage | Unchanged | Opened | ReadError | int | tuple[int] | None]:
        """Read several files with one call of the core, on `threads` threads of it; results are in order.

        Args:
            names: The paths.
            requests: The request for each file, or one for all.
            unless: For each file other paths, none of which may exist.
            max_bytes: The maximum bytes of each page; `None`: the reader's.
            max_tokens: The maximum tokens of each page; `None`: the reader's.
            threads: The number of threads.
            may_hang: Whether the only file is on a mount that may hang.
            sizes_only: Whether the files are only found.
            keep: Whether a second attempt of the call gets the same results.

        A result of `None` means that the file is on a mount that may hang and must be read separately; a
        number is the position in its `unless` of a path that exists; a tuple has the size of a file.
        """
        read = partial(
            self._live().read_batch,
            names,
            requests,
            unless=unless,
            max_bytes=max_bytes,
            max_tokens=max_tokens,
            threads=threads,
            may_hang=may_hang,
            sizes_only=sizes_only,
        )

        def answers() -> list[TextPage | Unchanged | Opened | ReadError | int | tuple[int] | None]:
            call, found = current_call(), None
            is_now = not (may_hang or sizes_only) and len(names) <= _FILES_NOW
            if unless and is_now and call.where in {"loop", "caller"}:
                found = read(cancel=None, may_wait=False)
            if found is None:
                target = WorkTarget(display_path(names[0]), _no_mount, self._count_hop)
                target = self.target(names[0]) if may_hang else target
                found = work(lambda cancel: read(cancel=cancel) or [], target, needs_flag=True)
            for answer in found:
                if isinstance(answer, Opened):
                    # The end of the call closes it.
                    call.keep(id(answer), answer)
            return found

        wanted = [tuple(request.values()) for request in requests]
        if not keep:
            return answers()
        return once((id(self), may_hang, *names, *wanted), answers)

    def open(self, name: bytes, *, repair: bool, whole: int) -> Opened:
        """Open a file of any kind and detect its type.

        Args:
            name: The path.
            repair: Whether to try similar spellings if the path is not found.
            whole: The maximum size in bytes of a file whose content is read at once.
        """
        call, core = current_call(), self._live()
        key = id(self), name, "open", whole
        opened: Opened | None = call.kept(key)
        if opened is None:
            try:
                opened = core.open(name, repair=False, whole=whole)
            except BlockingIOError:
                opened = None
        if opened is None:
            opened = work(
                lambda _: core.open(name, repair=repair, whole=whole, may_wait=True), self.target(name)
            )
        call.keep(key, opened)
        return opened

    def head(self, name: bytes, maximum: int) -> bytes:
        """Return the first bytes of a file, at most `maximum`; this may block, and keeps nothing open."""
        return self._live().open(name, repair=False, whole=maximum, may_wait=True).read(maximum)

    def directory(self, name: bytes, *, most: int, cancel: Cancel | None) -> Directory:
        """Open a directory and read the names of at most `most` entries; this may block."""
        return self._live().directory(name, most=most, cancel=cancel)

    def list_directory(
        self, name: bytes, *, maximum: int
    ) -> tuple[
        Iterator[tuple[bytes, Literal["directory", "file", "link", "other", "unreadable"], bool, int]], bool
    ]:
        """List at most `maximum` entries of a directory, and return whether these are all; this may block."""
        return self._live().list_directory(name, maximum=maximum)

    def target(self, name: bytes) -> WorkTarget:
        """Describe a file for the thread that works on it."""
        return self._target(self._live(), name)

    def target_later(self, name: bytes) -> Callable[[], WorkTarget]:
        """Return a function that does the same, also after this engine was closed."""
        return partial(self._target, self._live(), name)

    def _target(self, core: Engine, name: bytes) -> WorkTarget:
        return WorkTarget(display_path(name), partial(core.remote_mount, name), self._count_hop)

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

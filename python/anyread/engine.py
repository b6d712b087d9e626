"""The native core for Python: what may wait for a file runs where the current call may wait."""

from __future__ import annotations

from functools import partial
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias

# The core imports it for its first error, which may be that no more files can be opened.
import anyread.errors.from_core  # noqa: F401 - the core raises errors through it

from ._native import Engine, Opened, PendingRead, display_path
from .arguments.paths import encoded
from .arguments.request import DEFAULTS
from .arguments.settings import LARGEST
from .errors import ReadError, ReadTimeoutError, StoreError
from .kinds import OF_EXTENSIONS, OF_MEDIA_TYPES
from .results import TextPage
from .running.calls import WorkTarget, current_call, in_time, once, work
from .running.deadline import NO_DEADLINE, current_deadline

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from ._native import Cancel, Directory
    from .arguments.gutter import Gutter
    from .arguments.limits import Limits
    from .arguments.request import Request
    from .results import Unchanged
    from .sources.copies import Far, Mounts
    from .sources.store import Store

    ReadNow: TypeAlias = Callable[
        [bytes | str, Request | None], TextPage | Unchanged | Opened | PendingRead | None
    ]


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
        decompress: Whether the text in gzip files is read.
        as_text: Kinds of files that are read as text unless the request names the kind.
        token_factor: Tokens of the model for each token that the core counts.
        mounts: The stores of files that are elsewhere, by path.
        base: The directory to which relative paths are relative, if there are mounts.
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
        decompress: bool = False,
        as_text: Sequence[str] = (),
        token_factor: float = 1.0,
        mounts: Mapping[str, Store] = MappingProxyType({}),
        base: str = "",
    ) -> None:
        self.limits = limits
        self._native: Engine | None = Engine(
            roots=roots,
            deny=deny,
            limits=limits,
            gutter=gutter,
            mmap=mmap,
            blocks=blocks,
            decompress=decompress,
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
        self._mounts: Mounts | None = None
        if mounts:
            from .sources.copies import Mounts

            self._mounts = Mounts(
                mounts,
                limits,
                base=base,
                has_roots=bool(roots),
                rule_of=self._native.rule_of if deny else None,
            )
            self.read_now = partial(self._read_now, self._native.read)
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
        far = self._far(name)
        copy = None if far is None else far.copy()
        found: TextPage | Unchanged | Opened | PendingRead | None = None
        is_first = call.where == "loop" and not call.has_kept and far is None
        if is_first and max_bytes is None and max_tokens is None:
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
                    name, passed, may_wait=True, most=most, cancel=call.cancel, pending=found, copy=copy
                )
        if isinstance(found, Opened) or far is not None:
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

        With mounts, the files are read one after the other, and `unless` does not count.

        A result of `None` means that the file is on a mount that may hang and must be read separately; a
        number is the position in its `unless` of a path that exists; a tuple has the size of a file.
        """
        if self._mounts is not None:
            requests = [*requests, *[requests[-1]] * (len(names) - len(requests))]
            most = max_bytes, max_tokens
            return [
                self._each(*file, most, sizes_only=sizes_only) for file in zip(names, requests, strict=True)
            ]
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
            deadline = current_deadline()
            for index, answer in enumerate(found):
                if isinstance(answer, Opened):
                    # The end of the call closes it.
                    call.keep(id(answer), answer)
                elif isinstance(answer, InterruptedError) and deadline is not NO_DEADLINE:
                    path = display_path(names[index])
                    found[index] = ReadTimeoutError(path, timeout_s=deadline.timeout_s)
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
        call, core, far = current_call(), self._live(), self._far(name)
        key = id(self), name, "open", whole
        opened: Opened | None = call.kept(key)
        if opened is None and far is not None:
            copy = far.copy()
            read = partial(core.open, name, repair=False, whole=whole, may_wait=True, copy=copy)
            opened = work(lambda _: read(), far.target)
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
        self.require_local(name)
        return self._live().open(name, repair=False, whole=maximum, may_wait=True).read(maximum)

    def directory(self, name: bytes, *, most: int, cancel: Cancel | None) -> Directory:
        """Open a directory and read the names of at most `most` entries; this may block."""
        self.require_local(name)
        return self._live().directory(name, most=most, cancel=cancel)

    def list_directory(
        self, name: bytes, *, maximum: int
    ) -> tuple[
        Iterator[tuple[bytes, Literal["directory", "file", "link", "other", "unreadable"], bool, int]], bool
    ]:
        """List at most `maximum` entries of a directory, and return whether these are all; this may block."""
        self.require_local(name)
        return self._live().list_directory(name, maximum=maximum)

    def target(self, name: bytes) -> WorkTarget:
        """Describe a file for the thread that works on it."""
        return self._target(self._live(), name)

    def target_later(self, name: bytes) -> Callable[[], WorkTarget]:
        """Return a function that does the same, also after this engine was closed."""
        return partial(self._target, self._live(), name)

    def require_local(self, name: bytes) -> None:
        """Refuse a path of a mount, of which only files are read.

        Raises:
            StoreError: It is one.
        """
        if self._far(name) is not None:
            reason = "directories of a mount are not listed or searched, and its files not followed"
            raise StoreError(display_path(name), reason=reason, can_retry=False)

    def is_far(self, name: bytes) -> bool:
        """Return whether a path is one of a mount."""
        return self._far(name) is not None

    def _far(self, name: bytes) -> Far | None:
        """Return the file of a mount that has this path; `None` for a local path."""
        return None if self._mounts is None else self._mounts.of(name)

    def _read_now(
        self, read: ReadNow, path: bytes | str, request: Request | None
    ) -> TextPage | Unchanged | Opened | PendingRead | None:
        """Read a local file as the core does; return `None` for a file of a mount."""
        return read(path, request) if self._far(encoded(path)) is None else None

    def _each(
        self, name: bytes, request: Request, most: tuple[int | None, int | None], *, sizes_only: bool
    ) -> TextPage | Unchanged | Opened | ReadError | tuple[int]:
        """Read one of several files, or only find its size."""
        try:
            if sizes_only:
                return (self.open(name, repair=True, whole=0).size_bytes,)
            max_bytes, max_tokens = most
            return self.read(name, request, max_bytes=max_bytes, max_tokens=max_tokens)
        except ReadError as error:
            return error

    def _target(self, core: Engine, name: bytes) -> WorkTarget:
        far = self._far(name)
        if far is not None:
            return far.target
        return WorkTarget(display_path(name), partial(core.remote_mount, name), self._count_hop)

    def stats(self) -> dict[str, int]:
        """Return the number of hops to a thread and the core's counters."""
        return {"hops": self._hops, **self._live().stats()}

    def close(self) -> None:
        """Release the core; running calls keep it until they end."""
        self._native, self._mounts = None, None
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

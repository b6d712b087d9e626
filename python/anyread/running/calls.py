"""One call: whether it may wait in the thread that runs it, and what it keeps if it starts again in another.

Everything below the public asynchronous functions is synchronous. A call is tried on the event loop first,
where it may neither wait nor compute for long: code that would have to says so with `work`, which raises
`WouldBlock`. The same function then runs from its start in a worker thread, where it may wait. What was
opened or computed until then is kept, so that a call opens its file once; what changes a session or the
counts of a host is done at the end, so that a second start is harmless. The end of a call closes its files.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from anyread._native import NeedsBytes

from .deadline import NO_DEADLINE, current_deadline

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable, Iterator

    from anyread._native import Cancel

_T = TypeVar("_T")
_Result_co = TypeVar("_Result_co", covariant=True)

Where: TypeAlias = Literal["loop", "caller", "thread", "mount", "decoder", "anywhere"]
"""Where a call runs: on an event loop, in the thread of a synchronous caller, in a worker thread for local
files, for one mount that may hang, or for calls that use decoders; "anywhere": no driver runs it."""


INLINE_BYTES = 64 * 1024
"""Work on up to this many bytes runs in the calling thread: a hop to another one would take longer."""


class WorkTarget(NamedTuple):
    """The file on which work is done."""

    path: str
    """The path to report if no thread can be started."""
    remote_mount: Callable[[], int | None]
    """Returns the mount of the file if that mount may hang; called in a thread."""
    count_hop: Callable[[], object]
    """Called each time the call moves to a thread."""


class WouldBlock(BaseException):
    """The call must not wait in this thread: it starts again in another one.

    Args:
        target: The file that it would wait for.
        decodes: Whether it needs a decoder.
    """

    def __init__(self, target: WorkTarget, *, decodes: bool = False) -> None:
        super().__init__(target.path)
        self.target, self.decodes = target, decodes


class Fetch(BaseException):
    """The call needs something of a file that is elsewhere: it starts again once that is there.

    Args:
        get: Fetches it, and keeps it for the call.
        mount: Whether that blocks a thread.
        target: The file.
    """

    def __init__(self, get: Callable[..., Awaitable[None]], mount: CanBlock, target: WorkTarget) -> None:
        super().__init__(target.path)
        self.get, self.mount, self.target = get, mount, target


class CanBlock(Protocol):
    """What has files that are elsewhere."""

    blocks: bool
    """Whether fetching blocks a thread, instead of being awaited."""


class Abandoned(BaseException):
    """Nobody waits for the call any more."""


class Call:
    """A call that is running.

    Args:
        kept: What an earlier attempt has kept.
    """

    __slots__ = ("_at_end", "_kept", "cancel", "far", "is_abandoned", "is_in_thread", "restarts", "where")

    def __init__(self, kept: dict[Hashable, Any] | None = None) -> None:
        self.where: Where = "anywhere"
        """Where it runs now."""
        self.cancel: Cancel | None = None
        """The flag that ends the work of a worker thread; `None` in other threads."""
        self.is_abandoned = False
        """Whether nobody waits for it any more."""
        self.is_in_thread = False
        """Whether a worker thread runs it now, and may use what is kept."""
        self.far: dict[int, Fetch] = {}
        """What fetches a part of each copy that the call reads, by the copy's number."""
        self.restarts = 0
        """How often it started again because a file that is elsewhere has changed."""
        self._kept: dict[Hashable, Any] = {} if kept is None else kept
        self._at_end: list[Callable[[], object]] = []

    def run_at(self, where: Where, cancel: Cancel | None, function: Callable[[], _T]) -> _T:
        """Run its function from the start in this thread.

        Raises:
            WouldBlock: It must run in another thread.
            Fetch: It needs something of a file that is elsewhere.
        """
        self.where, self.cancel, self._at_end = where, cancel, []
        outer = _current.get()
        try:
            # Inside, because a signal handler may raise as soon as it is set.
            _current.set(self)
            return function()
        except NeedsBytes as missing:
            number, *part = missing.args
        finally:
            _current.set(outer)
        fetch = self.far[number]
        raise Fetch(partial(fetch.get, *part), fetch.mount, fetch.target)

    async def fetched(self, get: Callable[[], Awaitable[None]]) -> None:
        """Await what the call needs."""
        outer = _current.get()
        try:
            _current.set(self)
            await get()
        finally:
            _current.set(outer)

    def require_thread(self, target: WorkTarget, *, needs_flag: bool = False, decodes: bool = False) -> None:
        """Return if this thread may wait for a file.

        Args:
            target: The file.
            needs_flag: Whether only its flag can stop the wait, not Ctrl-C.
            decodes: Whether the wait is for a decoder.

        Raises:
            WouldBlock: The call starts again in a thread that may.
            Abandoned: Nobody waits for the call any more.
        """
        where = self.where
        if (
            where == "loop"
            or (where == "caller" and (needs_flag or decodes))
            or (where == "thread" and (decodes or target.remote_mount() is not None))
        ):
            raise WouldBlock(target, decodes=decodes)
        self.check()

    def check(self) -> None:
        """Raise `Abandoned` if nobody waits for the call any more."""
        if self.is_abandoned:
            raise Abandoned

    @property
    def has_kept(self) -> bool:
        """Whether anything is kept."""
        return bool(self._kept)

    def kept(self, key: Hashable) -> Any:
        """Return what an earlier attempt kept; `None` if nothing."""
        return self._kept.get(key)

    def keep(self, key: Hashable, value: Any) -> None:
        """Keep a value for the next attempt."""
        if self.where != "anywhere":
            self._kept[key] = value

    def drop(self, key: Hashable) -> None:
        """Keep a value no longer."""
        self._kept.pop(key, None)

    def drop_all(self) -> None:
        """Keep nothing any longer, because the files have changed."""
        while self._kept:
            _, value = self._kept.popitem()
            close = getattr(value, "close", None)
            if close is not None:
                close()

    def leave_open(self, value: object) -> None:
        """Do not close a value that is kept if the call succeeds: its result refers to it."""

        def drop() -> None:
            self._kept = {key: kept for key, kept in self._kept.items() if kept is not value}

        self.at_end(drop)

    def at_end(self, function: Callable[[], object]) -> None:
        """Have a function called when the call has succeeded: in order, and only once."""
        if self.where == "anywhere":
            function()
        else:
            self._at_end.append(function)

    def finished(self, result: _T) -> _T:
        """Do what was to be done at the end, and return the result."""
        functions, self._at_end = self._at_end, []
        for function in functions:
            function()
        return result

    def close(self) -> None:
        """Drop what is kept, and close the files; if a thread still uses them, it does so when it ends.

        Otherwise whoever keeps an error would keep the files open, because its frames refer to them; and
        each error of an event loop is kept by a reference cycle until the next garbage collection. The
        functions of `at_end` refer to the call, and would be such a cycle.
        """
        self._at_end = []
        while self._kept and not self.is_in_thread:
            # Another thread may drop a value at the same time.
            value = self._kept.pop(next(iter(tuple(self._kept)), None), None)
            close = getattr(value, "close", None)
            if close is not None:
                close()


_current: ContextVar[Call | None] = ContextVar("anyread_call", default=None)
running_call: Callable[[], Call | None] = _current.get
"""Return the call that runs this code; `None` if none does. Small reads ask for it, too."""


def current_call() -> Call:
    """Return the call that runs this code."""
    return _current.get() or Call()


def work(function: Callable[[Cancel | None], _T], target: WorkTarget, *, needs_flag: bool = False) -> _T:
    """Run a function that may wait or compute for long; on an event loop, move the call to a thread.

    Args:
        function: The function. It gets the flag that ends it, or `None` if only a signal can.
        target: The file on which the work is done.
        needs_flag: Whether only its flag can stop it, so that it always runs in a worker thread.
    """
    call = current_call()
    call.require_thread(target, needs_flag=needs_flag)
    with in_time():
        return function(call.cancel)


@contextmanager
def in_time() -> Iterator[None]:
    """Raise the error of the deadline for work that is stopped because of it."""
    try:
        yield
    except InterruptedError:
        if (deadline := current_deadline()) is NO_DEADLINE:
            raise
        raise deadline.error() from None


class CoreFunction(Protocol[_Result_co]):
    """A function of the core, which raises `BlockingIOError` if it would have to wait and may not."""

    def __call__(self, cancel: Cancel | None = None, *, may_wait: bool = False) -> _Result_co:
        """Run it."""


def attempt(function: CoreFunction[_T], target: Callable[[], WorkTarget]) -> _T:
    """Run a function of the core here if it need not wait; otherwise where this call may wait.

    Args:
        function: The function.
        target: Returns the file on which the work is done.
    """
    try:
        return function()
    except BlockingIOError:
        # Outside of this block, so that `WouldBlock` has no context.
        pass
    return work(lambda cancel: function(cancel, may_wait=True), target())


def once(key: Hashable, function: Callable[[], _T]) -> _T:
    """Return what a function returned in an earlier attempt of this call, or call it now."""
    call = current_call()
    found: _T | None = call.kept(key)
    if found is None:
        found = function()
        call.keep(key, found)
    return found


def at_end(function: Callable[[], object]) -> None:
    """Have a function called when the current call has succeeded."""
    current_call().at_end(function)


def with_decoder(target: WorkTarget) -> None:
    """Move the call to a thread that may wait for decoders, if it does not run in one."""
    current_call().require_thread(target, decodes=True)

"""The effects that a step of a read can yield: work that may block, a wait, or several concurrent steps.

A function that has to wait is written once, as a generator that yields effects, and holds no object of any
event loop or thread. Two drivers run it: `loop.run` in asyncio and trio, and `threads.run` in a thread.
`yield from` composes: it takes an effect, or another function's steps, and has the type of its result::

    def size(path: str) -> Steps[int]:
        data = yield from Work(lambda cancel: Path(path).read_bytes(), target)
        return len(data)

Errors are raised at the `yield from`. Short code that cannot block is called directly.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyread._native import Cancel

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Effect(Generic[T_co]):
    """An operation that only a driver can perform; use it with `yield from`."""

    __slots__ = ()

    def __iter__(self) -> Steps[T_co]:
        result: T_co = yield self
        return result


Steps: TypeAlias = Generator[Effect[Any], Any, T]
"""A computation that yields effects, receives their results, and returns a `T`."""


class WorkTarget(NamedTuple):
    """The file on which work is done."""

    path: str
    """The path to report if no thread can be started."""
    remote_mount: Callable[[], int | None]
    """Returns the mount of the file if that mount may hang; called in the thread."""
    count_hop: Callable[[], object]
    """Called for each hop from an event loop to a thread."""


class Work(Effect[T]):
    """Run a function that may block: in a thread under an event loop or a deadline, otherwise in this thread.

    If the wait for it ends early, the flag that is passed to the function is set.

    Args:
        function: The function to run. It gets `None` instead of a flag if only a signal can cancel it.
        target: The file on which the work is done.
        needs_flag: Whether only its flag can stop it (Ctrl-C cannot), so that it always runs in a thread.
    """

    __slots__ = ("function", "needs_flag", "target")

    def __init__(
        self, function: Callable[[Cancel | None], T], target: WorkTarget, *, needs_flag: bool = False
    ) -> None:
        self.function = function
        self.target = target
        self.needs_flag = needs_flag


class Bell(Protocol):
    """An event that any thread of this process may cause."""

    def listen(self, wake: Callable[[], object]) -> None:
        """Set the function to call when it happens, or call it at once if it has happened already."""


class Wait(Effect[bool]):
    """Wait; the result is whether the descriptor became ready, or the bell rang, in time.

    Args:
        descriptor: The descriptor to wait for; `None` to wait only for the deadline.
        writable: Whether to wait until it is writable instead of readable.
        deadline: When to stop waiting, on the clock `time.monotonic`; `None` for never.
        bell: The bell to wait for instead of a descriptor.
    """

    __slots__ = ("bell", "deadline", "descriptor", "writable")

    def __init__(
        self, descriptor: int | None, *, writable: bool, deadline: float | None, bell: Bell | None = None
    ) -> None:
        self.descriptor = descriptor
        self.writable = writable
        self.deadline = deadline
        self.bell = bell


class All(Effect[list[T]]):
    """Run steps concurrently and return their results, in order. The first failure ends the others.

    Args:
        steps: The steps to run.
        at_once: The maximum number that run at a time.
    """

    __slots__ = ("at_once", "steps")

    def __init__(self, steps: Sequence[Steps[T]], *, at_once: int) -> None:
        self.steps = steps
        self.at_once = at_once

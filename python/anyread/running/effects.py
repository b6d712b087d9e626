"""The effects that a step of a read can yield: work that may block, a wait, or several concurrent steps.

A function that has to wait is written once, as a generator that yields effects, and holds no object of any
event loop or thread. Two drivers run it: `loop.run` in asyncio and trio, and `threads.run` in a thread.
`yield from` composes: it takes an effect, or another function's steps, and has the type of the answer::

    def size(path: str) -> Steps[int]:
        data = yield from Work(lambda cancel: Path(path).read_bytes(), target)
        return len(data)

Errors are raised at the `yield from`. Short code that cannot block is called directly.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyread._native import Cancel

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Effect(Generic[T_co]):
    """An operation that only a driver can do; use it with `yield from`."""

    __slots__ = ()

    def __iter__(self) -> Steps[T_co]:
        answer: T_co = yield self
        return answer


Steps: TypeAlias = Generator[Effect[Any], Any, T]
"""A computation that yields effects, receives their results, and returns a `T`."""


class WorkTarget(NamedTuple):
    """The file that work is about."""

    path: str
    """The path to report if no thread can be started."""
    remote_mount: Callable[[], int | None]
    """Returns the mount of the file if that mount may hang; called in the thread."""
    count_hop: Callable[[], object]
    """Called for each hop from an event loop to a thread."""


@dataclass(frozen=True, slots=True)
class Work(Effect[T]):
    """Run a function that may block: in a thread under an event loop or a deadline, otherwise in this thread.

    If the wait for it ends early, the flag that is passed to the function is set.
    """

    function: Callable[[Cancel | None], T]
    """The function to run. It gets `None` instead of a flag if only a signal can cancel it."""
    target: WorkTarget
    """The file that it is about."""
    needs_flag: bool = False
    """Whether only its flag can stop it (Ctrl-C cannot), so that it always runs in a thread."""


class Bell(Protocol):
    """An event in this process, in any thread."""

    def listen(self, wake: Callable[[], object]) -> None:
        """Set the function to call when it happens, or call it at once if it has happened already."""


@dataclass(frozen=True, slots=True)
class Wait(Effect[bool]):
    """Wait; the result is whether the descriptor became ready, or the bell rang, in time."""

    descriptor: int | None
    """The descriptor to wait for; `None` to wait only for the deadline."""
    writable: bool
    """Whether to wait until it is writable instead of readable."""
    deadline: float | None
    """When to stop waiting, on the clock `time.monotonic`; `None` for never."""
    bell: Bell | None = None
    """The bell to wait for instead of a descriptor."""


@dataclass(frozen=True, slots=True)
class All(Effect[list[T]]):
    """Run steps concurrently and return their results, in order. The first failure ends the others."""

    steps: Sequence[Steps[T]]
    at_once: int
    """The maximum number that run at a time."""

"""What a step of a read can ask for: work that may block, a wait, or several steps side by side.

A function that has to wait is written once, as a generator that yields effects, and holds no object of any
event loop or thread. Two drivers run it: `loop.run` in asyncio and trio, and `threads.run` in a thread.
`yield from` composes: it takes an effect, or another function's steps, and has the type of the answer::

    def size(path: str) -> Steps[int]:
        data = yield from Work(lambda cancel: Path(path).read_bytes(), target)
        return len(data)

What goes wrong is raised at the `yield from`. What is short and cannot block is called directly.
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
    """Something that only a driver can do; `yield from` it."""

    __slots__ = ()

    def __iter__(self) -> Steps[T_co]:
        answer: T_co = yield self
        return answer


Steps: TypeAlias = Generator[Effect[Any], Any, T]
"""A computation that yields effects, is sent their answers, and returns a `T`."""


class WorkTarget(NamedTuple):
    """The file that work is about."""

    path: str
    """The path to name if no thread can be started."""
    remote_mount: Callable[[], int | None]
    """Returns the mount, if any, that the file is on and that may hang; called in the thread."""
    count_hop: Callable[[], object]
    """Called for each hop from an event loop to a thread."""


@dataclass(frozen=True, slots=True)
class Work(Effect[T]):
    """Run a function that may block: in a thread under an event loop or a deadline, otherwise right here.

    If the wait for it ends early, the function is told to stop through the flag that it gets.
    """

    function: Callable[[Cancel | None], T]
    """What to run. It gets `None` in place of a flag where nothing can cancel it but a signal."""
    target: WorkTarget
    """The file that it is about."""
    needs_flag: bool = False
    """Whether nothing but its flag can stop it, not even Ctrl-C, so that it always runs in a thread."""


class Bell(Protocol):
    """An event in this process, in whatever thread."""

    def listen(self, wake: Callable[[], object]) -> None:
        """Set what is called when it happens, or call it at once if it has happened."""


@dataclass(frozen=True, slots=True)
class Wait(Effect[bool]):
    """Wait; the answer is whether the descriptor became ready, or the bell rang, in time."""

    descriptor: int | None
    """What to wait for; `None`: only for the deadline."""
    writable: bool
    """Whether to wait until it can be written to, instead of read from."""
    deadline: float | None
    """When to stop waiting, on the clock `time.monotonic`; `None`: never."""
    bell: Bell | None = None
    """What to wait for in place of a descriptor."""


@dataclass(frozen=True, slots=True)
class All(Effect[list[T]]):
    """Run steps side by side; the answer is their results, in order. The first that fails ends the others."""

    steps: Sequence[Steps[T]]
    at_once: int
    """How many run at a time."""

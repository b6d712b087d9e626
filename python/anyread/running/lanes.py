"""Daemon threads for work that may block, limited in number for each mount that may hang.

No library's thread pool is used, because a read from a dead server never returns: its thread must not
take the place of a thread that reads a local disk, nor keep the interpreter from exiting.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from contextvars import Context
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from anyread._native import Cancel
from anyread.errors import FileSystemError

from .scans import current_scans

if TYPE_CHECKING:
    from collections.abc import Callable

    from .effects import Work

_T = TypeVar("_T")
Task: TypeAlias = "Callable[[], Callable[[], object]]"
"""What a thread runs; it returns a function to call when the thread counts as free again."""

THREADS = 16
"""The maximum number of threads for each mount that may hang, and for all other mounts together.

Enough to keep a disk's queue full; scans use all cores themselves, so more threads would only contend.
"""

EAGER_THREADS = 4
"""The number of threads that are started as soon as there is work for them.

More threads would read small files no faster: each takes the GIL several times for a file, and the event
loop waits for all of them (docs/design/013).
"""

STALL_S = 0.002
"""Seconds in which no thread takes a task, after which another thread is started."""

IDLE_S = 5
"""Seconds without work after which a thread ends."""


class Job(Generic[_T]):
    """One piece of work for a thread, its outcome, and the flag that stops it.

    Args:
        work: What to run.
    """

    def __init__(self, work: Work[_T]) -> None:
        self.cancel = Cancel()
        scans = current_scans.get()
        if scans is not None:
            scans.add(self.cancel)
        self._work: Work[_T] | None = work
        self._path = work.target.path
        self._wake: Callable[[], object] = _wake_nobody
        self._results: list[_T] = []
        self._error: BaseException | None = None

    def start(self, wake: Callable[[], object]) -> None:
        """Queue the work; the thread that takes it finds out on which mount it must run.

        Args:
            wake: Called once, in the thread, when the outcome is available.

        Raises:
            FileSystemError: No thread is running, and the system cannot start one.
        """
        self._wake = wake
        self._submit(None, self._start_in_its_lane)

    def abandon(self) -> None:
        """Cancel the work and drop all references to it, because nobody waits for it any more."""
        self._forget()
        self.cancel.cancel()

    def outcome(self) -> _T:
        """Return what the work returned, or raise what it raised."""
        error, self._error = self._error, None
        if error is None:
            return self._results[0]
        try:
            raise error
        finally:
            # The traceback refers to this frame, so keeping the error here would be a reference cycle.
            del error

    def _start_in_its_lane(self) -> Callable[[], object]:
        work = self._work
        if work is None:
            return _wake_nobody
        try:
            mount = work.target.remote_mount()
            if mount is not None:
                self._submit(mount, self._run)
        except BaseException as error:  # noqa: BLE001 - as in `_run`
            self._error = error
            return self._wake
        return self._run() if mount is None else _wake_nobody

    def _submit(self, mount: int | None, task: Task) -> None:
        try:
            _lanes.lane(mount).submit(task)
        except RuntimeError as error:
            # Python does not report the errno; at a limit of processes or of memory it is EAGAIN.
            raise FileSystemError(self._path, errno=errno.EAGAIN, operation="start_thread") from error

    def _run(self) -> Callable[[], object]:
        """Do the work; return the function that wakes the waiter."""
        work = self._work
        if work is None:
            return _wake_nobody
        try:
            self._results.append(work.function(self.cancel))
        except BaseException as error:  # noqa: BLE001 - `outcome` raises it
            self._error = error
        if self._work is None:
            # It was abandoned while it ran, perhaps before the result was stored.
            self._forget()
        return self._wake

    def _forget(self) -> None:
        """Drop everything that may refer to a file: the work, its result, and the frames of its error."""
        self._work = self._error = None
        self._results.clear()


def _wake_nobody() -> None:
    """Do nothing: there is no waiter, or no outcome yet."""


class _Lane:
    """The threads for one mount that may hang, or for all local ones.

    A signal handler may raise an exception in `submit`, after any call in it.
    """

    def __init__(self) -> None:
        # Looked up now, because gevent replaces it with the threads. No `SimpleQueue` is used: before
        # Python 3.13, its `get` with a timeout may wait forever if another thread takes the item.
        self._lock = threading.Lock()
        self._has_tasks = threading.Condition(self._lock)
        self._tasks: deque[Task] = deque()
        self._threads: set[threading.Thread] = set()
        self._busy = 0
        self._taken = 0
        """How many tasks threads have taken."""
        self._watcher: threading.Thread | None = None
        """The thread that starts others; it ends when no task is pending."""

    def submit(self, task: Task) -> None:
        with self._lock:
            if len(self._tasks) >= len(self._threads) - self._busy:
                if len(self._threads) < EAGER_THREADS:
                    self._start_thread()
                elif self._watcher is None and len(self._threads) < THREADS:
                    self._start_watcher()
            # In this order, a task in the queue has woken a thread, whichever call is interrupted.
            self._has_tasks.notify()
            self._tasks.append(task)

    def _start_watcher(self) -> None:
        thread = threading.Thread(target=self._watch, name="anyread watcher", daemon=True)
        # If the system refuses, the running threads do the work, and the next task tries again.
        with suppress(_RefusedError):
            _start(thread)
            self._watcher = thread

    def _watch(self) -> None:
        """Start a thread whenever tasks wait and none of the others takes one."""
        is_due, taken = True, -1
        while is_due:
            time.sleep(STALL_S)
            with self._lock:
                if self._tasks and taken == self._taken and len(self._threads) < THREADS:
                    self._start_thread()
                taken = self._taken
                is_due = bool(self._tasks) and len(self._threads) < THREADS
                if not is_due:
                    self._watcher = None

    def _start_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="anyread", daemon=True)
        try:
            self._threads.add(thread)
            _start(thread)
        except BaseException as error:
            # If it has started nevertheless, it ends at once.
            self._threads.discard(thread)
            # The running threads do the work, if there are any.
            if not isinstance(error, _RefusedError) or not self._threads:
                raise

    def _serve(self) -> None:
        thread = threading.current_thread()
        while (task := self._next_task(thread)) is not None:
            wake = task()
            with self._lock:
                self._busy -= 1
            # Not earlier, because the waiter's next work would then start another thread.
            wake()
            # Hold no reference to the task while waiting for the next one.
            del task, wake

    def _next_task(self, thread: threading.Thread) -> Task | None:
        """Wait for a task; return `None` if the thread must end, because none came or it was not to start."""
        with self._lock:
            while thread in self._threads:
                if self._tasks:
                    self._busy += 1
                    self._taken += 1
                    return self._tasks.popleft()
                try:
                    is_woken = self._has_tasks.wait(IDLE_S)
                except MemoryError:
                    # No task waits, and the next one starts another thread.
                    is_woken = False
                # A task that came at the end of the wait counts on this thread.
                if not is_woken and not self._tasks:
                    self._threads.discard(thread)
        return None


class _RefusedError(RuntimeError):
    """The system cannot start another thread."""


def _start(thread: threading.Thread) -> None:
    outside = sys.exception()
    try:
        # Without the GIL, threads inherit the context, and with it the deadline of the call that starts them.
        Context().run(thread.start)
    except RuntimeError as error:
        raised = error.__context__
        if raised is not None and raised is not outside:
            # A signal handler raised while `start` waited, and the lock of that wait hides it.
            raise raised from None
        raise _RefusedError(*error.args) from error


class _ThreadLanes:
    def __init__(self) -> None:
        self._lanes: dict[int | None, _Lane] = {}

    def lane(self, mount: int | None) -> _Lane:
        return self._lanes.setdefault(mount, _Lane()) if mount not in self._lanes else self._lanes[mount]


_lanes = _ThreadLanes()


def _after_fork() -> None:
    # The threads do not exist in the child process.
    global _lanes  # noqa: PLW0603 - the one place that replaces it
    _lanes = _ThreadLanes()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

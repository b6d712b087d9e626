"""Threads for work that may block: daemons, kept while there is work, and capped for each mount.

They are our own, because a read of a dead server never comes back: such a thread must neither take the
place of one that reads a disk, nor hold the interpreter when it exits.
"""

from __future__ import annotations

import errno
import os
import threading
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from anyread._native import Cancel
from anyread.errors import FileSystemError

from .scans import current_scans

if TYPE_CHECKING:
    from collections.abc import Callable

    from .effects import Work

_T = TypeVar("_T")
Task: TypeAlias = "Callable[[], Callable[[], object]]"
"""What a thread runs; it returns what to call once the thread is free again."""

THREADS = 16
"""Threads at a time for each mount that may hang, and for all others together.

Enough to keep a disk's queue filled; scans use all cores by themselves, so more would only contend.
"""

IDLE_S = 5
"""Seconds after which a thread without work ends."""


class Job(Generic[_T]):
    """One piece of work in a thread, its outcome, and the flag that stops it.

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
        """Have it run by the next free thread for local file systems.

        Args:
            wake: Called once, in the thread, when there is an outcome.

        Raises:
            FileSystemError: If no thread runs and the system refuses one.
        """
        self._wake = wake
        self._submit(None, self._start_in_its_lane)

    def abandon(self) -> None:
        """Stop the work soon, or before it begins, and let go of it: nobody waits for it any more."""
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
            # Its traceback has this frame: to keep it here would be a reference cycle.
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
            # Python gives no errno; a limit of processes or of memory makes it EAGAIN.
            raise FileSystemError(self._path, errno=errno.EAGAIN, operation="start_thread") from error

    def _run(self) -> Callable[[], object]:
        """Do the work; gives what tells the waiter, once the thread is free again."""
        work = self._work
        if work is None:
            return _wake_nobody
        try:
            self._results.append(work.function(self.cancel))
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is waited for
            self._error = error
        if self._work is None:
            # It was abandoned while it ran, perhaps before the result was stored.
            self._forget()
        return self._wake

    def _forget(self) -> None:
        """Let go of all that may refer to a file: the work, its result, the frames of its error."""
        self._work = self._error = None
        self._results.clear()


def _wake_nobody() -> None:
    """Stand for a waiter that is gone, or has to wait on."""


class _Lane:
    """The threads for one mount that may hang, or for all local ones."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Task] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._busy = 0
        self._pending = 0

    def submit(self, task: Task) -> None:
        with self._lock:
            if self._pending >= self._threads - self._busy and self._threads < THREADS:
                self._start_thread()
            # It counts before it is there, so that no thread ends that is needed for it.
            self._pending += 1
        self._tasks.put(task)

    def _start_thread(self) -> None:
        try:
            threading.Thread(target=self._serve, name="anyread", daemon=True).start()
        except RuntimeError:
            # Without a new thread the others do it, if there are any.
            if not self._threads:
                raise
        else:
            self._threads += 1

    def _serve(self) -> None:
        while True:
            try:
                task = self._tasks.get(timeout=IDLE_S)
            except Empty:
                with self._lock:
                    # What was just put here counts as pending already.
                    if not self._pending:
                        self._threads -= 1
                        return
                continue
            with self._lock:
                self._pending -= 1
                self._busy += 1
            wake = task()
            with self._lock:
                self._busy -= 1
            # Only now, or a waiter's next work would start another thread beside this one.
            wake()
            # Nothing of it is held while waiting for the next.
            del task, wake


class _ThreadLanes:
    def __init__(self) -> None:
        self._lanes: dict[int | None, _Lane] = {}

    def lane(self, mount: int | None) -> _Lane:
        return self._lanes.setdefault(mount, _Lane()) if mount not in self._lanes else self._lanes[mount]


_lanes = _ThreadLanes()


def _after_fork() -> None:
    # The child has none of the threads.
    global _lanes  # noqa: PLW0603 - the one place that replaces it
    _lanes = _ThreadLanes()


os.register_at_fork(after_in_child=_after_fork)

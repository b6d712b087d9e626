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
from contextvars import Context, copy_context
from functools import cache, partial
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from anyread._native import Cancel, thread_waits
from anyread.errors import FileSystemError

from .cores import cores, decoder_count
from .deadline import NO_DEADLINE, current_deadline
from .scans import current_scans

if TYPE_CHECKING:
    from collections.abc import Callable

    from .calls import Call, Where, WorkTarget

_T = TypeVar("_T")
Task: TypeAlias = "Callable[[], Callable[[], object]]"
"""What a thread runs; it returns a function to call when the thread counts as free again."""

THREADS = 16
"""The maximum number of threads for each mount that may hang, and for all other mounts together.

Enough to keep a disk's queue full; scans use all cores themselves, so more threads would only contend.
"""

WAITING_THREADS = 4
"""How many threads work at a time without delay, while some of their tasks wait, such as for a disk.

More threads would read small files no faster: each takes the GIL several times for a file, and the event
loop waits for all of them (docs/design/013).
"""

BUSY_TASKS = 8
"""After so many tasks in a row that did not wait, only the cores that the event loop leaves free are used."""

LONG_S = 0.002
"""A task that takes longer does not keep others from being done at the same time."""

WATCH_ROUNDS = 50
"""After so many times `LONG_S` without a task that waits, the thread that watches for long tasks ends."""

IDLE_S = 5
"""Seconds without work after which a thread ends."""


_DESCRIPTORS = 1_024
"""For how many descriptors there is room from the first thread on; by default, a process may have no more."""


class Job(Generic[_T]):
    """One run of a call in a thread, its outcome, and the flag that stops it.

    Args:
        call: The call.
        function: What it runs.
        target: The file that it would wait for.
        decodes: Whether it needs a decoder.
    """

    def __init__(self, call: Call, function: Callable[[], _T], target: WorkTarget, *, decodes: bool) -> None:
        self.cancel = Cancel()
        scans = current_scans.get()
        if scans is not None:
            scans.add(self.cancel)
        self._call = call
        self._function: Callable[[], _T] | None = function
        # A tokenizer of the host may use them.
        self._context = copy_context()
        self._target, self._decodes, self._deadline = target, decodes, current_deadline()
        self._wake: Callable[[], object] = _wake_nobody
        self._results: list[_T] = []
        self._error: BaseException | None = None

    def start(self, wake: Callable[[], object]) -> None:
        """Queue the call; the thread that takes it finds out on which mount it must run.

        Args:
            wake: Called once, in the thread, when the outcome is available.

        Raises:
            FileSystemError: No thread is running, and the system cannot start one.
        """
        self._wake = wake
        self._submit("decoders" if self._decodes else None, self._start_on_its_mount)

    def abandon(self) -> None:
        """Cancel the call and drop all references to it, because nobody waits for it any more."""
        # It may be waited for again, in another thread.
        if self._function is not None:
            self._call.is_abandoned = True
        self._forget()
        self.cancel.cancel()

    def outcome(self) -> _T:
        """Return what the call returned, or raise what it raised."""
        error, self._error = self._error, None
        # It has ended.
        self._function = None
        if error is None:
            return self._results[0]
        try:
            raise error
        finally:
            # The traceback refers to this frame, so keeping the error here would be a reference cycle.
            del error

    def _start_on_its_mount(self) -> Callable[[], object]:
        if self._function is None:
            return _wake_nobody
        self._deadline.wait(None)
        try:
            mount = self._target.remote_mount()
            if mount is not None:
                self._submit(mount, partial(self._run, "mount"))
        except BaseException as error:  # noqa: BLE001 - as in `_run`
            self._error = error
            return self._wake
        if mount is not None:
            return _wake_nobody
        return self._run("decoder" if self._decodes else "thread")

    def _submit(self, pool: int | Literal["decoders"] | None, task: Task) -> None:
        threads = _pool(pool)
        self._deadline.wait(threads)
        try:
            threads.submit(task)
        except RuntimeError as error:
            # Python does not report the errno; at a limit of processes or of memory it is EAGAIN.
            path = self._target.path
            raise FileSystemError(path, errno=errno.EAGAIN, operation="start_thread") from error

    def _run(self, where: Where) -> Callable[[], object]:
        """Run the call; return the function that wakes the waiter."""
        function, call = self._function, self._call
        if function is None:
            return _wake_nobody
        self._deadline.wait(None)
        call.is_in_thread = True
        try:
            self._results.append(self._context.run(call.run_at, where, self.cancel, function))
        except BaseException as error:  # noqa: BLE001 - `outcome` raises it
            self._error = error
        call.is_in_thread = False
        if self._function is None:
            # It was abandoned while it ran, perhaps before the result was stored.
            self._forget()
            call.close()
        return self._wake

    def _forget(self) -> None:
        """Drop everything that may refer to a file: the call, its result, and the frames of its error."""
        self._function = self._error = None
        self._deadline = NO_DEADLINE
        self._results.clear()


def _wake_nobody() -> None:
    """Do nothing: there is no waiter, or no outcome yet."""


class _ThreadPool:
    """The threads for one mount that may hang, or for all local ones.

    How many of them work at a time depends on the tasks. If these wait for a disk, several should; if they
    only need a core, each busy thread takes cores and the GIL from the event loop.
    A signal handler may raise an exception in `submit`, after any call in it.

    Args:
        may_hang: Whether the threads are for a mount that may hang.
        width: How many threads work at a time; `None`: that depends on their tasks.
    """

    def __init__(self, *, may_hang: bool, width: int | None = None) -> None:
        # Looked up now, because gevent replaces it with the threads. No `SimpleQueue` is used: before
        # Python 3.13, its `get` with a timeout may wait forever if another thread takes the item.
        self._lock = threading.Lock()
        self._has_tasks = threading.Condition(self._lock)
        self._tasks: deque[Task] = deque()
        self._threads: set[threading.Thread] = set()
        self._busy: dict[threading.Thread, float] = {}
        """When each thread that works has taken its task."""
        self._width = width
        self.moved = 0.0
        """When a task was taken last, on the clock `time.monotonic`."""
        self._counts_waits = not may_hang and width is None and thread_waits() is not None
        self._without_wait = 0
        """How many tasks in a row have not waited."""
        self._watcher: threading.Thread | None = None
        """The thread that lets others work as soon as the tasks of busy ones take long."""

    def submit(self, task: Task) -> None:
        with self._lock:
            pending = len(self._tasks)
            is_due = pending < THREADS and pending < self._room()
            # The first threads start even if they may not work yet: later, this would delay the event loop.
            if (is_due or len(self._threads) < (self._width or WAITING_THREADS)) and pending >= self._free():
                self._start_thread()
            if not is_due and self._watcher is None and self._width is None:
                self._start_watcher()
            # In this order, a task in the queue has woken a thread, whichever call is interrupted. If it is
            # not due, a busy thread takes it.
            if is_due:
                self._has_tasks.notify()
            self._tasks.append(task)

    def _free(self) -> int:
        """Return how many threads have nothing to do."""
        return len(self._threads) - len(self._busy)

    def _room(self) -> int:
        """Return how many more threads may work now."""
        if self._width is not None:
            return self._width - len(self._busy)
        is_busy = self._counts_waits and self._without_wait >= BUSY_TASKS
        width, busy = _spare_cores() if is_busy else WAITING_THREADS, len(self._busy)
        if busy >= width:
            now = time.perf_counter()
            width += sum(now - started > LONG_S for started in self._busy.values())
        return min(width, THREADS) - busy

    def _start_watcher(self) -> None:
        thread = threading.Thread(target=self._watch, name="anyread watcher", daemon=True)
        # If the system refuses, the running threads do the work, and the next task tries again.
        with suppress(_RefusedError):
            _start(thread)
            self._watcher = thread

    def _watch(self) -> None:
        """While tasks are pending, let more threads work when tasks of others have become long."""
        rounds_left = WATCH_ROUNDS
        while rounds_left:
            time.sleep(LONG_S)
            with self._lock:
                rounds_left = WATCH_ROUNDS if self._tasks else rounds_left - 1
                if self._tasks:
                    self._has_tasks.notify(max(0, self._room()))
                elif not rounds_left:
                    self._watcher = None
            self._add_thread()

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

    def _add_thread(self) -> None:
        """Start another thread if a task is due and no thread is free."""
        if not self._tasks or self._free():
            # The lock is not taken for nothing, because the event loop may wait for it.
            return
        # If there is no memory or no thread to be had, the running threads do the work.
        with suppress(MemoryError, _RefusedError):
            with self._lock:
                if not self._tasks or self._free() or self._room() <= 0:
                    return
                thread = threading.Thread(target=self._serve, name="anyread", daemon=True)
                self._threads.add(thread)
            try:
                # The event loop does not wait for this, because the lock is free.
                _start(thread)
            except BaseException:
                with self._lock:
                    self._threads.discard(thread)
                raise

    def _serve(self) -> None:
        thread = threading.current_thread()
        waits = thread_waits()
        _enlarge_descriptor_table()
        while (task := self._next_task(thread)) is not None:
            self._add_thread()
            wake = task()
            earlier, waits = waits, thread_waits()
            with self._lock:
                del self._busy[thread]
                is_idle = not self._busy and not self._tasks
                self._without_wait = 0 if is_idle or waits != earlier else self._without_wait + 1
            # Not earlier, because the waiter's next work would then start another thread.
            wake()
            # Hold no reference to the task while waiting for the next one.
            del task, wake

    def _next_task(self, thread: threading.Thread) -> Task | None:
        """Wait for a task; return `None` if the thread must end, because none came or it was not to start."""
        with self._lock:
            while thread in self._threads:
                if self._tasks and self._room() > 0:
                    self._busy[thread], self.moved = time.perf_counter(), time.monotonic()
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


@cache
def _spare_cores() -> int:
    """Return the number of cores besides the event loop's: at least one, at most `WAITING_THREADS`."""
    return min(WAITING_THREADS, max(1, cores() - 1))


@cache
def _enlarge_descriptor_table() -> None:
    """Let the system enlarge this process's table of descriptors, in a thread.

    Linux doubles it for each 256th, 512th, … file, and in a process with threads waits until all cores have
    noticed: 10 to 15 ms, in which the event loop would open nothing and run nothing.
    """
    if sys.platform != "linux":
        return
    import fcntl

    with suppress(OSError):
        descriptor = os.open(os.devnull, os.O_RDONLY)
        try:
            command = getattr(fcntl, "F_DUPFD_CLOEXEC", 1030)  # PyPy has no name for it
            os.close(fcntl.fcntl(descriptor, command, _DESCRIPTORS - 1))
        finally:
            os.close(descriptor)


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


_pools: dict[int | Literal["decoders"] | None, _ThreadPool] = {}


def _pool(name: int | Literal["decoders"] | None) -> _ThreadPool:
    """Return the threads for calls that use decoders, for a mount that may hang, or for all others."""
    if name not in _pools:
        width = decoder_count() if name == "decoders" else None
        return _pools.setdefault(name, _ThreadPool(may_hang=isinstance(name, int), width=width))
    return _pools[name]


def _after_fork() -> None:
    # The threads do not exist in the child process.
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

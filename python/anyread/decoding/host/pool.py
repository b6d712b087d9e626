"""The decoders of this process: as many as there are cores, shared by all threads.

A call takes a decoder for one file, and returns it. One condition guards which are idle, and how many work.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from typing import TYPE_CHECKING

from anyread.decoding.protocol import GoneError, LateError
from anyread.running.calls import current_call
from anyread.running.cores import decoder_count
from anyread.running.polling import TICK_S

from .children import ReaderSettings, forget_processes
from .starters import RESTART_S, START_S, RefusedError, UnavailableError, starter

if TYPE_CHECKING:
    from .children import Child
    from .starters import ForkServer, Spawner

_RESTOCK_INTERVAL = 2
"""The number of releases after which the child that was started in advance is replaced if it was taken.

Not at once: while one child replaces another, three processes would compete with the next call.
"""
_MAX_STARTS = 3
"""Maximum number of times that a starter that was killed is started for one call."""
_SPARE_S = 0.05
"""For how many seconds a call that has a decoder waits for another: a fork takes 2 ms, a start 300."""
_ANY = ReaderSettings()
_REFUSAL_S = 1
"""Seconds for which no decoder is started after the system refused another process."""


class Pool:
    """Decoder processes that are started when first needed.

    Args:
        size: The maximum number of decoders; `None`: `decoder_count()`.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size or decoder_count()
        self._changed = threading.Condition()
        self._idle: list[Child] = []
        self._working: set[Child] = set()
        self._busy = 0
        """How many decoders work, or are being started."""
        self._waiting = 0
        """How many calls wait for one."""
        self._refused_until = 0.0
        """Until when no decoder is started, on the clock `time.monotonic`."""
        self._released = 0
        self.moved = 0.0
        """When a decoder was returned last, on the clock `time.monotonic`."""
        self._starter: ForkServer | Spawner | None = None
        self._starter_lock = threading.Lock()
        self.restrictions: frozenset[str] | None = None
        """The restrictions on decoders: "files", "system_calls"; `None` if none has responded yet."""
        self.is_closed = False
        """Whether the host has ended all decoders, as at its exit."""
        self._starts = 0
        self._taken = 0
        self._pid = os.getpid()

    @property
    def capacity(self) -> int:
        """How many decoders can exist at once: as many as can work, and one that is started in advance."""
        return self.size + 1

    def acquire(self, deadline: float = math.inf, settings: ReaderSettings = _ANY) -> Child:
        """Take a decoder, waiting for one if all are in use.

        Args:
            deadline: When to stop waiting, on the clock `time.monotonic`.
            settings: The settings of the file; a decoder that has had files with others is ended.

        Raises:
            LateError: The deadline passed.
            UnavailableError: No decoder can be started.
        """
        while True:
            with self._changed:
                self._wait_for_room(deadline)
                self._busy += 1
                child = self._idle_child(settings)
            try:
                return self._fit_child(child, settings, deadline)
            except RefusedError:
                with self._changed:
                    if not self._busy and not self._idle:
                        raise
                    # Those that exist keep working.
                    self._refused_until = time.monotonic() + _REFUSAL_S

    def try_acquire(self, deadline: float = math.inf, settings: ReaderSettings = _ANY) -> Child | None:
        """Take a decoder, unless all are in use or another call waits for one; then return `None`.

        Raises:
            LateError: The deadline passed, or one that is being started is not ready.
        """
        with self._changed:
            if self._waiting or not self._has_room():
                return None
            self._busy += 1
            child = self._idle_child(settings)
        try:
            return self._fit_child(child, settings, min(deadline, time.monotonic() + _SPARE_S))
        except UnavailableError:
            return None

    def release(self, child: Child, *, is_fit: bool) -> None:
        """Return a decoder; one that is not fit is killed and replaced when needed."""
        if os.getpid() != self._pid:
            # The decoder belongs to the parent of a forked host.
            return
        with self._changed:
            self._working.discard(child)
            if is_fit and not self.is_closed:
                self._idle.append(child)
            self._released, self.moved = self._released + 1, time.monotonic()
            self._leave()
        if not is_fit or self.is_closed:
            _end(child)
        ready = self._starter
        if ready is not None and self._released % _RESTOCK_INTERVAL == 0:
            ready.restock()

    def stats(self) -> dict[str, int]:
        """Return counters.

        `decoders_started` counts the decoders that were used; `decoder_restarts` counts the starts of
        their starter after the first. `decoder_restrictions` is the number of sandbox restrictions (files and
        system calls) that the kernel supports.
        """
        return {
            "decoders_started": self._taken,
            "decoder_restarts": max(0, self._starts - 1),
            "decoder_restrictions": len(self.restrictions or ()),
        }

    def close(self) -> None:
        """End all decoders and their starter."""
        with self._changed:
            self.is_closed = True
            idle, self._idle = self._idle, []
            ended, self._starter = self._starter, None
            for child in self._working:
                # The call that uses it closes its descriptors.
                child.kill()
        for child in idle:
            child.dispose()
        if ended is not None:
            ended.close()

    def abandon(self) -> None:
        """Close descriptors only, as after a fork of the host, where the decoders belong to the parent."""
        for child in (*self._idle, *self._working):
            child.dispose()
        if self._starter is not None:
            self._starter.abandon()

    def _has_room(self) -> bool:
        """Return whether another call may have a decoder now; the condition must be held."""
        if self._busy >= self.size:
            return False
        return bool(self._idle) or not self._busy or time.monotonic() >= self._refused_until

    def _wait_for_room(self, deadline: float) -> None:
        call = current_call()
        self._waiting += 1
        try:
            while not self._has_room():
                call.check()
                left = deadline - time.monotonic()
                if left <= 0:
                    raise LateError
                self._changed.wait(min(left, TICK_S))
        finally:
            self._waiting -= 1

    def _idle_child(self, settings: ReaderSettings) -> Child | None:
        """Take the best idle decoder: the last used on these settings; `None` if one is to be started.

        One on other settings is taken only if there is no room for another, and is then ended.
        """
        for index in range(len(self._idle) - 1, -1, -1):
            if self._idle[index].settings in {None, settings}:
                return self._idle.pop(index)
        is_full = self._busy + len(self._idle) > self.size or time.monotonic() < self._refused_until
        return self._idle.pop(0) if self._idle and is_full else None

    def _fit_child(self, child: Child | None, settings: ReaderSettings, deadline: float) -> Child:
        """Return a living decoder for these settings: the one that was taken, or a new one."""
        is_served = False
        try:
            if child is None or not child.is_alive() or not child.accept(settings):
                if child is not None:
                    _end(child)
                # Also if its starter is started several times, as when something stops it again and again.
                patience_s = RESTART_S if self._starts else START_S
                child = self._new(min(deadline, time.monotonic() + patience_s))
                child.accept(settings)
                self._taken += 1
            with self._changed:
                self._working.add(child)
            is_served = True
            return child
        finally:
            if not is_served:
                with self._changed:
                    self._leave()

    def _leave(self) -> None:
        self._busy -= 1
        self._changed.notify()

    def _new(self, deadline: float) -> Child:
        for _ in range(_MAX_STARTS):
            current = self._current_starter()
            try:
                child = current.child(deadline)
            except GoneError:
                self._discard(current)
                continue
            except RefusedError:
                raise
            except UnavailableError:
                self._discard(current)
                raise
            if child.is_alive():
                return child
            child.dispose()
        raise UnavailableError(f"{_MAX_STARTS} in a row ended as soon as they had started")

    def _current_starter(self) -> ForkServer | Spawner:
        with self._starter_lock:
            if self._starter is None:
                self._starter = starter(RESTART_S if self._starts else START_S)
                self._starts += 1
            return self._starter

    def _discard(self, gone: ForkServer | Spawner) -> None:
        with self._starter_lock:
            if self._starter is gone:
                self._starter = None
                gone.discard()


def _end(child: Child) -> None:
    """Kill a decoder, whatever code it is running."""
    child.kill()
    child.dispose()


# All readers share the pool, regardless of their limits.
_lock = threading.Lock()
_shared: Pool | None = None


def shared_pool() -> Pool:
    """Return the pool of this process, which is created on first use."""
    global _shared  # noqa: PLW0603 - one pool per process
    with _lock:
        if _shared is None:
            _shared = Pool()
        return _shared


def close_shared_pool() -> None:
    """End the decoders of this process; the next image or PDF starts new ones."""
    global _shared
    with _lock:
        closed, _shared = _shared, None
    if closed is not None:
        closed.close()


atexit.register(close_shared_pool)


def _after_fork() -> None:
    # The lock may have been held by a thread that does not exist in this process.
    global _lock, _shared  # noqa: PLW0603 - the one place that replaces them
    _lock = threading.Lock()
    inherited, _shared = _shared, None
    forget_processes()
    if inherited is not None:
        inherited.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

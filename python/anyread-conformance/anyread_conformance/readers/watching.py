"""Processes of readers: how much memory they use, and how they are ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Self

_INTERVAL_S = 0.01
_PROC = Path("/proc")


def start(
    command: list[str], *, stdin: int, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a reader in a process group of its own, so that its children can be ended with it."""
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a reader and its children at once."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)


class MemoryWatch:
    """Samples the anonymous memory of a process group, and ends the group at a limit.

    Mapped files are not counted, because the system can drop them at any time.
    Without /proc nothing is measured, and `peak_bytes` stays 0.
    """

    def __init__(self, process: subprocess.Popen[bytes], limit_bytes: int) -> None:
        self.peak_bytes = 0
        self.exceeded = False
        self._process = process
        self._limit_bytes = limit_bytes
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        members = {self._process.pid}
        rounds = 0
        while True:
            # Listing all processes takes longer than the rest, so new children are found a little later.
            if rounds % 10 == 0:
                members = _group(self._process.pid)
            rounds += 1
            used = sum(_anonymous_bytes(pid) for pid in members)
            self.peak_bytes = max(self.peak_bytes, used)
            if used > self._limit_bytes:
                self.exceeded = True
                end(self._process)
                return
            if self._stop.wait(_INTERVAL_S):
                return


def _group(leader: int) -> set[int]:
    found = {leader}
    with contextlib.suppress(OSError):
        for member in _PROC.iterdir():
            with contextlib.suppress(OSError, ValueError):
                if os.getpgid(pid := int(member.name)) == leader:
                    found.add(pid)
    return found


def _anonymous_bytes(pid: int) -> int:
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return 0
    for line in status.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0

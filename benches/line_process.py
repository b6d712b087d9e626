"""A process that answers requests line by line, and the memory of processes, measured from outside."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benches.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class LineProcess:
    """A running process, in a session of its own.

    Args:
        command: The command, run in the root of the repository.
        environment: What is added to the environment.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed in `kill`
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
            env=os.environ | environment,
            start_new_session=True,  # so that its children are killed with it
        )
        self.pid = self._process.pid
        """Its process ID."""
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, line: str) -> None:
        """Send a line; if the process has ended, `line_within` returns `None`."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def line_within(self, seconds: float) -> str | None:
        """Return a line of the process, `""` if none came in time, or `None` at the end of its output."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return ""

    def end(self) -> tuple[int, str]:
        """Wait for a process whose output has ended, and return its exit code and its last error message."""
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        self.kill()
        return code, lines[-1] if lines else ""

    def kill(self) -> None:
        """Kill the process and its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _listen(self) -> None:
        if self._process.stdout is not None:
            with contextlib.suppress(ValueError):  # closed by `kill`
                for line in self._process.stdout:
                    self._lines.put(line)
        self._lines.put(None)


@dataclass(frozen=True, slots=True)
class Memory:
    """The memory of a process, in bytes."""

    anonymous: int = 0
    """Anonymous memory (`RssAnon`)."""
    resident: int = 0
    """Resident memory, including pages of mapped files (`VmRSS`)."""
    high_water: int = 0
    """The peak of `resident` (`VmHWM`)."""

    @classmethod
    def of(cls, pid: int) -> Memory:
        """Return the memory of one process, which is 0 if it has ended."""
        return cls._in(_status(pid))

    @classmethod
    def of_tree(cls, pid: int) -> Memory:
        """Return the memory of a process and of the commands that it runs."""
        own, children = _status(pid), []
        with contextlib.suppress(OSError):
            listed = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            children = [_status(int(child)) for child in listed]
        # Between fork and exec, a child reports the memory of its parent a second time.
        commands = [status for status in children if status.get("Name") != own.get("Name")]
        each = [cls._in(status) for status in (own, *commands)]
        return cls(sum(one.anonymous for one in each), sum(one.resident for one in each), each[0].high_water)

    @classmethod
    def of_descendants(cls, pid: int) -> Memory:
        """Return the memory of the processes that a process has started, directly or not, without its own."""
        name, found = _status(pid).get("Name"), cls()
        for child in _children(pid):
            status = _status(child)
            # Between fork and exec, a child reports the memory of its parent a second time.
            if status.get("Name") != name:
                found = found.plus(cls._in(status)).plus(cls.of_descendants(child))
        return found

    @classmethod
    def _in(cls, status: dict[str, str]) -> Memory:
        sizes = (int(status.get(name, "0 kB").split()[0]) * 1024 for name in ("RssAnon", "VmRSS", "VmHWM"))
        return cls(*sizes)

    def plus(self, other: Memory) -> Memory:
        """Return the sum of each field."""
        return Memory(
            self.anonymous + other.anonymous,
            self.resident + other.resident,
            self.high_water + other.high_water,
        )

    def at_least(self, other: Memory) -> Memory:
        """Return the maximum of each field."""
        return Memory(
            max(self.anonymous, other.anonymous),
            max(self.resident, other.resident),
            max(self.high_water, other.high_water),
        )


def _children(pid: int) -> list[int]:
    """Return the processes that the threads of a process have started."""
    found: list[int] = []
    threads: list[Path] = []
    # The process, and each of its threads, may end meanwhile.
    with contextlib.suppress(OSError):
        threads = list(Path(f"/proc/{pid}/task").iterdir())
    for thread in threads:
        with contextlib.suppress(OSError):
            found += map(int, (thread / "children").read_text(encoding="ascii").split())
    return found


def _status(pid: int) -> dict[str, str]:
    """Return the fields of `/proc/PID/status`; none if the process has ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def reset_high_water(pid: int) -> None:
    """Reset the high-water mark of a process (`VmHWM`)."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/clear_refs").write_text("5", encoding="ascii")

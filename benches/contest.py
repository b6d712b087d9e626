"""One rival in its own process, with limits of memory and time, measured from outside."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benches import inputs
from benches.rivals import ROOT

if TYPE_CHECKING:
    from types import TracebackType

    from benches.rivals import Rival

MEMORY_BYTES = 4 * 2**30
"""The most private writable memory of a rival's process (`RLIMIT_DATA`), without mapped files."""
SECONDS = 60.0
"""The most seconds for one point, including the answer and the timed rounds."""
_START_SECONDS = 120.0
_SAMPLE_SECONDS = 0.002
_WARM_UP: dict[str, dict[str, Any]] = {
    "window": {"first": 1, "count": 3},
    "tail": {"count": 3},
    "count": {"count": 3},
    "whole": {},
}


@dataclass(slots=True)
class Reply:
    """The result of one request."""

    state: str
    """`ok`, or why there is no answer: `refused`, `timeout`, `memory`, `failed` or `not installed`."""
    detail: str = ""
    """Why there is no answer, in words."""
    ns: list[int] = field(default_factory=list)
    """Nanoseconds of each round."""
    lines: list[tuple[int | None, str]] = field(default_factory=list)
    """Number (if shown) and text of each line of the answer."""
    total: int | None = None
    """How many lines the file has according to the answer."""
    anonymous_bytes: int = 0
    """The peak of anonymous memory, minus that of the idle process."""
    resident_bytes: int = 0
    """The same, including pages of mapped files."""

    @property
    def seconds(self) -> float:
        """The median of the rounds."""
        return statistics.median(self.ns) / 1e9 if self.ns else 0.0


class Driver:
    """A rival's process; it ends with the `with`, or when an answer exceeds a limit."""

    def __init__(self, rival: Rival) -> None:
        self.rival = rival
        self.version = ""
        self._process: subprocess.Popen[str] | None = None
        self._replies: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed in `close`
        self._idle = Memory()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()
        self._errors.close()

    def ask(
        self,
        question: str,
        arguments: dict[str, Any],
        *,
        rounds: int = 0,
        seconds: float = 0,
        limit_s: float = SECONDS,
    ) -> Reply:
        """Ask for the answer, or with `rounds` for times; reply within `limit_s`."""
        if not self.rival.installed:
            return Reply("not installed", "make bench-rivals")
        if self._process is None and (failed := self._start()) is not None:
            return failed
        request = {"question": question, "arguments": arguments, "rounds": rounds, "seconds": seconds}
        return self._exchange(json.dumps(request), limit_s)

    def _start(self) -> Reply | None:
        self._replies = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [*self.rival.command, str(MEMORY_BYTES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
            env=os.environ | {"LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "ignore"},
            start_new_session=True,  # so that its children are killed with it
        )
        threading.Thread(target=self._listen, args=(self._process, self._replies), daemon=True).start()
        replies = [self._exchange("", _START_SECONDS)]
        # First calls import modules, start threads and allocate buffers, which must not be measured.
        path = str(inputs.source_file())
        for question, arguments in _WARM_UP.items():
            if replies[-1].state in {"ready", "ok"} and question in self.rival.questions:
                request = {"question": question, "arguments": arguments | {"path": path}}
                replies.append(self._exchange(json.dumps(request), _START_SECONDS))
        if replies[-1].state not in {"ready", "ok"}:
            return replies[-1]
        self._idle = Memory.of(self._process.pid)
        return None

    @staticmethod
    def _listen(process: subprocess.Popen[str], replies: queue.SimpleQueue[str | None]) -> None:
        if process.stdout is not None:
            for line in process.stdout:
                replies.put(line)
        replies.put(None)

    def _exchange(self, request: str, limit_s: float) -> Reply:
        """Send a request (an empty one waits for the start) and sample memory until the process replies."""
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("the driver is not running")
        reset_high_water(process.pid)
        if request:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(request + "\n")
                process.stdin.flush()
        end = time.monotonic() + limit_s
        peak = Memory()
        while (line := self._reply_within(_SAMPLE_SECONDS)) == "":
            peak = peak.at_least(Memory.of_tree(process.pid))
            if time.monotonic() > end:
                self._kill()
                return Reply("timeout", f"over {limit_s:.0f} s")
        peak = peak.at_least(Memory.of(process.pid))
        if line is None:
            return self._ended(process)
        reply = Reply(**self._reply_fields(json.loads(line)))
        reply.anonymous_bytes = max(0, peak.anonymous - self._idle.anonymous)
        # The kernel's high-water mark includes peaks between two samples.
        reply.resident_bytes = max(0, max(peak.resident, peak.high_water) - self._idle.resident)
        if reply.state == "memory":
            self._kill()  # releases its memory
        return reply

    def _reply_within(self, seconds: float) -> str | None:
        """Return a line of the process, `""` if none came in time, or `None` at the end of its output."""
        try:
            return self._replies.get(timeout=seconds)
        except queue.Empty:
            return ""

    def _reply_fields(self, message: dict[str, Any]) -> dict[str, Any]:
        if "detail" in message:
            # Records must not name directories of this machine.
            words = message["detail"].replace(f"{inputs.DATA}/", "").replace(f"{inputs.DATA.resolve()}/", "")
            message["detail"] = " ".join(words.split())
        self.version = message.pop("version", self.version)
        message.pop("questions", None)
        return message

    def _ended(self, process: subprocess.Popen[str]) -> Reply:
        code = process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        self._kill()
        words = lines[-1] if lines else f"ended with {code}"
        if "MemoryError" in words or "Cannot allocate memory" in words or code == -signal.SIGKILL:
            return Reply("memory", words)
        return Reply("failed", words)

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


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
    def _in(cls, status: dict[str, str]) -> Memory:
        sizes = (int(status.get(name, "0 kB").split()[0]) * 1024 for name in ("RssAnon", "VmRSS", "VmHWM"))
        return cls(*sizes)

    def at_least(self, other: Memory) -> Memory:
        """Return the maximum of each field."""
        return Memory(
            max(self.anonymous, other.anonymous),
            max(self.resident, other.resident),
            max(self.high_water, other.high_water),
        )


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

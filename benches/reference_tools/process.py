"""A driver in its own process, with limits of time and memory, measured from outside."""

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

from benches.contest import MEMORY_BYTES, Memory
from benches.machine import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_START_SECONDS = 120.0
_SAMPLE_SECONDS = 0.002
_STARTS = 2
"""How often a driver is started: threads that packages start may fail when they are imported together."""
_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "PYTHONWARNINGS": "ignore",
    # Otherwise a package of OpenHands asks the network for the prices of models.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "OPENHANDS_SUPPRESS_BANNER": "1",
}


@dataclass(slots=True)
class Reply:
    """What came of one call, or of its repetitions."""

    state: str
    """`ok`, `raised`, or why there is no answer: `timeout`, `memory` or `ended`."""
    detail: str = ""
    """What was raised, or how the process ended."""
    ns: list[int] = field(default_factory=list)
    """Nanoseconds of each call."""
    anonymous_bytes: int = 0
    """The peak of anonymous memory, minus that before the call."""
    leaves: dict[str, list[Any]] = field(default_factory=dict)
    """Length in UTF-8 and digest of each value of the answer."""
    characters: int = 0
    """Bytes of all values in UTF-8."""
    answer: Any = None
    """The answer; `None` if it is long."""

    @property
    def seconds(self) -> float | None:
        """The median of the times."""
        return statistics.median(self.ns) / 1e9 if self.ns else None


class Process:
    """The process of a driver; it is started again after a call that had no answer."""

    def __init__(self, command: Sequence[str], warm_up: dict[str, Any], *, measures_children: bool) -> None:
        self.version = ""
        """The version that the driver reports."""
        self._command = command
        self._warm_up = warm_up
        self._measures_children = measures_children
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed below

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()
        self._errors.close()

    def call(self, arguments: dict[str, Any], limit_s: float, *, cold: bool = False) -> Reply:
        """Make one call, and return its answer and its memory."""
        failed: Reply | None = None
        for _ in range(_STARTS):
            if self._process is None:
                failed = self._start()
        if failed is not None:
            return failed
        before = self._anonymous_bytes()
        reply = self._ask({"arguments": arguments, "cold": cold}, limit_s)
        reply.anonymous_bytes = max(0, reply.anonymous_bytes - before)
        if reply.state == "ok":
            described = self._next(limit_s)
            for name in ("leaves", "characters", "answer"):
                setattr(reply, name, described.get(name, getattr(reply, name)))
        return reply

    def times(
        self, arguments: dict[str, Any], rounds: int, seconds: float, limit_s: float, *, cold: bool = False
    ) -> list[int]:
        """Repeat a call that was answered, and return the nanoseconds of each."""
        request = {"arguments": arguments, "cold": cold, "rounds": rounds, "seconds": seconds}
        return self._ask(request, limit_s).ns

    def _start(self) -> Reply | None:
        self._lines = queue.SimpleQueue()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=ROOT,
            env=os.environ | _ENVIRONMENT,
            start_new_session=True,  # so that its children are killed with it
        )
        threading.Thread(target=self._listen, args=(self._process, self._lines), daemon=True).start()
        started = self._next(_START_SECONDS)
        self.version = started.get("version", "")
        if not self.version:
            return self._ended()
        # First calls import modules and start threads, which must not be measured.
        self._ask({"arguments": self._warm_up}, _START_SECONDS)
        self._next(_START_SECONDS)
        return None

    @staticmethod
    def _listen(process: subprocess.Popen[str], lines: queue.SimpleQueue[str | None]) -> None:
        if process.stdout is not None:
            for line in process.stdout:
                lines.put(line)
        lines.put(None)

    def _ask(self, request: dict[str, Any], limit_s: float) -> Reply:
        """Send a request and sample memory until the process replies."""
        process = self._process
        if process is None or process.stdin is None:
            raise RuntimeError("the driver is not running")
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        end, peak = time.monotonic() + limit_s, 0
        while (line := self._line_within(_SAMPLE_SECONDS)) == "":
            peak = max(peak, self._anonymous_bytes())
            if peak > MEMORY_BYTES or time.monotonic() > end:
                self._kill()
                state = "memory" if peak > MEMORY_BYTES else "timeout"
                return Reply(state, anonymous_bytes=peak)
        peak = max(peak, self._anonymous_bytes())
        if line is None:
            return self._ended()
        message = json.loads(line)
        if "raised" in message:
            state = "memory" if message["raised"] == "MemoryError" else "raised"
            return Reply(state, message["raised"], anonymous_bytes=peak)
        return Reply("ok", ns=message["ns"], anonymous_bytes=peak)

    def _next(self, limit_s: float) -> dict[str, Any]:
        """Return the next line of the process; empty if there is none."""
        line = self._line_within(limit_s)
        found: dict[str, Any] = json.loads(line) if line else {}
        return found

    def _line_within(self, seconds: float) -> str | None:
        """Return a line of the process, `""` if none came in time, or `None` at the end of its output."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return ""

    def _anonymous_bytes(self) -> int:
        process = self._process
        if process is None:
            return 0
        pids = _descendants(process.pid) if self._measures_children else [process.pid]
        return sum(Memory.of(pid).anonymous for pid in pids)

    def _ended(self) -> Reply:
        self._kill()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return Reply("ended", lines[-1][:200] if lines else "")

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


def _descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, directly or not."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = (task / "children").read_text(encoding="ascii").split()
            for child in map(int, children):
                found += [child, *_descendants(child)]
    return found

"""A driver in its own process, with limits of time and memory, measured from outside."""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from benches.contest import MEMORY_BYTES
from benches.line_process import LineProcess, Memory

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
        self._process: LineProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()

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
        self._process = LineProcess(self._command, _ENVIRONMENT)
        started = self._next(_START_SECONDS)
        self.version = started.get("version", "")
        if not self.version:
            return self._ended()
        # First calls import modules and start threads, which must not be measured.
        self._ask({"arguments": self._warm_up}, _START_SECONDS)
        self._next(_START_SECONDS)
        return None

    def _ask(self, request: dict[str, Any], limit_s: float) -> Reply:
        """Send a request and sample memory until the process replies."""
        process = self._process
        if process is None:
            raise RuntimeError("the driver is not running")
        process.send(json.dumps(request))
        end, peak = time.monotonic() + limit_s, 0
        while (line := process.line_within(_SAMPLE_SECONDS)) == "":
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
        line = self._process.line_within(limit_s) if self._process is not None else None
        found: dict[str, Any] = json.loads(line) if line else {}
        return found

    def _anonymous_bytes(self) -> int:
        process = self._process
        if process is None:
            return 0
        measured = Memory.of_descendants if self._measures_children else Memory.of
        return measured(process.pid).anonymous

    def _ended(self) -> Reply:
        process, self._process = self._process, None
        return Reply("ended", "" if process is None else process.end()[1][:200])

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()

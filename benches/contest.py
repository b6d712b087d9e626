"""One rival in its own process, with limits of memory and time, measured from outside."""

from __future__ import annotations

import json
import signal
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from benches import inputs
from benches.line_process import LineProcess, Memory, reset_high_water

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
        self._process: LineProcess | None = None
        self._idle = Memory()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()

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
        environment = {"LC_ALL": "C.UTF-8", "PYTHONWARNINGS": "ignore"}
        self._process = LineProcess([*self.rival.command, str(MEMORY_BYTES)], environment)
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

    def _exchange(self, request: str, limit_s: float) -> Reply:
        """Send a request (an empty one waits for the start) and sample memory until the process replies."""
        process = self._process
        if process is None:
            raise RuntimeError("the driver is not running")
        reset_high_water(process.pid)
        if request:
            process.send(request)
        end = time.monotonic() + limit_s
        peak = Memory()
        while (line := process.line_within(_SAMPLE_SECONDS)) == "":
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

    def _reply_fields(self, message: dict[str, Any]) -> dict[str, Any]:
        if "detail" in message:
            # Records must not name directories of this machine.
            words = message["detail"].replace(f"{inputs.DATA}/", "").replace(f"{inputs.DATA.resolve()}/", "")
            message["detail"] = " ".join(words.split())
        self.version = message.pop("version", self.version)
        message.pop("questions", None)
        return message

    def _ended(self, process: LineProcess) -> Reply:
        self._process = None
        code, message = process.end()
        words = message or f"ended with {code}"
        if "MemoryError" in words or "Cannot allocate memory" in words or code == -signal.SIGKILL:
            return Reply("memory", words)
        return Reply("failed", words)

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()

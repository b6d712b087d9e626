"""Readers that are Python functions, in a process of their own that can be ended."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from anyread_conformance.reply import Reply, reply_of

from .calling import PARAMETERS, ReaderStartError
from .output import Drain, Lines
from .watching import MemoryWatch, end, start

_CHILD = Path(__file__).with_name("function_child.py")
_START_S = 120


class FunctionReader:
    """A function, given as `module:function`, synchronous or asynchronous.

    Args:
        target: The function; its module is imported from the working directory or an installed package.
        names: The function's names for the parameters; by default those that it has of `PARAMETERS`.
        python: The interpreter that runs it, for example of another environment.
    """

    def __init__(self, target: str, names: dict[str, str] | None = None, python: str | None = None) -> None:
        self.name = target
        self._command = [python or sys.executable, str(_CHILD), target]
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: Lines | None = None
        self._errors: Drain | None = None
        ready = self._start()
        taken = ready["parameters"]
        self._names = names or {name: name for name in PARAMETERS if name in taken}
        if "path" not in self._names:
            self.close()
            raise ReaderStartError(f"`{target}` has no parameter `path`; use --argument-names path=NAME")
        self.parameters = frozenset(self._names)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Call the function once; a process that was ended is started again first."""
        if self._process is None:
            try:
                self._start()
            except ReaderStartError as failure:
                return Reply(str(failure), outcome="crashed")
        process, lines, errors = self._process, self._lines, self._errors
        assert process is not None
        assert lines is not None
        assert errors is not None
        named = {self._names[name]: value for name, value in arguments.items()}
        started = time.perf_counter()
        with MemoryWatch(process, memory_bytes) as watch:
            reply = self._exchange(process, lines, named, timeout_s)
        seconds = time.perf_counter() - started
        if not reply.answered:
            self.close()
            reply = replace(reply, text=reply.text or errors.tail().decode("utf-8", "replace"))
        if watch.exceeded:
            reply = replace(reply, outcome="out_of_memory")
            self.close()
        return replace(reply, seconds=seconds, memory_bytes=watch.peak_bytes)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            end(self._process)
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):  # a request may be left in its buffer
                    self._process.stdin.close()
        self._process = None

    @staticmethod
    def _exchange(
        process: subprocess.Popen[bytes], lines: Lines, named: dict[str, Any], timeout_s: float
    ) -> Reply:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(named).encode() + b"\n")
            process.stdin.flush()
            line = lines.next(timeout_s)
        except TimeoutError:
            return Reply(outcome="hung")
        except OSError:
            return Reply(outcome="crashed")
        if line is None:
            return Reply(outcome="flooded" if lines.flooded.is_set() else "crashed")
        message = json.loads(line)
        return reply_of(_restored(message["value"]), failed=message["failed"])

    def _start(self) -> dict[str, Any]:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        process = start(self._command, stdin=subprocess.PIPE, environment=environment)
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._lines, self._errors = process, Lines(process.stdout), Drain(process.stderr)
        try:
            line = self._lines.next(_START_S)
        except TimeoutError:
            line = None
        if line is None:
            self.close()
            said = self._errors.data().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise ReaderStartError(f"`{self.name}` cannot be imported: {said}")
        ready: dict[str, Any] = json.loads(line)
        return ready


def _restored(value: Any) -> Any:
    """Return a value with the bytes that the child wrote as Latin-1."""
    if isinstance(value, dict):
        if set(value) == {"__bytes__"}:
            return value["__bytes__"].encode("latin-1")
        return {name: _restored(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_restored(member) for member in value]
    return value

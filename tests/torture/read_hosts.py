"""Run hosts (`torture.read_host`) over files, and notice when one of them crashes or hangs."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parents[1]
# A read may end one second after its deadline; beyond this, the host counts as hanging and is killed.
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Read:
    """One read, and how it ended."""

    path: str
    way: str
    outcome: str
    """"result", "error …", "untyped: …", "host crashed: …" or "host hangs"."""
    seconds: float = 0.0
    resident_bytes: int = 0


@dataclass
class Report:
    """All reads of some files."""

    reads: list[Read] = field(default_factory=list)
    timeout_s: float = 0.0

    @property
    def failures(self) -> list[str]:
        """The reads that crashed or hung the host, ended too late, or raised an untyped error."""
        return [
            f"{read.way} {read.path}: {problem}" for read in self.reads if (problem := self._problem(read))
        ]

    @property
    def tally(self) -> Counter[str]:
        return Counter(read.outcome[:40] for read in self.reads)

    def _problem(self, read: Read) -> str:
        if read.outcome.startswith(("untyped", "host")):
            return read.outcome
        if read.seconds > self.timeout_s + 1 and read.way not in ("settle", "sound"):
            return f"ended after {read.seconds:.1f} s"
        return ""


class _Host:
    """A running host, and the lines that it prints."""

    def __init__(self, timeout_s: float, entries: Sequence[tuple[str, Sequence[str]]]) -> None:
        environment = {**os.environ, "PYTHONPATH": str(TESTS)}
        pipe = subprocess.PIPE
        command = [sys.executable, "-m", "torture.read_host", str(timeout_s)]
        self.process = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.output = self.process.stdout.fileno()
        self.left = b""
        lines = "".join(json.dumps({"path": path, "ways": list(ways)}) + "\n" for path, ways in entries)
        self.feeder = ThreadPoolExecutor(1)
        self.feeder.submit(self._feed, lines.encode())

    def _feed(self, lines: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(lines)
            self.process.stdin.close()
        except BrokenPipeError:
            # The host has crashed, which the reader of its output notices.
            return

    def line(self, patience_s: float) -> dict[str, object] | None:
        """Return the next line; `None` after the last; raise `TimeoutError` if none comes."""
        while b"\n" not in self.left:
            if not select.select([self.output], [], [], patience_s)[0]:
                raise TimeoutError
            part = os.read(self.output, 1 << 16)
            if not part:
                return None
            self.left += part
        first, _, self.left = self.left.partition(b"\n")
        value: dict[str, object] = json.loads(first)
        return value

    def end(self) -> int:
        self.process.kill()
        code = self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.feeder.shutdown()
        return code


def read_all(entries: Sequence[tuple[str, Sequence[str]]], timeout_s: float) -> Report:
    """Read each path in each of its ways, in one host after another until all were read."""
    report = Report(timeout_s=timeout_s)
    left = [(path, tuple(ways)) for path, ways in entries]
    while left:
        host = _Host(timeout_s, left)
        began: dict[str, object] = {}
        outcome = ""
        try:
            while not outcome and (line := host.line(timeout_s + PATIENCE_S)) is not None:
                if "began" in line:
                    began = line
                elif "ended" in line:
                    outcome = "ended"
                else:
                    report.reads.append(_read(began, line))
        except TimeoutError:
            outcome = "host hangs"
        code = host.end()
        if outcome == "ended":
            return report
        if not outcome:
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            outcome = f"host crashed: {name}"
        path, way = str(began.get("path", left[0][0])), str(began.get("way", left[0][1][0]))
        report.reads.append(Read(path, way, outcome))
        left = _after(left, path, way)
    return report


def _read(began: dict[str, object], line: dict[str, object]) -> Read:
    seconds, resident = float(str(line["seconds"])), int(str(line["resident"]))
    return Read(str(began["path"]), str(began["way"]), str(line["outcome"]), seconds, resident)


def _after(
    entries: list[tuple[str, tuple[str, ...]]], path: str, way: str
) -> list[tuple[str, tuple[str, ...]]]:
    """Return what is left to read after a host has died."""
    index = next(index for index, entry in enumerate(entries) if entry[0] == path)
    ways = entries[index][1]
    rest = ways[ways.index(way) + 1 :]
    return [*([(path, rest)] if rest else []), *entries[index + 1 :]]


def read_in_parallel(entries: Sequence[tuple[str, Sequence[str]]], timeout_s: float, hosts: int) -> Report:
    """Do the same with several hosts side by side."""
    parts = [entries[start::hosts] for start in range(hosts)]
    with ThreadPoolExecutor(hosts) as threads:
        reports = list(threads.map(lambda part: read_all(part, timeout_s), parts))
    return Report([read for report in reports for read in report.reads], timeout_s)

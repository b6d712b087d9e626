"""Runs the programs of `programs`: hosts that live through something, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torture.scoreboard import Score

PROGRAMS = Path(__file__).parent / "programs"
ROW = "host life"
TIMEOUT_S = 110


@dataclass(frozen=True, slots=True)
class Life:
    """What a host reported when it ended."""

    of: int
    failures: list[str]
    """What went wrong, also when the host itself ended with an error or did not end."""

    def score(self, score: Score, part: str, unit: str) -> None:
        """Record the result, and fail if anything went wrong."""
        score(
            ROW, part, failures=len(self.failures), of=self.of, unit=unit, detail="; ".join(self.failures[:5])
        )


def started(program: str, *arguments: object, **variables: str) -> subprocess.Popen[str]:
    """Start a program of `programs` with arguments and environment variables."""
    return subprocess.Popen(
        [sys.executable, str(PROGRAMS / f"{program}.py"), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **variables},
    )


def lived(program: str, *arguments: object) -> Life:
    """Run a program to its end."""
    host = started(program, *arguments)
    try:
        output, errors = host.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        host.kill()
        return Life(1, [f"{program} did not end within {TIMEOUT_S} s", host.communicate()[1][-2_000:]])
    try:
        report = json.loads(output.splitlines()[-1])
    except (IndexError, ValueError):
        return Life(1, [f"{program} exited with {host.returncode}: {errors[-2_000:]}"])
    died = [f"exit code {host.returncode}: {errors[-2_000:]}"] if host.returncode else []
    return Life(report["of"], report["failures"] + died)


def is_running(pid: int) -> bool:
    """Return whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def descendants(pid: int) -> list[int]:
    """List all processes that descend from a process."""
    found = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *descendants(child)]
    except OSError:
        # It has just ended.
        pass
    return found

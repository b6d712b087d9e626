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


@dataclass(frozen=True, slots=True)
class Life:
    """What a host reported when it ended."""

    of: int
    failures: list[str]
    """What went wrong, also when the host itself ended with an error or did not end."""
    errors: str
    """What it wrote to its standard error."""

    def score(self, score: Score, part: str, unit: str) -> None:
        """Record the result, and fail if anything went wrong."""
        score(
            ROW, part, failures=len(self.failures), of=self.of, unit=unit, detail="; ".join(self.failures[:5])
        )


def lived(
    program: str, *arguments: object, timeout_s: float = 60, python: str = sys.executable, **variables: str
) -> Life:
    """Run a program to its end.

    Args:
        program: Its name in `programs`.
        arguments: Its arguments.
        timeout_s: How long it may take; then it hangs.
        python: The interpreter to run it with.
        variables: Environment variables to set.
    """
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **variables}
    command = [python, str(PROGRAMS / f"{program}.py"), *map(str, arguments)]
    host = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        output, errors = host.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        host.kill()
        output, errors = host.communicate()
        return Life(1, [f"{program} did not end within {timeout_s} s", errors[-2_000:]], errors)
    try:
        report = json.loads(output.splitlines()[-1])
        failures = list(report["failures"])
    except (IndexError, ValueError):
        return Life(1, [f"{program} exited with {host.returncode}: {errors[-2_000:]}"], errors)
    if host.returncode:
        failures.append(f"exit code {host.returncode}: {errors[-2_000:]}")
    return Life(report["of"], failures, errors)


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

"""Starts the programs of these tests, each in a process of its own, and returns what they report."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]


class Report(NamedTuple):
    """What a program reported, or why it did not."""

    counts: dict[str, Any]
    death: str
    """Empty if it exited normally."""


def start(
    module: str, *arguments: object, stdin: int | None = None, stderr: int | None = None, **variables: str
) -> subprocess.Popen[str]:
    """Start `torture.<module>` with arguments and environment variables."""
    path = (str(TESTS), os.environ.get("PYTHONPATH", ""))
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", f"torture.{module}", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **variables},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
    )


def reported(module: str, *arguments: object, timeout_s: float, **variables: str) -> Report:
    """Run a program to its end, and return its last line, which is JSON."""
    with start(module, *arguments, stderr=subprocess.PIPE, **variables) as process:  # type: ignore[arg-type]
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            return Report({}, f"no report after {timeout_s} s: {process.communicate()[1][-2_000:]}")
    death = f"exit code {process.returncode}: {errors[-2_000:]}" if process.returncode else ""
    try:
        return Report(json.loads(output.splitlines()[-1]), death)
    except (IndexError, ValueError):
        return Report({}, death or "no report")


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

"""Runs a program of the load in a process of its own, whose death would otherwise end the tests."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from helpers import fuse
from torture.mutants import mutant
from torture.scoreboard import Score

TESTS = Path(__file__).parents[1]
CANCELLING_TASKS = 8
"""Tasks of each loop that cancel reads, unless a test sets another number."""
NO_POOLS = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
"""Variables with which freed memory can be returned to the system, so that resident memory is memory in use.

By default CPython and glibc keep freed memory in pools, for each thread, up to the highest use of each."""
EXTRA_S = 120
"""Seconds that a host may take in addition to its load before it counts as hung."""


class HostReport(NamedTuple):
    """What a host reported, or why it did not."""

    counts: dict[str, Any]
    death: str
    """Empty if it reported and exited normally."""


def run_host(program: str, config: dict[str, Any], seconds: float, **variables: str) -> HostReport:
    """Run `torture.<program>` with a configuration; it should take about this many seconds.

    Args:
        program: The module.
        config: Its configuration.
        seconds: How long its load takes.
        variables: Environment variables to set.
    """
    command = [sys.executable, "-m", f"torture.{program}", json.dumps(config)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), **variables}
    try:
        run = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds + EXTRA_S,
        )
    except subprocess.TimeoutExpired:
        return HostReport({}, f"it hung: no report {EXTRA_S} s after the end of its load")
    if run.returncode:
        return HostReport({}, f"exit code {run.returncode}: {run.stderr[-2_000:]}")
    return HostReport(json.loads(run.stdout.splitlines()[-1]), "")


@contextlib.contextmanager
def stuck_file(directory: Path) -> Iterator[str]:
    """Yield the path of a file whose reads hang; an empty string if FUSE cannot be mounted."""
    with contextlib.ExitStack() as mounts:
        try:
            mount = mounts.enter_context(fuse.mounted(directory))
        except pytest.skip.Exception:
            yield ""
        else:
            yield str(mount.directory / "hang-read")


def soak_config(directory: Path, **loads: Any) -> dict[str, Any]:
    """Return the configuration of a host without any load but the given ones."""
    nothing: dict[str, Any] = {
        "mutants": 0,
        "asyncio": 0,
        "trio": 0,
        "has_rounds": False,
        "at_once": 100,
        "all_bombs": False,
    }
    return {
        "directory": str(directory),
        "stuck": "",
        "seed": 1,
        "idle_s": 0.2,
        "warm_up_s": 300,
        "warm_up_share": 0.2,
        "seconds": 300,
        "cancelling_tasks": CANCELLING_TASKS,
        "cancel_pause_s": 0,
        **nothing,
        **loads,
    }


def score_mutants(score: Score, report: HostReport) -> None:
    """Record the mutants of a host by the kind of their originals."""
    score("S5", "hosts", failures=bool(report.death), of=1, unit="processes", detail=report.death)
    failures: list[str] = report.counts["mutants_failed"]
    failed = Counter(mutant(int(text.split()[0].rstrip(":")))[0] for text in failures)
    print(report.counts["mutants_ended"])
    assert report.counts["mutants"]
    for name, count in report.counts["mutants"].items():
        detail = "; ".join(failures[:5]) if failed[name] else ""
        score("S5", name, failures=failed[name], of=count, unit="mutants", detail=detail)

"""The configurations of hosts under load, and what is recorded of them."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers import fuse
from torture.mutants import mutant
from torture.processes import Report, reported
from torture.scoreboard import Score

CANCELLING_TASKS = 8
"""Tasks of each loop that cancel reads, unless a test sets another number."""
NO_POOLS = {"PYTHONMALLOC": "malloc", "MALLOC_ARENA_MAX": "1"}
"""Variables with which freed memory can be returned to the system, so that resident memory is memory in use.

By default CPython and glibc keep freed memory in pools, for each thread, up to the highest use of each."""


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


def soaked(directory: Path, seconds: float, loads: dict[str, Any], **variables: str) -> Report:
    """Run a host without any load but the given ones; it should take about this many seconds."""
    nothing: dict[str, Any] = {
        "mutants": 0,
        "asyncio": 0,
        "trio": 0,
        "has_rounds": False,
        "at_once": 100,
        "all_bombs": False,
    }
    config = {
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
    return reported("soak", json.dumps(config), timeout_s=seconds + 120, **variables)


def score_mutants(score: Score, report: Report) -> None:
    """Record the mutants of a host by the kind of their originals."""
    score("S5", "hosts", failures=bool(report.death), of=1, unit="processes", detail=report.death)
    failures: list[str] = report.counts["mutants_failed"]
    failed = Counter(mutant(int(text.split()[0].rstrip(":")))[0] for text in failures)
    print(report.counts["mutants_ended"])
    assert report.counts["mutants"]
    for name, count in report.counts["mutants"].items():
        detail = "; ".join(failures[:5]) if failed[name] else ""
        score("S5", name, failures=failed[name], of=count, unit="mutants", detail=detail)

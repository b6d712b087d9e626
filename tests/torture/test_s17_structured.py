"""S17: mutants of JSON files and XML packages, which the host reads itself, never end it or fill memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from torture.processes import start
from torture.structured_mutants import FORMATS

if TYPE_CHECKING:
    from torture.scoreboard import Scale, Score

MOST_MIB = 400


@pytest.mark.slow
@pytest.mark.timeout(7_200)
def test_mutants_end_in_results_or_typed_errors(tmp_path: Path, scale: Scale, score: Score) -> None:
    processes = min(4, os.cpu_count() or 1)
    each = scale(12_000, 100_000) // processes
    running = []
    for number in range(processes):
        (tmp_path / f"{number}").mkdir()
        running.append(start("structured_mutants", number * each, each, tmp_path / f"{number}"))
    reports = []
    for process in running:
        output = process.communicate()[0]
        assert process.returncode == 0
        reports.append(json.loads(output))
    for name in FORMATS:
        faults = [fault for report in reports for fault in report["failures"][name]]
        read = sum(report["read"].get(name, 0) for report in reports)
        score("S17", name, failures=len(faults), of=read, unit="mutants", detail="; ".join(faults[:3])[:400])
    peak = max(report["peak_bytes"] for report in reports) / 2**20
    score.figure("S17", "peak memory of a process", peak, "MiB", must=MOST_MIB)

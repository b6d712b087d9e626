"""S12: normal reads beside 1 % hostile files, against the same reads alone."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from torture.loaded_hosts import stuck_file
from torture.processes import reported
from torture.reads import written_workspace
from torture.scoreboard import IS_FULL, Scale, Score

pytestmark = pytest.mark.slow
MUST = 2


def measured(workspace: Path, *, is_hostile: bool, stuck: str, seed: int, seconds: float) -> dict[str, Any]:
    """Return the report of one host."""
    config = {
        "workspace": str(workspace),
        "hostile": is_hostile,
        "stuck": stuck,
        "seed": seed,
        "seconds": seconds,
    }
    report = reported("latencies", json.dumps(config), timeout_s=seconds + 120)
    assert not report.death, report.death
    return report.counts


def test_normal_reads_are_hardly_slower_beside_hostile_ones(
    tmp_path: Path, scale: Scale, score: Score
) -> None:
    workspace = written_workspace(tmp_path / "workspace", all_bombs=IS_FULL)
    ratios, reads = [], 0
    with stuck_file(tmp_path) as stuck:
        for seed in range(scale(1, 5)):
            clean, mixed = (
                measured(
                    workspace,
                    is_hostile=is_hostile,
                    stuck=stuck if is_hostile else "",
                    seed=seed,
                    seconds=scale(0, 6),
                )
                for is_hostile in (False, True)
            )
            assert mixed["untyped"] == []
            assert mixed["is_stuck"] == bool(stuck)
            # FIFOs end at once.
            assert mixed["ended"]["not_a_regular_file"]
            ratios.append(mixed["p99"] / clean["p99"])
            reads += mixed["reads"]
            print(f"clean {clean}, beside hostile reads {mixed}")
    detail = ", ".join(f"{ratio:.2f}" for ratio in ratios) + f"; {reads:,} normal reads"
    if not stuck:
        detail += "; no stuck reader, because FUSE cannot be mounted"
    score.figure("S12", "p99, median of five", statistics.median(ratios), "×", must=MUST, detail=detail)

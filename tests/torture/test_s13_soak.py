"""S13: ten minutes of mixed load leave no descriptor, thread or process behind, and at most 1 MB of memory.

The load is that of S5, S11 and S12: mutants, cancelled reads, and normal reads beside hostile ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from anyread.running import workers
from torture.loaded_hosts import NO_POOLS, score_mutants, soaked, stuck_file
from torture.scoreboard import IS_FULL, Scale, Score

pytestmark = pytest.mark.slow
GROWTH_MB = 1 if IS_FULL else 16
"""A short run only shows that the load works: its warm-up is too short to fill all caches."""


def test_mixed_load_leaves_nothing(tmp_path: Path, scale: Scale, score: Score) -> None:
    seconds, warm_up_s = scale(1, 600), scale(1, 60)
    (tmp_path / "host").mkdir()
    with stuck_file(tmp_path) as stuck:
        load = {
            "mutants": None,
            "asyncio": None,
            "trio": None,
            # The mutants need most of the time.
            "cancelling_tasks": 2,
            "cancel_pause_s": scale(0, 1) / 4,
            "has_rounds": True,
            "at_once": scale(100, 1_000),
            "all_bombs": IS_FULL,
            "stuck": stuck,
            "seed": 13,
            "idle_s": workers.IDLE_S if IS_FULL else 0.2,
            "warm_up_s": warm_up_s,
            "warm_up_share": 1,
            "seconds": seconds,
        }
        report = soaked(tmp_path / "host", seconds + warm_up_s, load, **NO_POOLS)
    score_mutants(score, report)
    counts = report.counts
    cancelled = {loop: sum(kinds.values()) for loop, kinds in counts["cancelled"].items()}
    for loop, count in cancelled.items():
        failed = counts["cancelled_failed"]
        score("S11", f"{loop}, in the load of S13", failures=len(failed), of=count, unit="cancelled reads")
    assert counts["hostile_failed"] == []
    detail = f"{sum(counts['mutants'].values()):,} mutants, {sum(cancelled.values()):,} cancelled reads, "
    detail += f"{counts['normal_reads']:,} normal reads, {sum(counts['hostile'].values()):,} hostile reads"
    names = ("descriptors", "threads", "processes", "zombies")
    for name, before, after in zip(names, counts["before"], counts["after"], strict=True):
        score.figure("S13", name, max(0, after - before), "more", must=0, detail=f"{after} at the end")
    growth_mb = counts["growth_bytes"] / 1e6
    score.figure("S13", "memory", max(0, growth_mb), "MB", must=GROWTH_MB, detail=detail)

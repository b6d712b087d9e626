"""S11: reads of every kind, cancelled at random moments on asyncio and trio, leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from torture.loaded_hosts import CANCELLING_TASKS, NO_POOLS, soaked
from torture.scoreboard import Scale, Score, short

pytestmark = pytest.mark.slow
GROWTH_MB = 8
"""Much less than one leaked page, image or index of each cancelled read would take."""


@pytest.mark.parametrize("loop", short("asyncio", "trio"))
def test_cancelled_reads_leave_nothing(tmp_path: Path, loop: str, scale: Scale, score: Score) -> None:
    count = scale(20, 1_000)
    report = soaked(tmp_path, 600, {loop: count, "warm_up_share": 0.5}, **NO_POOLS)
    assert not report.death, report.death
    cancelled, ended = sum(report.counts["cancelled"][loop].values()), report.counts["ended"][loop]
    failed = report.counts["cancelled_failed"]
    detail = f"{ended:,} more ended before their cancellation"
    if failed or report.counts["leaked"]:
        detail = f"{report.counts['before']} became {report.counts['after']}; {failed[:5]}"
    assert count <= cancelled < count + CANCELLING_TASKS
    assert len(report.counts["cancelled"][loop]) > 4
    score(
        "S11",
        loop,
        failures=report.counts["leaked"] + len(failed),
        of=cancelled,
        unit="cancelled reads",
        detail=detail,
    )
    growth_mb = report.counts["growth_bytes"] / 1e6
    score.figure("S11", f"memory, {loop}", max(0, growth_mb), "MB", must=GROWTH_MB)

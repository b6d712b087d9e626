"""A page goes on in one way: following `next` shows everything once, each answer within its budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from continuation import maker, search, walker

CASES = 500
"""The cases of each run here; each has about ten comparisons."""
GROUPS = 10


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_following_next_shows_everything_once(tmp_path: Path, group: int) -> None:
    """Each answer shows something new and fits its budget, and nothing counts as read that was not shown."""
    seeds = range(group * CASES // GROUPS, (group + 1) * CASES // GROUPS)
    compared = 0
    for seed, count, case, fault in search.faults(seeds, tmp_path):
        compared += count
        if fault is not None:
            pytest.fail(search.report(seed, *search.smallest(case, fault, tmp_path)))
    assert compared > len(seeds)


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(1_000, 1_008))
async def test_following_next_on_an_event_loop_shows_everything_once(tmp_path: Path, seed: int) -> None:
    walk = walker.make(maker.case_of(seed), tmp_path / "files", on_loop=True)
    try:
        await walk.run()
    except walker.Fault as fault:
        pytest.fail(search.report(seed, walk, fault))

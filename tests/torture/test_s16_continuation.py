"""S16: following `next` shows everything once, whatever is asked, of files of every kind, in any budget."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from continuation import search

if TYPE_CHECKING:
    from torture.scoreboard import Scale, Score

PARTS = {
    "reads": ("read", "around", "pages", "path"),
    "ranges": ("ranges",),
    "places": ("places",),
    "several files": ("many",),
    "places of one file": ("one file",),
    "letters": ("letters",),
}
MOST_FAILURES = 20
"""More say nothing new."""


@pytest.mark.slow
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("part", PARTS)
def test_following_next_shows_everything_once(tmp_path: Path, scale: Scale, score: Score, part: str) -> None:
    wanted = scale(1_250, 5_000)
    compared, failures, first = 0, 0, ""
    seeds = count(list(PARTS).index(part) * 1_000_000)
    for seed, done, case, fault in search.faults(seeds, tmp_path, PARTS[part]):
        compared += done
        if fault is not None:
            failures += 1
            first = first or search.report(seed, *search.smallest(case, fault, tmp_path))
        if compared >= wanted or failures >= MOST_FAILURES:
            break
    print(first)
    score("S16", part, failures=failures, of=max(compared, failures), unit="comparisons", detail=first[:400])

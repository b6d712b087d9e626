"""S1: no read leaves its roots while another process swaps directories and links on its path."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import TYPE_CHECKING, Any

import pytest

from torture import opening_modes, racing, swapping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torture.scoreboard import Scale, Score

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: renameat2 swaps two names in one step"),
]

WITHOUT_OPENAT2 = "without openat2"
# The part of the row, the mode, and for each kind of reader the opens in a short and in a full run.
RACES = [
    ("openat2", "openat2", {"sync": (300, 900_000), "inline": (200, 50_000), "denied": (200, 50_000)}),
    ("walk", "walk", {"sync": (300, 950_000), "denied": (200, 50_000)}),
    (WITHOUT_OPENAT2, "ENOSYS", {"sync": (300, 1_000_000)}),
    (WITHOUT_OPENAT2, "EPERM", {"sync": (300, 100_000)}),
]


def race(base: Path, mode: str, counts: dict[str, int]) -> tuple[dict[str, racing.Tally], int]:
    """Read paths in a tree that is attacked; return what became of them, and the number of swaps."""
    swapping.build(base)
    kinds = [f"{kind}={count}" for kind, count in counts.items()]
    # The reader is ready before the attack begins, because its root must be found by its name.
    with (
        started(mode, "racing", base, mode, *kinds) as reader,
        started("openat2", "swapping", base) as attack,
    ):
        results = json.loads(reader.communicate("start\n")[0])
        assert attack.poll() is None, "the attack ended before the reads"
        swaps = int(attack.communicate()[0])
    return {kind: tally_of(found) for kind, found in zip(counts, results, strict=True)}, swaps


@contextmanager
def started(mode: str, module: str, *arguments: str | Path) -> Iterator[Popen[str]]:
    """Start a process, wait until it is ready, and end it after the block."""
    with opening_modes.start(mode, module, *arguments) as process:
        try:
            assert opening_modes.output(process).readline() == "ready\n"
            yield process
        finally:
            process.kill()


def tally_of(found: dict[str, Any]) -> racing.Tally:
    inside, refused, codes = (Counter(found[name]) for name in ("inside", "refused", "codes"))
    return racing.Tally(inside, refused, codes, found["escapes"], found["inline"])


@pytest.mark.parametrize(("part", "mode", "counts"), RACES, ids=[mode for _, mode, _ in RACES])
def test_racing_opens_stay_inside(
    tmp_path: Path, scale: Scale, score: Score, part: str, mode: str, counts: dict[str, tuple[int, int]]
) -> None:
    tallies, swaps = race(tmp_path, mode, {kind: scale(*count) for kind, count in counts.items()})
    for kind, tally in tallies.items():
        assert tally.is_effective(), f"{kind}: the attack was too slow: {tally.inside} {tally.refused}"
        if tally.opens >= 10_000:
            # Each path was opened in both of its states.
            paths = racing.DENIED if kind == "denied" else racing.SWAPPED
            assert len(tally.inside.keys() & tally.refused.keys()) >= len(paths)
    if "inline" in tallies:
        assert tallies["inline"].inline > tallies["inline"].inside.total() / 2
    inside = sum(tally.inside.total() for tally in tallies.values())
    refused = sum(tally.refused.total() for tally in tallies.values())
    escapes = [escape for tally in tallies.values() for escape in tally.escapes]
    detail = "; ".join([f"{mode}: {inside:,} read, {refused:,} refused, {swaps:,} swaps", *escapes[:3]])
    opens = sum(tally.opens for tally in tallies.values())
    score("S1", part, failures=len(escapes), of=opens, unit="racing opens", detail=detail)

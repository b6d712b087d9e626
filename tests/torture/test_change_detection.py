"""Changes of files between calls: no answer may be stale if size, times or identity show the change.

Where the stat of a file cannot show a change, because the file has just been written, it has no version.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import nullcontext
from itertools import product
from typing import TYPE_CHECKING

import pytest

from torture.file_changes import CHANGES, ROWS, Observed, Readers, content, put
from torture.file_systems import mounted_with_whole_seconds
from torture.scoreboard import short

if TYPE_CHECKING:
    from pathlib import Path

    from torture.scoreboard import Scale, Score

SETTLED_S = {"temporary files": 0.05, "whole seconds": 2.03}
"""The age from which a change of a file is certain to show in its stat, on each file system."""


def observe(
    place: Path, settled_s: float, repeats: int, *, is_settled: bool
) -> tuple[Counter[str], Counter[str], set[str]]:
    """Change files in each way; count the stale answers and all answers, each by the way of reading.

    Also returns which answers were stale.
    """
    readers = Readers()
    stale: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    found: set[str] = set()
    for turn, size in product(range(repeats), ROWS):
        files = {}
        for number, change in enumerate(CHANGES):
            name = f"{size}-{turn}-{is_settled}-{change}.txt"
            files[change] = Observed(readers, place / name, ROWS[size])
            if is_settled:
                put(place / name, content(ROWS[size], number))
        if is_settled:
            time.sleep(settled_s)
            for file in files.values():
                file.before()
                assert file.version, "a settled file has a version"
        for number, (change, file) in enumerate(files.items()):
            if not is_settled:
                put(file.path, content(ROWS[size], number))
                file.before()
            file.change(change, 1_000 + 31 * turn + number)
            for way, is_right in file.after().items():
                answered[way] += 1
                stale[way] += not is_right
                if not is_right:
                    found.add(f"{way} after {change}, {size}, {'settled' if is_settled else 'young'}")
        for path in place.iterdir():
            if path.is_file():
                path.unlink()
    return stale, answered, found


@pytest.mark.slow
@pytest.mark.parametrize("name", short(*SETTLED_S))
def test_changed_file_is_never_reported_as_unchanged(
    tmp_path: Path, scale: Scale, score: Score, name: str
) -> None:
    """Whether it had been left alone, or had just been written."""
    with mounted_with_whole_seconds(tmp_path) if name == "whole seconds" else nullcontext(tmp_path) as place:
        outcomes = [
            observe(place, SETTLED_S[name], scale(1, 3), is_settled=is_settled)
            for is_settled in (True, False)
        ]
    stale = sum((outcome[0] for outcome in outcomes), Counter())
    answered = sum((outcome[1] for outcome in outcomes), Counter())
    assert set(answered) == {"version", "unless_version", "since_version", "session", "tool", "index", "info"}
    found = "; ".join(sorted(set().union(*(outcome[2] for outcome in outcomes))))
    score("changes", name, failures=stale.total(), of=answered.total(), unit="answers", detail=found)

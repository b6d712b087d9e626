"""Changes of files between calls: no answer may be stale if size, times or identity show the change.

Where the stat of a file cannot show a change, because the file has just been written, it has no version.
"""

from __future__ import annotations

import time
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import pytest

from torture import file_systems, scoreboard
from torture.file_changes import CHANGES, ROWS, Observed, Readers, content, put
from torture.file_systems import Place, mounted

if TYPE_CHECKING:
    from pathlib import Path

    from torture.scoreboard import Scale, Score

HERE = "temporary files"
"""The file system of the tests' temporary directory, which needs no permission to mount."""
NAMES = (*file_systems.NAMES, HERE) if scoreboard.IS_FULL else (HERE,)
POLL_S = 0.002


def settle(place: Place) -> None:
    """Wait until files that were written before have versions."""
    time.sleep(place.settled_ns / 1e9 + 0.03)


def observe(place: Place, repeats: int, *, is_settled: bool) -> tuple[Counter[str], Counter[str], set[str]]:
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
            files[change] = Observed(readers, place.read / name, place.write / name, ROWS[size])
            if is_settled:
                put(place.write / name, content(ROWS[size], number))
        if is_settled:
            settle(place)
            for file in files.values():
                file.before()
                assert file.version, "a settled file has a version"
        for number, (change, file) in enumerate(files.items()):
            if not is_settled:
                put(file.write, content(ROWS[size], number))
                file.before()
            file.change(change, 1_000 + 31 * turn + number)
            for way, is_right in file.after().items():
                answered[way] += 1
                stale[way] += not is_right
                if not is_right:
                    found.add(f"{way} after {change}, {size}, {'settled' if is_settled else 'young'}")
        for path in place.write.iterdir():
            if path.is_file():
                path.unlink()
    return stale, answered, found


def assert_changes_are_noticed(name: str, place: Place, scale: Scale, score: Score) -> None:
    """Score the answers about files that had been left alone, and about files that had just been written."""
    repeats = scale(1, 1 if place.settled_ns > 10**9 else 3)
    outcomes = [observe(place, repeats, is_settled=is_settled) for is_settled in (True, False)]
    stale = sum((outcome[0] for outcome in outcomes), Counter())
    answered = sum((outcome[1] for outcome in outcomes), Counter())
    assert set(answered) == {"version", "unless_version", "since_version", "session", "tool", "index", "info"}
    found = "; ".join(sorted(set().union(*(outcome[2] for outcome in outcomes))))
    score("changes", name, failures=stale.total(), of=answered.total(), unit="answers", detail=found)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_changed_file_is_never_reported_as_unchanged(
    tmp_path: Path, scale: Scale, score: Score, name: str
) -> None:
    if name == HERE:
        assert_changes_are_noticed(name, Place(tmp_path, tmp_path), scale, score)
        return
    with mounted(name, tmp_path) as place:
        assert_changes_are_noticed(name, place, scale, score)

"""S2: each path of a table is opened or refused in every mode as an obvious judge decides."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from anyread.arguments.paths import displayed
from torture import opening_modes
from torture.path_judge import Judge
from torture.path_table import NAMED, case, generated
from torture.path_tree import build, settings

if TYPE_CHECKING:
    from torture.path_judge import Outcome
    from torture.path_table import Case
    from torture.scoreboard import Scale, Score

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: openat2 and its errors"),
]


def judged(base: Path, cases: list[Case]) -> list[Outcome]:
    judges = {name: Judge(setting) for name, setting in settings(base).items()}
    return [shown(judges[case.setting].outcome(case.path)) for case in cases]


def shown(outcome: Outcome) -> Outcome:
    """Return an outcome with its path as results show it."""
    return (outcome[0], displayed(outcome[1]), *outcome[2:]) if outcome[0] == "read" else outcome


def read(base: Path, mode: str, cases: list[Case]) -> list[list[Outcome]]:
    """Return the outcomes of reading each path in a mode: of a blocking and of an asynchronous read."""
    lines = "".join(json.dumps([case.setting, case.path.hex()]) + "\n" for case in cases)
    with opening_modes.start(mode, "path_reading", base, mode) as process:
        printed, _ = process.communicate(lines)
    assert process.returncode == 0
    return [[tuple(outcome) for outcome in json.loads(line)] for line in printed.splitlines()]


def test_paths_are_treated_alike_in_every_mode(tmp_path: Path, scale: Scale, score: Score) -> None:
    build(tmp_path)
    named = [case(tmp_path, each.setting, each.path) for each in NAMED]
    cases = [*named, *generated(tmp_path, scale(1_000, 25_000))]
    expected = judged(tmp_path, cases)
    for each, outcome in zip(NAMED, expected, strict=False):
        wanted = each.expected
        if wanted[0] == "read":
            wanted = ("read", displayed(f"{tmp_path}/{wanted[1]}"), *outcome[2:])
        assert outcome == wanted, f"`{each.path}` for the setting {each.setting}"
    kinds = Counter(outcome[0] for outcome in expected)
    assert all(
        kinds[kind] * 100 > len(cases) for kind in ("read", "outside", "missing", "denied", "directory")
    )
    for mode in opening_modes.OPENAT2_ERRORS:
        differences = [
            f"{case.setting}: {os.fsdecode(case.path)!r} must be {right}, was {found}"
            for case, right, both in zip(cases, expected, read(tmp_path, mode, cases), strict=True)
            for found in both
            if found != right
        ]
        detail = "; ".join([f"{kinds['read']:,} are read and {kinds['outside']:,} outside", *differences[:3]])
        score("S2", mode, failures=len(differences), of=2 * len(cases), unit="outcomes", detail=detail)

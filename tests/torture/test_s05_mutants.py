"""S5: mutants of real images, PDFs and notebooks never end the host, hang, or raise an untyped error.

In `make torture` most of the mutants are part of the load of `test_s13_soak.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from torture.loaded_hosts import score_mutants, soaked
from torture.mutants import KINDS, mutant
from torture.scoreboard import Scale, Score

pytestmark = pytest.mark.slow


def test_mutants_end_in_results_or_typed_errors(tmp_path: Path, scale: Scale, score: Score) -> None:
    report = soaked(tmp_path, 1_200, {"mutants": scale(100, 12_000), "seed": 5})
    score_mutants(score, report)


def test_mutants_differ_from_their_originals_and_can_be_made_again() -> None:
    first, again = ([mutant(number) for number in range(50)] for _ in range(2))
    assert first == again
    assert len({data for _, data, _ in first}) > 45
    assert {name for name, _, _ in first} == set(KINDS)

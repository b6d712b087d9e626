"""What contracts in JavaScript do with numbers and paths."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from anyread.tools.javascript import expanded_home, sliced


@pytest.mark.parametrize(
    ("start", "stop", "expected"),
    [
        (0, 3, (0, 3)),
        (1, 99, (1, 4)),
        (4, 2, (4, 0)),
        (9, 12, (5, 0)),
        (-2, 5, (3, 2)),
        (-9, -1, (0, 4)),
        (0.9, 2.9, (0, 2)),
        (-0.5, 1, (0, 1)),
        (0, math.inf, (0, 5)),
        (-math.inf, 2, (0, 2)),
    ],
)
def test_slice_of_five_items(start: float, stop: float, expected: tuple[int, int]) -> None:
    assert sliced(start, stop, 5) == expected


def test_only_a_leading_tilde_is_the_home_directory() -> None:
    assert expanded_home("~/a") == f"{Path.home()}/a"
    assert expanded_home("~") == str(Path.home())
    assert expanded_home("~user/a") == "~user/a"
    assert expanded_home("a/~") == "a/~"

"""The histogram of tokens, and the level under one budget, against exact water-filling."""

from __future__ import annotations

import json
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from anyread.batch import Histogram, level
from anyread.batch.budget import bin_of, bounds

TOKENS = st.one_of(st.integers(0, 300), st.integers(0, 100_000), st.integers(0, 2**40))
COUNTS = st.lists(TOKENS, max_size=60)


def used(counts: list[int], limit: int) -> int:
    return sum(min(count, limit) for count in counts)


def best_level(counts: list[int], budget: int) -> int:
    """Find the highest level that fits, by bisection over the files themselves."""
    low, high = 0, max(counts, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if used(counts, middle) <= budget else (low, middle - 1)
    return low


@given(COUNTS, st.integers(0, 2**42))
@example([100, 100, 5_000, 20_000], 10_000)
@example([1_000, 1_001, 1_002, 1_003], 4_003)
@example([7] * 10, 3)
@example([], 0)
def test_level_is_in_the_bin_of_the_best_and_never_above_it(counts: list[int], budget: int) -> None:
    found, best = level(Histogram.of(counts), budget), best_level(counts, budget)
    assert used(counts, found) <= budget
    assert found <= best
    assert bin_of(found) == bin_of(best)


@given(st.lists(st.integers(0, 50_000), min_size=1, max_size=60), st.floats(0, 1.2))
def test_level_for_a_share_of_all_tokens_fits(counts: list[int], share: float) -> None:
    budget = int(sum(counts) * share)
    found, best = level(Histogram.of(counts), budget), best_level(counts, budget)
    assert used(counts, found) <= budget
    assert best - found <= max(0, best // 128)


@given(COUNTS)
def test_level_shows_everything_if_the_budget_holds_it(counts: list[int]) -> None:
    assert level(Histogram.of(counts), sum(counts)) == max(counts, default=0)


@given(COUNTS, COUNTS, COUNTS)
def test_addition_is_associative_commutative_and_equal_to_counting_all(
    a: list[int], b: list[int], c: list[int]
) -> None:
    one, two, three = map(Histogram.of, (a, b, c))
    assert (one + two) + three == one + (two + three) == three + two + one == Histogram.of(a + b + c)
    assert sum([one, two, three]) == Histogram.of(a + b + c)


@given(COUNTS)
def test_histogram_survives_pickle_and_json(counts: list[int]) -> None:
    histogram = Histogram.of(counts)
    assert pickle.loads(pickle.dumps(histogram)) == histogram
    assert Histogram.from_dict(json.loads(json.dumps(histogram.to_dict()))) == histogram
    assert (histogram.files, histogram.tokens) == (len(counts), sum(counts))
    assert histogram.largest == max(counts, default=0)


@given(TOKENS)
def test_bin_contains_its_numbers_and_is_narrow(tokens: int) -> None:
    low, high = bounds(bin_of(tokens))
    assert low <= tokens < high
    assert high - low == 1 or high - low <= low / 128
    assert bin_of(low) == bin_of(high - 1) == bin_of(tokens)
    assert bin_of(high) == bin_of(tokens) + 1


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="fewer than 0 tokens: -1"):
        Histogram.of([-1])
    with pytest.raises(ValueError, match="cannot be negative: -1"):
        level(Histogram.of([]), -1)
    with pytest.raises(TypeError):
        Histogram.of([1]) + 1  # type: ignore[operator]
    with pytest.raises(TypeError):
        1 + Histogram.of([1])

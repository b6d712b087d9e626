"""What models accept, and the tokens of images, compared with the providers' own worked examples."""

from __future__ import annotations

import dataclasses

import pytest

from anyread.models.image_tokens import BudgetTokens, FlatTokens, PatchTokens, SquareTokens, TileTokens
from anyread.models.model import Model

STANDARD = PatchTokens(patch=28, max_edge=1_568, max_tokens=1_568)
HIGH = PatchTokens(patch=28, max_edge=2_576, max_tokens=4_784)


@pytest.mark.parametrize(
    ("tokens", "size", "seen", "count"),
    [
        (STANDARD, (1_075, 1_520), (924, 1_307), 33 * 47),
        (STANDARD, (1_920, 1_080), (1_456, 819), 1_560),
        (HIGH, (1_920, 1_080), (1_920, 1_080), 2_691),
        (STANDARD, (3_840, 2_160), (1_456, 819), 1_560),
        (HIGH, (3_840, 2_160), (2_576, 1_449), 4_784),
        (STANDARD, (200, 200), (200, 200), 64),
        (STANDARD, (1, 1), (1, 1), 1),
        (STANDARD, (20_000, 100), (1_568, 8), 56),
    ],
)
def test_patches_are_counted_as_anthropic_does(
    tokens: PatchTokens, size: tuple[int, int], seen: tuple[int, int], count: int
) -> None:
    assert tokens.size(*size) == seen
    assert tokens.count(*size) == count


@pytest.mark.parametrize(
    ("size", "seen", "count"),
    [
        ((1_800, 2_400), (1_056, 1_408), 1_452),
        ((1_024, 1_024), (1_024, 1_024), 1_024),
        ((32, 33), (32, 33), 2),
    ],
)
def test_patches_are_counted_as_openai_does(size: tuple[int, int], seen: tuple[int, int], count: int) -> None:
    tokens = BudgetTokens(patch=32, max_edge=None, max_patches=1_536)
    assert tokens.size(*size) == seen
    assert tokens.count(*size) == count
    assert dataclasses.replace(tokens, multiplier=1.62).count(*size) == -(-count * 162 // 100)


@pytest.mark.parametrize(
    ("tokens", "size", "count"),
    [
        (TileTokens(base=85, tile=170), (1_024, 1_024), 765),
        (TileTokens(base=85, tile=170), (2_048, 4_096), 1_105),
        (TileTokens(base=70, tile=140), (512, 512), 210),
        (SquareTokens(tokens=258, small_edge=384, edge=768), (384, 384), 258),
        (SquareTokens(tokens=258, small_edge=384, edge=768), (1_000, 700), 516),
        (FlatTokens(tokens=1_120), (5, 5_000), 1_120),
    ],
)
def test_other_formulas_count_as_documented(
    tokens: TileTokens | SquareTokens | FlatTokens, size: tuple[int, int], count: int
) -> None:
    assert tokens.count(*size) == count


def test_model_counts_by_its_own_formula() -> None:
    assert Model.anthropic().tokens_of_image(1_920, 1_080) == 1_560
    assert Model.gemini().tokens_of_image(10, 10) == 1_120
    assert Model.openai().tokens_of_image(1_024, 1_024) == 1_024
    assert Model().tokens_of_image(280, 28) == 10

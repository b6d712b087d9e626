"""Sizes of images: an image is sent at a size that the provider does not scale again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import anyread
from anyread.arguments.limits import Limits
from anyread.decoding.child.encoding import Wanted
from anyread.decoding.host.fitting import wanted
from anyread.models.image_tokens import (
    BudgetTokens,
    FlatTokens,
    ImageTokens,
    PatchTokens,
    SquareTokens,
    TileTokens,
    from_fields,
    to_fields,
)
from anyread.models.model import PRESETS, Model
from helpers.media import decoded, difference, drawing, encoded, read_sync, request_of, text_pdf

WITH_IMAGES = sorted(name for name in PRESETS if name != "text-only")
FORMULAS = [
    PatchTokens(patch=28, max_edge=2_576, max_tokens=4_784),
    BudgetTokens(patch=32, max_edge=None, max_patches=1_536, multiplier=1.62),
    TileTokens(base=85, tile=170),
    SquareTokens(tokens=258, small_edge=384, edge=768),
    FlatTokens(tokens=1_120),
]


def wanted_by_decoder(model: Model) -> Wanted:
    """Return what a decoder reads from a job about the images that a model accepts."""
    return Wanted.from_header(json.loads(json.dumps(wanted(model, Limits()))))


@pytest.mark.parametrize("name", WITH_IMAGES)
@given(width=st.integers(1, 12_000), height=st.integers(1, 12_000))
@example(width=4_000, height=3_000)
@example(width=1_568, height=1_176)
@example(width=20_000, height=100)
@example(width=1, height=12_000)
@example(width=8_544, height=11_500)
def test_provider_leaves_the_sent_size_unchanged(name: str, width: int, height: int) -> None:
    """Some sizes were scaled down again by the provider, and some were smaller than it accepts."""
    model = PRESETS[name]()
    assert model.image_tokens is not None
    sent = wanted_by_decoder(model).fitted_size(width, height)
    assert model.image_tokens.size(*sent) == sent
    assert 1 <= sent[0] <= width
    assert 1 <= sent[1] <= height
    # It is not smaller than needed either.
    seen = model.image_tokens.size(width, height)
    assert sent == (min(width, seen[0]), min(height, seen[1]))


@pytest.mark.parametrize("formula", FORMULAS)
def test_formula_reaches_the_decoder(formula: ImageTokens) -> None:
    assert from_fields(json.loads(json.dumps(to_fields(formula)))) == formula
    assert wanted_by_decoder(Model(image_tokens=formula)).formula == formula
    assert wanted_by_decoder(Model()).formula is None


@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("size", [(640, 480), (4_000, 3_000), (3_000, 500), (9_000, 20)])
def test_every_formula_leaves_its_own_sizes_unchanged(formula: ImageTokens, size: tuple[int, int]) -> None:
    seen = formula.size(*size)
    assert formula.size(*seen) == seen
    assert formula.count(*seen) == formula.count(*size)


@pytest.mark.parametrize("name", WITH_IMAGES)
def test_image_is_sent_at_the_size_that_the_model_sees(tmp_path: Path, name: str) -> None:
    model = PRESETS[name]()
    formula: Any = model.image_tokens
    path = tmp_path / "large.png"
    path.write_bytes(encoded(drawing(2_400, 1_800, "L"), "PNG"))
    view = read_sync(path, model=model)
    sent = decoded(view.image.data).size
    assert sent == (view.shown.width, view.shown.height) == formula.size(*sent)
    region = read_sync(path, request_of(region=(10, 10, 1_600, 1_700)), model=model)
    sent = decoded(region.image.data).size
    assert sent == formula.size(*sent)


def test_newer_models_get_larger_images(tmp_path: Path) -> None:
    high = Model(max_long_edge=2_576, image_tokens=PatchTokens(patch=28, max_edge=2_576, max_tokens=4_784))
    path = tmp_path / "large.png"
    path.write_bytes(encoded(drawing(3_840, 2_160, "L"), "PNG"))
    view = read_sync(path, model=high)
    assert (view.shown.width, view.shown.height) == (2_576, 1_449)


def test_image_is_scaled_once_and_never_up(tmp_path: Path) -> None:
    path = tmp_path / "strip.png"
    path.write_bytes(encoded(drawing(3, 5_000, "L"), "PNG"))
    formula = BudgetTokens(patch=32, max_edge=None, max_patches=100)
    view = read_sync(path, model=Model(image_tokens=formula))
    assert view.shown.width <= 3


def test_page_of_a_pdf_is_sent_at_the_size_that_the_model_sees(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(text_pdf(1))
    model = Model.any()
    formula: Any = model.image_tokens
    image = read_sync(path, model=model, limits=Limits(dpi=200)).pages[0].image
    assert (image.width, image.height) == formula.size(image.width, image.height)


def test_tall_image_goes_on_downwards(tmp_path: Path) -> None:
    """A screenshot of 1,200×15,000 pixels was scaled down to a width of 125, and `next` was empty."""
    source = drawing(201, 4_507)
    path = tmp_path / "tall.png"
    path.write_bytes(encoded(source, "PNG"))
    reader = anyread.Reader(model=Model.any())
    views = list(reader.pages_sync(path, kind="image"))
    assert 1 < len(views) < 30
    bottom = 0
    for view in views:
        assert view.region is not None
        assert view.image is not None
        x, y, width, height = view.region
        # Each strip repeats a little of the strip before, so that no line of text is cut in both.
        assert (x, width) == (0, 201)
        assert y < bottom < y + height or bottom == y == 0
        bottom = y + height
        assert view.scale > 0.6
        part = source.crop((x, y, x + width, bottom))
        assert difference(decoded(view.image.data), part) <= 12
        assert view.truncated == (bottom < 4_507) == ("next: region=(0, " in view.text)
    assert bottom == 4_507
    # Whether there is a budget for a strip does not change which strips there are.
    small = anyread.Reader(model=Model.any(), limits=anyread.Limits(max_tokens=300))
    assert [view.region for view in small.pages_sync(path, kind="image")] == [view.region for view in views]
    # What is written about a smaller image is longer.
    for most in range(100, 500, 80):
        assert reader.read_sync(path, kind="image", max_tokens=most).token_estimate <= most


def test_wide_and_ordinary_images_are_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    for size in ((7_500, 600), (1_170, 2_532), (100, 1_000), (2_000, 1_500)):
        path.write_bytes(encoded(drawing(*size), "PNG"))
        view = anyread.read_sync(path, kind="image")
        assert (view.region, view.next) == (None, None)


def test_region_of_an_image_over_the_limit_is_shown(tmp_path: Path) -> None:
    """An image of more than 50 megapixels could not be read at all."""
    path, source = tmp_path / "a.png", drawing(600, 500)
    path.write_bytes(encoded(source, "PNG"))
    reader = anyread.Reader(limits=anyread.Limits(max_pixels=10_000))
    with pytest.raises(anyread.TooLargeError) as caught:
        reader.read_sync(path)
    assert caught.value.region == (0, 0, 100, 100)
    assert "region=(0, 0, 100, 100)" in caught.value.hint
    with pytest.raises(anyread.TooLargeError):
        reader.read_sync(path, region=(0, 0, 101, 100))
    view = reader.read_sync(path, kind="image", region=(300, 200, 100, 100))
    assert view.image is not None
    assert difference(decoded(view.image.data), source.crop((300, 200, 400, 300))) == 0

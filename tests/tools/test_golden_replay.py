"""Calls recorded from other tools, which anyread must answer identically (`tests/recorded/README.md`)."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread.tools
from recorded_calls import Comparison, Row, content, profiles, recipes, replay, rows, sources

ALL = [pytest.param(name, row, id=f"{name}/{row['id']}") for name in profiles() for row in rows(name)]


@pytest.mark.parametrize("validate_media", [False, True], ids=["as recorded", "validated"])
@pytest.mark.parametrize(("profile", "row"), ALL)
def test_recorded_call_is_answered_as_recorded(
    profile: str, row: Row, tmp_path: Path, *, validate_media: bool
) -> None:
    if validate_media and row.get("unvalidated"):
        pytest.skip("some of its files are images or PDFs that do not decode, or are converted")
    if tmp_path.stat().st_size != row.get("directory_bytes", tmp_path.stat().st_size):
        pytest.skip("directories have another size in this file system, and the answer shows it")
    assert replay(profile, row, tmp_path, validate_media=validate_media) == []


def test_every_recorded_call_is_replayed_once() -> None:
    assert set(profiles()) <= set(anyread.tools.PROFILES)
    assert len({param.id for param in ALL}) == len(ALL) >= 1_020


def test_every_file_is_used_by_a_row() -> None:
    used = {source for name in profiles() for row in rows(name) for source in sources(row).values()}
    assert used == set(recipes())


def differs(expected: Any, got: Any, **options: Any) -> bool:
    return bool(Comparison(Path("/directory"), **options).differences(expected, got, "answer"))


@pytest.mark.parametrize(
    ("expected", "same", "different"),
    [
        pytest.param("${DIR}/a", "/directory/a", "/elsewhere/a", id="path"),
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"b": 2}, id="field"),
        pytest.param([1, 2], [1, 2], [1, 2, 3], id="items"),
        pytest.param({"a": [{"b": "c"}]}, {"a": [{"b": "c"}]}, {"a": [{"b": "d"}]}, id="nested"),
        pytest.param(True, True, 1, id="boolean"),
        pytest.param(1, 1, True, id="number"),
        pytest.param(None, None, "", id="null"),
        pytest.param({}, {}, [], id="object"),
        pytest.param({"$begins": "failed: "}, "failed: why", "failed: ", id="beginning"),
        pytest.param({"$text": True}, "why", " ", id="some text"),
        pytest.param("x${base64:basic.txt}y", "xb25lCnR3bwp0aHJlZQpmb3Vyy", "xy", id="base64"),
    ],
)
def test_comparison_distinguishes_equal_from_different(expected: Any, same: Any, different: Any) -> None:
    assert not differs(expected, same)
    assert differs(expected, different)


def test_comparison_of_a_long_text_finds_one_changed_character() -> None:
    text = "/directory/" + "a" * 3_000
    recorded = text.replace("/directory", "${DIR}")
    digest = hashlib.sha256(recorded.encode()).hexdigest()
    expected = {"$long": {"begins": recorded[:9], "ends": "aaa", "length": len(recorded), "sha256": digest}}
    assert not differs(expected, text)
    assert differs(expected, text[:1_000] + "b" + text[1_001:])
    assert differs(expected, None)


def jpeg(image: Image.Image) -> str:
    saved = io.BytesIO()
    image.convert("RGB").save(saved, "JPEG")
    return base64.b64encode(saved.getvalue()).decode()


def test_comparison_of_images_compares_their_pixels() -> None:
    original = Image.open(io.BytesIO(content("grad.png")))
    expected = {"$image": "image/jpeg", "of": "grad.png"}
    assert not differs(expected, jpeg(original))
    assert differs(expected, jpeg(original), max_image_bytes=100)
    assert differs(expected, jpeg(original.resize((64, 64))))
    assert differs(expected, jpeg(Image.new("RGB", original.size)))
    assert differs(expected, base64.b64encode(content("grad.png")).decode())
    assert differs(expected, base64.b64encode(b"no image").decode())


def test_comparison_of_a_page_requires_its_size_and_visible_content() -> None:
    expected = {"$image": "image/jpeg", "page": [85, 110]}
    page = Image.new("RGB", (85, 110), "white")
    assert differs(expected, jpeg(page))
    page.paste("black", (0, 0, 40, 40))
    assert not differs(expected, jpeg(page))
    assert differs(expected, jpeg(page.resize((110, 85))))

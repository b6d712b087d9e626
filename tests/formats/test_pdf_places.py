"""Pages of a PDF that places name are shown as text, if that has all that their images show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Model, Reader
from helpers import media

TEXT = b"BT /F 20 Tf 50 700 Td (A line of text) Tj ET "
RULES = b"0 G 50 690 m 500 690 l S 50 600 450 2 re f "
BAR = b"0 0 1 rg 100 100 80 300 re f "
CURVE = b"0 G 100 100 m 200 400 300 50 400 300 c S "
SHADE = b"q 300 0 0 %d 50 50 cm /I Do Q "


def answer(path: Path, place: str, **settings: Any) -> tuple[list[str], str]:
    reader = Reader(model=settings.get("model", Model(max_long_edge=400)))
    output = anyread.tool(cwd=path.parent, reader=reader).call_sync({"places": [place]})
    content = output["content"]
    return [part["type"] for part in content], "\n".join(part.get("text", "") for part in content)


def with_picture(height: int) -> bytes:
    """Return a page with a picture of 300 points by a height."""
    image = media.stream(
        b"\xff\x00\x00",
        b"/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB",
    )
    resources = b"<</Font<</F " + media.HELVETICA + b">>/XObject<</I 5 0 R>>>>"
    return media.pdf([TEXT + SHADE % height], resources=resources, more=(image,))


def test_sound_text_is_shown_without_its_image(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(media.pdf([TEXT, TEXT + RULES, TEXT + BAR, TEXT + CURVE]))
    types, text = answer(path, "a.pdf:1-2")
    assert types == ["text"]
    assert text.count("A line of text") == 2
    assert text.startswith("==> a.pdf · pages 1-2 of 4 · as text <==\n")
    for page in (3, 4):
        types, text = answer(path, f"a.pdf:{page}")
        assert "image" in types
        assert "· as text" not in text


@pytest.mark.parametrize(("height", "is_shown"), [(20, False), (400, True)])
def test_picture_over_a_tenth_of_the_page_is_shown(tmp_path: Path, height: int, is_shown: bool) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(with_picture(height))
    types, _ = answer(path, "a.pdf:1")
    assert ("image" in types) is is_shown


def test_text_that_is_not_sound_is_shown_with_its_image(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    hidden = b"1 1 1 rg BT /F 20 Tf 50 500 Td (nobody sees this line) Tj ET "
    path.write_bytes(media.pdf([BAR, TEXT + hidden]))
    for page in (1, 2):
        types, text = answer(path, f"a.pdf:{page}")
        assert "image" in types
        assert "· as text" not in text

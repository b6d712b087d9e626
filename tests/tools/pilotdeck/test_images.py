"""Images as `read_file` sends, repairs and compresses them."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from anyread.models.model import Model
from helpers.media import decoded, difference, drawing, encoded, noise

Make = Callable[..., Any]


def shown(output: Any) -> bytes:
    assert output["type"] == "success", output
    (item,) = output["content"]
    data = base64.b64decode(item["data"])
    assert item["bytes"] == len(data) == output["data"]["bytes"]
    assert item["mimeType"] == output["data"]["mimeType"]
    return data


def image_model(**options: Any) -> Model:
    return Model(inputs=frozenset({"text", "image"}), **options)


def cut(image: Image.Image, missing_part: float) -> bytes:
    data = encoded(image, "JPEG")
    return data[: int(len(data) * (1 - missing_part))]


@pytest.mark.parametrize("is_validated", [True, False])
def test_slightly_truncated_jpeg_is_repaired(deck_of: Make, is_validated: bool) -> None:
    deck = deck_of(model="eyes", validate_media=is_validated)
    source = noise(300, 300)
    data = cut(source, 0.04)
    deck.write("p.jpg", data)
    output = deck.read("p.jpg")
    repaired = decoded(shown(output))
    assert repaired.size == (300, 300)
    assert repaired.format == "JPEG"
    box = (0, 0, 300, 250)
    assert difference(repaired.crop(box), source.crop(box)) < 12


# The cascade: 1600 pixels in the image's own format, 1200 and 800 as JPEG.


@pytest.fixture(scope="module")
def photograph() -> Image.Image:
    # Noise over shapes: PNG cannot compress it, and the passes of a JPEG differ in size.
    return Image.blend(drawing(2_000, 1_000), noise(2_000, 1_000), 0.4)


def passes(image: Image.Image, kind: str) -> list[bytes]:
    """Return the result of each pass as the contract describes it, for the expected sizes."""
    first, edge = {"GIF": ("PNG", 1_200)}.get(kind, (kind, 1_600))
    found, last = [], image
    for name, limit, quality in [(first, edge, 80), ("JPEG", 1_200, 55), ("JPEG", 800, 40)]:
        small = last.convert("RGB")
        small.thumbnail((limit, limit))
        options = {} if name == "PNG" else {"quality": quality}
        found.append(encoded(small, name, **options))
        last = decoded(found[-1])
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("patient_decoders")
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_image_over_the_byte_limit_goes_through_up_to_three_passes(
    deck_of: Make, photograph: Image.Image, kind: str
) -> None:
    name = f"p.{kind.lower()}"
    data = encoded(photograph, kind, **({"quality": 95} if kind in {"JPEG", "WEBP"} else {}))
    sizes = [len(one) for one in passes(photograph, kind)]
    first = {"PNG": ("PNG", 1_600), "GIF": ("PNG", 1_200)}.get(kind, (kind, 1_600))
    expected = [first, ("JPEG", 1_200), ("JPEG", 800)]
    assert len(data) > sizes[0] > sizes[1] > sizes[2]
    for (format_, edge), size in zip(expected, sizes, strict=True):
        max_bytes = int(size * 1.25)
        deck = deck_of(model=image_model(max_image_bytes=max_bytes))
        deck.write(name, data)
        output = deck.read(name)
        result = decoded(shown(output))
        assert (result.format, result.size) == (format_, (edge, edge // 2))
        assert output["data"]["bytes"] <= max_bytes
        assert output["data"]["originalBytes"] == len(data)
        assert difference(result, photograph) < 25


def test_image_that_no_pass_compresses_enough_is_too_large(deck_of: Make) -> None:
    deck = deck_of(model=image_model(max_image_bytes=700))
    deck.write("p.webp", encoded(noise(200, 200), "WEBP"))
    output = deck.read("p.webp")
    assert output["error"]["code"] == "result_too_large"
    assert output["error"]["message"] == (
        "Image content exceeds the read_file byte budget after compression attempts (image/webp)."
    )
    details = output["error"]["details"]
    assert (details["mimeType"], details["maxBytes"]) == ("image/jpeg", 700)
    assert details["bytes"] > 700


def test_compressed_image_is_upright(deck_of: Make) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(noise(400, 200), "JPEG", exif=exif, quality=95)
    deck = deck_of(model=image_model(max_image_bytes=len(data) - 1))
    deck.write("p.jpg", data)
    assert decoded(shown(deck.read("p.jpg"))).size == (200, 400)

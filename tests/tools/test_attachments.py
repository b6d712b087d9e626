"""The parts of answers as blocks."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread
from anyread.registry import CONTRACTS
from anyread.results.blocks import ImageBlock
from anyread.tools.parts.media import blocks_of
from helpers.media import drawing, encoded, noise

PNG = encoded(drawing(30, 20), "PNG")
BASE64 = b64encode(PNG).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "data": BASE64, "mimeType": "image/png"},
        {"type": "image", "base64": BASE64, "mime_type": "image/png"},
        {"data": BASE64, "mediaType": "image/png"},
        {"inlineData": {"data": BASE64, "mimeType": "image/png"}},
        {"type": "resource", "resource": {"blob": BASE64, "mimeType": "image/png", "uri": "file:///a"}},
        {"type": "image", "source": {"type": "base64", "data": BASE64, "media_type": "image/png"}},
        {"type": "file", "mime": "image/png", "url": f"data:image/png;base64,{BASE64}"},
    ],
)
def test_image_is_found_under_every_name(part: Any) -> None:
    [block] = blocks_of([part])
    assert isinstance(block, ImageBlock)
    assert block.data == PNG


def with_orientation(value: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = value
    return exif


def odd_images() -> dict[str, bytes]:
    """Make images that decode in full, but not as any image does; all are over 1,000 bytes."""
    image = noise(60, 40)
    hidden = image.convert("RGBA")
    hidden.putalpha(Image.linear_gradient("L").resize(image.size).point([0] * 128 + [255] * 128))
    indexed = image.convert("P")
    return {
        **{f"turned{value}.jpg": encoded(image, "JPEG", exif=with_orientation(value)) for value in (3, 6)},
        "turned.png": encoded(image, "PNG", exif=with_orientation(8)),
        "turned.webp": encoded(image, "WEBP", exif=with_orientation(6)),
        "damaged_exif.jpg": encoded(image, "JPEG", exif=b"Exif\0\0MM\0*\0\0\xff\xff"),
        "damaged_profile.png": encoded(image, "PNG", icc_profile=b"none" * 9),
        "long_comment.jpg": encoded(image, "JPEG", comment=b"x" * 60_000),
        "indexed.png": encoded(indexed, "PNG", transparency=bytes(range(256))),
        "hidden_colors.png": encoded(hidden, "PNG"),
        "animated.gif": encoded(indexed, "GIF", save_all=True, append_images=[noise(60, 40).convert("P")]),
        "trailing.png": encoded(image, "PNG") + b"more",
    }


UNCHANGED = [*sorted({*CONTRACTS} - {"anyread", "claude-code", "kimi-code", "text-editor"}), "openhands"]
"""The contracts that send images, and do not convert them for the model."""


@pytest.mark.parametrize("is_model_set", [False, True])
@pytest.mark.parametrize("name", UNCHANGED)
def test_sound_image_is_sent_as_it_is(name: str, is_model_set: bool, tmp_path: Path) -> None:
    """`pi` turned photographs upright, as `mycode` and `forge` did for a host that had set a model."""
    # Without a model, `pilotdeck` sends no image.
    model = anyread.Model(max_long_edge=1_000) if is_model_set or name == "pilotdeck" else None
    tool = anyread.tool(name, cwd=tmp_path, model=model)
    media = next((each.name for each in tool.definitions() if "media" in each.name), None)
    for file, data in odd_images().items():
        path = tmp_path / file
        path.write_bytes(data)
        output = tool.call_sync(tool.arguments_for(path), name=media)
        sent = [block.data for block in tool.blocks(output) if isinstance(block, ImageBlock)]
        assert sent == [data], file

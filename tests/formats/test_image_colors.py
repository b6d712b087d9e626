"""Colors of images: profiles, samples of more than 8 bits, transparency, and the losses of JPEG."""

from __future__ import annotations

import io
import math
import struct
from pathlib import Path
from typing import Any

import PIL
import pytest
from PIL import Image, ImageChops, ImageCms

from anyread.arguments.limits import Limits
from anyread.models.model import Model
from helpers.media import decoded, drawing, encoded, grey_profile, noise, profile, read_sync, tiff

LARGE = (2_000, 1_000)


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "image"
    path.write_bytes(data)
    return path


def by_lcms(source: Image.Image, icc: bytes, mode: str) -> Image.Image:
    """Convert to sRGB with Pillow's ImageCms."""
    embedded = ImageCms.ImageCmsProfile(io.BytesIO(icc))
    shown = ImageCms.profileToProfile(source, embedded, ImageCms.createProfile("sRGB"), outputMode=mode)
    assert shown is not None
    return shown


def psnr_db(one: Image.Image, other: Image.Image) -> float:
    counts = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).histogram()
    squares = sum(count * (index % 256) ** 2 for index, count in enumerate(counts))
    return 99.0 if not squares else 10 * math.log10(255**2 * sum(counts) / squares)


def grays(view: Any, count: int = 5) -> list[int]:
    shown = decoded(view.image.data).convert("L")
    return [
        int(shown.getpixel((x * (shown.width - 1) // (count - 1), shown.height // 2)))  # type: ignore[arg-type]
        for x in range(count)
    ]


# -- profiles


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "AVIF"])
def test_profile_is_applied_when_an_image_is_encoded_again(tmp_path: Path, kind: str) -> None:
    """The profile was dropped without a conversion, so colors were up to 15 levels off."""
    source, icc = Image.new("RGB", LARGE, (180, 60, 60)), profile()
    path = written(tmp_path, encoded(source, kind, icc_profile=icc))
    shown = decoded(read_sync(path).image.data)
    assert shown.info.get("icc_profile") is None
    expected: Any = by_lcms(decoded(path.read_bytes()).convert("RGB"), icc, "RGB").getpixel((0, 0))
    color: Any = shown.convert("RGB").getpixel((500, 300))
    assert max(abs(one - other) for one, other in zip(color, expected, strict=True)) <= 3
    assert abs(color[0] - 180) > 8


@pytest.mark.parametrize("mode", ["L", "LA"])
def test_gray_profile_is_applied(tmp_path: Path, mode: str) -> None:
    source = Image.new("L", LARGE, 100).convert(mode)
    if mode == "LA":
        source.putalpha(Image.linear_gradient("L").resize(LARGE))
    icc = grey_profile(1.0)
    view = read_sync(written(tmp_path, encoded(source, "PNG", icc_profile=icc)))
    expected: Any = by_lcms(Image.new("L", (1, 1), 100), icc, "RGB").getpixel((0, 0))
    shown: Any = decoded(view.image.data)
    assert shown.mode == mode
    assert abs(shown.convert("LA").getpixel((500, 600))[0] - expected[0]) <= 2


@pytest.mark.parametrize(
    ("mode", "icc"),
    [("RGB", b"no profile" * 30), ("L", profile()), ("RGB", profile()[:200]), ("CMYK", profile())],
)
def test_profile_that_does_not_fit_is_ignored(tmp_path: Path, mode: str, icc: bytes) -> None:
    source = drawing(*LARGE).convert(mode)
    kind = "TIFF" if mode == "CMYK" else "PNG"
    view = read_sync(written(tmp_path, encoded(source, kind, icc_profile=icc)))
    plain = read_sync(written(tmp_path, encoded(source, kind)))
    assert view.image.data == plain.image.data


# -- samples of more than 8 bits


def ramp(form: str, low: float, high: float) -> bytes:
    """Return 8 rows of 64 samples from `low` to `high`."""
    numbers = [low + (high - low) * x / 63 for x in range(64)]
    return struct.pack(f"<64{form}", *(numbers if form in "fd" else map(round, numbers))) * 8


@pytest.mark.parametrize(
    ("form", "bits", "sample_format", "low", "high", "is_spread"),
    [
        ("f", 32, 3, 0, 1, False),
        ("f", 32, 3, 0, 255, False),
        ("f", 32, 3, 0, 65_535, False),
        ("f", 32, 3, 0, 0.01, True),
        ("f", 32, 3, -3, 17.5, True),
        ("f", 32, 3, 0, 1.5, True),
        ("f", 32, 3, 1e6, 2e6, True),
        ("H", 16, 1, 0, 65_535, False),
        ("H", 16, 1, 0, 4_095, True),
        ("H", 16, 1, 0, 16_383, True),
        ("H", 16, 1, 30_000, 30_500, True),
        ("h", 16, 2, -500, 500, True),
        ("i", 32, 2, 0, 3_000_000, True),
        ("i", 32, 2, 0, 255, False),
        ("i", 32, 2, 0, 20, True),
    ],
)
def test_samples_are_shown_from_black_to_white(
    tmp_path: Path, form: str, bits: int, sample_format: int, low: float, high: float, is_spread: bool
) -> None:
    """Floats from 0 to 1, and 12 bits stored in 16, were all black."""
    data = tiff((64, 8), ramp(form, low, high), bits=bits, sample_format=sample_format)
    view = read_sync(written(tmp_path, data))
    shown = grays(view)
    assert shown[0] <= 1
    assert shown[-1] >= 254
    assert shown == sorted(shown)
    notices = [notice for notice in view.notices if notice.code == "values_spread"]
    assert len(notices) == is_spread
    for notice in notices:
        assert notice.data == {"black": pytest.approx(low), "white": pytest.approx(high)}


def test_pixels_without_data_leave_the_others_visible(tmp_path: Path) -> None:
    gaps = struct.pack("<4f", math.nan, math.inf, -math.inf, -3.4e38)
    rows = gaps + ramp("f", 10, 20)[16:]
    view = read_sync(written(tmp_path, tiff((64, 8), rows, bits=32, sample_format=3)))
    assert view.notices[0].data == {"black": pytest.approx(10), "white": pytest.approx(20)}
    assert grays(view)[1:] == pytest.approx([62, 125, 190, 255], abs=3)
    assert decoded(view.image.data).convert("L").getpixel((1, 0)) == 0


@pytest.mark.parametrize("mode", ["La", "RGBa"])
def test_premultiplied_transparency_is_shown(tmp_path: Path, mode: str) -> None:
    """Gray with premultiplied alpha was reported as damaged."""
    if mode == "La" and int(PIL.__version__.split(".")[0]) < 13:
        pytest.skip("Pillow decodes it from version 13 on; an older one reports an unsupported format")
    pixels = b"".join(bytes([x * 4] * (len(mode) - 1) + [255]) for x in range(64)) * 8
    photometric = 2 if mode == "RGBa" else 1
    data = tiff((64, 8), pixels, bits=8, samples=len(mode), photometric=photometric, extra=1)
    assert grays(read_sync(written(tmp_path, data)))[-1] == 252


# -- JPEG or PNG


def grainy(width: int, height: int) -> Image.Image:
    """Draw an image like a photograph: soft shapes with gray grain."""
    grain = Image.effect_noise((width, height), 24).convert("RGB")
    return Image.blend(drawing(width, height), grain, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("make", [noise, grainy])
def test_lossless_image_keeps_its_quality(tmp_path: Path, make: Any) -> None:
    source = make(900, 700)
    view = read_sync(written(tmp_path, encoded(source, "BMP")))
    assert psnr_db(decoded(view.image.data), source) >= 30
    assert (view.image.media_type == "image/jpeg") == (make is grainy)


@pytest.mark.slow
def test_noise_over_the_byte_limit_becomes_the_best_jpeg_within_it(tmp_path: Path) -> None:
    source = noise(900, 700)
    path = written(tmp_path, encoded(source, "BMP"))
    for max_bytes, least_db in ((1_500_000, 29), (300_000, 10)):
        view = read_sync(path, model=Model(max_image_bytes=max_bytes), limits=Limits(jpeg_quality=80))
        assert view.image.media_type == "image/jpeg"
        assert len(view.image.data) <= max_bytes
        shown = decoded(view.image.data).resize(source.size)
        assert psnr_db(shown, source) >= least_db


@pytest.mark.parametrize("transparent", [b"\x00\xff\x80", 1])
def test_transparent_colors_of_a_palette_are_white(tmp_path: Path, transparent: bytes | int) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([1, 2, 3, 4, 5, 6, 7, 8, 9])
    image.putdata([0, 1, 2])
    path = tmp_path / "a.png"
    image.save(path, transparency=transparent)
    found = decoded(read_sync(path).image.data).convert("RGBA")
    opacity = transparent if isinstance(transparent, bytes) else b"\xff\x00\xff"
    colors = [(1, 2, 3), (4, 5, 6), (7, 8, 9)]
    # What nobody sees is white, as in every image.
    shown = [color if alpha else (255, 255, 255) for color, alpha in zip(colors, opacity, strict=True)]
    assert [found.getpixel((x, 0)) for x in range(3)] == [
        (*color, alpha) for color, alpha in zip(shown, opacity, strict=True)
    ]

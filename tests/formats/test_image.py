"""Images: what the model receives for each format, size and fault."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from anyread.errors import BadArgumentError, DamagedFileError, FileChangedError, TooLargeError
from anyread.models.model import Model
from anyread.running import threads
from helpers import media
from helpers.media import decoded, difference, drawing, encoded, noise, opened, read_sync, request_of

FORMATS = ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO"]
SENT_TYPES = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def written(tmp_path: Path, data: bytes, name: str = "image") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def verified(view: Any, source: Image.Image, tolerance: int = 12) -> Image.Image:
    """Decode the block of a view independently, compare it with its source, and return it."""
    block = view.image
    shown = decoded(block.data)
    assert Image.MIME[str(shown.format)] == block.media_type in SENT_TYPES
    assert shown.size == (block.width, block.height) == (view.shown.width, view.shown.height)
    assert len(block.data) == view.shown.bytes
    assert json.loads(json.dumps(block.base64)) == block.base64
    assert difference(shown, source) <= tolerance
    return shown


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_is_shown(tmp_path: Path, kind: str) -> None:
    source = drawing(64, 64)
    view = read_sync(written(tmp_path, encoded(source, kind)))
    verified(view, source, 24 if kind in {"GIF", "AVIF"} else 12)
    assert view.format == kind
    assert (view.width, view.height) == (64, 64)
    assert view.scale == 1
    assert view.kind == "image"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_good_original_is_passed_on_unchanged(tmp_path: Path, kind: str) -> None:
    data = encoded(drawing(100, 80, "L"), kind)
    view = read_sync(written(tmp_path, data))
    assert view.image.data == data
    assert view.size_bytes == len(data)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "TIFF"])
def test_image_is_turned_upright(tmp_path: Path, kind: str, orientation: int) -> None:
    upright = drawing(96, 48)
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(undo[orientation]) if orientation > 1 else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    view = read_sync(written(tmp_path, encoded(stored, kind, exif=exif)))
    verified(view, upright)
    assert (view.width, view.height) == (96, 48)
    if kind != "TIFF":
        assert view.orientation_applied == (orientation > 1)


@pytest.mark.parametrize("size", [(4_000, 3_000), (20_000, 100), (1, 5_000)])
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_large_image_is_shrunk_to_fit_the_model(tmp_path: Path, size: tuple[int, int], kind: str) -> None:
    source = drawing(*size)
    view = read_sync(written(tmp_path, encoded(source, kind)), model=Model(max_long_edge=1_568))
    verified(view, source, 24)
    assert max(view.shown.width, view.shown.height) == 1_568
    assert min(view.shown.width, view.shown.height) >= 1
    assert view.scale == pytest.approx(1_568 / max(size), abs=0.01) or 1 in size
    assert f"{size[0]:,}×{size[1]:,} · shown at {view.shown.width:,}×{view.shown.height:,}" in view.text


@pytest.mark.parametrize("media_type", sorted(SENT_TYPES))
def test_model_gets_only_the_types_that_it_accepts(tmp_path: Path, media_type: str) -> None:
    source = drawing(60, 40)
    for kind in ("PNG", "JPEG", "GIF"):
        view = read_sync(written(tmp_path, encoded(source, kind)), model=Model(image_types=(media_type,)))
        assert view.image.media_type == media_type
        verified(view, source, 30)


def test_text_only_model_gets_a_sentence(tmp_path: Path) -> None:
    view = read_sync(written(tmp_path, encoded(drawing(60, 40), "PNG")), model=Model.text_only())
    assert view.image is None
    assert view.shown is None
    assert [type(block).__name__ for block in view.blocks] == ["TextBlock"]
    assert "PNG 60×40" in view.text
    assert "accepts no images" in view.text
    assert "not shown" in view.summary()


# ---------------------------------------------------------------------------------------------------------


def test_region_is_cut_out_before_scaling(tmp_path: Path) -> None:
    source = drawing(3_000, 2_000)
    view = read_sync(written(tmp_path, encoded(source, "JPEG")), request_of(region=(100, 200, 400, 300)))
    verified(view, source.crop((100, 200, 500, 500)), 6)
    assert view.region == (100, 200, 400, 300)
    assert (view.shown.width, view.shown.height, view.scale) == (400, 300, 1)
    assert "region=(100, 200, 400, 300)" in view.text


@pytest.mark.parametrize(
    ("region", "clipped"),
    [
        ((-10, -10, 30, 30), (0, 0, 20, 20)),
        ((50, 30, 999, 999), (50, 30, 10, 10)),
        ((0, 0, 60, 40), (0, 0, 60, 40)),
    ],
)
def test_region_is_clipped_to_the_image(
    tmp_path: Path, region: tuple[int, int, int, int], clipped: tuple[int, int, int, int]
) -> None:
    view = read_sync(written(tmp_path, encoded(drawing(60, 40), "PNG")), request_of(region=region))
    assert view.region == clipped


def test_region_outside_the_image_is_refused_with_its_size(tmp_path: Path) -> None:
    path = written(tmp_path, encoded(drawing(60, 40), "PNG"))
    with pytest.raises(BadArgumentError, match="60 pixels wide and 40 high") as caught:
        read_sync(path, request_of(region=(60, 0, 10, 10)))
    assert caught.value.argument == "region"


# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        "GIF",
        "WEBP",
        "PNG",
    ],
)
def test_first_frame_is_shown_and_the_others_counted(tmp_path: Path, kind: str) -> None:
    first = drawing(50, 50)
    rest = [Image.new("RGB", (50, 50), color) for color in ("red", "blue", "green")]
    view = read_sync(written(tmp_path, encoded(first, kind, save_all=True, append_images=rest)))
    verified(view, first, 24)
    assert view.frames == 4
    assert [notice.code for notice in view.notices] == ["animated"]
    assert view.notices[0].data == {"frames": 4}
    assert getattr(decoded(view.image.data), "n_frames", 1) == 1


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_mode_of_png_is_shown_in_eight_bits(tmp_path: Path, mode: str) -> None:
    source = drawing(64, 64, "L")
    stored = (
        Image.eval(source, lambda value: value).convert("I;16") if mode == "I;16" else source.convert(mode)
    )
    if mode == "I;16":
        stored = source.convert("I").point(lambda value: value * 257).convert("I;16")
    view = read_sync(written(tmp_path, encoded(stored, "PNG")))
    shown = verified(view, source.convert("1") if mode == "1" else source, 20)
    assert shown.mode in {"1", "L", "LA", "P", "RGB", "RGBA"}


def test_transparency_is_kept(tmp_path: Path) -> None:
    source = drawing(2_000, 100, "RGBA")
    source.putalpha(Image.linear_gradient("L").resize((2_000, 100)))
    view = read_sync(written(tmp_path, encoded(source, "PNG")))
    assert decoded(view.image.data).mode == "RGBA"


def test_exif_is_removed_when_an_image_is_converted(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at home"
    view = read_sync(written(tmp_path, encoded(drawing(2_000, 90), "JPEG", exif=exif)))
    assert b"taken at home" not in view.image.data


def test_drawing_becomes_png_and_photograph_becomes_jpeg(tmp_path: Path) -> None:
    chart = Image.new("RGB", (1_800, 900), "white")
    chart.paste("navy", (100, 100, 900, 500))
    assert read_sync(written(tmp_path, encoded(chart, "PNG"))).image.media_type == "image/png"
    photograph = Image.blend(drawing(1_600, 900), Image.effect_noise((1_600, 900), 60).convert("RGB"), 0.3)
    assert read_sync(written(tmp_path, encoded(photograph, "PNG"))).image.media_type == "image/jpeg"


# ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_half_of_an_image_is_damaged(tmp_path: Path, kind: str) -> None:
    data = encoded(noise(300, 300), kind)
    with pytest.raises(DamagedFileError, match="truncated"):
        read_sync(written(tmp_path, data[: len(data) // 2]))


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_slightly_truncated_image_is_repaired_with_a_notice(tmp_path: Path, kind: str) -> None:
    source = drawing(400, 400)
    data = encoded(source, kind, **({"compress_level": 0} if kind == "PNG" else {}))
    view = read_sync(written(tmp_path, data[: -len(data) // 50]))
    assert [notice.code for notice in view.notices] == ["repaired_image"]
    verified(view, source, 60)


def test_too_many_pixels_are_refused_before_decoding(tmp_path: Path) -> None:
    path = written(tmp_path, encoded(Image.new("1", (8_000, 8_000)), "PNG"))
    with pytest.raises(TooLargeError) as caught:
        read_sync(path)
    assert (caught.value.size, caught.value.maximum, caught.value.unit) == (64_000_000, 50_000_000, "pixels")


def test_file_that_changes_during_a_read_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, encoded(drawing(50, 50), "PNG"))
    for data in (encoded(drawing(60, 50), "PNG"), b"\x89PNG\r\n\x1a\nno more"):
        with opened(path) as file:
            path.write_bytes(data)
            os.utime(path, ns=(1, file.modified_ns + 1))
            with pytest.raises(FileChangedError):
                threads.run(lambda: media.read_opened(file, request_of()))


# ---------------------------------------------------------------------------------------------------------

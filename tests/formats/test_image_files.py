"""Image files: pages of a TIFF, unsupported and damaged files, and truncated files."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from PIL import Image

import anyread
from anyread.arguments.limits import Limits
from anyread.errors import (
    BadArgumentError,
    DamagedFileError,
    ReadError,
    TooLargeError,
    UnsupportedFormatError,
)
from helpers.media import bmp, decoded, difference, drawing, encoded, noise, read_sync, tiff

READER = anyread.Reader()
COLORS = ("red", "lime", "blue", "white")


def written(tmp_path: Path, data: bytes, name: str = "image") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.fixture
def scan(tmp_path: Path) -> Path:
    """Write a TIFF of four pages."""
    first, *rest = [Image.new("RGB", (40 + number, 30), name) for number, name in enumerate(COLORS)]
    return written(tmp_path, encoded(first, "TIFF", save_all=True, append_images=rest))


# -- pages


@pytest.mark.parametrize(
    ("pages", "shown", "following"),
    [
        (None, 1, "2-"),
        ("1", 1, None),
        ("2", 2, None),
        ("2-", 2, "3-"),
        ("2-4", 2, "3-4"),
        ("3-4", 3, "4"),
        ("3-", 3, "4-"),
        ("4-", 4, None),
    ],
)
def test_every_page_of_a_tiff_can_be_read(
    scan: Path, pages: str | None, shown: int, following: str | None
) -> None:
    """Only the first page could be read; the others were counted as frames of an animation."""
    view = READER.read_sync(scan, pages=pages)
    assert isinstance(view, anyread.ImageView)
    assert view.image is not None
    assert (view.first, view.count, view.frames) == (shown, 4, 1)
    page = Image.new("RGB", (39 + shown, 30), COLORS[shown - 1])
    assert difference(decoded(view.image.data), page) == 0
    assert (view.width, view.height) == page.size
    assert f"page {shown} of 4" in view.text
    assert f"page {shown} of 4" in view.summary()
    assert not view.notices
    assert view.truncated == (following is not None)
    if following is None:
        assert view.next is None
        assert "next" not in view.text
    else:
        assert view.next is not None
        assert view.next.arguments["pages"] == following
        assert f'next: pages="{following}"' in view.text


@pytest.mark.parametrize("pages", ["5", "2-5", "9-"])
def test_page_that_a_tiff_does_not_have_is_refused(scan: Path, pages: str) -> None:
    with pytest.raises(BadArgumentError, match="within the 4 pages") as caught:
        READER.read_sync(scan, pages=pages)
    assert caught.value.argument == "pages"


def test_pages_before_a_missing_one_are_shown(tmp_path: Path) -> None:
    pages = [Image.new("L", (20, 10)) for _ in range(3)]
    data = encoded(pages[0], "TIFF", save_all=True, append_images=pages[1:])
    path = written(tmp_path, data[: len(data) - 300])
    view = READER.read_sync(path, pages="2")
    assert isinstance(view, anyread.ImageView)
    assert (view.first, view.count) == (2, 3)
    with pytest.raises(DamagedFileError):
        READER.read_sync(path, pages="3")


def test_region_of_a_later_page_is_shown(scan: Path) -> None:
    view = READER.read_sync(scan, pages="2-", region=(40, 0, 10, 10))
    assert isinstance(view, anyread.ImageView)
    assert view.region == (40, 0, 1, 10)
    assert view.next is None


def test_pixels_of_a_later_page_are_limited(tmp_path: Path) -> None:
    large = Image.new("1", (2_000, 1_000))
    data = encoded(Image.new("1", (10, 10)), "TIFF", save_all=True, append_images=[large])
    reader = anyread.Reader(limits=Limits(max_pixels=1_000_000))
    path = written(tmp_path, data)
    shown = reader.read_sync(path, kind="image").shown
    assert shown is not None
    assert shown.width == 10
    with pytest.raises(TooLargeError) as caught:
        reader.read_sync(path, pages="2")
    assert (caught.value.size, caught.value.unit) == (2_000_000, "pixels")


# -- unsupported or damaged


def bmp_header(bits: int, compression: int, *, colors: int = 0) -> bytes:
    return struct.pack("<iiHHIIiiII", 8, 8, 1, bits, compression, 256, 0, 0, colors, 0)


UNSUPPORTED = {
    "TIFF, RGB in floats": tiff((8, 8), bytes(768), bits=32, samples=3, photometric=2, sample_format=3),
    "TIFF, floats of 64 bits": tiff((8, 8), bytes(512), bits=64, sample_format=3),
    "TIFF, floats of 16 bits": tiff((8, 8), bytes(128), bits=16, sample_format=3),
    "TIFF, integers of 64 bits": tiff((8, 8), bytes(512), bits=64),
    "TIFF, 5 bits": tiff((8, 8), bytes(40), bits=5),
    "TIFF, 10 bits": tiff((8, 8), bytes(80), bits=10),
    "TIFF, 24 bits": tiff((8, 8), bytes(192), bits=24),
    "TIFF, nine bands": tiff((8, 8), bytes(576), bits=8, samples=9),
    "TIFF, LERC": tiff((8, 8), bytes(64), bits=8, compression=34_887),
    "TIFF, JPEG 2000": tiff((8, 8), bytes(64), bits=8, compression=34_712),
    "TIFF, WebP": tiff((8, 8), bytes(64), bits=8, compression=50_001),
    "BMP, 2 bits": bmp(bmp_header(2, 0), after=bytes(100)),
    "BMP, 64 bits": bmp(bmp_header(64, 0), after=bytes(512)),
    "BMP, a PNG inside": bmp(bmp_header(0, 5), after=encoded(drawing(8, 8), "PNG")),
    "BMP, a JPEG inside": bmp(bmp_header(0, 4), after=encoded(drawing(8, 8), "JPEG")),
    "BMP, RLE of 24 bits": bmp(bmp_header(24, 4), after=bytes(100)),
    "BMP, fields of 4 bits": bmp(bmp_header(16, 3), after=struct.pack("<3I", 0xF00, 0xF0, 0xF) + bytes(128)),
    "BMP, fields with alpha": bmp(
        bmp_header(32, 6), after=struct.pack("<4I", 0xFF0000, 0xFF00, 0xFF, 0xFF << 24)
    ),
    "BMP, Huffman": bmp(bmp_header(1, 3), after=bytes(100)),
    "BMP, palette of 300": bmp(bmp_header(8, 0, colors=300), after=bytes(range(256)) * 4 + bytes(300)),
    "BMP, header of 16 bytes": bmp(struct.pack("<iiHH", 8, 8, 1, 24), after=bytes(192)),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_valid_file_that_cannot_be_decoded_is_unsupported(tmp_path: Path, name: str) -> None:
    """Such files were reported as damaged, although they are valid."""
    with pytest.raises(UnsupportedFormatError):
        READER.read_sync(written(tmp_path, UNSUPPORTED[name]))


DAMAGED = {
    "BMP, 30,000 bits": bmp(bmp_header(30_000, 0), after=bytes(100)),
    "BMP, header of 66 bytes": bmp(bmp_header(24, 0) + bytes(26), after=bytes(192)),
    "BMP, unheard compression": bmp(bmp_header(8, 99), after=bytes(100)),
    "BMP, a palette of millions": bmp(bmp_header(8, 0, colors=300_000_000), after=bytes(100)),
    "TIFF, no pixels": tiff((8, 8), b"", bits=8),
    "TIFF, cut in its tags": tiff((8, 8), bytes(64), bits=8)[:60],
    "JPEG, cut in its header": encoded(drawing(8, 8), "JPEG")[:100],
}


@pytest.mark.parametrize("name", DAMAGED)
def test_file_that_breaks_its_format_is_damaged(tmp_path: Path, name: str) -> None:
    with pytest.raises(DamagedFileError):
        read_sync(written(tmp_path, DAMAGED[name]))


def test_jpeg_of_twelve_bits_is_unsupported(tmp_path: Path) -> None:
    data = bytearray(encoded(drawing(8, 8), "JPEG"))
    # The frame's header: its marker, its length, then the bits of a sample.
    data[data.index(b"\xff\xc0") + 4] = 12
    with pytest.raises(UnsupportedFormatError):
        READER.read_sync(written(tmp_path, bytes(data)))


# -- truncated


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO"])
@pytest.mark.parametrize("part", [0.05, 0.5, 0.8])
def test_truncated_file_is_damaged_in_any_order_of_rows(tmp_path: Path, kind: str, part: float) -> None:
    """A BMP starts with its last row, so one with 95 % of its data missing counted as repaired."""
    source = noise(200, 200)
    options = {"bitmap_format": "bmp", "sizes": [(200, 200)]} if kind == "ICO" else {}
    data = encoded(source.convert("RGBA") if kind == "ICO" else source, kind, **options)
    with pytest.raises(ReadError) as caught:
        read_sync(written(tmp_path, data[: int(len(data) * part)]))
    assert caught.value.code == "damaged"


@pytest.mark.parametrize("orientation", range(1, 9))
def test_truncated_tiff_is_damaged_in_any_orientation(tmp_path: Path, orientation: int) -> None:
    data = tiff((60, 90), noise(60, 90).tobytes(), bits=8, samples=3, photometric=2, orientation=orientation)
    with pytest.raises(DamagedFileError, match=r"after about (49|50) % of its rows"):
        read_sync(written(tmp_path, data[: -60 * 45 * 3]))
    view = read_sync(written(tmp_path, data[: -60 * 2 * 3]))
    assert [notice.code for notice in view.notices] == ["repaired_image"]

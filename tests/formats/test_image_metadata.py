"""What an image has besides its pixels: metadata, and colors that nobody sees."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from anyread.errors import DamagedFileError
from helpers.media import decoded, drawing, encoded, read_sync


def written(tmp_path: Path, data: bytes, name: str = "image") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def chunk(kind: bytes, content: bytes, checksum: int | None = None) -> bytes:
    found = zlib.crc32(kind + content) if checksum is None else checksum
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", found)


LARGE = zlib.compress(os.urandom(700_000).hex().encode())
LARGEST = zlib.compress(bytes(40_000_000))


@pytest.mark.parametrize("place", [33, -12], ids=["before the pixels", "after the pixels"])
@pytest.mark.parametrize(
    "metadata",
    [
        chunk(b"zTXt", b"mxfile\0\0" + LARGE),
        chunk(b"iTXt", b"mxfile\0\1\0\0\0" + LARGEST),
        chunk(b"iCCP", b"icc\0\0" + LARGE),
        chunk(b"iCCP", b"icc\0\0" + LARGEST),
        chunk(b"iCCP", b"x"),
        chunk(b"tEXt", b"k\0abc", 0),
        chunk(b"gAMA", b"\0"),
        chunk(b"tRNS", b"\0"),
        chunk(b"acTL", b"\0"),
    ],
    ids=lambda content: content[4:8].decode(),
)
def test_metadata_never_make_a_png_damaged(tmp_path: Path, metadata: bytes, place: int) -> None:
    """A PNG that every browser shows was refused for a checksum or for the size of a comment."""
    source = drawing(60, 40)
    data = encoded(source, "PNG")
    view = read_sync(written(tmp_path, data[:place] + metadata + data[place:]))
    assert not view.notices
    assert decoded(view.image.data).convert("RGB").tobytes() == source.tobytes()
    assert len(view.image.data) < 10_000


def test_damaged_pixels_are_damage_with_metadata_too(tmp_path: Path) -> None:
    data = encoded(drawing(60, 40), "PNG")
    damaged = data[:33] + chunk(b"tEXt", b"k\0abc", 0) + data[33:-60]
    with pytest.raises(DamagedFileError, match="truncated"):
        read_sync(written(tmp_path, damaged))


@pytest.mark.parametrize(("before", "after"), [(b"\r\n", b"\n"), (b"\n", b"\r\n"), (b"\x1a\n", b"\x1a\r\n")])
def test_png_with_converted_line_endings_says_what_happened(
    tmp_path: Path, before: bytes, after: bytes
) -> None:
    """The hint was to convert the file, which cannot work."""
    data = encoded(drawing(60, 40), "PNG").replace(before, after)
    with pytest.raises(DamagedFileError, match="line endings were converted as if it were text"):
        read_sync(written(tmp_path, data, "a.png"))


@pytest.mark.parametrize("width", [200, 4_000])
@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_colors_that_nobody_sees_are_white(tmp_path: Path, mode: str, width: int) -> None:
    """Black letters on transparent black became a black image for models that ignore transparency."""
    source = Image.new("RGBA", (width, 100), (0, 0, 0, 0))
    source.paste((0, 0, 0, 255), (0, 0, width // 2, 100))
    source.paste((90, 90, 90, 0), (0, 0, width // 4, 100))
    view = read_sync(written(tmp_path, encoded(source.convert(mode), "PNG")))
    shown = decoded(view.image.data).convert("RGBA")
    colors = {shown.getpixel((shown.width * eighth // 8, shown.height // 2)) for eighth in (1, 3, 5, 7)}
    assert colors == {(255, 255, 255, 0), (0, 0, 0, 255)}

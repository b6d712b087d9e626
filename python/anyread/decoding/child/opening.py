"""Image files, inside a decoder: opened, and which of those that cannot be shown are damaged.

A file that keeps to its format and that Pillow does not decode is unsupported; all others are damaged.
"""

from __future__ import annotations

import io
import struct
from typing import TYPE_CHECKING, Final

from PIL import (
    BmpImagePlugin,
    Image,
    ImageChops,
    ImageFile,
    JpegImagePlugin,
    TiffImagePlugin,
    UnidentifiedImageError,
)

from .damage import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS: Final = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF", "ICO")
"""The formats that are decoded, by Pillow's names."""
_PLUGINS: Final[dict[bytes, Callable[[io.BytesIO], ImageFile.ImageFile]]] = {
    b"BM": BmpImagePlugin.BmpImageFile,
    b"\xff\xd8\xff": JpegImagePlugin.JpegImageFile,
    b"II": TiffImagePlugin.TiffImageFile,
    b"MM": TiffImagePlugin.TiffImageFile,
}
"""The formats of which Pillow decodes a part, by their first bytes."""
_UNSUPPORTED: Final = (
    "unknown pixel mode",
    "Invalid value for samples per pixel",
    "Windows Media Photo files",
    "conversion from",
    "cannot handle",
)
"""How Pillow's errors begin that are about what it does not decode, whatever the format."""
_BMP_HEADER_BYTES: Final = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_BMP_BITS: Final = frozenset({0, 1, 2, 4, 8, 16, 24, 32, 64})
_BMP_COMPRESSIONS: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 11, 12, 13})
_MAX_BMP_COLOURS: Final = 65_536
_TIFF_COMPRESSION: Final = 259
_TIFF_ORIENTATION: Final = 274
_TIFF_COMPRESSIONS: Final = frozenset(
    {9, 10, 32_766, 33_003, 33_004, 33_005, 34_661, 34_676, 34_677, 34_712, 34_713, 34_887, 34_892, 34_925}
    | {50_000, 50_001, 50_002, 52_546}
)
"""Compressions that Pillow does not know, or libtiff may be built without: JBIG, JPEG 2000, LERC, LZMA,
Zstandard, WebP, JPEG XL and those of a few vendors."""
_MAX_PAGES: Final = 10_000
"""Pages of a TIFF that are counted; no scanner makes more, but a file may say so."""
_SOUND_PART: Final = 0.9
"""What part of a truncated image must be there for it to be shown all the same."""
_STORED: Final = {
    3: Image.Transpose.FLIP_TOP_BOTTOM,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""What brings the rows of an upright TIFF back into the order of its file, by orientation."""


def opened(data: bytes) -> ImageFile.ImageFile:
    """Open an image file without decoding it.

    Raises:
        RefusalError: Its header cannot be read, or says what is not decoded.
    """
    try:
        return Image.open(io.BytesIO(data), formats=FORMATS)
    except UnidentifiedImageError as error:
        # Pillow keeps the reason to itself when it looks for the format.
        plugin = next((plugin for start, plugin in _PLUGINS.items() if data.startswith(start)), None)
        if plugin is not None:
            try:
                plugin(io.BytesIO(data))
            except Exception as reason:
                if is_unsupported(reason, data):
                    raise RefusalError.unsupported() from reason
        raise RefusalError.damaged("its header cannot be read") from error


def is_tiff(data: bytes) -> bool:
    """Return whether a file begins as a TIFF does."""
    return data.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"))


def pages_of_tiff(data: bytes) -> list[int]:
    """Return the place of each page's directory in a TIFF; the last one may lie outside of a truncated file.

    Pillow reads the layout of each page that it counts, and fails at the first that is unsupported.
    """
    order = "<" if data.startswith(b"II") else ">"
    if data[2:4] in {b"+\0", b"\0+"}:
        count, entry_bytes, link, first = struct.Struct(f"{order}Q"), 20, struct.Struct(f"{order}Q"), 8
    else:
        count, entry_bytes, link, first = struct.Struct(f"{order}H"), 12, struct.Struct(f"{order}I"), 4
    # A directory that refers to an earlier one ends the file; keys of a dictionary keep their order.
    places: dict[int, None] = {}
    try:
        (place,) = link.unpack_from(data, first)
        while place and place not in places and len(places) < _MAX_PAGES:
            places[place] = None
            (entries,) = count.unpack_from(data, place)
            (place,) = link.unpack_from(data, place + count.size + entries * entry_bytes)
    except (struct.error, OverflowError):
        # The directory, or its end, is missing.
        pass
    return list(places) or [0]


def beginning_at(data: bytes, place: int) -> bytes:
    """Return a TIFF whose first page is the one with its directory at `place`."""
    order = "<" if data.startswith(b"II") else ">"
    if data[2:4] in {b"+\0", b"\0+"}:
        return data[:8] + struct.pack(f"{order}Q", place) + data[16:]
    return data[:4] + struct.pack(f"{order}I", place) + data[8:]


def is_unsupported(error: Exception, data: bytes, picture: Image.Image | None = None) -> bool:
    """Return whether Pillow failed over what it does not decode, in a file that may well be sound."""
    message = str(error)
    if data.startswith(b"BM"):
        return message.startswith(("Unsupported BMP", "invalid palette size")) and _is_plausible_bmp(data)
    if message.startswith(_UNSUPPORTED):
        return True
    if not data.startswith((b"II", b"MM")):
        return False
    missing = error if isinstance(error, KeyError) else error.__cause__
    if isinstance(missing, KeyError):
        return missing.args[0] in _TIFF_COMPRESSIONS
    if isinstance(picture, TiffImagePlugin.TiffImageFile) and message.startswith("decoder error"):
        return picture.tag_v2.get(_TIFF_COMPRESSION) in _TIFF_COMPRESSIONS
    return False


def _is_plausible_bmp(data: bytes) -> bool:
    """Return whether the numbers in a BMP's header are among those that some writer means."""
    if len(data) < 54:
        return False
    (header_bytes,) = struct.unpack_from("<I", data, 14)
    if header_bytes not in _BMP_HEADER_BYTES:
        return False
    if header_bytes < 40:
        return True
    bits, compression, _, _, _, colours = struct.unpack_from("<HIIIII", data, 28)
    return bits in _BMP_BITS and compression in _BMP_COMPRESSIONS and colours <= _MAX_BMP_COLOURS


def rows_as_stored(picture: ImageFile.ImageFile) -> Image.Transpose | None:
    """Tell, before decoding, what would bring the decoded rows into the order of the file."""
    if isinstance(picture, TiffImagePlugin.TiffImageFile):
        return _STORED.get(picture.tag_v2.get(_TIFF_ORIENTATION, 1))
    if isinstance(picture, BmpImagePlugin.BmpImageFile):
        match picture.tile[0].args:
            # The last argument of its decoder is the direction of the rows.
            case (*_, -1):
                return Image.Transpose.FLIP_TOP_BOTTOM
    return None


def require_sound(picture: Image.Image, stored: Image.Transpose | None) -> None:
    """Refuse a truncated image of which much is missing: rows that were never decoded are of one color.

    Args:
        picture: It, decoded as far as it goes.
        stored: As `rows_as_stored` gave it.
    """
    rows = picture.convert("RGB")
    parts = [_shown_part(rows if stored is None else rows.transpose(stored))]
    if picture.format == "ICO":
        # It holds a PNG, or a BMP whose rows begin at the bottom.
        parts.append(_shown_part(rows.transpose(Image.Transpose.FLIP_TOP_BOTTOM)))
    part = min(parts)
    if part < _SOUND_PART:
        raise RefusalError.damaged(f"it is truncated after about {int(part * 100)} % of its rows")


def _shown_part(rows: Image.Image) -> float:
    rest = Image.new("RGB", rows.size, rows.getpixel((rows.width - 1, rows.height - 1)))
    box = ImageChops.difference(rows, rest).getbbox()
    return 0 if box is None else box[3] / rows.height

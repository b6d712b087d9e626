"""Opening image files inside a decoder, and telling unsupported files from damaged ones.

A valid file that Pillow cannot decode is unsupported; all others that cannot be decoded are damaged.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zlib
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

from anyread.decoding.protocol import IMAGE_FORMATS

from .damage import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable

_PLUGINS: Final[dict[bytes, Callable[[io.BytesIO], ImageFile.ImageFile]]] = {
    b"BM": BmpImagePlugin.BmpImageFile,
    b"\xff\xd8\xff": JpegImagePlugin.JpegImageFile,
    b"II": TiffImagePlugin.TiffImageFile,
    b"MM": TiffImagePlugin.TiffImageFile,
}
"""The formats that Pillow supports in part, by their first bytes."""
_UNSUPPORTED: Final = (
    "unknown pixel mode",
    "Invalid value for samples per pixel",
    "Windows Media Photo files",
    "conversion from",
    "cannot handle",
)
"""The first words of Pillow's errors for unsupported features, in any format."""
_BMP_HEADER_BYTES: Final = frozenset({12, 16, 40, 52, 56, 64, 108, 124})
_BMP_BITS: Final = frozenset({0, 1, 2, 4, 8, 16, 24, 32, 64})
_BMP_COMPRESSIONS: Final = frozenset({0, 1, 2, 3, 4, 5, 6, 11, 12, 13})
_MAX_BMP_COLORS: Final = 65_536
_TIFF_COMPRESSION: Final = 259
_TIFF_ORIENTATION: Final = 274
_TIFF_COMPRESSIONS: Final = frozenset(
    {9, 10, 32_766, 33_003, 33_004, 33_005, 34_661, 34_676, 34_677, 34_712, 34_713, 34_887, 34_892, 34_925}
    | {50_000, 50_001, 50_002, 52_546}
)
"""Compressions that Pillow does not support, or libtiff may be built without: JBIG, JPEG 2000, LERC, LZMA,
Zstandard, WebP, JPEG XL and those of a few vendors."""
_MAX_PAGES: Final = 10_000
"""Maximum number of pages of a TIFF that are counted; more occur only in hostile files."""
_SOUND_PART: Final = 0.9
"""The part of a truncated image that must be present for it to be shown."""
MAX_PNG_TEXT_BYTES: Final = 16 * 1024 * 1024
"""The most bytes of a color profile or a text in a PNG, unpacked; the default of Pillow is a sixteenth."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_AS_TEXT: Final = re.compile(rb"\x89PNG\r*\n\x1a\r*\n")
"""The signature of a PNG after its line endings were converted, which it is made to reveal."""
_CONVERTED: Final = (
    "its line endings were converted as if it were text; `*.png binary` in `.gitattributes` prevents that"
)
_VISIBLE_CHUNKS: Final = {b"iCCP": 0, b"eXIf": 0, b"acTL": 8, b"fcTL": 26, b"fdAT": 4}
"""The optional chunks of a PNG that change what is shown, besides its transparency, and their least bytes."""
_LEAST_TRANSPARENCY: Final = {b"\0": 2, b"\2": 6}
"""The least bytes of the chunk of transparency, by the type of color."""
_STORED: Final = {
    3: Image.Transpose.FLIP_TOP_BOTTOM,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""The transpositions that restore the row order of the file in an upright TIFF, by orientation."""


def opened(data: bytes) -> ImageFile.ImageFile:
    """Open an image file without decoding it.

    Raises:
        RefusalError: Its header cannot be read, or requires an unsupported feature.
    """
    try:
        return Image.open(io.BytesIO(data), formats=IMAGE_FORMATS)
    except UnidentifiedImageError as error:
        # Pillow does not report the reason while it detects the format.
        plugin = next((plugin for start, plugin in _PLUGINS.items() if data.startswith(start)), None)
        if plugin is not None:
            try:
                plugin(io.BytesIO(data))
            except Exception as reason:
                if is_unsupported(reason, data):
                    raise RefusalError.unsupported() from reason
        was_text = _PNG_AS_TEXT.match(data) and not data.startswith(_PNG)
        raise RefusalError.damaged(_CONVERTED if was_text else "its header cannot be read") from error


def without_metadata(data: bytes) -> bytes | None:
    """Return a PNG without the chunks that do not change its pixels; `None` if it has none, or is no PNG.

    A viewer ignores damage in such a chunk, and limits of Pillow for its size.
    """
    if not data.startswith(_PNG):
        return None
    kept, offset = [_PNG], len(_PNG)
    while offset + 12 <= len(data):
        size, kind = int.from_bytes(data[offset : offset + 4], "big"), data[offset + 4 : offset + 8]
        least = _VISIBLE_CHUNKS.get(kind, math.inf)
        if kind == b"tRNS":
            least = _LEAST_TRANSPARENCY.get(data[25:26], 0)
        chunk = data[offset : offset + size + 12]
        if kind[:1].isupper() or (size >= least and _is_sound(chunk)):
            kept.append(chunk)
        offset += size + 12
        if kind == b"IEND":
            break
    kept.append(data[offset:])
    bare = b"".join(kept)
    return bare if len(bare) < len(data) else None


def _is_sound(chunk: bytes) -> bool:
    """Return whether the checksum of a chunk is right and, if it is a color profile, whether it unpacks."""
    if zlib.crc32(chunk[4:-4]) != int.from_bytes(chunk[-4:], "big"):
        return False
    if chunk[4:8] != b"iCCP":
        return True
    try:
        unpacked = zlib.decompressobj()
        unpacked.decompress(chunk[8:-4].partition(b"\0")[2][1:], MAX_PNG_TEXT_BYTES)
    except zlib.error:
        return False
    return unpacked.eof


def is_tiff(data: bytes) -> bool:
    """Return whether a file begins with the signature of a TIFF."""
    return data.startswith((b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"))


def pages_of_tiff(data: bytes) -> list[int]:
    """Return the offset of each page's directory in a TIFF; the last one may be beyond a truncated file.

    Pillow is not used because it fails at the first page with an unsupported layout.
    """
    count, link, entry_bytes, first = _tiff_layout(data)
    # A directory that refers to an earlier one ends the file. A dictionary keeps the order.
    offsets: dict[int, None] = {}
    try:
        (offset,) = link.unpack_from(data, first)
        while offset and offset not in offsets and len(offsets) < _MAX_PAGES:
            offsets[offset] = None
            (entries,) = count.unpack_from(data, offset)
            (offset,) = link.unpack_from(data, offset + count.size + entries * entry_bytes)
    except (struct.error, OverflowError):
        # The directory or its end is missing.
        pass
    return list(offsets) or [0]


def beginning_at(data: bytes, offset: int) -> bytes:
    """Return a TIFF whose first page is the one with its directory at `offset`."""
    _, link, _, first = _tiff_layout(data)
    return data[:first] + link.pack(offset) + data[first + link.size :]


def _tiff_layout(data: bytes) -> tuple[struct.Struct, struct.Struct, int, int]:
    """Return the formats of a count and a link, the size of an entry, and the offset of the first link."""
    order = "<" if data.startswith(b"II") else ">"
    if data[2:4] in {b"+\0", b"\0+"}:
        # BigTIFF.
        return struct.Struct(f"{order}Q"), struct.Struct(f"{order}Q"), 20, 8
    return struct.Struct(f"{order}H"), struct.Struct(f"{order}I"), 12, 4


def is_unsupported(error: Exception, data: bytes, image: Image.Image | None = None) -> bool:
    """Return whether Pillow failed because of an unsupported feature in a file that may be valid."""
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
    if isinstance(image, TiffImagePlugin.TiffImageFile) and message.startswith("decoder error"):
        return image.tag_v2.get(_TIFF_COMPRESSION) in _TIFF_COMPRESSIONS
    return False


def _is_plausible_bmp(data: bytes) -> bool:
    """Return whether the values in a BMP's header are among those that real files have."""
    if len(data) < 54:
        return False
    (header_bytes,) = struct.unpack_from("<I", data, 14)
    if header_bytes not in _BMP_HEADER_BYTES:
        return False
    if header_bytes < 40:
        return True
    bits, compression, _, _, _, colors = struct.unpack_from("<HIIIII", data, 28)
    return bits in _BMP_BITS and compression in _BMP_COMPRESSIONS and colors <= _MAX_BMP_COLORS


def rows_as_stored(image: ImageFile.ImageFile) -> Image.Transpose | None:
    """Return the transposition that restores the row order of the file; call it before decoding."""
    if isinstance(image, TiffImagePlugin.TiffImageFile):
        return _STORED.get(image.tag_v2.get(_TIFF_ORIENTATION, 1))
    if isinstance(image, BmpImagePlugin.BmpImageFile):
        match image.tile[0].args:
            # The decoder's last argument is the direction of the rows.
            case (*_, -1):
                return Image.Transpose.FLIP_TOP_BOTTOM
    return None


def require_sound(image: Image.Image, stored: Image.Transpose | None) -> None:
    """Refuse a truncated image if a large part is missing: rows that were not decoded have one color.

    Args:
        image: The image, decoded as far as possible.
        stored: The result of `rows_as_stored`.
    """
    rows = image.convert("RGB")
    parts = [_shown_part(rows if stored is None else rows.transpose(stored))]
    if image.format == "ICO":
        # It contains a PNG, or a BMP whose rows begin at the bottom.
        parts.append(_shown_part(rows.transpose(Image.Transpose.FLIP_TOP_BOTTOM)))
    part = min(parts)
    if part < _SOUND_PART:
        raise RefusalError.damaged(f"it is truncated after about {int(part * 100)} % of its rows")


def _shown_part(rows: Image.Image) -> float:
    rest = Image.new("RGB", rows.size, rows.getpixel((rows.width - 1, rows.height - 1)))
    box = ImageChops.difference(rows, rest).getbbox()
    return 0 if box is None else box[3] / rows.height

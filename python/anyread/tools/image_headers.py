"""What the headers of images say: the type of an image, and its size."""

from __future__ import annotations

import struct
from typing import Final

from anyread.results.blocks import header_size

_BMP_HEADER_BYTES: Final = 26
_OS2_HEADER_BYTES: Final = 12
"""The length of OS/2's BMP header, in which width and height have two bytes each."""


def dimensions(data: bytes) -> tuple[int, int] | None:
    """Return width and height from the header of a PNG, JPEG, GIF, WebP or BMP; `None`: it has none."""
    if data.startswith(b"BM") and len(data) >= _BMP_HEADER_BYTES:
        if int.from_bytes(data[14:18], "little") == _OS2_HEADER_BYTES:
            return int.from_bytes(data[18:20], "little"), int.from_bytes(data[20:22], "little")
        # A negative height means that the rows are stored from top to bottom.
        width, height = (int.from_bytes(data[at : at + 4], "little", signed=True) for at in (18, 22))
        return (width, abs(height)) if width > 0 and height else None
    try:
        return header_size(data)[1:]
    except ValueError:
        return None


def image_type(head: bytes) -> str | None:
    """Return the media type of an image by its first bytes; `None`: it is none, or its header is damaged.

    An animated PNG, and a JPEG without loss, count as none.
    """
    if head.startswith(b"\xff\xd8\xff"):
        return None if head[3:4] == b"\xf7" else "image/jpeg"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        is_sound = head[8:16] == b"\0\0\0\rIHDR" and not _is_animated(head)
        return "image/png" if is_sound else None
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return "image/bmp" if head.startswith(b"BM") and _is_bmp(head) else None


def _is_animated(head: bytes) -> bool:
    position = 8
    while position + 8 <= len(head):
        length, kind = struct.unpack_from(">I4s", head, position)
        if kind in {b"acTL", b"IDAT"}:
            return bool(kind == b"acTL")
        position += 12 + length
    return False


def _is_bmp(head: bytes) -> bool:
    if len(head) < _BMP_HEADER_BYTES:
        return False
    declared, _, offset, header = struct.unpack_from("<IIII", head, 2)
    if (declared and (declared < 26 or offset >= declared)) or offset < 14 + header:
        return False
    if header == _OS2_HEADER_BYTES:
        planes, bits = struct.unpack_from("<HH", head, 22)
    elif 40 <= header <= 124 and len(head) >= 30:
        planes, bits = struct.unpack_from("<HH", head, 26)
    else:
        return False
    return planes == 1 and bits in {1, 4, 8, 16, 24, 32}

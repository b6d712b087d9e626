"""Images as pi recognizes them, by their first bytes."""

from __future__ import annotations

import struct


def image_type(head: bytes) -> str | None:
    """Return the media type of an image by its first bytes; `None`: the file is read as text."""
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
    if len(head) < 26:
        return False
    declared, _, offset, header = struct.unpack_from("<IIII", head, 2)
    if (declared and (declared < 26 or offset >= declared)) or offset < 14 + header:
        return False
    if header == 12:
        planes, bits = struct.unpack_from("<HH", head, 22)
    elif 40 <= header <= 124 and len(head) >= 30:
        planes, bits = struct.unpack_from("<HH", head, 26)
    else:
        return False
    return planes == 1 and bits in {1, 4, 8, 16, 24, 32}

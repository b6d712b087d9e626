"""What codelet takes a file for: by its extension, and by its first bytes where that says nothing."""

from __future__ import annotations

import os
from typing import Final

PDF: Final = "application/pdf"
SVG: Final = "image/svg+xml"
NOTEBOOK: Final = "application/x-ipynb+json"

_BY_EXTENSION: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".svg": SVG,
    ".pdf": PDF,
    ".ipynb": NOTEBOOK,
}
_BY_MAGIC: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", PDF),
)
_NOTEBOOK_HEAD_BYTES: Final = 1024


def media_type_of(path: str, head: bytes) -> str | None:
    """Tell what a file is; `None`: text.

    Args:
        path: Its extension goes first, whatever the bytes say.
        head: Its first 1,024 bytes or more.
    """
    named = _BY_EXTENSION.get(os.path.splitext(path)[1].lower())  # noqa: PTH122 - a `Path` takes its time
    if named is not None:
        return named
    for magic, media_type in _BY_MAGIC:
        if head.startswith(magic):
            return media_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    start = head[:_NOTEBOOK_HEAD_BYTES]
    return NOTEBOOK if start.lstrip().startswith(b"{") and b'"cells"' in start else None


def header_size(data: bytes) -> tuple[int, int] | None:
    """Read width and height from the header of a PNG or JPEG; `None`: there are none to be read."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    return _jpeg_size(data) if data.startswith(b"\xff\xd8") else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            height, width = data[place + 5 : place + 7], data[place + 7 : place + 9]
            return int.from_bytes(width, "big"), int.from_bytes(height, "big")
        # Fill bytes stand before a marker; a few markers stand alone.
        if marker == 0xFF:
            place += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            place += 2
        else:
            place += 2 + max(2, int.from_bytes(data[place + 2 : place + 4], "big"))
    return None

"""Types of media by extensions and by first bytes, and the sizes of images by their headers."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final

from anyread.results.blocks import header_size

from .paths import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

UNKNOWN: Final = "application/octet-stream"
"""The media type of a file whose type could not be detected."""
IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""The image formats that models accept, by extension."""
AUDIO_TYPES: Final = {".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac"}
"""Formats of audio, by extension."""
BINARY_EXTENSIONS: Final = {
    *(".exe", ".dll", ".so", ".dylib", ".class", ".jar", ".bin", ".dat"),
    *(".zip", ".gz", ".tar", ".7z", ".rar"),
    *(".mp3", ".mp4", ".mov", ".avi", ".wav", ".ogg"),
    *(".woff", ".woff2", ".ttf", ".otf"),
}
"""The list of the `pilotdeck` contract; the proposal of `mycode` requires such a list, but has none."""
OPAQUE_EXTENSIONS: Final = {
    *(".zip", ".tar", ".gz", ".7z", ".exe", ".dll", ".so", ".class", ".jar", ".war", ".pyc", ".pyo", ".wasm"),
    *(".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp"),
    *(".bin", ".dat", ".obj", ".o", ".a", ".lib"),
}
"""Archives, programs and office documents, which some contracts refuse whatever their content is."""
CLOSED_EXTENSIONS: Final = (OPAQUE_EXTENSIONS | BINARY_EXTENSIONS | set(AUDIO_TYPES)) - {".dat"} | {
    *(".bz2", ".xz", ".tgz", ".iso", ".msi", ".deb", ".rpm", ".node", ".rtf", ".psd"),
    *(".mkv", ".webm", ".wmv", ".m4v", ".mpeg", ".mpg", ".aac", ".m4a", ".aiff", ".opus"),
    *(".eot", ".sqlite", ".sqlite3", ".db", ".mdb"),
}
"""Formats that some agents refuse by their names: also audio, video, fonts and databases."""
_BMP_HEADER_BYTES: Final = 26
_OS2_HEADER_BYTES: Final = 12
"""The length of OS/2's BMP header, in which width and height have two bytes each."""
_SVG_HEAD_BYTES: Final = 64 * 1024
"""Where the root element of an SVG is looked for."""
# Both are linear for any text: what was matched is never given up, and no two alternatives begin alike.
_SVG_ROOT: Final = re.compile(rb"(?:<\?.*?\?>|<!--.*?-->|<!(?!--)[^>]*>|[^<])*+<svg(?=\s)", re.DOTALL)
_ATTRIBUTE: Final = re.compile(rb"""\s+([\w:.-]++)\s*+=\s*+("[^"]*+"|'[^']*+')""")
_LENGTH: Final = re.compile(rb"\s*(\d{0,9}\.?\d{1,9}(?:e\d)?)(px|pt|pc|mm|cm|in|em|ex)?\s*", re.IGNORECASE)
_PIXELS: Final = {
    b"": 1.0,
    b"px": 1.0,
    b"pt": 96 / 72,
    b"pc": 16.0,
    b"mm": 96 / 25.4,
    b"cm": 96 / 2.54,
    b"in": 96.0,
    b"em": 16.0,
    b"ex": 8.0,
}
"""Pixels per unit of CSS, for the usual size of letters."""


def signed_type(head: bytes, signatures: Mapping[bytes, str]) -> str | None:
    """Return the media type that the first bytes have in a table, or that of WebP; `None`: neither."""
    for signature, media_type in signatures.items():
        if head.startswith(signature):
            return media_type
    return "image/webp" if head.startswith(b"RIFF") and head[8:12] == b"WEBP" else None


def extension_of(path: str) -> str:
    """Return the extension in lower case, with its dot; a leading dot does not start an extension."""
    # A `Path` takes as long as opening the file.
    name = name_of(path)
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


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


def svg_dimensions(data: bytes) -> tuple[int, int] | None:
    """Return width and height of an SVG in pixels, from its `width`, `height` and `viewBox`.

    If one of the first two is missing or a percentage, it follows from the other and the ratio of `viewBox`.
    `None`: they do not say it.
    """
    # Without its NULs, markup in UTF-16 is ASCII.
    head = data[:_SVG_HEAD_BYTES].replace(b"\0", b"")
    given: dict[bytes, bytes] = {}
    found = _SVG_ROOT.match(head)
    while found and (found := _ATTRIBUTE.match(head, found.end())):
        given[found[1]] = found[2][1:-1]
    width, height = (_pixels(given.get(name, b"")) for name in (b"width", b"height"))
    box = [_pixels(part) for part in re.split(rb"[\s,]+", given.get(b"viewBox", b"").strip())][2:]
    if len(box) == 2 and box[0] and box[1] and not (width and height):
        ratio = box[0] / box[1]
        width, height = width or (height or box[1]) * ratio, height or (width or box[0]) / ratio
    return (round(width) or 1, round(height) or 1) if width and height else None


def _pixels(length: bytes) -> float | None:
    found = _LENGTH.fullmatch(length)
    return float(found[1]) * _PIXELS[(found[2] or b"").lower()] if found else None


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

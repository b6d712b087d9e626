"""The blocks of a message: text, images and documents, checked before they leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anyread._native import b64encode
from anyread.values import Value

_JPEG_SIZES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers of a JPEG that are followed by its size."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TextBlock(Value):
    """Hold text for a model."""

    text: str
    """The text; never empty, because model APIs refuse empty blocks."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ImageBlock(Value):
    """Hold an image for a model: PNG, JPEG, GIF or WebP.

    Example:
        >>> block = anyread.ImageBlock.from_bytes(png)
        >>> block.media_type, block.width, block.height
        ('image/png', 640, 480)
    """

    data: bytes
    """The encoded image."""
    media_type: str
    """Its media type: "image/png", "image/jpeg", "image/gif" or "image/webp"."""
    width: int
    """Pixels from left to right."""
    height: int
    """Pixels from top to bottom."""
    _base64: str | None = field(default=None, init=False)

    @classmethod
    def from_bytes(cls, data: bytes, *, media_type: str | None = None) -> ImageBlock:
        """Make a block from an encoded image; its type and size are read from its bytes.

        Args:
            data: The encoded image.
            media_type: The media type that it must have; `None` accepts any of the four.

        Raises:
            ValueError: It has none of the four media types, differs from `media_type`, or is cut short.
        """
        found, width, height = inspected(data)
        if media_type is not None and media_type != found:
            raise ValueError(f"the bytes are {found}, not {media_type}")
        return cls(bytes(data), found, width, height)

    @property
    def base64(self) -> str:
        """The bytes in base64, encoded on first use."""
        if self._base64 is None:
            object.__setattr__(self, "_base64", b64encode(self.data))
        return self._base64 or ""

    def _repr_png_(self) -> bytes | None:
        return self.data if self.media_type == "image/png" else None

    def _repr_jpeg_(self) -> bytes | None:
        return self.data if self.media_type == "image/jpeg" else None

    def __repr__(self) -> str:
        return f"<ImageBlock {self.media_type} {self.width}×{self.height}, {len(self.data):,} bytes>"

    def _values(self) -> tuple[Any, ...]:
        return (self.data, self.media_type, self.width, self.height, None)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DocumentBlock(Value):
    """Hold a whole PDF for a model that accepts PDFs."""

    data: bytes
    """The file."""
    media_type: str
    """"application/pdf"."""
    name: str
    """The file's name, by which the model can refer to it."""
    page_count: int
    """Its number of pages."""
    _base64: str | None = field(default=None, init=False)

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str, page_count: int) -> DocumentBlock:
        """Make a block from a PDF.

        Args:
            data: The file.
            name: Its name for the model.
            page_count: Its number of pages, 1 or more.

        Raises:
            ValueError: It is not a PDF, or has no pages or no name.
        """
        if b"%PDF-" not in data[:1024]:
            raise ValueError("the bytes are no PDF: no `%PDF-` in the first 1,024 bytes")
        if page_count < 1 or not name:
            raise ValueError(f"a document needs a name and pages: {name!r}, {page_count}")
        return cls(bytes(data), "application/pdf", name, page_count)

    @property
    def base64(self) -> str:
        """The bytes in base64, encoded on first use."""
        if self._base64 is None:
            object.__setattr__(self, "_base64", b64encode(self.data))
        return self._base64 or ""

    def summary(self) -> str:
        """Return one line for a model that describes it."""
        pages = "1 page" if self.page_count == 1 else f"{self.page_count:,} pages"
        return f"document: {pages}, {len(self.data):,} bytes"

    def __repr__(self) -> str:
        return f"<DocumentBlock {self.name!r}, {self.page_count:,} pages, {len(self.data):,} bytes>"

    def _values(self) -> tuple[Any, ...]:
        return (self.data, self.media_type, self.name, self.page_count, None)


Block: TypeAlias = TextBlock | ImageBlock | DocumentBlock
"""One block of a message to a model."""


def inspected(data: bytes) -> tuple[str, int, int]:
    """Return media type, width and height from the structure of an encoded image.

    This checks that the image is complete, but decodes nothing.

    Raises:
        ValueError: It is not a PNG, JPEG, GIF or WebP, has no pixels, or is cut short.
    """
    found = header_size(data)
    if found[1] < 1 or found[2] < 1:
        raise ValueError(f"the image has no pixels: {found[1]}×{found[2]}")
    try:
        has_end = _HAS_END[found[0]](data)
    except IndexError:
        has_end = False
    if not has_end:
        raise ValueError("the image is truncated")
    return found


def header_size(data: bytes) -> tuple[str, int, int]:
    """Return media type, width and height from the header of an encoded image, even if the rest is missing.

    Raises:
        ValueError: It is not a PNG, JPEG, GIF or WebP, or is cut short in its header.
    """
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return ("image/png", *_png_size(data))
        if data.startswith(b"\xff\xd8\xff"):
            return ("image/jpeg", *_jpeg_size(data))
        if data.startswith((b"GIF87a", b"GIF89a")):
            return ("image/gif", _little(data, 6, 2), _little(data, 8, 2))
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return ("image/webp", *_webp_size(data))
    except IndexError:
        raise ValueError("the image is truncated") from None
    raise ValueError("the bytes are no PNG, JPEG, GIF or WebP")


def _big(data: bytes, start: int, length: int) -> int:
    if len(data) < start + length:
        raise IndexError
    return int.from_bytes(data[start : start + length], "big")


def _little(data: bytes, start: int, length: int) -> int:
    if len(data) < start + length:
        raise IndexError
    return int.from_bytes(data[start : start + length], "little")


def _png_size(data: bytes) -> tuple[int, int]:
    if data[12:16] != b"IHDR":
        raise IndexError
    return _big(data, 16, 4), _big(data, 20, 4)


def _jpeg_size(data: bytes) -> tuple[int, int]:
    place = 2
    while True:
        marker = data[place + 1]
        if data[place] != 0xFF:
            raise IndexError
        if marker in _JPEG_SIZES:
            return _big(data, place + 7, 2), _big(data, place + 5, 2)
        # Fill bytes may precede a marker; a few markers have no length.
        if marker == 0xFF:
            place += 1
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            place += 2
        else:
            place += 2 + max(2, _big(data, place + 2, 2))


def _gif_has_end(data: bytes) -> bool:
    place = 13 + _gif_table_bytes(data[10])
    # Follow the blocks up to the trailer: a file that was cut inside a frame may also end with that byte.
    awaits_frame = False
    while data[place] != 0x3B or awaits_frame:
        if data[place] == 0x2C:
            awaits_frame = False
            place += 11 + _gif_table_bytes(data[place + 9])
        elif data[place] == 0x21:
            # A graphic control extension precedes its frame.
            awaits_frame = data[place + 1] == 0xF9
            place += 2
        else:
            return False
        while data[place]:
            place += data[place] + 1
        place += 1
    return True


def _gif_table_bytes(flags: int) -> int:
    """Return the size of the color table that follows a screen or frame descriptor."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _webp_size(data: bytes) -> tuple[int, int]:
    chunk = data[12:16]
    if chunk == b"VP8X":
        return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1
    if chunk == b"VP8L":
        bits = _little(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF


_HAS_END: dict[str, Callable[[bytes], bool]] = {
    # Some writers leave a byte or two after the end.
    "image/png": lambda data: b"IEND" in data[-64:],
    # Search backwards, because it is near the end.
    "image/jpeg": lambda data: data.rfind(b"\xff\xd9", 2) >= 0,
    "image/gif": _gif_has_end,
    "image/webp": lambda data: _little(data, 4, 4) + 8 <= len(data) + 1,
}
"""The function that checks whether an image is complete, by media type."""

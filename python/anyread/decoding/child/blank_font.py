"""A font without ink for Chinese, Japanese and Korean text whose font is neither in a PDF nor on the machine.

Without a glyph, pdfium gives a character no size, and leaves it out of the text of the page if no other
character is in its text object. Every character has the same glyph in this font, a line without width, so
that its text is found. Its image has no ink, by which `fonts` recognizes that the font is missing.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import raw

if TYPE_CHECKING:
    from collections.abc import Callable

_CHARSETS: Final = {
    raw.FXFONT_SHIFTJIS_CHARSET,
    raw.FXFONT_HANGEUL_CHARSET,
    raw.FXFONT_GB2312_CHARSET,
    raw.FXFONT_CHINESEBIG5_CHARSET,
}
_HANDLE: Final = 1
"""The handle of the font, which is no address, as those of pdfium are."""
_EM: Final = 1_000
_ASCENT: Final = 800
_DESCENT: Final = -200
_kept: list[Any] = []
"""What pdfium refers to until the process ends."""


def install() -> None:
    """Let pdfium use the font where the system has none; call it before the first document is opened."""
    default = raw.FPDF_GetDefaultSystemFontInfo()
    data = _true_type()

    def map_font(default_map: Callable[..., Any], *wanted: Any) -> Any:
        # Weight, italic, charset, pitch, face, exact.
        return default_map(*wanted) or (_HANDLE if wanted[2] in _CHARSETS else None)

    def font_data(default_data: Callable[..., Any], handle: Any, table: int, buffer: Any, size: int) -> Any:
        if handle != _HANDLE:
            return default_data(handle, table, buffer, size)
        if table:
            return 0
        if buffer and size >= len(data):
            ctypes.memmove(buffer, data, len(data))
        return len(data)

    def nothing(default_call: Callable[..., Any], handle: Any, *rest: Any) -> Any:
        return 0 if handle == _HANDLE else default_call(handle, *rest)

    ours: dict[str, Callable[..., Any]] = {
        "MapFont": map_font,
        "GetFontData": font_data,
        "GetFaceName": nothing,
        "GetFontCharset": nothing,
        "DeleteFont": nothing,
    }
    info = raw.FPDF_SYSFONTINFO(version=default.contents.version)
    for name, kind in raw.FPDF_SYSFONTINFO._fields_:
        if name != "version" and getattr(default.contents, name):
            setattr(info, name, kind(_replacing(getattr(default.contents, name), default, ours.get(name))))
    raw.FPDF_SetSystemFontInfo(info)
    _kept.append((info, default))


def _replacing(call: Any, default: Any, function: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a callback that passes pdfium's own structure on to pdfium's own function."""

    def default_call(*arguments: Any) -> Any:
        return call(default, *arguments)

    if function is None:
        return lambda _this, *arguments: default_call(*arguments)
    return lambda _this, *arguments: function(default_call, *arguments)


def _true_type() -> bytes:
    """Return the font as a TrueType file with the tables that FreeType requires."""
    # One contour of two points, from the lower left to the upper right corner.
    outline = struct.pack(">hhhhhHH2B2h2h", 1, 0, _DESCENT, _EM, _ASCENT, 1, 0, 1, 1, 0, _EM, _DESCENT, _EM)
    glyph = outline + bytes(-len(outline) % 4)
    # All characters from U+0020 on are glyph 1; glyph 0, which means that one is missing, is empty.
    cmap = struct.pack(">HHHHIHHIIIIII", 0, 1, 3, 10, 12, 13, 0, 28, 0, 1, 0x20, 0x10FFFF, 1)
    head = struct.pack(
        ">IIIIHHQQhhhhHHhhh",
        *(0x10000, 0x10000, 0, 0x5F0F3CF5, 0, _EM, 0, 0, 0, _DESCENT, _EM, _ASCENT, 0, 8, 2, 0, 0),
    )
    hhea = struct.pack(">IhhhH11hH", 0x10000, _ASCENT, _DESCENT, 0, _EM, *([0] * 11), 1)
    tables = {
        b"cmap": cmap,
        b"glyf": glyph,
        b"head": head,
        b"hhea": hhea,
        b"hmtx": struct.pack(">Hhh", _EM, 0, 0),
        b"loca": struct.pack(">HHH", 0, 0, len(glyph) // 2),
        b"maxp": struct.pack(">IH13H", 0x10000, 2, 2, 1, *([0] * 11)),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, 0, 0, 0, 0, 0, 0, 0),
    }
    directory, content = b"", b""
    start = 12 + 16 * len(tables)
    for tag, table in tables.items():
        directory += struct.pack(">4sIII", tag, 0, start + len(content), len(table))
        content += table + bytes(-len(table) % 4)
    return struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, 0) + directory + content

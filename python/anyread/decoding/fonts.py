"""Which fonts of a PDF page are neither in the file nor on this machine, so that its picture lacks text.

pdfium draws nothing in place of a glyph that it does not have, and does not tell.
So the picture is asked: where a character of a font from outside the file stands, there must be ink.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from typing import Any, Final

import pypdfium2
from pypdfium2 import raw

_SAMPLES: Final = 1_000
"""Characters of a page whose fonts are looked at."""
_PROBES: Final = 40
"""Characters of a font whose ink is looked for."""
_UNSEEN: Final = {raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP}


def missing_fonts(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, picture: Any) -> list[str]:
    """Name the fonts of which most characters left no ink on the picture, sorted."""
    missing = set()
    for font, indexes in _foreign_fonts(textpage).items():
        step = max(1, len(indexes) // _PROBES)
        boxes = [_box(page, textpage, index, picture.size) for index in indexes[::step]]
        inked = [_has_ink(picture, box) for box in boxes if box is not None]
        if inked and sum(inked) * 2 < len(inked):
            missing.add(_name(font))
    return sorted(missing)


def _foreign_fonts(textpage: pypdfium2.PdfTextPage) -> dict[int, list[int]]:
    """Find the fonts that are not in the file, by address, and where their characters are."""
    count = raw.FPDFText_CountChars(textpage)
    foreign: dict[int, list[int]] = defaultdict(list)
    embedded: dict[int, bool] = {}
    for index in range(0, max(0, count), max(1, count // _SAMPLES)):
        shown = raw.FPDFText_GetTextObject(textpage, index)
        if not shown:
            continue
        font = raw.FPDFTextObj_GetFont(shown)
        address = ctypes.cast(font, ctypes.c_void_p).value
        if address is None:
            continue
        if address not in embedded:
            embedded[address] = raw.FPDFFont_GetIsEmbedded(font) == 1
        if embedded[address] or raw.FPDFTextObj_GetTextRenderMode(shown) in _UNSEEN:
            continue
        code = raw.FPDFText_GetUnicode(textpage, index)
        # Spaces and control characters leave no ink in any font; U+00A0 and U+3000 are spaces too.
        if code <= 0xFFFF and (code <= 0x20 or chr(code).isspace() or 0x7F <= code <= 0xA0):
            continue
        foreign[address].append(index)
    return foreign


def _box(
    page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, index: int, size: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """Give where a character stands on the picture, in pixels; `None`: outside of it."""
    bounds = raw.FS_RECTF()
    if not raw.FPDFText_GetLooseCharBox(textpage, index, bounds):
        return None
    corners = []
    for x, y in ((bounds.left, bounds.top), (bounds.right, bounds.bottom)):
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, across, down)
        corners.append((across.value, down.value))
    (one, two), (three, four) = corners
    left, right = max(0, min(one, three)), min(size[0], max(one, three) + 1)
    top, bottom = max(0, min(two, four)), min(size[1], max(two, four) + 1)
    return (left, top, right, bottom) if right > left and bottom > top else None


def _has_ink(picture: Any, box: tuple[int, int, int, int]) -> bool:
    return any(low != high for low, high in picture.crop(box).getextrema())


def _name(address: int) -> str:
    font = ctypes.cast(address, raw.FPDF_FONT)
    length = raw.FPDFFont_GetBaseFontName(font, None, 0)
    if not 1 < length <= 256:
        return "unnamed"
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFFont_GetBaseFontName(font, buffer, length)
    return buffer.value.decode("utf-8", "replace")

"""Finds the fonts of a PDF page that are neither in the file nor on this machine.

pdfium draws nothing for a glyph that it does not have, and does not report it. So the image is checked for
ink at the positions of characters whose font is not embedded.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

import pypdfium2
from pypdfium2 import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS: Final = 500
"""Maximum number of objects of a page that are checked one by one."""
_SAMPLES: Final = 1_000
"""Approximate number of characters of a page whose fonts are checked."""
_PROBES: Final = 40
"""Approximate number of characters of a font that are checked for ink."""
_BUILT_IN: Final = {
    *("Courier", "Courier-Bold", "Courier-BoldOblique", "Courier-Oblique"),
    *("Helvetica", "Helvetica-Bold", "Helvetica-BoldOblique", "Helvetica-Oblique"),
    *("Times-Roman", "Times-Bold", "Times-BoldItalic", "Times-Italic", "Symbol", "ZapfDingbats"),
}
"""The standard fonts, which pdfium includes."""
_UNSEEN: Final = {raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP}


def missing_fonts(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, image: Any) -> list[str]:
    """Return the names of the fonts of which most characters left no ink on the image, sorted."""
    fonts = Fonts()
    if not _may_lack_fonts(page, fonts):
        return []
    missing = set()
    for font, indexes in _doubtful_characters(textpage, fonts).items():
        step = max(1, len(indexes) // _PROBES)
        boxes = [_box(page, textpage, index, image.size) for index in indexes[::step]]
        inked = [_has_ink(image, box) for box in boxes if box is not None]
        if inked and sum(inked) * 2 < len(inked):
            missing.add(fonts.names[font])
    return sorted(missing)


def has_visible_text(textpage: pypdfium2.PdfTextPage) -> bool:
    """Return whether a page has text that is meant to be seen, unlike text recognized in a scan."""
    return any(_is_visible(textpage, index, shown) for index, shown in _sampled(textpage))


def fonts_without_characters(page: pypdfium2.PdfPage) -> list[str]:
    """Return the fonts of a page without any character in its text layer that may be missing, sorted."""
    fonts = Fonts()
    _may_lack_fonts(page, fonts)
    return sorted(fonts.missing_names())


class Fonts:
    """The fonts of a page by address, and whether they may be missing."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self._is_doubtful: dict[int, bool] = {}

    def missing_names(self) -> set[str]:
        """Return the names of those that may be missing."""
        return {self.names[address] for address, is_doubtful in self._is_doubtful.items() if is_doubtful}

    def doubtful(self, shown: Any) -> int:
        """Return the font of a text object if it may be missing; otherwise 0."""
        font = raw.FPDFTextObj_GetFont(shown)
        if not font:
            return 0
        address = ctypes.addressof(font.contents)
        if address not in self._is_doubtful:
            self.names[address] = name = _name(font)
            is_there = raw.FPDFFont_GetIsEmbedded(font) == 1 or name in _BUILT_IN
            self._is_doubtful[address] = not is_there
        return address if self._is_doubtful[address] else 0


def _may_lack_fonts(page: pypdfium2.PdfPage, fonts: Fonts) -> bool:
    """Return whether single characters must be checked, which takes longer."""
    count = raw.FPDFPage_CountObjects(page)
    for index in range(min(count, _OBJECTS)):
        shown = raw.FPDFPage_GetObject(page, index)
        kind = raw.FPDFPageObj_GetType(shown)
        if kind == raw.FPDF_PAGEOBJ_FORM or (kind == raw.FPDF_PAGEOBJ_TEXT and fonts.doubtful(shown)):
            return True
    return bool(count > _OBJECTS)


def _doubtful_characters(textpage: pypdfium2.PdfTextPage, fonts: Fonts) -> dict[int, list[int]]:
    """Return the visible characters whose fonts may be missing, by font."""
    found: dict[int, list[int]] = defaultdict(list)
    for index, shown in _sampled(textpage):
        font = fonts.doubtful(shown)
        if font and _is_visible(textpage, index, shown):
            found[font].append(index)
    return found


def _sampled(textpage: pypdfium2.PdfTextPage) -> Iterator[tuple[int, Any]]:
    """Yield the indexes and text objects of characters that are spread over the page."""
    count = raw.FPDFText_CountChars(textpage)
    for index in range(0, max(0, count), max(1, count // _SAMPLES)):
        if shown := raw.FPDFText_GetTextObject(textpage, index):
            yield index, shown


def _is_visible(textpage: pypdfium2.PdfTextPage, index: int, shown: Any) -> bool:
    if raw.FPDFTextObj_GetTextRenderMode(shown) in _UNSEEN:
        return False
    code = raw.FPDFText_GetUnicode(textpage, index)
    # Spaces and control characters leave no ink in any font; U+00A0 and U+3000 are spaces too.
    return code > 0x20 and not 0x7F <= code <= 0xA0 and not (code <= 0xFFFF and chr(code).isspace())


def _box(
    page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, index: int, size: tuple[int, int]
) -> tuple[int, int, int, int] | None:
    """Return the box of a character on the image in pixels; `None` if it is outside."""
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


def _has_ink(image: Any, box: tuple[int, int, int, int]) -> bool:
    return any(low != high for low, high in image.crop(box).getextrema())


def _name(font: Any) -> str:
    length = raw.FPDFFont_GetBaseFontName(font, None, 0)
    if not 1 < length <= 256:
        return "unnamed"
    buffer = ctypes.create_string_buffer(length)
    raw.FPDFFont_GetBaseFontName(font, buffer, length)
    return buffer.value.decode("utf-8", "replace")

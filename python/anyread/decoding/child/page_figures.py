"""Whether a page shows more than its text, inside a decoder: pictures, drawings, notes."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

from pypdfium2 import raw

from .page_text import draws_annotations

if TYPE_CHECKING:
    import pypdfium2

_PICTURE_PART: Final = 0.1
"""The part of a page that a picture may cover, such as a logo, without being one to look at."""
_RULE_POINTS: Final = 4.0
"""The width or height up to which a drawn path is a line between or below texts."""
_MOST_OBJECTS: Final = 5_000
"""A page with more objects than this, or with more lines than the next number, is taken for a drawing."""
_MOST_LINES: Final = 200


def has_figures(page: pypdfium2.PdfPage) -> bool:
    """Return whether a page may have anything besides text, small pictures and straight lines."""
    count = raw.FPDFPage_CountObjects(page)
    if count > _MOST_OBJECTS or draws_annotations(page):
        return True
    width, height = page.get_size()
    lines = 0
    for number in range(count):
        each = raw.FPDFPage_GetObject(page, number)
        kind = raw.FPDFPageObj_GetType(each)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            continue
        across, down = _size(each)
        if kind == raw.FPDF_PAGEOBJ_IMAGE:
            if across * down > _PICTURE_PART * width * height:
                return True
        elif kind != raw.FPDF_PAGEOBJ_PATH:
            # Shadings, and forms, which may contain anything.
            return True
        elif _is_drawn(each):
            lines += 1
            if min(across, down) > _RULE_POINTS or lines > _MOST_LINES:
                return True
    return False


def _size(each: raw.FPDF_PAGEOBJECT) -> tuple[float, float]:
    """Return the width and the height of an object in points; without bounds, it may cover everything."""
    edges = [ctypes.c_float() for _ in range(4)]
    if not raw.FPDFPageObj_GetBounds(each, *edges):
        return float("inf"), float("inf")
    left, bottom, right, top = (edge.value for edge in edges)
    return abs(right - left), abs(top - bottom)


def _is_drawn(path: raw.FPDF_PAGEOBJECT) -> bool:
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    is_known = raw.FPDFPath_GetDrawMode(path, fill, stroke)
    return not is_known or bool(fill.value or stroke.value)

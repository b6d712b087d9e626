"""Finds text of a PDF page that a reader of the page does not see, though programs do."""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2

_MOST_OBJECTS: Final = 5_000
"""The most objects of a page that are examined."""
_LEAST_POINTS: Final = 1
"""The height in points below which text cannot be read."""
_WHITE: Final = 250
"""The least of the three colors of white, 0 to 255."""
_TRANSPARENT: Final = 5
_SCAN_PART: Final = 0.1
"""The part of a page that the image of a scan covers at least."""

Box = tuple[float, float, float, float]


def hidden_text(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, within: Box) -> list[str]:
    """Return in which ways texts of a page are hidden, sorted: invisible, white, outside, tiny.

    Invisible text over a scan is its text layer, and white text over a picture or a color is seen.

    Args:
        page: The page.
        textpage: Its text layer.
        within: The left, bottom, right and top edge of the page.
    """
    found: dict[str, list[tuple[Any, Box]]] = {}
    others: list[tuple[int, Any]] = []
    has_scan = False
    for count, (shown, is_in_form) in enumerate(_objects(page)):
        if count == _MOST_OBJECTS:
            return []
        kind = raw.FPDFPageObj_GetType(shown)
        if kind == raw.FPDF_PAGEOBJ_TEXT:
            box = _box(shown)
            if how := _hiding(shown, box, within, is_in_form=is_in_form):
                found.setdefault(how, []).append((shown, box))
            continue
        if kind == raw.FPDF_PAGEOBJ_IMAGE and not has_scan:
            has_scan = is_in_form or _area(_box(shown)) >= _SCAN_PART * _area(within)
        if not is_in_form:
            others.append((kind, shown))
    if has_scan:
        found.pop("invisible", None)
    if "white" not in found:
        others.clear()
    grounds = [_box(other) for kind, other in others if not _is_white_path(other, kind)]
    hidden = set()
    for how, texts in found.items():
        for shown, box in texts:
            if not (how == "white" and _is_within(box, grounds)) and _has_words(shown, textpage):
                hidden.add(how)
                break
    return sorted(hidden)


def _objects(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, bool]]:
    """Yield the objects of a page, and those of its forms, each with whether it is in a form."""
    for index in range(max(0, raw.FPDFPage_CountObjects(page))):
        shown = raw.FPDFPage_GetObject(page, index)
        yield shown, False
        if raw.FPDFPageObj_GetType(shown) == raw.FPDF_PAGEOBJ_FORM:
            for inner in range(max(0, raw.FPDFFormObj_CountObjects(shown))):
                yield raw.FPDFFormObj_GetObject(shown, inner), True


def _hiding(shown: Any, box: Box, within: Box, *, is_in_form: bool) -> str:
    """Return in which way a text may be hidden; empty if it is not."""
    mode = raw.FPDFTextObj_GetTextRenderMode(shown)
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    has_color = raw.FPDFPageObj_GetFillColor(shown, red, green, blue, alpha)
    is_filled = mode in {raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP}
    if mode in {raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP}:
        return "invisible"
    if has_color and is_filled and alpha.value <= _TRANSPARENT:
        return "invisible"
    # The places and sizes of what a form contains are those of the form.
    if is_in_form:
        return ""
    if box[2] < within[0] or box[0] > within[2] or box[3] < within[1] or box[1] > within[3]:
        return "outside"
    size, matrix = ctypes.c_float(), raw.FS_MATRIX()
    raw.FPDFTextObj_GetFontSize(shown, size)
    raw.FPDFPageObj_GetMatrix(shown, matrix)
    if 0 < size.value * math.hypot(matrix.c, matrix.d) < _LEAST_POINTS:
        return "tiny"
    is_white = has_color and is_filled and min(red.value, green.value, blue.value) >= _WHITE
    return "white" if is_white else ""


def _is_white_path(shown: Any, kind: int) -> bool:
    """Return whether an object is a path that leaves the page white."""
    if kind != raw.FPDF_PAGEOBJ_PATH:
        return False
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    raw.FPDFPath_GetDrawMode(shown, mode, stroke)
    if mode.value == raw.FPDF_FILLMODE_NONE:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    has_color = raw.FPDFPageObj_GetFillColor(shown, red, green, blue, alpha)
    return bool(has_color and min(red.value, green.value, blue.value) >= _WHITE)


def _box(shown: Any) -> Box:
    edges = [ctypes.c_float() for _ in range(4)]
    raw.FPDFPageObj_GetBounds(shown, *edges)
    left, bottom, right, top = (edge.value for edge in edges)
    return left, bottom, right, top


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _is_within(box: Box, others: list[Box]) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(left <= x <= right and bottom <= y <= top for left, bottom, right, top in others)


def _has_words(shown: Any, textpage: pypdfium2.PdfTextPage) -> bool:
    size = raw.FPDFTextObj_GetText(shown, textpage, None, 0)
    buffer = ctypes.create_string_buffer(max(2, size))
    raw.FPDFTextObj_GetText(shown, textpage, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return any(map(str.isalnum, buffer.raw.decode("utf-16-le", "ignore")))

"""Finds the text of a PDF page that its picture does not have, because its layer is switched off.

pdfium draws only layers that are on, but its text has them all, and it does not say which are on. So the text
of each layer and of each form is drawn alone, in black, and what leaves no ink is removed from the page.
"""

from __future__ import annotations

import ctypes
import re
import zlib
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import raw

from .fonts import Fonts

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2

_LAYERS: Final = b"/OCProperties"
_OBJECT_STREAM: Final = re.compile(rb"/ObjStm\b")
_STREAM: Final = re.compile(rb"stream\r?\n")
_INFLATED: Final = 1 << 24
"""The most bytes of an object stream that are searched."""
_GROUPS: Final = 64
"""The most layers and forms of a page that are drawn alone."""
_DEPTH: Final = 8
"""The most forms inside one another that are searched."""
_EDGE: Final = 1_000
"""The longer edge of the drawing in pixels."""

_Key = tuple[tuple[int, ...], tuple[str, ...]]
"""The forms and layers that a text is in."""


def may_have_layers(data: bytes, *, encrypted: bool) -> bool:
    """Return whether a PDF declares layers, as far as that can be seen."""
    if encrypted or _LAYERS in data:
        return True
    for found in _OBJECT_STREAM.finditer(data):
        start = _STREAM.search(data, found.end(), found.end() + 1_000)
        if start is None:
            continue
        try:
            if _LAYERS in zlib.decompressobj().decompress(memoryview(data)[start.end() :], _INFLATED):
                return True
        except zlib.error:
            continue
    return False


def remove_hidden(page: pypdfium2.PdfPage, scratch: pypdfium2.PdfPage) -> None:
    """Remove the texts of a page whose layers are off.

    Args:
        page: The page.
        scratch: The same page, loaded once more, on which texts are drawn alone.
    """
    groups: dict[_Key, list[Any]] = {}
    for key, _, shown in _texts(scratch):
        groups.setdefault(key, []).append(shown)
    doubtful = [key for key in groups if any(key)]
    if not 0 < len(doubtful) <= _GROUPS:
        return
    _only_texts(scratch)
    fonts = Fonts()
    hidden = {
        key
        for key in doubtful
        # A font that is missing leaves no ink either.
        if not any(map(fonts.doubtful, groups[key])) and not _leaves_ink(scratch, groups, key)
    }
    for key, remove, _ in reversed([*_texts(page)]):
        if key in hidden:
            remove()


def _leaves_ink(page: pypdfium2.PdfPage, groups: dict[_Key, list[Any]], wanted: _Key) -> bool:
    for key, texts in groups.items():
        for shown in texts:
            raw.FPDFPageObj_SetIsActive(shown, key == wanted)
    for shown in groups[wanted]:
        raw.FPDFPageObj_SetFillColor(shown, 0, 0, 0, 255)
        raw.FPDFTextObj_SetTextRenderMode(shown, raw.FPDF_TEXTRENDERMODE_FILL)
    width, height = page.get_size()
    scale = _EDGE / max(width, height, 1)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    buffer = ctypes.create_string_buffer(b"\xff" * (size[0] * size[1]), size[0] * size[1])
    bitmap = raw.FPDFBitmap_CreateEx(*size, raw.FPDFBitmap_Gray, buffer, size[0])
    if not bitmap:
        raise MemoryError
    raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, *size, 0, 0)
    raw.FPDFBitmap_Destroy(bitmap)
    return bool(buffer.raw.strip(b"\xff"))


def _only_texts(page: pypdfium2.PdfPage) -> None:
    """Switch everything off that is neither a text nor a form."""
    for _, _, shown in _objects(page):
        if raw.FPDFPageObj_GetType(shown) not in {raw.FPDF_PAGEOBJ_TEXT, raw.FPDF_PAGEOBJ_FORM}:
            raw.FPDFPageObj_SetIsActive(shown, 0)


def _texts(page: pypdfium2.PdfPage) -> Iterator[tuple[_Key, Any, Any]]:
    """Yield the texts of a page, each with what it is in, and a function that removes it."""
    for key, remove, shown in _objects(page):
        if raw.FPDFPageObj_GetType(shown) == raw.FPDF_PAGEOBJ_TEXT:
            yield key, remove, shown


def _objects(
    page: pypdfium2.PdfPage, form: Any = None, within: _Key = ((), ())
) -> Iterator[tuple[_Key, Any, Any]]:
    """Yield the objects of a page and its forms, each with what it is in, and a function that removes it."""
    count = raw.FPDFPage_CountObjects(page) if form is None else raw.FPDFFormObj_CountObjects(form)
    for index in range(max(0, count)):
        shown = (
            raw.FPDFPage_GetObject(page, index) if form is None else raw.FPDFFormObj_GetObject(form, index)
        )
        forms, layers = within
        key = forms, (*layers, *_layers_of(shown))
        yield key, _removal(page, form, shown), shown
        if raw.FPDFPageObj_GetType(shown) == raw.FPDF_PAGEOBJ_FORM and len(forms) < _DEPTH:
            yield from _objects(page, shown, ((*forms, index), key[1]))


def _removal(page: pypdfium2.PdfPage, form: Any, shown: Any) -> Any:
    def remove() -> None:
        if form is None:
            raw.FPDFPage_RemoveObject(page, shown)
        else:
            raw.FPDFFormObj_RemoveObject(form, shown)
        raw.FPDFPageObj_Destroy(shown)

    return remove


def _layers_of(shown: Any) -> Iterator[str]:
    """Yield the names of the layers that an object itself is in."""
    for index in range(max(0, raw.FPDFPageObj_CountMarks(shown))):
        mark = raw.FPDFPageObj_GetMark(shown, index)
        if _text(raw.FPDFPageObjMark_GetName, mark) == "OC":
            yield "OC:" + _text(raw.FPDFPageObjMark_GetParamStringValue, mark, b"Name")


def _text(function: Any, *arguments: Any) -> str:
    """Return a short text that a function of pdfium writes in UTF-16."""
    size = ctypes.c_ulong()
    buffer = ctypes.create_string_buffer(512)
    if not function(*arguments, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), len(buffer), size):
        return ""
    return buffer.raw[: min(size.value, len(buffer)) - 2].decode("utf-16-le", "replace")

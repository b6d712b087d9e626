"""The text of a PDF page, inside a decoder: its text layer, the values of its form, and its annotations."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import raw

from .page_lines import Ruler, arranged

if TYPE_CHECKING:
    from collections.abc import Callable

    import pypdfium2

    from .page_lines import Box, PlacedText

_SOFT_HYPHEN: Final = "\ufffe"
"""What pdfium writes for a hyphen at the end of a line, before the rest of the word."""
_BROKEN_WORD: Final = re.compile(_SOFT_HYPHEN + r"(\S*)( ?)")
_LINE: Final = re.compile(r"[^\s\0](?:[^\r\n]*[^\s\0])?")
_TEXTLESS: Final = {raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP}
"""Annotations that draw no text of their own; most annotated pages have nothing but links."""
_TEXT_FIELDS: Final = {raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}
_PASSWORD: Final = 1 << 13
"""The flag of a text field whose value is not shown (ISO 32000-2, table 231)."""
_UNREADABLE: Final = {"Cc", "Co", "Cn", "Cs"}
_UNREADABLE_PART: Final = 0.2
"""A text layer of which a larger part has no meaning comes from a font without a usable character map."""


def read_text(textpage: pypdfium2.PdfTextPage, *, within: Box, drawn_over_from: int | None = None) -> str:
    """Read the text layer of a page, one line of the page per line, the cells of a row in one line.

    Args:
        textpage: The page's text.
        within: The left, bottom, right and top edge within which a line must be, at least in part.
        drawn_over_from: The index of the first character of form fields and annotations; `None`: it has none.
    """
    original, index_of = _characters(textpage)
    ruler = Ruler(textpage, within)
    lines: list[PlacedText] = []
    for match in _LINE.finditer(_BROKEN_WORD.sub(_joined, original)):
        start = match.start()
        # The rest of a hyphenated word is printed on the next line.
        hyphen = original.find(_SOFT_HYPHEN, start + 1, match.end())
        printed = (match.end() if hyphen < 0 else hyphen) - start
        over = drawn_over_from is not None and index_of(start) >= drawn_over_from
        lines += ruler.lines(match[0], printed, partial(_shifted, index_of, start), is_drawn_over=over)
    text = "\n".join(arranged(filter(ruler.is_within, lines)))
    # Halves of a character beyond 16 bits are characters of their own to pdfium.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shifted(index_of: Callable[[int], int], start: int, place: int) -> int:
    return index_of(start + place)


def _characters(textpage: pypdfium2.PdfTextPage) -> tuple[str, Callable[[int], int]]:
    """Return the text in pdfium's order, and a function from a place in it to the index of the character.

    `FPDFText_GetBoundedText` drops the breaks between lines of rotated text and between single
    characters in a column; `FPDFText_GetText` keeps them, but cuts characters to 16 bits.
    """
    count = raw.FPDFText_CountChars(textpage)
    text = textpage.get_text_range()
    if max(textpage.get_text_bounded() + text, default="") > "\uffff":
        text = "".join(chr(raw.FPDFText_GetUnicode(textpage, index)) for index in range(count))
    if len(text) == count:
        return text, lambda place: place
    return text, lambda place: raw.FPDFText_GetCharIndexFromTextIndex(textpage, place)


def _joined(match: re.Match[str]) -> str:
    """Join a word that was hyphenated over two lines; hyphens before capitals and digits belong to it.

    The text keeps its length, so that places in it remain valid.
    """
    rest, space = match.groups()
    return ("\0" if rest[:1].islower() else "-") + rest + ("\n" if space else "")


def is_unreadable(text: str) -> bool:
    """Return whether much of a text is control, private-use or unassigned characters."""
    # All of them are outside of ASCII's printable range, which most texts do not leave.
    odd = sum(1 for character in text if not character.isprintable() and not character.isspace())
    if not odd:
        return False
    bad = sum(1 for character in text if unicodedata.category(character) in _UNREADABLE and character != "\n")
    return bad > _UNREADABLE_PART * sum(1 for character in text if not character.isspace())


def draws_annotations(page: pypdfium2.PdfPage) -> bool:
    """Return whether a page has form fields or annotations that may show text."""
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if kind not in _TEXTLESS:
            return True
    return False


def undrawn_text(page: pypdfium2.PdfPage) -> list[str]:
    """Read form fields and text boxes that come without an appearance, which flattening leaves out."""
    found = []
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        text = _undrawn(page, annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if text:
            found.append(text)
    return found


def _undrawn(page: pypdfium2.PdfPage, annotation: raw.FPDF_ANNOTATION) -> str:
    if raw.FPDFAnnot_GetFlags(annotation) & (raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW):
        return ""
    if _wide(raw.FPDFAnnot_GetAP, annotation, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL):
        return ""
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_FREETEXT:
        return _wide(raw.FPDFAnnot_GetStringValue, annotation, b"Contents")
    if kind != raw.FPDF_ANNOT_WIDGET or not page.formenv:
        return ""
    is_secret = raw.FPDFAnnot_GetFormFieldFlags(page.formenv, annotation) & _PASSWORD
    if is_secret or raw.FPDFAnnot_GetFormFieldType(page.formenv, annotation) not in _TEXT_FIELDS:
        return ""
    return _wide(raw.FPDFAnnot_GetFormFieldValue, page.formenv, annotation)


def _wide(function: Any, *arguments: Any) -> str:
    """Call a function of pdfium that fills a buffer with UTF-16, and return the text."""
    size = function(*arguments, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    function(*arguments, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")

"""The text of a PDF page inside a decoder: its text layer, form values, annotations and comments."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pypdfium2 import raw

from .page_lines import Ruler, arranged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pypdfium2

    from .page_lines import Box, PlacedText

_SOFT_HYPHEN: Final = "\ufffe"
"""pdfium's character for a hyphen at the end of a line, before the rest of the word."""
_BROKEN_WORD: Final = re.compile(_SOFT_HYPHEN + r"(\S*)( ?)")
_LINE: Final = re.compile(r"[^\s\0](?:[^\r\n]*[^\s\0])?")
_TEXTLESS: Final = {raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP}
"""Annotations without text; most annotated pages have only links."""
_COMMENTED: Final = {
    raw.FPDF_ANNOT_TEXT: "note",
    raw.FPDF_ANNOT_LINE: "line",
    raw.FPDF_ANNOT_SQUARE: "rectangle",
    raw.FPDF_ANNOT_CIRCLE: "ellipse",
    raw.FPDF_ANNOT_POLYGON: "polygon",
    raw.FPDF_ANNOT_POLYLINE: "line",
    raw.FPDF_ANNOT_HIGHLIGHT: "highlight",
    raw.FPDF_ANNOT_UNDERLINE: "underline",
    raw.FPDF_ANNOT_SQUIGGLY: "underline",
    raw.FPDF_ANNOT_STRIKEOUT: "strikeout",
    raw.FPDF_ANNOT_STAMP: "stamp",
    raw.FPDF_ANNOT_CARET: "insertion",
    raw.FPDF_ANNOT_INK: "drawing",
    raw.FPDF_ANNOT_FILEATTACHMENT: "attached file",
    raw.FPDF_ANNOT_REDACT: "redaction",
    raw.FPDF_ANNOT_POPUP: "note",
}
"""The kinds of annotations that have a comment, which their appearance does not show, with their names."""
_LABEL_CHARACTERS: Final = 20
"""The most characters of the label of a page."""
_MOST_NAMED: Final = 20
"""The most files attached to a document that are named."""
_MARKED_CHARACTERS: Final = 200
"""The most characters of the text that a comment is about."""
_TEXT_FIELDS: Final = {raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX}
_NOT_SHOWN: Final = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD: Final = 1 << 13
"""The flag of a text field whose value is not shown (ISO 32000-2, table 231)."""
_UNREADABLE: Final = {"Cc", "Co", "Cn", "Cs"}
_UNREADABLE_PART: Final = 0.2
"""A text layer with a larger part of such characters comes from a font without a usable character map."""


def read_text(textpage: pypdfium2.PdfTextPage, *, within: Box, drawn_over_from: int | None = None) -> str:
    """Return the text layer of a page; the cells of a table row are in one line.

    Args:
        textpage: The text layer.
        within: The left, bottom, right and top edge of the area that a line must overlap.
        drawn_over_from: The index of the first character of form fields and annotations; `None` if none.
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
    # pdfium returns surrogate pairs as two characters.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shifted(index_of: Callable[[int], int], start: int, position: int) -> int:
    return index_of(start + position)


def _characters(textpage: pypdfium2.PdfTextPage) -> tuple[str, Callable[[int], int]]:
    """Return the text in pdfium's order, and a function from a position in it to pdfium's character index.

    `FPDFText_GetBoundedText` omits the breaks between lines of rotated text and between single
    characters in a column; `FPDFText_GetText` keeps them, but truncates characters to 16 bits.
    """
    count = raw.FPDFText_CountChars(textpage)
    text = textpage.get_text_range()
    if max(textpage.get_text_bounded() + text, default="") > "\uffff":
        text = "".join(chr(raw.FPDFText_GetUnicode(textpage, index)) for index in range(count))
    if len(text) == count:
        return text, lambda position: position
    return text, lambda position: raw.FPDFText_GetCharIndexFromTextIndex(textpage, position)


def _joined(match: re.Match[str]) -> str:
    """Join a word that was hyphenated over two lines; hyphens before capitals and digits are kept.

    The text keeps its length, so that positions in it remain valid.
    """
    rest, space = match.groups()
    return ("\0" if rest[:1].islower() else "-") + rest + ("\n" if space else "")


def is_unreadable(text: str) -> bool:
    """Return whether much of a text is control, private-use or unassigned characters."""
    # Most texts have printable characters only, which is faster to check.
    if all(character.isprintable() or character.isspace() for character in text):
        return False
    bad = sum(1 for character in text if unicodedata.category(character) in _UNREADABLE and character != "\n")
    return bad > _UNREADABLE_PART * sum(1 for character in text if not character.isspace())


def draws_annotations(page: pypdfium2.PdfPage) -> bool:
    """Return whether a page has form fields or annotations that may show text."""
    return any(raw.FPDFAnnot_GetSubtype(annotation) not in _TEXTLESS for annotation in _annotations(page))


def undrawn_text(page: pypdfium2.PdfPage) -> list[str]:
    """Return the texts of form fields and text boxes without an appearance, which flattening omits."""
    return [text for annotation in _annotations(page) if (text := _undrawn(page, annotation))]


def comments(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage) -> list[str]:
    """Return the comments of readers, each with its kind, its author and the text that it marks."""
    found: dict[str, str] = {}
    for annotation in _annotations(page):
        kind = _COMMENTED.get(raw.FPDFAnnot_GetSubtype(annotation))
        if kind is None or raw.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
            continue
        comment = _wide(raw.FPDFAnnot_GetStringValue, annotation, b"Contents").strip()
        about = _file_name(annotation) if kind == "attached file" else _marked(annotation, textpage)
        if not comment and not (kind == "attached file" and about):
            continue
        if reply := raw.FPDFAnnot_GetLinkedAnnot(annotation, b"IRT"):
            raw.FPDFPage_CloseAnnot(reply)
            kind = "reply"
        author = " ".join(_wide(raw.FPDFAnnot_GetStringValue, annotation, b"T").split())
        of = " " if kind == "attached file" else " of "
        label = kind + (f'{of}"{about}"' if about else "") + (f" by {author}" if author else "")
        # A note and its popup have the same text.
        found.setdefault(f"{author}\n{comment}\n{about}", f"[{label}] {comment}".rstrip())
    return list(found.values())


def page_label(document: pypdfium2.PdfDocument, number: int) -> str:
    """Return what a page is called if that is not its number, such as "iii"; otherwise an empty string."""
    label = " ".join(_wide(raw.FPDF_GetPageLabel, document, number - 1).split())
    return "" if label == str(number) else label[:_LABEL_CHARACTERS]


def attached_names(document: pypdfium2.PdfDocument) -> list[str]:
    """Return the names of the files that are attached to a whole document, at most `_MOST_NAMED`."""
    count = min(raw.FPDFDoc_GetAttachmentCount(document), _MOST_NAMED)
    attached = (raw.FPDFDoc_GetAttachment(document, index) for index in range(count))
    names = (" ".join(_wide(raw.FPDFAttachment_GetName, each).split()) for each in attached if each)
    return [name[:_MARKED_CHARACTERS] for name in names]


def attached_files(document: pypdfium2.PdfDocument) -> list[str]:
    """Return the lines that name the files that are attached to a whole document."""
    more = raw.FPDFDoc_GetAttachmentCount(document) - _MOST_NAMED
    named = [f'[attached file "{name}"]' for name in attached_names(document)]
    return [*named, f"[{more:,} more attached files]"] if more > 0 else named


def _marked(annotation: raw.FPDF_ANNOTATION, textpage: pypdfium2.PdfTextPage) -> str:
    """Return the text that an annotation marks, on one line; empty if it marks none."""
    corners, texts = raw.FS_QUADPOINTSF(), []
    for index in range(min(_MARKED_CHARACTERS, raw.FPDFAnnot_CountAttachmentPoints(annotation))):
        if raw.FPDFAnnot_GetAttachmentPoints(annotation, index, corners):
            across = [corners.x1, corners.x2, corners.x3, corners.x4]
            down = [corners.y1, corners.y2, corners.y3, corners.y4]
            texts.append(textpage.get_text_bounded(min(across), min(down), max(across), max(down)))
    marked = " ".join(" ".join(texts).replace("\0", "").split())
    return marked if len(marked) <= _MARKED_CHARACTERS else f"{marked[:_MARKED_CHARACTERS]}…"


def _file_name(annotation: raw.FPDF_ANNOTATION) -> str:
    attached = raw.FPDFAnnot_GetFileAttachment(annotation)
    return " ".join(_wide(raw.FPDFAttachment_GetName, attached).split()) if attached else ""


def _annotations(page: pypdfium2.PdfPage) -> Iterator[raw.FPDF_ANNOTATION]:
    """Yield the annotations of a page, each open until the next."""
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if annotation:
            try:
                yield annotation
            finally:
                raw.FPDFPage_CloseAnnot(annotation)


def _undrawn(page: pypdfium2.PdfPage, annotation: raw.FPDF_ANNOTATION) -> str:
    if raw.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
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
    """Call a function of pdfium that fills a buffer with UTF-16 and return the text."""
    size = function(*arguments, None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    function(*arguments, buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")

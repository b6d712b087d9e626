"""PDF documents, inside a decoder: text and pictures of their pages.

pdfium is not safe for threads, not even over several documents; a decoder has one of each.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2
from pypdfium2 import raw

from . import pictures
from .damage import RefusalError
from .fonts import has_visible_text, missing_fonts
from .page_text import draws_annotations, is_unreadable, read_text, undrawn_text
from .protocol import field

if TYPE_CHECKING:
    from collections.abc import Iterator


class WantedPage(NamedTuple):
    """A page, and what to give of it."""

    number: int
    max_text_bytes: int
    dpi: int
    picture: pictures.Wanted | None
    """What the model takes; `None`: no picture is wanted."""
    is_blank_drawn: bool = False
    """Whether a page with nothing on it has a picture too."""

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> WantedPage:
        """Read it from a job."""
        has_picture = field(header, "picture", bool)
        return cls(
            field(header, "number", int),
            field(header, "max_text_bytes", int),
            field(header, "dpi", int),
            pictures.Wanted.from_header(header) if has_picture else None,
            field(header, "blank", bool),
        )


class Page(NamedTuple):
    """What there is of a page; both contents may be empty."""

    header: dict[str, Any]
    text: bytes
    picture: bytes


class Document:
    """An opened PDF.

    Args:
        data: The whole file.
        passwords: What to try if it is encrypted, in order.

    Raises:
        RefusalError: It is damaged, needs another password, or is encrypted in an unknown way.
    """

    def __init__(self, data: bytes, *, passwords: list[str]) -> None:
        self.data, self._passwords = data, passwords
        self._document = _opened(data, passwords)
        self._flattened: pypdfium2.PdfDocument | None = None

    def header(self) -> dict[str, Any]:
        """Give the answer to the opening."""
        encrypted = raw.FPDF_GetSecurityHandlerRevision(self._document) >= 0
        return {"pages": len(self._document), "encrypted": encrypted}

    def page(self, wanted: WantedPage) -> Page:
        """Give one page; a damaged one has neither text nor picture and says so."""
        header: dict[str, Any] = {"number": wanted.number, "damaged": False, "missing_fonts": []}
        try:
            page = self._document[wanted.number - 1]
        except pypdfium2.PdfiumError:
            return Page(_described(header | {"damaged": True}), b"", b"")
        try:
            return self._shown(page, wanted, header)
        finally:
            page.close()

    def close(self) -> None:
        """Let go of the document."""
        self._document.close()
        if self._flattened is not None:
            self._flattened.close()

    @contextmanager
    def _with_annotations(self, page: pypdfium2.PdfPage, number: int) -> Iterator[pypdfium2.PdfPage]:
        """Give the page whose text layer includes form values and annotations.

        Flattening makes their appearances part of the page's content, in their place. It happens in a
        second copy of the document, because a flattened highlight would cover the text in a picture.
        """
        if not draws_annotations(page):
            yield page
            return
        if self._flattened is None:
            self._flattened = _opened(self.data, self._passwords)
        copy = self._flattened[number - 1]
        result = raw.FPDFPage_Flatten(copy, raw.FLAT_NORMALDISPLAY)
        copy.close()
        if result == raw.FLATTEN_FAIL:
            yield page
            return
        # The change shows only on a page that is loaded after it.
        copy = self._flattened[number - 1]
        try:
            yield copy
        finally:
            copy.close()

    def _shown(self, page: pypdfium2.PdfPage, wanted: WantedPage, header: dict[str, Any]) -> Page:
        width, height = page.get_size()
        header |= {"blank": raw.FPDFPage_CountObjects(page) <= 0 and raw.FPDFPage_GetAnnotCount(page) <= 0}
        header |= {"width_points": max(1, round(width)), "height_points": max(1, round(height))}
        picture = None if wanted.picture is None else _rendered(page, wanted.dpi, wanted.picture)
        undrawn = undrawn_text(page)
        with self._with_annotations(page, wanted.number) as shown:
            try:
                textpage = shown.get_textpage()
            except pypdfium2.PdfiumError:
                return Page(_described(header | {"damaged": True}), b"", b"")
            drawn_over_from = None if shown is page else raw.FPDFText_CountChars(page.get_textpage())
            read = read_text(textpage, drawn_over_from=drawn_over_from)
            full = "\n".join(filter(None, (read, *undrawn)))
            text = _cut(full, wanted.max_text_bytes)
            header |= {"characters": len(full), "unreadable": is_unreadable(full)}
            if wanted.picture is None or picture is None:
                return Page(_described(header, text), text, b"")
            is_empty = _is_uniform(picture)
            if text:
                missing = missing_fonts(shown, textpage, picture)
                if is_empty and not missing and has_visible_text(textpage):
                    missing = ["unknown"]
                header |= {"missing_fonts": missing}
                if missing or (is_empty and not wanted.is_blank_drawn):
                    return Page(_described(header, text), text, b"")
            elif is_empty:
                header |= {"blank": True}
                if not wanted.is_blank_drawn:
                    return Page(_described(header), text, b"")
        encoded = pictures.encode(picture, picture.size, wanted.picture, is_lossy=True)
        return Page(_described(header, text, encoded), text, encoded.data)


def _described(
    header: dict[str, Any], text: bytes = b"", encoded: pictures.Encoded | None = None
) -> dict[str, Any]:
    """Complete an answer, so that every one has the same fields."""
    defaults: dict[str, Any] = {"blank": False, "characters": 0, "unreadable": False}
    defaults |= {"width_points": 1, "height_points": 1}
    about = {"text_bytes": len(text), "media_type": "", "width": 0, "height": 0}
    if encoded is not None:
        about |= {"media_type": encoded.media_type, "width": encoded.width, "height": encoded.height}
    return defaults | header | about


def _opened(data: bytes, passwords: list[str]) -> pypdfium2.PdfDocument:
    for password in (None, *map(str, passwords)):
        secret = None if password is None else password.encode("utf-8", "replace") + b"\0"
        handle = raw.FPDF_LoadMemDocument64(data, len(data), secret)
        if handle and raw.FPDF_GetPageCount(handle) > 0:
            document = pypdfium2.PdfDocument(handle)
            # Before the first page is loaded, or its fields would not be drawn; it can be shown without them.
            with suppress(pypdfium2.PdfiumError):
                document.init_forms()
            return document
        if handle:
            # Not a failure to pdfium, whose last error is then an earlier file's.
            raw.FPDF_CloseDocument(handle)
            raise RefusalError.damaged("it has no pages")
        error = raw.FPDF_GetLastError()
        if error == raw.FPDF_ERR_SECURITY:
            raise RefusalError.unsupported()
        if error != raw.FPDF_ERR_PASSWORD:
            raise RefusalError.damaged("it cannot be read as a PDF")
    raise RefusalError.password()


def _cut(text: str, max_bytes: int) -> bytes:
    """Encode a text and cut it to a number of bytes; one that is blank counts as none."""
    data = text.encode("utf-8", "replace")
    if len(data) > max_bytes:
        data = data[:max_bytes].decode("utf-8", "ignore").encode()
    return data if data.strip() else b""


def _rendered(page: pypdfium2.PdfPage, dpi: int, wanted: pictures.Wanted) -> Any:
    """Draw a page in the resolution asked for, or the lower one that the model takes."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        return None
    asked = max(1, round(width * dpi / 72)), max(1, round(height * dpi / 72))
    across, down = wanted._replace(
        max_view_pixels=_smaller(wanted.max_view_pixels, wanted.max_pixels)
    ).fitted_size(*asked)
    # White from the start, and four bytes a pixel: both are faster than what pdfium has for it.
    stride = across * 4
    buffer = ctypes.create_string_buffer(stride * down)
    ctypes.memset(buffer, 0xFF, len(buffer))
    bitmap = raw.FPDFBitmap_CreateEx(across, down, raw.FPDFBitmap_BGRx, buffer, stride)
    if not bitmap:
        raise MemoryError
    placed = (0, 0, across, down, 0, raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER)
    raw.FPDF_RenderPageBitmap(bitmap, page, *placed)
    if page.formenv:
        raw.FPDF_FFLDraw(page.formenv, bitmap, page, *placed)
    raw.FPDFBitmap_Destroy(bitmap)
    return pictures.of_pixels(buffer, across, down)


def _smaller(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _is_uniform(picture: Any) -> bool:
    # Ends at the second colour that it meets.
    return picture.getcolors(1) is not None


def warm() -> None:
    """Draw pages with fonts of every kind once, so that nothing but a font's file is left to be opened."""
    wanted = pictures.Wanted(("image/jpeg", "image/png"), None, 64, None, 1 << 20, 80)
    document = Document(_sample(), passwords=[])
    for media_type in wanted.media_types:
        picture = wanted._replace(media_types=(media_type,))
        document.page(WantedPage(1, 1_000, 50, picture))
    document.close()
    with suppress(RefusalError):
        Document(b"%PDF-1.4 no document", passwords=["a"])


def _sample() -> bytes:
    """Write a page whose fonts are not in the file: one built into pdfium, one that it must look for."""
    content = b"BT /A 20 Tf 10 150 Td (A) Tj /B 20 Tf 0 -50 Td (B) Tj /C 20 Tf 0 -50 Td <4e2d> Tj ET"
    resources = (
        b"<</Font<</A<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
        b"/B<</Type/Font/Subtype/TrueType/BaseFont/Unheard>>"
        b"/C<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font"
        b"/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)"
        b"/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/STSong-Light/Flags 4>>>>]>>>>>>"
    )
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources " + resources + b">>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
    ]
    data = b"%PDF-1.7\n"
    for number, body in enumerate(objects, 1):
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    return data + b"trailer<</Root 1 0 R/Size 5>>\n%%EOF"

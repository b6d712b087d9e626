"""PDFs inside a decoder: the text and images of their pages.

pdfium is not thread-safe, even with separate documents; a decoder has one thread and one document.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pypdfium2
from pypdfium2 import raw

from anyread.decoding.protocol import field

from . import images, layers
from .damage import RefusalError
from .encoding import Box, Encoded, Wanted, encode, of_pixels
from .fonts import fonts_without_characters, has_visible_text, missing_fonts
from .hidden_text import hidden_text
from .page_figures import has_figures
from .page_text import (
    attached_files,
    attached_names,
    comments,
    draws_annotations,
    is_unreadable,
    page_label,
    read_text,
    undrawn_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


_BOUNDED_DPI: Final = 200
"""Dots per inch of a page for a model with a maximum edge, which most pages then reach."""
_UNBOUNDED_DPI: Final = 142
"""Dots per inch for other models: a US letter page then has 1,568 pixels, and small print is legible."""
_REGION_SCALE: Final = 3
"""The maximum resolution of a region, relative to that of a page."""
_LEAST_EDGE: Final = 8
"""Pixels of an edge below which text may leave no ink."""
_TENTHS: Final = 10
_LEAST_PAGE_BYTES: Final = 16
"""A file with fewer bytes for each page is suspected of declaring more pages than it has."""
_NO_PAGES: Final = "it has no pages"
_NO_IMAGE: Final = Encoded(b"", "", 0, 0)


class WantedPage(NamedTuple):
    """A requested page."""

    number: int
    max_text_bytes: int
    dpi: int | None
    """Dots per inch of its image; `None` for as many as the model accepts."""
    image: Wanted | None
    """The requirements for its image; `None` for no image."""
    first_character: int = 1
    """The character at which its text starts, counted from 1."""
    region: Box | None = None
    """The part of it: x, y, width and height in points from its top left corner; `None` for all of it."""
    is_blank_drawn: bool = False
    """Whether it has an image even if it is blank."""

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> WantedPage:
        """Read the fields of a job."""
        has_image = field(header, "image", bool)
        return cls(
            number=field(header, "number", int),
            max_text_bytes=field(header, "max_text_bytes", int),
            dpi=None if header["dpi"] is None else field(header, "dpi", int),
            image=Wanted.from_header(header) if has_image else None,
            first_character=field(header, "first_character", int),
            region=None if header["region"] is None else tuple(field(header, "region", list)),
            is_blank_drawn=field(header, "blank", bool),
        )


class PageResponse(NamedTuple):
    """The header, text and image of a page; the text and the image may be empty."""

    header: dict[str, Any]
    text: bytes
    image: bytes


class PdfFile:
    """An opened PDF.

    Args:
        data: The whole file.
        passwords: Passwords to try if it is encrypted, in order.

    Raises:
        RefusalError: It is damaged, no password opens it, or its encryption is not supported.
    """

    def __init__(self, data: bytes, *, passwords: list[str]) -> None:
        self.data, self._passwords = data, passwords
        self._document = _opened(data, passwords)
        self._page_count = _page_count(self._document, len(data))
        if not self._page_count:
            raise RefusalError.damaged(_NO_PAGES)
        self._flattened: pypdfium2.PdfDocument | None = None
        self._is_encrypted = raw.FPDF_GetSecurityHandlerRevision(self._document) >= 0
        self._may_have_layers: bool | None = None

    def header(self) -> dict[str, Any]:
        """Return the header of the response to opening the file."""
        return {
            "pages": self._page_count,
            "encrypted": self._is_encrypted,
            "placeholder": raw.FPDF_GetFormType(self._document) == raw.FORMTYPE_XFA_FULL,
            "attached": attached_names(self._document),
        }

    def page_of(self, label: str) -> int:
        """Return the number of the page with a label; 0 if there is none."""
        numbers = range(1, self._page_count + 1)
        return next((number for number in numbers if page_label(self._document, number) == label), 0)

    def page(self, wanted: WantedPage) -> PageResponse:
        """Return one page; a damaged page has neither text nor image."""
        header: dict[str, Any] = {"number": wanted.number, "damaged": False, "missing_fonts": []}
        try:
            page = self._loaded(wanted.number)
        except pypdfium2.PdfiumError:
            return _response(header | {"damaged": True})
        try:
            return self._read(page, wanted, header)
        finally:
            page.close()

    def _loaded(self, number: int) -> pypdfium2.PdfPage:
        page = self._document[number - 1]
        if min(page.get_size()) > 0:
            return page
        # What is cut out of it is outside of it, and viewers show all of it.
        page.set_cropbox(*page.get_mediabox())
        page.close()
        return self._document[number - 1]

    def close(self) -> None:
        """Close the file."""
        self._document.close()
        if self._flattened is not None:
            self._flattened.close()

    def _without_hidden_layers(self, page: pypdfium2.PdfPage, number: int) -> None:
        """Remove the text of layers that are off, which the image of the page does not have."""
        if self._may_have_layers is None:
            self._may_have_layers = layers.may_have_layers(self.data, encrypted=self._is_encrypted)
        if self._may_have_layers:
            scratch = page.pdf[number - 1]
            try:
                layers.remove_hidden(page, scratch)
            finally:
                scratch.close()

    @contextmanager
    def _with_annotations(self, page: pypdfium2.PdfPage, number: int) -> Iterator[pypdfium2.PdfPage]:
        """Return a page whose text layer includes form values and annotations.

        Flattening makes their appearances part of the page's content. It is done in a second copy of the
        document, because a flattened highlight would cover the text in an image.
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
        # Only a page that is loaded afterwards has the change.
        copy = self._flattened[number - 1]
        try:
            yield copy
        finally:
            copy.close()

    def _read(self, page: pypdfium2.PdfPage, wanted: WantedPage, header: dict[str, Any]) -> PageResponse:
        width, height = page.get_size()
        header |= {"blank": raw.FPDFPage_CountObjects(page) <= 0 and raw.FPDFPage_GetAnnotCount(page) <= 0}
        header |= {"width_points": max(1, round(width)), "height_points": max(1, round(height))}
        header |= {"label": page_label(self._document, wanted.number)}
        part = images.clipped(wanted.region, header["width_points"], header["height_points"])
        # Drawing the page gives them an appearance.
        undrawn = undrawn_text(page)
        image = None if wanted.image is None else _rendered(page, wanted.dpi, wanted.image, part)
        with self._with_annotations(page, wanted.number) as shown:
            for each in {id(page): page, id(shown): shown}.values():
                self._without_hidden_layers(each, wanted.number)
            try:
                textpage = shown.get_textpage()
            except pypdfium2.PdfiumError:
                return _response(header | {"damaged": True})
            own = textpage if shown is page else page.get_textpage()
            drawn_over_from = None if shown is page else raw.FPDFText_CountChars(own)
            read = read_text(textpage, within=_box(page, part), drawn_over_from=drawn_over_from)
            found = [] if part else [*undrawn, *comments(page, own)]
            if wanted.number == 1 and not part:
                found += attached_files(self._document)
            full = "\n".join(filter(None, (read, *found)))
            hidden = [] if part else hidden_text(page, own, _box(page, None))
            header |= {"has_text_layer": bool(read or undrawn), "hidden": hidden}
            text = _cut(full[wanted.first_character - 1 :], wanted.max_text_bytes) if full.strip() else b""
            header |= {"characters": len(full), "unreadable": is_unreadable(full)}
            header |= {"figures": wanted.image is not None and has_figures(page)}
            if wanted.image is None or image is None:
                return _response(header, text)
            is_sent = True
            # A region is not checked: a read of the whole page reports missing fonts.
            if part is None:
                header |= _flaws(image, shown, textpage, has_text=header["has_text_layer"])
                is_blank = header["blank"] or _is_uniform(image)
                # Without any text, an incomplete image is better than nothing.
                is_complete = not (header["has_text_layer"] and header["missing_fonts"])
                is_sent = is_complete and (wanted.is_blank_drawn or not is_blank)
        if not is_sent:
            return _response(header, text)
        encoded = encode(image, image.size, wanted.image, is_lossy=True)
        return _response(header, text, encoded)


def _flaws(
    image: Any, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, *, has_text: bool
) -> dict[str, Any]:
    """Return the header fields for what is missing in the image of a page: fonts, or everything."""
    if not has_text:
        missing = fonts_without_characters(page)
        return {"missing_fonts": missing, "blank": not missing and _is_uniform(image)}
    missing = missing_fonts(page, textpage, image)
    if not missing and min(image.size) >= _LEAST_EDGE and _is_uniform(image) and has_visible_text(textpage):
        missing = ["unknown"]
    return {"missing_fonts": missing}


def _response(header: dict[str, Any], text: bytes = b"", encoded: Encoded = _NO_IMAGE) -> PageResponse:
    """Return a response that has all header fields."""
    defaults: dict[str, Any] = {"blank": False, "characters": 0, "unreadable": False, "has_text_layer": False}
    defaults |= {"width_points": 1, "height_points": 1, "hidden": [], "label": "", "figures": False}
    about = {"media_type": encoded.media_type, "width": encoded.width, "height": encoded.height}
    return PageResponse(defaults | header | about | {"text_bytes": len(text)}, text, encoded.data)


def _opened(data: bytes, passwords: list[str]) -> pypdfium2.PdfDocument:
    for password in (None, *map(str, passwords)):
        secret = None if password is None else password.encode("utf-8", "replace") + b"\0"
        handle = raw.FPDF_LoadMemDocument64(data, len(data), secret)
        if handle and raw.FPDF_GetPageCount(handle) > 0:
            document = pypdfium2.PdfDocument(handle)
            # Before the first page is loaded, or form fields are not drawn. They are optional.
            with suppress(pypdfium2.PdfiumError):
                document.init_forms()
            return document
        if handle:
            # This is no error for pdfium, whose last error may be that of an earlier file.
            raw.FPDF_CloseDocument(handle)
            raise RefusalError.damaged(_NO_PAGES)
        error = raw.FPDF_GetLastError()
        if error == raw.FPDF_ERR_SECURITY:
            raise RefusalError.unsupported()
        if error != raw.FPDF_ERR_PASSWORD:
            raise RefusalError.damaged("it cannot be read as a PDF")
    raise RefusalError.password()


def _page_count(document: pypdfium2.PdfDocument, size_bytes: int) -> int:
    """Return the number of pages: what the file declares, or what is found if that cannot be true."""
    size = raw.FS_SIZEF()

    def is_missing(index: int) -> bool:
        return not raw.FPDF_GetPageSizeByIndexF(document, index, size)

    count = len(document)
    # pdfium believes any count. Finding the last page of an honest file means parsing all of its pages.
    if count <= size_bytes // _LEAST_PAGE_BYTES or not is_missing(count - 1):
        return count
    return bisect_left(range(count), True, key=is_missing)  # noqa: FBT003 - the value that is searched


def _cut(text: str, max_bytes: int) -> bytes:
    """Encode a text as UTF-8 and cut it between two characters to a maximum size."""
    data = text.encode("utf-8", "replace")
    if len(data) > max_bytes:
        data = data[:max_bytes].decode("utf-8", "ignore").encode()
    return data


def _box(page: pypdfium2.PdfPage, part: Box | None) -> tuple[float, float, float, float]:
    """Return the left, bottom, right and top edge of a part of a page in the file's coordinates."""
    if part is None:
        left, bottom, right, top = page.get_bbox()
        return left, bottom, right, top
    width, height = (max(1, round(size * _TENTHS)) for size in page.get_size())
    x, y = ctypes.c_double(), ctypes.c_double()
    corners = []
    for across, down in ((part[0], part[1]), (part[0] + part[2], part[1] + part[3])):
        # The page may be rotated, and its corner need not be at (0, 0).
        raw.FPDF_DeviceToPage(page, 0, 0, width, height, 0, across * _TENTHS, down * _TENTHS, x, y)
        corners.append((x.value, y.value))
    (left, right), (bottom, top) = (sorted(edges) for edges in zip(*corners, strict=True))
    return left, bottom, right, top


def _rendered(page: pypdfium2.PdfPage, dpi: int | None, wanted: Wanted, part: Box | None) -> Any:
    """Draw a page or a part of it at the requested resolution, or a lower one that the model accepts."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        return None
    x, y, across, down = part or (0, 0, width, height)
    dots = (dpi or _full_dpi(wanted)) * (1 if part is None else _REGION_SCALE) / 72
    requested = max(1, round(across * dots)), max(1, round(down * dots))
    columns, rows = wanted._replace(
        max_view_pixels=_smaller(wanted.max_view_pixels, wanted.max_pixels)
    ).fitted_size(*requested)
    # Filling the buffer here and using four bytes per pixel are faster than pdfium's alternatives.
    stride = columns * 4
    buffer = ctypes.create_string_buffer(stride * rows)
    ctypes.memset(buffer, 0xFF, len(buffer))
    bitmap = raw.FPDFBitmap_CreateEx(columns, rows, raw.FPDFBitmap_BGRx, buffer, stride)
    if not bitmap:
        raise MemoryError
    # The position and size of the whole page relative to the bitmap, which contains only the part.
    wide, high = columns / across, rows / down
    position = round(-x * wide), round(-y * high), round(width * wide), round(height * high)
    flags = raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
    raw.FPDF_RenderPageBitmap(bitmap, page, *position, 0, flags)
    if page.formenv:
        raw.FPDF_FFLDraw(page.formenv, bitmap, page, *position, 0, flags)
    raw.FPDFBitmap_Destroy(bitmap)
    return of_pixels(buffer, columns, rows)


def _full_dpi(wanted: Wanted) -> int:
    """Return the resolution at which a page fills the model's maximum size; small pages stay smaller."""
    has_edge = wanted.max_edge is not None or getattr(wanted.formula, "max_edge", None) is not None
    return _BOUNDED_DPI if has_edge else _UNBOUNDED_DPI


def _smaller(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _is_uniform(image: Any) -> bool:
    # Stops at the second color.
    return image.getcolors(1) is not None


def warm() -> None:
    """Draw a page with fonts of every kind, so that later jobs open nothing but font files."""
    wanted = Wanted(
        media_types=("image/jpeg", "image/png"),
        max_bytes=None,
        max_edge=64,
        max_view_pixels=None,
        max_pixels=1 << 20,
        jpeg_quality=80,
    )
    pdf = PdfFile(_sample(), passwords=[])
    for media_type in wanted.media_types:
        image = wanted._replace(media_types=(media_type,))
        pdf.page(WantedPage(number=1, max_text_bytes=1_000, dpi=50, image=image))
    pdf.close()
    with suppress(RefusalError):
        PdfFile(b"%PDF-1.4 no document", passwords=["a"])


def _sample() -> bytes:
    """Return a PDF with fonts that are not in the file: one built into pdfium, others that it looks for."""
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

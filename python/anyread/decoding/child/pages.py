"""PDF documents, inside a decoder: text and images of their pages.

pdfium is not safe for threads, not even over several documents; a decoder has one of each.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pypdfium2
from pypdfium2 import raw

from anyread.decoding.protocol import field

from . import images
from .damage import RefusalError
from .fonts import has_visible_text, missing_fonts
from .page_text import draws_annotations, is_unreadable, read_text, undrawn_text

if TYPE_CHECKING:
    from collections.abc import Iterator


_BOUNDED_DPI: Final = 200
"""Dots per inch of a page for a model with a longest edge, which most pages then reach."""
_UNBOUNDED_DPI: Final = 142
"""The same for other models: it fills 1,568 pixels by US letter, at which small print can be read."""
_REGION_SCALE: Final = 3
"""How many times finer than a page a part of it may be drawn."""
_TENTHS: Final = 10


class WantedPage(NamedTuple):
    """A page, and what to give of it."""

    number: int
    max_text_bytes: int
    dpi: int | None
    """Dots per inch of its image; `None`: as many as the model sees."""
    picture: images.Wanted | None
    """What the model takes; `None`: no image is wanted."""
    first_character: int = 1
    """From which character of its text on, counted from 1."""
    region: images.Box | None = None
    """The part of it: x, y, width and height in points from its top left corner; `None`: all of it."""
    is_blank_drawn: bool = False
    """Whether a page with nothing on it has an image too."""

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> WantedPage:
        """Read it from a job."""
        has_picture = field(header, "picture", bool)
        return cls(
            field(header, "number", int),
            field(header, "max_text_bytes", int),
            None if header["dpi"] is None else field(header, "dpi", int),
            images.Wanted.from_header(header) if has_picture else None,
            field(header, "first_character", int),
            None if header["region"] is None else tuple(field(header, "region", list)),
            field(header, "blank", bool),
        )


class PageAnswer(NamedTuple):
    """What there is of a page; both contents may be empty."""

    header: dict[str, Any]
    text: bytes
    picture: bytes


class PdfFile:
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
        """Return the answer to the opening."""
        encrypted = raw.FPDF_GetSecurityHandlerRevision(self._document) >= 0
        return {"pages": len(self._document), "encrypted": encrypted}

    def page(self, wanted: WantedPage) -> PageAnswer:
        """Return one page; a damaged one has neither text nor image and says so."""
        header: dict[str, Any] = {"number": wanted.number, "damaged": False, "missing_fonts": []}
        try:
            page = self._document[wanted.number - 1]
        except pypdfium2.PdfiumError:
            return PageAnswer(_described(header | {"damaged": True}), b"", b"")
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
        """Return the page whose text layer includes form values and annotations.

        Flattening makes their appearances part of the page's content, in their place. It happens in a
        second copy of the document, because a flattened highlight would cover the text in an image.
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

    def _shown(self, page: pypdfium2.PdfPage, wanted: WantedPage, header: dict[str, Any]) -> PageAnswer:
        width, height = page.get_size()
        header |= {"blank": raw.FPDFPage_CountObjects(page) <= 0 and raw.FPDFPage_GetAnnotCount(page) <= 0}
        header |= {"width_points": max(1, round(width)), "height_points": max(1, round(height))}
        part = images.clipped(wanted.region, header["width_points"], header["height_points"])
        picture = None if wanted.picture is None else _rendered(page, wanted.dpi, wanted.picture, part)
        undrawn = undrawn_text(page)
        with self._with_annotations(page, wanted.number) as shown:
            try:
                textpage = shown.get_textpage()
            except pypdfium2.PdfiumError:
                return PageAnswer(_described(header | {"damaged": True}), b"", b"")
            drawn_over_from = None if shown is page else raw.FPDFText_CountChars(page.get_textpage())
            read = read_text(textpage, within=_box(page, part), drawn_over_from=drawn_over_from)
            full = "\n".join(filter(None, (read, *([] if part else undrawn))))
            text = _cut(full[wanted.first_character - 1 :], wanted.max_text_bytes) if full.strip() else b""
            header |= {"characters": len(full), "unreadable": is_unreadable(full)}
            if wanted.picture is None or picture is None:
                return PageAnswer(_described(header, text), text, b"")
            is_sent = True
            # A part is shown as it is: a read of the whole page tells which fonts it lacks.
            if part is None:
                header |= _seen(picture, shown, textpage, has_text=bool(full.strip()))
                is_blank = header["blank"] or _is_uniform(picture)
                is_sent = not header["missing_fonts"] and (wanted.is_blank_drawn or not is_blank)
        if not is_sent:
            return PageAnswer(_described(header, text), text, b"")
        encoded = images.encode(picture, picture.size, wanted.picture, is_lossy=True)
        return PageAnswer(_described(header, text, encoded), text, encoded.data)


def _seen(
    picture: Any, page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage, *, has_text: bool
) -> dict[str, Any]:
    """Tell what the image of a page lacks: fonts, or anything at all."""
    if not has_text:
        return {"blank": True} if _is_uniform(picture) else {}
    missing = missing_fonts(page, textpage, picture)
    if not missing and _is_uniform(picture) and has_visible_text(textpage):
        missing = ["unknown"]
    return {"missing_fonts": missing}


def _described(
    header: dict[str, Any], text: bytes = b"", encoded: images.Encoded | None = None
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
    """Encode a text and cut it to a number of bytes between two characters."""
    data = text.encode("utf-8", "replace")
    if len(data) > max_bytes:
        data = data[:max_bytes].decode("utf-8", "ignore").encode()
    return data


def _box(page: pypdfium2.PdfPage, part: images.Box | None) -> tuple[float, float, float, float]:
    """Return the left, bottom, right and top edge of a part of a page, as the file counts them."""
    if part is None:
        left, bottom, right, top = page.get_bbox()
        return left, bottom, right, top
    width, height = (max(1, round(size * _TENTHS)) for size in page.get_size())
    x, y = ctypes.c_double(), ctypes.c_double()
    corners = []
    for across, down in ((part[0], part[1]), (part[0] + part[2], part[1] + part[3])):
        # The page may be turned, and its corner need not be at (0, 0).
        raw.FPDF_DeviceToPage(page, 0, 0, width, height, 0, across * _TENTHS, down * _TENTHS, x, y)
        corners.append((x.value, y.value))
    (left, right), (bottom, top) = (sorted(edges) for edges in zip(*corners, strict=True))
    return left, bottom, right, top


def _rendered(
    page: pypdfium2.PdfPage, dpi: int | None, wanted: images.Wanted, part: images.Box | None
) -> Any:
    """Draw a page or a part of it in the resolution requested, or the lower one that the model takes."""
    width, height = page.get_size()
    if width <= 0 or height <= 0:
        return None
    x, y, across, down = part or (0, 0, width, height)
    dots = (dpi or _full_dpi(wanted)) * (1 if part is None else _REGION_SCALE) / 72
    asked = max(1, round(across * dots)), max(1, round(down * dots))
    columns, rows = wanted._replace(
        max_view_pixels=_smaller(wanted.max_view_pixels, wanted.max_pixels)
    ).fitted_size(*asked)
    # White from the start, and four bytes a pixel: both are faster than what pdfium has for it.
    stride = columns * 4
    buffer = ctypes.create_string_buffer(stride * rows)
    ctypes.memset(buffer, 0xFF, len(buffer))
    bitmap = raw.FPDFBitmap_CreateEx(columns, rows, raw.FPDFBitmap_BGRx, buffer, stride)
    if not bitmap:
        raise MemoryError
    # Where the whole page would be, of which the bitmap holds the part.
    wide, high = columns / across, rows / down
    place = round(-x * wide), round(-y * high), round(width * wide), round(height * high)
    flags = raw.FPDF_ANNOT | raw.FPDF_REVERSE_BYTE_ORDER
    raw.FPDF_RenderPageBitmap(bitmap, page, *place, 0, flags)
    if page.formenv:
        raw.FPDF_FFLDraw(page.formenv, bitmap, page, *place, 0, flags)
    raw.FPDFBitmap_Destroy(bitmap)
    return images.of_pixels(buffer, columns, rows)


def _full_dpi(wanted: images.Wanted) -> int:
    """Return the resolution that fills what the model sees; pages that are smaller are not blown up to it."""
    has_edge = wanted.max_edge is not None or getattr(wanted.formula, "max_edge", None) is not None
    return _BOUNDED_DPI if has_edge else _UNBOUNDED_DPI


def _smaller(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _is_uniform(picture: Any) -> bool:
    # Ends at the second color that it meets.
    return picture.getcolors(1) is not None


def warm() -> None:
    """Draw pages with fonts of every kind once, so that nothing but a font's file is left to be opened."""
    wanted = images.Wanted(("image/jpeg", "image/png"), None, 64, None, 1 << 20, 80)
    document = PdfFile(_sample(), passwords=[])
    for media_type in wanted.media_types:
        picture = wanted._replace(media_types=(media_type,))
        document.page(WantedPage(1, 1_000, 50, picture))
    document.close()
    with suppress(RefusalError):
        PdfFile(b"%PDF-1.4 no document", passwords=["a"])


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

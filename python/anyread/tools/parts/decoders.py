"""Images and PDFs for contracts: fit images to a model, count and read the pages of PDFs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from anyread.arguments.request import Request, checked
from anyread.errors import DamagedFileError
from anyread.formats import read_opened
from anyread.models.model import Model
from anyread.running.calls import with_decoder

if TYPE_CHECKING:
    from collections.abc import Container

    from anyread.arguments.limits import Limits
    from anyread.decoding.host.decoder import Subject
    from anyread.decoding.host.fitting import FittedImage
    from anyread.decoding.host.pdf import DecodedPage, OpenPdf
    from anyread.reading.open_file import OpenFile
    from anyread.results.pdf import PdfPages


def fit(
    file: OpenFile,
    model: Model,
    *,
    data: bytes | None = None,
    media_type: str | None = None,
    original: Literal["plain", "sound", "never"] = "plain",
    **limits: Any,
) -> FittedImage:
    """Decode an image completely and fit it to a model; `.image` is the block to send.

    Args:
        file: The image, or the file that it comes from.
        model: What the image must fit: `image_types`, `max_image_bytes`, `max_long_edge`, …
        data: An encoded image, used instead of the file's bytes.
        media_type: The media type for error messages; `None`: that of the file.
        original: When the image may be sent unchanged, as in `decoding.host.fitting.wanted`.
        limits: The limits that differ from the reader's.
    """
    chosen = replace(file.reader.limits, **limits)
    size_bytes = file.size_bytes if data is None else len(data)
    # First: on an event loop it moves the call to a thread, in which modules may be loaded.
    subject = _subject(file, chosen, media_type or file.media_type, size_bytes)
    from anyread.decoding.host.fitting import fitting, wanted
    from anyread.decoding.host.pool import shared_pool

    job = wanted(model, chosen, original=original)
    if data is not None:
        return fitting(shared_pool(), subject, job, data=data)
    return fitting(shared_pool(), subject, job, descriptor=file.opened.fileno())


def _subject(file: OpenFile, limits: Limits, media_type: str, size_bytes: int) -> Subject:
    """Describe a file for a decoder; from here on the call runs in a thread that may wait for decoders."""
    with_decoder(file.target)
    from anyread.decoding.host.decoder import Subject

    return Subject(
        file.path, media_type=media_type, size_bytes=size_bytes, limits=limits, rules=file.opened.rules
    )


def intact_image(
    file: OpenFile, model: Model | None, data: bytes, media_type: str, accepted: Container[str]
) -> tuple[bytes, str, FittedImage]:
    """Check that an image can be decoded; it is converted only if its format or the host requires it.

    Args:
        file: The image.
        model: What the image must fit; `None`: the host has not set it.
        data: Its bytes.
        media_type: Its media type by its name.
        accepted: The media types that the contract sends.

    Returns:
        The bytes to send, their media type, and the decoded image.

    Raises:
        DamagedFileError: It cannot be decoded, or is truncated.
    """
    fitted = fit(file, model or Model(), data=data, media_type=media_type, original="sound")
    if fitted.is_repaired:
        raise DamagedFileError(file.path, media_type=media_type, reason="it is truncated")
    found = f"image/{fitted.format.lower()}"
    if model is None and found in accepted:
        return data, found, fitted
    return fitted.image.data, fitted.image.media_type, fitted


def pdf_excess(model: Model | None, page_count: int, size_bytes: int) -> tuple[int, int, str] | None:
    """Return what a PDF has too much of, for a model: how many, the model's limit, and the unit."""
    if model is not None:
        for size, maximum, unit in (
            (page_count, model.max_pdf_pages, "pages"),
            (size_bytes, model.max_pdf_bytes, "bytes"),
        ):
            if maximum is not None and size > maximum:
                return size, maximum, unit
    return None


def open_pdf(file: OpenFile, limits: Limits, passwords: tuple[str, ...] = ()) -> OpenPdf:
    """Open a PDF in a decoder; the caller must `close` it, which releases the decoder."""
    subject = _subject(file, limits, file.media_type, file.size_bytes)
    from anyread.decoding.host.pdf import OpenPdf
    from anyread.decoding.host.pool import shared_pool

    return OpenPdf.open(shared_pool(), subject, file.opened.fileno(), passwords)


def count_pages(file: OpenFile, passwords: tuple[str, ...] = ()) -> tuple[int, bool]:
    """Return how many pages a PDF has, and whether it is encrypted."""
    pdf = open_pdf(file, file.reader.limits, passwords)
    try:
        pdf.rest()
        return pdf.page_count, pdf.is_encrypted
    finally:
        pdf.close()


def rendered_pages(
    file: OpenFile, numbers: range, model: Model | None, limits: Limits
) -> tuple[int, list[DecodedPage]]:
    """Decode pages of a PDF.

    Args:
        file: The PDF.
        numbers: The numbers of the pages; those that it does not have are left out.
        model: What the images of pages must fit; `None`: only text.
        limits: The limits; the time for decoding starts again when it is used up.

    Returns:
        How many pages the PDF has, and the decoded pages.

    Raises:
        DamagedFileError: A page cannot be read, or there is none.
    """
    from anyread.decoding.host.fitting import wanted

    image = None if model is None else wanted(model, limits)
    pages: list[DecodedPage] = []
    left, count = numbers, 0
    while left:
        pdf = open_pdf(file, limits, file.reader.passwords)
        try:
            count = pdf.page_count
            left = range(left.start, min(left.stop, count + 1))
            if len(left) > 1:
                pdf.widen()
            stream = pdf.pages(left, image=image, limits=limits, is_blank_drawn=True)
            start = len(pages)
            while stream and (len(pages) == start or pdf.may_start_page):
                pages.append(stream.take())
            pdf.rest()
        finally:
            pdf.close()
        left = left[len(pages) - start :]
        damaged = [page.number for page in pages if page.is_damaged]
        if damaged or not pages:
            reason = f"page {damaged[0]} cannot be read" if damaged else "it has no pages"
            raise DamagedFileError(file.path, media_type="application/pdf", reason=reason)
    return count, pages


def read_media(file: OpenFile, request: Request, *, model: Model, **limits: Any) -> Any:
    """Read an image, a PDF or a notebook as the reader does: an `ImageView`, `PdfPages` or `NotebookPage`.

    Args:
        file: The file; its content determines which of these it is.
        request: The arguments of the read.
        model: What the model accepts.
        limits: The limits that differ from the reader's.

    Raises:
        NoNotebookError: The file was detected as a notebook, but is none.
    """
    how = file.reader._replace(limits=replace(file.reader.limits, **limits), model=model, in_strips=False)
    return read_opened(file.opened, request, how, file.target)


def read_pdf(file: OpenFile, *, pages: str | None, model: Model, **limits: Any) -> PdfPages:
    """Read pages of a PDF: their text, and images if the model accepts them.

    Args:
        file: The PDF, which may be one by its name only.
        pages: "3", "1-5" or "2-"; `None`: from the first page.
        model: What the pages must fit: text or images, or the file itself with "pdf" in `inputs`.
        limits: The limits that differ from the reader's: `max_pdf_pages`, `dpi`, `max_tokens`, …
    """
    result: PdfPages = read_media(file, checked(file.path, pages=pages, kind="pdf"), model=model, **limits)
    return result

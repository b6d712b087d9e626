"""Images, PDFs, audio and video that contracts send: as they are, or checked and fitted to a model."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from anyread._native import b64encode
from anyread.arguments.request import Request, checked
from anyread.errors import DamagedFileError, TooLargeError
from anyread.formats import read_opened
from anyread.models.model import Model
from anyread.results import TextBlock
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.running.calls import with_decoder
from anyread.values import replaced

if TYPE_CHECKING:
    from collections.abc import Container

    from anyread.arguments.limits import Limits
    from anyread.decoding.host.decoder import Subject
    from anyread.decoding.host.fitting import FittedImage
    from anyread.decoding.host.pdf import DecodedPage, OpenPdf
    from anyread.reading.open_file import OpenFile
    from anyread.results import Block
    from anyread.results.pdf import PdfPages

    from .contract import Context, Refusal

PDF: Final = "application/pdf"
SVG: Final = "image/svg+xml"


class Encoded(str):
    """The base64 or data URL of an attachment, with its block, so that nothing is decoded twice."""

    __slots__ = ("block",)
    block: Block


def encoded(data: bytes, media_type: str, *, block: Block | None = None, as_url: bool = False) -> Encoded:
    """Encode an attachment; this may take long.

    Args:
        data: Its bytes.
        media_type: Its media type.
        block: Its block, if that does not follow from its bytes.
        as_url: Whether to return a data URL.
    """
    text = b64encode(data)
    result = Encoded(f"data:{media_type};base64,{text}" if as_url else text)
    result.block = block or attachment_block(media_type, data, "document.pdf")
    return result


def prepared(block: ImageBlock | DocumentBlock) -> Encoded:
    """Return the base64 of a block."""
    result = Encoded(block.base64)
    result.block = block
    return result


class Attachment(NamedTuple):
    """A file as it is sent."""

    media_type: str
    """Its media type; an image may have been converted."""
    base64: Encoded
    """Its bytes, as base64 or as a data URL."""


def attachment(
    context: Context[Any],
    file: OpenFile,
    media_type: str,
    *,
    kind: str,
    unseen: Refusal | None = None,
    as_url: bool = False,
) -> Attachment:
    """Return a file as an attachment, and record the read.

    An image is decoded, and fitted to the host's model if it has set one; a PDF is opened. Audio, video and
    SVG are sent unchanged, and so is everything if the host does not validate media.

    Args:
        context: What the host has set.
        file: The file.
        media_type: What the contract takes the file for.
        kind: The kind of the record in the session, as in `Context.note`.
        unseen: What is raised if the model does not accept images, or PDFs; `None`: they are sent.
        as_url: Whether to return a data URL.

    Raises:
        Refusal: `unseen`.
        TooLargeError: The file exceeds the reader's limit for its kind.
        ReadError: It cannot be decoded, or the model does not accept it.
    """
    if unseen is not None and kind in {"image", "pdf"} and context.sees(kind) is False:
        raise unseen
    limits = context.reader.limits
    is_image = media_type.startswith("image/")
    maximum = limits.max_image_file_bytes if is_image else limits.max_pdf_file_bytes
    if file.size_bytes > maximum:
        raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
    if context.validate_media and is_image and media_type != SVG:
        image = fit(file, context.model or Model(), original="sound").image
        media_type, data = image.media_type, image.data
    else:
        if context.validate_media and media_type == PDF:
            count_pages(file, context.reader.pdf_passwords)
        data = file.read(maximum)
    found = file.work(partial(encoded, data, media_type, as_url=as_url), len(data))
    context.note(file, kind=kind, form="visual", media_type=media_type)
    return Attachment(media_type, found)


_NESTED: Final = ("inlineData", "resource", "source")
_TYPE_NAMES: Final = ("mimeType", "media_type", "mediaType", "mime_type")
_DATA_NAMES: Final = ("data", "base64", "blob")


def blocks_of(
    output: Any, key: str = "", *, name: str = "document.pdf", empty: str | None = None
) -> list[Block]:
    """Convert an answer to blocks; empty texts are left out.

    Args:
        output: What `contract.thrown` returned, an object with parts under a key, or the parts themselves:
            texts, and objects with a text, a data URL, or a media type and base64, under any of the names
            that contracts have for these. A single part need not be in a list.
        key: The key.
        name: The name of a document.
        empty: What is shown if nothing else is; `None`: nothing.
    """
    if isinstance(output, dict):
        output = output["error"] if isinstance(output.get("error"), str) else output[key]
    parts = [output] if isinstance(output, str | dict) else output
    objects = [{"text": part} if isinstance(part, str) else part for part in parts]
    found = [_block_of(part, name) for part in objects if part.get("text") != ""]
    return found or ([] if empty is None else [TextBlock(empty)])


def _block_of(part: Any, name: str) -> Block:
    if "text" in part:
        return TextBlock(part["text"])
    if "url" in part:
        return encoded_block("", part["url"], name)
    source = next((part[each] for each in _NESTED if each in part), part)
    media_type = next(source[each] for each in _TYPE_NAMES if each in source)
    return encoded_block(media_type, next(source[each] for each in _DATA_NAMES if each in source), name)


def encoded_block(media_type: str, text: str, name: str) -> Block:
    """Return the block of an attachment in base64, or in a data URL if `media_type` is empty.

    It is known if the answer is the object that `Tool.call` returned; otherwise, the text is decoded.
    """
    if isinstance(text, Encoded):
        block = text.block
        return replaced(block, name=name) if isinstance(block, DocumentBlock) else block
    if not media_type:
        media_type, _, text = text.removeprefix("data:").partition(";base64,")
    return attachment_block(media_type, b64decode(text), name)


def attachment_block(media_type: str, data: bytes, name: str) -> Block:
    """Convert an attachment to a block of a message: a text, if there is no block for its type."""
    try:
        if media_type == PDF:
            # The number of pages is not part of an answer, and a document has at least one.
            return DocumentBlock.from_bytes(data, name=name, page_count=1)
        if media_type == SVG:
            return TextBlock(data.decode("utf-8", "replace").strip() or "[empty SVG]")
        if media_type.startswith("image/"):
            return ImageBlock.from_bytes(data)
        reason = "this type of file is not shown"
    except ValueError as error:
        # Without validation, the data may be anything.
        reason = str(error)
    return TextBlock(f"[{media_type} of {len(data):,} bytes: {reason}]")


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
            raise DamagedFileError(file.path, media_type=PDF, reason=reason)
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

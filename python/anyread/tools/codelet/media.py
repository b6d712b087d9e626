"""Pictures and PDFs of codelet, as the JSON that carries them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from anyread._native import b64encode
from anyread.decoding.host.fitting import wanted
from anyread.errors import DamagedFileError, TooLargeError
from anyread.model import Model
from anyread.tools.decoders import fit, open_document

from .detection import header_size

if TYPE_CHECKING:
    from anyread.decoding.host.document import DecodedPage
    from anyread.running.effects import Steps
    from anyread.tools.files import File
    from anyread.tools.profile import Context

MAX_BASE64_BYTES: Final = 5 * 1024 * 1024
"""Bytes of a picture in base64, the last included."""
MAX_IMAGE_BYTES: Final = MAX_BASE64_BYTES // 4 * 3
"""Bytes of a picture file that come to as many: four characters stand for every three bytes begun."""
MAX_EDGE_PIXELS: Final = 5999
"""Pixels of either edge of a PNG or JPEG."""
_DPI: Final = 150
_MAX_PAGE_TEXT_BYTES: Final = 16 * 1024 * 1024
_TIME_PART: Final = 0.5
"""Part of the time for decoding after which no page is begun; it begins anew for the next pages."""

Json = dict[str, Any]


class RefusalError(Exception):
    """An answer of the contract that says why a file cannot be shown."""


def image(context: Context[Any], file: File, path: str, media_type: str) -> Steps[Json]:
    """Give a picture as it is, if it decodes.

    Raises:
        RefusalError: It is over a limit of the contract.
        ReadError: Validation is on, and it does not decode.
    """
    if file.size_bytes > MAX_IMAGE_BYTES:
        raise RefusalError(too_large_image(path, file.size_bytes))
    data = yield from file.read(MAX_IMAGE_BYTES)
    width, height = header_size(data) or (0, 0)
    if max(width, height) > MAX_EDGE_PIXELS:
        raise RefusalError(
            f"Image pixel dimensions exceed limit: {path}\n"
            f"Dimensions: {width}x{height} (limit: {MAX_EDGE_PIXELS}px on any side)\n"
            f"Suggestions:\n  macOS: sips -Z 4000 {path}\n  Linux: convert -resize 4000x4000 {path}"
        )
    if context.sees("image") is False:
        raise RefusalError(f"Unsupported file type: {media_type} (the model takes no pictures)")
    if context.validate_media:
        shown = (yield from fit(file, context.model or Model(), original="sound")).image
        data, media_type = shown.data, shown.media_type
    return {"type": "image", "data": b64encode(data), "media_type": media_type}


def too_large_image(path: str, size_bytes: int) -> str:
    """Word the refusal of a picture file that has too many bytes, and what to do about it."""
    base64_mib = -(-size_bytes // 3) * 4 / 1024 / 1024
    return (
        f"File too large: {size_bytes} bytes (max: {MAX_IMAGE_BYTES})\n"
        f"{path} takes {base64_mib:.1f} MB in base64 (limit: {MAX_BASE64_BYTES / 1024 / 1024:.1f} MB): "
        "resize the picture, for example with `convert` or `sips`, and read the smaller copy."
    )


def pdf(context: Context[Any], file: File) -> Steps[Json]:
    """Give each page of a PDF as its text and a picture of it.

    Raises:
        ReadError: It cannot be opened, or a page cannot be read.
    """
    maximum = context.reader.limits.max_pdf_file_bytes
    if file.size_bytes > maximum:
        raise TooLargeError(file.path, size=file.size_bytes, maximum=maximum, unit="bytes")
    model = context.model or Model()
    left = model.max_images if context.sees("image") is not False else 0
    pages: list[Json] = []
    count = None
    while count is None or len(pages) < count:
        count, some = yield from _pages(context, file, len(pages) + 1, pictures=left)
        pages += map(_page, some)
        if left is not None:
            left -= sum(page.image is not None for page in some)
    return {"type": "pdf", "pages": pages}


def _pages(
    context: Context[Any], file: File, first: int, *, pictures: int | None
) -> Steps[tuple[int, list[DecodedPage]]]:
    """Have pages decoded from `first` on, as many as the time for decoding allows, and at least one.

    Args:
        context: The host's.
        file: The PDF.
        first: The number of the first page.
        pictures: How many pictures the model takes still; `None`: any number.
    """
    # PNG, which the tool writes: what a page shows is drawn, and stays sharp.
    model = replace(context.model or Model(), image_types=("image/png",))

    limits = replace(file.reader.limits, dpi=_DPI, max_bytes=_MAX_PAGE_TEXT_BYTES)
    document = yield from open_document(file, limits, context.reader.pdf_passwords)
    try:
        last = document.page_count if pictures is None else min(document.page_count, first + pictures - 1)
        picture: Json | None = wanted(model, limits)
        if pictures == 0:
            last, picture = document.page_count, None
        numbers = range(first, last + 1)
        if len(numbers) > 1:
            yield from document.widen()
        stream = document.pages(numbers, picture=picture, limits=limits, is_blank_drawn=True)
        pages: list[DecodedPage] = []
        while stream and (not pages or document.time_left > _TIME_PART):
            pages.append((yield from stream.take()))
        yield from document.rest()
    finally:
        document.close()
    damaged = [page.number for page in pages if page.is_damaged]
    if damaged or not pages:
        reason = f"page {damaged[0]} cannot be read" if damaged else "it has no pages"
        raise DamagedFileError(file.path, media_type="application/pdf", reason=reason)
    return document.page_count, pages


def _page(page: DecodedPage) -> Json:
    picture = page.image
    shown = picture and {"data": b64encode(picture.data), "media_type": picture.media_type}
    return {"page_number": page.number, "text": page.text, "image": shown}

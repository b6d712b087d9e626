"""PDFs in the decoders: how many pages there are, whether the file is sound, and pictures of pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread._native import b64encode
from anyread.decoding.host.fitting import wanted
from anyread.errors import DamagedFileError, PasswordRequiredError, UnsupportedFormatError
from anyread.tools.decoders import count_pages, open_document

from .answers import Json, image_item, text_item
from .pictures import Picture, within

if TYPE_CHECKING:
    from anyread.decoding.host.document import DecodedPage
    from anyread.running.effects import Steps
    from anyread.tools.files import File

    from .arguments import PageRange
    from .pictures import Caps

_UNREADABLE: Final = (DamagedFileError, PasswordRequiredError, UnsupportedFormatError)
"""What is raised of a file that is no PDF that can be opened."""
_DPI: Final = 100
_QUALITY: Final = 80
_TIME_PART: Final = 0.5
"""Part of the time for decoding after which no page is begun; it begins anew for the next pages."""


class Count(NamedTuple):
    """What is known of a document before its pages are looked at."""

    pages: int | None
    """How many it has; `None`: it cannot be opened."""
    is_encrypted: bool
    """Whether it is encrypted, with a password or without."""


def counted(file: File, passwords: tuple[str, ...]) -> Steps[Count]:
    """Count the pages of a PDF."""
    try:
        pages, is_encrypted = yield from count_pages(file, passwords)
    except _UNREADABLE as error:
        return Count(None, is_encrypted=not isinstance(error, DamagedFileError))
    return Count(pages or None, is_encrypted)


def first_damaged(file: File, pages: int, passwords: tuple[str, ...]) -> Steps[int | None]:
    """Look at each page, as a model's API will; the first that is damaged, or `None`."""
    limits = file.reader.limits
    document = yield from open_document(file, limits, passwords)
    try:
        stream = document.pages(range(1, pages + 1), picture=None, limits=limits)
        while stream:
            page = yield from stream.take()
            if page.is_damaged:
                return page.number
        yield from document.rest()
        return None
    finally:
        document.close()


def drawn(
    file: File, asked: PageRange, caps: Caps, *, detail: str | None, passwords: tuple[str, ...]
) -> Steps[list[Json]]:
    """Draw pages, each within the bytes of the model.

    A page whose fonts are neither in the file nor here would show nothing true: it stands as its text.

    Args:
        file: The PDF.
        asked: The pages.
        caps: What pictures must keep to.
        detail: The `detail` of pictures, if the host has set one.
        passwords: What to try if it is encrypted.

    Raises:
        Refusal: A picture is over the bytes of the model.
        ReadError: The file, or one of the pages, cannot be drawn.
    """
    items: list[Json] = []
    while asked.first + len(items) <= asked.last:
        begin = asked.first + len(items)
        for page in (yield from _drawing(file, range(begin, asked.last + 1), caps, passwords)):
            item = yield from _item(file, page, caps, detail)
            items.append(item)
    return items


def _drawing(file: File, numbers: range, caps: Caps, passwords: tuple[str, ...]) -> Steps[list[DecodedPage]]:
    """Draw as many pages as the time for decoding allows, and at least the first."""
    limits = replace(file.reader.limits, dpi=_DPI, jpeg_quality=_QUALITY)
    document = yield from open_document(file, limits, passwords)
    try:
        if len(numbers) > 1:
            yield from document.widen()
        picture = wanted(caps.taking("image/jpeg"), limits)
        stream = document.pages(numbers, picture=picture, limits=limits, is_blank_drawn=True)
        pages: list[DecodedPage] = []
        while stream and (not pages or document.time_left > _TIME_PART):
            page = yield from stream.take()
            if page.is_damaged:
                reason = f"page {page.number} cannot be read"
                raise DamagedFileError(file.path, media_type=file.media_type, reason=reason)
            pages.append(page)
        yield from document.rest()
        return pages
    finally:
        document.close()


def _item(file: File, page: DecodedPage, caps: Caps, detail: str | None) -> Steps[Json]:
    if page.image is None:
        fonts = ", ".join(page.missing_fonts) or "unknown"
        return text_item(f"[Page {page.number} as text, because fonts are missing: {fonts}]\n{page.text}")
    picture = yield from within(file, Picture(page.image.data, page.image.media_type), caps)
    return image_item(picture.media_type, b64encode(picture.data), len(picture.data), detail)

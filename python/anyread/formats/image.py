"""Images: from an opened file to the image that the model sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyread.arguments import repeated
from anyread.budget import Budget, footer_line, next_clause
from anyread.decoding.host.decoder import Subject
from anyread.decoding.host.fitting import FittedImage, describing, fitting, wanted
from anyread.decoding.host.pool import shared_pool
from anyread.errors import UnsupportedFormatError, WrongKindError
from anyread.formats.fallback import require_size, unchanged
from anyread.page_range import PageRange
from anyread.results import Continuation
from anyread.results.image import ImageView, Size
from anyread.results.notices import Notice, make_notice

if TYPE_CHECKING:
    from anyread._native import Opened
    from anyread.arguments import Request
    from anyread.decoding.host.pool import Pool
    from anyread.limits import Limits
    from anyread.model import Model

_NOT_DECODED = frozenset({"image/heic"})
"""Image types that are recognized but have no decoder."""
_ALL_PAGES = PageRange(1, None)
_PAGED_TYPE = "image/tiff"
"""The only image type with pages."""


def read(
    opened: Opened, request: Request, *, limits: Limits, model: Model, pool: Pool | None = None
) -> ImageView:
    """Read an image.

    Args:
        opened: The file.
        request: The request; `region` is used, and for a TIFF `pages`, of which the first is shown.
        limits: The limits of the reader.
        model: What the model accepts.
        pool: The decoders; `None` for those of this process.

    Raises:
        TooLargeError: It is over `max_image_file_bytes` or `max_pixels`.
        DamagedFileError: It cannot be decoded in full.
        UnsupportedFormatError: It uses a part of its format that is not supported.
        BadArgumentError: The region is outside of the image, or it does not have the pages.
        WrongKindError: `pages` was passed, and the file is not a TIFF.
        FileChangedError: It changed while it was read.
        DecoderTimeoutError: It took over `decode_timeout_s`.
        DecoderMemoryError: It took over `decode_memory_bytes`.
        DecoderCrashedError: The decoder died.
        DecoderUnavailableError: No decoder can be started.
    """
    subject = _subject(opened, limits)
    require_size(opened, limits.max_image_file_bytes)
    if request["pages"] and opened.media_type != _PAGED_TYPE:
        raise WrongKindError(opened.path, argument="pages", kind="image")
    job = wanted(model, limits, request["region"], pages=PageRange.requested(request) or _ALL_PAGES)
    with unchanged(opened):
        fitted = fitting(pool or shared_pool(), subject, job, descriptor=opened.fileno())
    return _view(opened, request, fitted, limits, model)


def describe(opened: Opened, *, limits: Limits, pool: Pool | None = None) -> dict[str, Any]:
    """Return the format, the size in pixels and the number of frames and pages, from the file's headers.

    Raises:
        ReadError: As `read`, except for what only decoding the pixels would find.
    """
    return describing(pool or shared_pool(), _subject(opened, limits), opened.fileno())


def _subject(opened: Opened, limits: Limits) -> Subject:
    """Describe the file for a decoder, or refuse it if no decoder supports its type."""
    if opened.media_type in _NOT_DECODED:
        raise UnsupportedFormatError(opened.path, media_type=opened.media_type, size_bytes=opened.size_bytes)
    return Subject(
        opened.path,
        media_type=opened.media_type,
        size_bytes=opened.size_bytes,
        limits=limits,
        rules=opened.rules,
    )


def _view(opened: Opened, request: Request, fitted: FittedImage, limits: Limits, model: Model) -> ImageView:
    sees = "image" in model.inputs
    image = fitted.image
    following = _next(opened, request, fitted)
    text = _text(opened, fitted, following, sees=sees)
    image_tokens = model.tokens_of_image(image.width, image.height) if sees else 0
    width = fitted.region[2] if fitted.region else fitted.width
    return ImageView(
        path=opened.path,
        resolved_path=opened.resolved_path,
        media_type=opened.media_type,
        size_bytes=opened.size_bytes,
        modified_ns=opened.modified_ns,
        version=opened.version,
        truncated=following is not None,
        next=following,
        notices=(*opened.notices, *_notices(request, fitted)),
        text=text,
        format=fitted.format,
        original=Size(fitted.width, fitted.height, opened.size_bytes),
        shown=Size(image.width, image.height, len(image.data)) if sees else None,
        scale=image.width / width if sees else 1.0,
        frames=fitted.frames,
        page=fitted.page,
        page_count=fitted.pages,
        orientation_applied=fitted.orientation_applied,
        region=fitted.region,
        token_estimate=Budget.of(limits, model.token_factor).cost(text, image_tokens).tokens,
        image=image if sees else None,
    )


def _next(opened: Opened, request: Request, fitted: FittedImage) -> Continuation | None:
    """Return the call that shows the next of the pages requested."""
    last = (PageRange.requested(request) or _ALL_PAGES).last
    # A region belongs to a single page.
    if request["region"] is not None or fitted.page >= (last or fitted.pages):
        return None
    pages = str(PageRange(fitted.page + 1, last))
    return Continuation(
        {"pages": pages, **repeated(request, "image"), "since_version": opened.state}, opened.version
    )


def _text(opened: Opened, fitted: FittedImage, following: Continuation | None, *, sees: bool) -> str:
    """Return the line that precedes the image, or replaces it."""
    size = f"{fitted.width:,}×{fitted.height:,}"
    about = f"image: {fitted.format} {size}"
    if fitted.frames > 1:
        about += f", {fitted.frames:,} frames"
    if fitted.pages > 1:
        about += f", page {fitted.page:,} of {fitted.pages:,}"
    if not sees:
        return f"[{about}, {opened.size_bytes:,} bytes; this model accepts no images]"
    image = fitted.image
    if fitted.region is not None:
        x, y, width, height = fitted.region
        about += f" · region=({x}, {y}, {width}, {height})"
        size = f"{width:,}×{height:,}"
    shown = f"{image.width:,}×{image.height:,}"
    if shown != size:
        about += f" · shown at {shown}; region=(x, y, width, height) shows a part larger"
    if following is None:
        return footer_line(about)
    return footer_line(about, next_clause(f'pages="{following.arguments["pages"]}"'))


def _notices(request: Request, fitted: FittedImage) -> list[Notice]:
    notices = []
    pages = PageRange.requested(request)
    if request["region"] is not None and pages is not None and fitted.page < (pages.last or fitted.pages):
        notices.append(make_notice("region_of_one_page", page=fitted.page))
    if fitted.is_repaired:
        notices.append(make_notice("repaired_image"))
    if fitted.spread is not None:
        low, high = fitted.spread
        notices.append(make_notice("values_spread", black=low, white=high))
    if fitted.frames > 1:
        notices.append(make_notice("animated", frames=fitted.frames))
    return notices

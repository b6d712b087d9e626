"""Images: one part, or a part for each page of a TIFF."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isqrt
from typing import TYPE_CHECKING, Any

from anyread.arguments.page_range import PageRange
from anyread.arguments.request import explicit
from anyread.arguments.settings import LARGEST
from anyread.decoding.host.decoder import Subject
from anyread.decoding.host.fitting import FittedImage, describing, fitting, wanted
from anyread.decoding.host.pool import shared_pool
from anyread.errors import TooLargeError, UnsupportedFormatError, WrongKindError
from anyread.formats.budget import next_clause
from anyread.formats.fallback import require_size
from anyread.formats.parts import Part, Parts, Picture
from anyread.formats.selection import Selection
from anyread.results.image import ImageView, Size
from anyread.results.notices import Notice, make_notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.formats.parts import How

_NOT_DECODED = frozenset({"image/heic", "image/jp2"})
"""Image types that are recognized but have no decoder."""
_PAGED_TYPE = "image/tiff"
"""The only image type with pages."""


class _Fitted(Picture):
    """An image as the model accepts it."""

    def __init__(self, fitted: FittedImage, how: How) -> None:
        self.fitted, self.block = fitted, fitted.image
        self.is_shown = "image" in how.model.inputs
        self.tokens = how.model.tokens_of_image(self.block.width, self.block.height) if self.is_shown else 0


def parts_of(opened: Opened, request: Request | None, how: How) -> ImageParts:
    """Fit an image, or the first page requested, to the model; without a request, only for its facts.

    Raises:
        TooLargeError: It is over `max_image_file_bytes` or `max_pixels`.
        DamagedFileError: It cannot be decoded in full.
        UnsupportedFormatError: It uses a part of its format that is not supported.
        BadArgumentError: The region is outside of the image, or it does not have the pages.
        WrongKindError: Pages were requested, and the file is not a TIFF.
        ReadError: A decoder failed.
    """
    subject = _subject(opened, how)
    require_size(opened, how.limits.max_image_file_bytes)
    if request is not None and opened.media_type != _PAGED_TYPE:
        chosen = explicit(request).keys() & {"offset", "pages", "ranges"}
        if chosen:
            raise WrongKindError(opened.path, argument=min(chosen), kind="image")
    return ImageParts(opened, subject, request, how)


def _subject(opened: Opened, how: How) -> Subject:
    """Describe the file for a decoder, or refuse it if no decoder supports its type."""
    if opened.media_type in _NOT_DECODED:
        raise UnsupportedFormatError(opened.path, media_type=opened.media_type, size_bytes=opened.size_bytes)
    return Subject(
        opened.path,
        media_type=opened.media_type,
        size_bytes=opened.size_bytes,
        limits=how.limits,
        rules=opened.rules,
    )


@dataclass(slots=True, eq=False)
class ImagePart(Part):
    """A page of an image file."""

    image: _Fitted = field(kw_only=True)


class ImageParts(Parts[ImagePart]):
    """The pages of an image file."""

    most = 1

    def __init__(self, opened: Opened, subject: Subject, request: Request | None, how: How) -> None:
        self.opened, self._subject, self.how = opened, subject, how
        self._pool = how.pool or shared_pool()
        self._region = None if request is None else request["region"]
        self._first: FittedImage | None = None
        self.count = None
        if request is None:
            return
        count = self.facts()["pages"] if Selection.needs_count(request) else LARGEST
        pages = PageRange.requested(request, count) or PageRange(1, None)
        if request["pages"] is None:
            # `limit` may be over their number.
            pages = PageRange(pages.first, None)
        if request["ranges"] is not None:
            firsts = [span if isinstance(span, int) else span[0] for span in request["ranges"]]
            firsts = [first if first > 0 else count + 1 + first for first in firsts]
            pages = PageRange(max(1, min(firsts)), None)
        # Decoding the first page also tells how many there are.
        self._first = self._fit(pages)
        self.count = self._first.pages

    def _fit(self, pages: PageRange, **changes: Any) -> FittedImage:
        model, in_strips = self.how.model, self.how.in_strips and "image" in self.how.model.inputs
        job = wanted(model, self.how.limits, self._region, pages=pages, in_strips=in_strips) | changes
        try:
            return fitting(self._pool, self._subject, job, descriptor=self.opened.fileno())
        except TooLargeError as error:
            if error.unit != "pixels":
                raise
            facts, side = self.facts(), isqrt(error.maximum)
            part = 0, 0, min(side, facts["width"]), min(side, facts["height"])
            raise TooLargeError(self.opened.path, **error.data | {"region": part}) from error

    def facts(self) -> dict[str, Any]:
        return describing(self._pool, self._subject, self.opened.fileno())

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[ImagePart]:
        for number in numbers:
            first = self._first
            fitted = first if first and number == first.page else self._fit(PageRange(number, None))
            image = _Fitted(fitted, self.how)
            yield ImagePart(number, [image], image=image)

    def shrink(self, part: ImagePart, tokens: int) -> None:
        image = part.image.fitted.image
        edge = self.how.model.edge_within(image.width, image.height, tokens)
        if edge is None:
            part.image.refuse("over the token budget", has_no_room=True)
        else:
            fitted = part.image.fitted
            region = None if fitted.region is None else list(fitted.region)
            smaller = self._fit(PageRange(part.number, None), max_edge=edge, region=region)
            # Whether it is tall depends on the size at which it is shown.
            part.image = _Fitted(smaller._replace(following=fitted.following), self.how)
            part.show([part.image], None)

    def about(self, parts: Sequence[ImagePart]) -> str | None:
        """Describe the image: its text is nothing else."""
        if not parts:
            return None
        picture = parts[0].image
        fitted = picture.fitted
        size = f"{fitted.width:,}×{fitted.height:,}"
        about = f"image: {fitted.format} {size}"
        if fitted.frames > 1:
            about += f", {fitted.frames:,} frames"
        if fitted.pages > 1:
            about += f", page {fitted.page:,} of {fitted.pages:,}"
        if not picture.is_shown:
            why = "it is over the budget" if picture.is_left_out else "this model accepts no images"
            return f"{about}, {self.opened.size_bytes:,} bytes; {why}"
        image = fitted.image
        if fitted.region is not None:
            x, y, width, height = fitted.region
            about += f" · region=({x}, {y}, {width}, {height})"
            size = f"{width:,}×{height:,}"
        shown = f"{image.width:,}×{image.height:,}"
        return (
            about
            if shown == size
            else f"{about} · shown at {shown}; region=(x, y, width, height) shows a part larger"
        )

    def region_after(self, parts: Sequence[ImagePart]) -> tuple[int, int, int, int] | None:
        fitted = parts[0].image.fitted if parts else None
        if fitted is None or fitted.region is None or fitted.following is None:
            return None
        return 0, fitted.following, fitted.width, fitted.region[3]

    def marks(self, parts: Sequence[ImagePart]) -> list[str]:
        region = self.region_after(parts)
        return [] if region is None else [next_clause(f"region={region}")]

    def notices(self, parts: Sequence[ImagePart], chosen: Selection) -> list[Notice]:
        notices = []
        if chosen.is_narrowed:
            notices.append(make_notice("region_of_one_page", page=chosen.first))
        for part in parts:
            fitted = part.image.fitted
            if fitted.is_repaired:
                notices.append(make_notice("repaired_image"))
            if fitted.spread is not None:
                low, high = fitted.spread
                notices.append(make_notice("values_spread", black=low, white=high))
            if fitted.frames > 1:
                notices.append(make_notice("animated", frames=fitted.frames))
        return notices

    def page(self, parts: Sequence[ImagePart], common: dict[str, Any]) -> ImageView:
        picture = parts[0].image
        fitted = picture.fitted
        image = fitted.image if picture.is_shown else None
        width = fitted.region[2] if fitted.region else fitted.width
        return ImageView(
            **common,
            format=fitted.format,
            width=fitted.width,
            height=fitted.height,
            shown=Size(image.width, image.height, len(image.data)) if image else None,
            scale=image.width / width if image else 1.0,
            frames=fitted.frames,
            orientation_applied=fitted.orientation_applied,
            region=fitted.region,
            image=image,
        )

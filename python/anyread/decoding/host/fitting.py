"""The job that fits an image to a model, and the decoder's response to it.

Image files, PDF pages and notebook outputs share them.
"""

from __future__ import annotations

import sys
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from anyread.decoding.protocol import IMAGE_FORMATS, MAX_SIZE, MalformedError, field, size_field
from anyread.errors import ReadError
from anyread.models.image_tokens import to_fields
from anyread.results.blocks import ImageBlock, inspected
from anyread.running.polling import first_readable

from .decoder import Decoder, NotBegunError, Subject
from .pool import shared_pool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from anyread.arguments.limits import Limits
    from anyread.decoding.protocol import Frame
    from anyread.models.model import Model

    from .pool import Pool

_SENDABLE = ("image/png", "image/jpeg", "image/gif", "image/webp")
_LARGEST_IMAGE_BYTES = 256 * 1024 * 1024


class FittedImage(NamedTuple):
    """An image that the model accepts, and how it was made from the original."""

    image: ImageBlock
    format: str
    width: int
    """Width of the upright original in pixels."""
    height: int
    frames: int
    page: int
    """The page that is shown, counted from 1."""
    pages: int
    orientation_applied: bool
    region: tuple[int, int, int, int] | None
    following: int | None
    """The y of the next strip of a tall image; `None`: nothing follows."""
    is_repaired: bool
    spread: tuple[float, float] | None
    """The values shown as black and white if they are not the ends of their scale."""


def wanted(
    model: Model,
    limits: Limits,
    region: tuple[int, int, int, int] | None = None,
    *,
    pages: tuple[int, int | None] = (1, None),
    original: Literal["plain", "sound", "never"] = "plain",
    in_strips: bool = False,
) -> dict[str, Any]:
    """Return the fields of a job that say what the model accepts; the smallest of all limits applies.

    Args:
        model: What the model accepts.
        limits: The limits of the reader.
        region: The part of the image to show; `None` for all of it.
        pages: The first and the last page requested (`None` for the end); the first is shown.
        original: When the file itself may be sent: "plain" if it is upright and not animated, "sound"
            if it decodes in full, or "never".
        in_strips: Whether only the beginning of a tall image is shown if no region is requested.
    """
    media_types = [name for name in model.image_types or _SENDABLE if name in _SENDABLE]
    caps = [model.max_image_bytes]
    if model.max_image_base64_bytes is not None:
        # Base64 encodes up to three bytes in four characters.
        caps.append(model.max_image_base64_bytes // 4 * 3)
    return {
        "media_types": media_types or ["image/png"],
        "max_bytes": min((cap for cap in caps if cap is not None), default=None),
        "max_edge": model.max_long_edge,
        "max_view_pixels": model.max_image_pixels,
        "max_pixels": limits.max_pixels,
        "jpeg_quality": limits.jpeg_quality,
        "region": None if region is None else list(region),
        "original": original,
        "page": pages[0],
        "last_page": pages[1],
        "in_strips": in_strips,
        "formula": None if model.image_tokens is None else to_fields(model.image_tokens),
    }


def max_encoded_bytes(job: dict[str, Any]) -> int:
    """Return the maximum size of the response to a job with one image."""
    return int(job["max_bytes"] or _LARGEST_IMAGE_BYTES)


def block(data: bytes, media_type: str, width: int, height: int, job: dict[str, Any]) -> ImageBlock:
    """Return a block of an image from a decoder after comparing it with what it declares and with its job.

    Its structure is checked, not whether it can be decoded.

    Raises:
        MalformedError: The type, the size or the bytes are wrong; the decoder may have been compromised.
    """
    if media_type not in job["media_types"]:
        raise MalformedError(f"the image has the type {media_type[:40]}, which was not requested")
    too_large = (
        len(data) > max_encoded_bytes(job)
        or width * height > (job["max_view_pixels"] or job["max_pixels"])
        or max(width, height) > (job["max_edge"] or job["max_pixels"])
    )
    if too_large:
        raise MalformedError(f"an image of {width:,}×{height:,} pixels with {len(data):,} bytes is too large")
    try:
        found = inspected(data)
    except ValueError as error:
        raise MalformedError(str(error)) from error
    if found != (media_type, width, height):
        raise MalformedError(
            "an image of the type {} with {}×{} pixels was declared as {} with {}×{}".format(
                *found, media_type, width, height
            )
        )
    return ImageBlock(data, media_type, width, height)


def fitting(
    pool: Pool,
    subject: Subject,
    job: dict[str, Any],
    *,
    data: bytes = b"",
    descriptor: int | None = None,
) -> FittedImage:
    """Fit one image, which is in a file or in memory.

    Raises:
        ReadError: As `Decoder.begin`.
    """
    decoder, frame = Decoder.begin(
        pool,
        subject,
        {"job": "image", **subject.budget(subject.limits.max_image_file_bytes), **job},
        data,
        descriptors=() if descriptor is None else (descriptor,),
        max_payload_bytes=max_encoded_bytes(job),
    )
    with decoder:
        return _fitted(frame, job)


def describing(pool: Pool, subject: Subject, descriptor: int) -> dict[str, Any]:
    """Return the `format`, `width`, `height`, `frames` and `pages` of an image file.

    Raises:
        ReadError: As `Decoder.begin`.
    """
    job = {"job": "describe", **subject.budget(subject.limits.max_image_file_bytes)}
    decoder, frame = Decoder.begin(pool, subject, job, descriptors=(descriptor,), max_payload_bytes=0)
    with decoder:
        numbers = {name: size_field(frame.header, name) for name in ("width", "height", "frames", "pages")}
        return {"format": _format(frame.header), **numbers}


def _fitted(frame: Frame, job: dict[str, Any]) -> FittedImage:
    header = frame.header
    image = block(
        frame.payload,
        field(header, "media_type", str),
        size_field(header, "shown_width"),
        size_field(header, "shown_height"),
        job,
    )
    region = header.get("region")
    if region is not None:
        numbers = {str(index): value for index, value in enumerate(field(header, "region", list))}
        corner = (field(numbers, each, int, maximum=MAX_SIZE) for each in "01")
        region = (*corner, size_field(numbers, "2"), size_field(numbers, "3"))
    return FittedImage(
        image,
        _format(header),
        size_field(header, "width"),
        size_field(header, "height"),
        size_field(header, "frames"),
        size_field(header, "page"),
        size_field(header, "pages"),
        field(header, "orientation_applied", bool),
        region,
        None if header.get("following") is None else field(header, "following", int, maximum=MAX_SIZE),
        field(header, "repaired", bool),
        _spread(header),
    )


def _format(header: dict[str, Any]) -> str:
    name = field(header, "format", str)
    if name not in IMAGE_FORMATS:
        raise MalformedError("the format of the image is none that is decoded")
    return name


def _spread(header: dict[str, Any]) -> tuple[float, float] | None:
    if header.get("spread") is None:
        return None
    match field(header, "spread", list):
        case [float() | int() as low, float() | int() as high] if all(map(_is_finite, (low, high))):
            return float(low), float(high)
    raise MalformedError("the header field `spread` is not a pair of numbers")


def _is_finite(number: float) -> bool:
    # Also false for NaN, and for JSON integers that no float can hold.
    return abs(number) <= sys.float_info.max


class ImageJob(NamedTuple):
    """An image that is not a file, and how it is shown."""

    content: Callable[[], bytes]
    """Returns its bytes; called when a decoder is free."""
    media_type: str
    size_bytes: int
    max_edge: int | None = None
    """The maximum of its longer edge in pixels if that is less than the model's."""
    region: tuple[int, int, int, int] | None = None
    """The part of it to show; `None` for all of it."""


def fit_all(
    images: Sequence[ImageJob],
    *,
    path: str,
    rules: int,
    limits: Limits,
    model: Model,
    pool: Pool | None = None,
) -> list[FittedImage | ReadError]:
    """Fit images to the model, on one decoder and all others that are idle.

    Args:
        images: The images.
        path: The file they come from, for errors.
        rules: A number for the roots and deny rules of its reader.
        limits: The limits of the reader.
        model: What the model accepts.
        pool: The decoders; `None` for those of this process.

    Returns:
        For each image, the fitted image or the error.
    """
    jobs = []
    for content, media_type, size_bytes, max_edge, region in images:
        subject = Subject(path, media_type=media_type, size_bytes=size_bytes, limits=limits, rules=rules)
        job = wanted(model, limits, region) | ({} if max_edge is None else {"max_edge": max_edge})
        jobs.append((subject, job, content))
    return _SeveralImages(pool or shared_pool(), jobs).fitted()


class _SeveralImages:
    """Images that are fitted on one decoder and all others that are idle.

    Args:
        pool: The decoders.
        images: The images, each with its job and a function that returns its bytes.
    """

    def __init__(
        self, pool: Pool, images: Sequence[tuple[Subject, dict[str, Any], Callable[[], bytes]]]
    ) -> None:
        self._pool, self._images = pool, images
        self._due = deque(range(len(images)))
        self._again = deque[int]()
        """Those whose decoder was just ending."""
        self._working: dict[int, tuple[int, Decoder]] = {}
        """The index and the decoder of each image that is being fitted, by descriptor."""
        self._results: dict[int, FittedImage | ReadError] = {}

    def fitted(self) -> list[FittedImage | ReadError]:
        """Return the fitted image or the error of each."""
        try:
            while self._due or self._working:
                for _ in range(min(len(self._due), self._pool.size - len(self._working))):
                    index = self._due.popleft()
                    self._note(index, partial(self._start, index))
                self._end_first()
        finally:
            for _, decoder in self._working.values():
                decoder.close()
        for index in self._again:
            subject, job, content = self._images[index]
            self._note(index, partial(fitting, self._pool, subject, job, data=content()))
        return [self._results[index] for index in range(len(self._images))]

    def _start(self, index: int) -> None:
        """Give an image to a decoder, unless others work already and none is idle."""
        subject, job, content = self._images[index]
        take = Decoder.take_idle if self._working else Decoder.take
        decoder = take(self._pool, subject)
        if decoder is None:
            self._due.appendleft(index)
            return
        try:
            header = {"job": "image", **subject.budget(subject.limits.max_image_file_bytes), **job}
            decoder.ask(header, content())
        except BaseException:
            decoder.close()
            raise
        self._working[decoder.fileno()] = index, decoder

    def _end_first(self) -> None:
        """Wait for the first response, or for the first deadline."""
        if self._working:
            deadline = min(decoder.deadline for _, decoder in self._working.values())
            for descriptor in first_readable(tuple(self._working), deadline) or set(self._working):
                index, decoder = self._working.pop(descriptor)
                self._note(index, partial(_answered, decoder, self._images[index][1]))

    def _note(self, index: int, function: Callable[[], FittedImage | None]) -> None:
        try:
            result = function()
        except NotBegunError:
            self._again.append(index)
        except ReadError as error:
            self._results[index] = error
        else:
            if result is not None:
                self._results[index] = result


def _answered(decoder: Decoder, job: dict[str, Any]) -> FittedImage:
    with decoder:
        return _fitted(decoder.answer(max_payload_bytes=max_encoded_bytes(job)), job)

"""What a model accepts, and the encoding of images as PNG, JPEG, GIF or WebP within its limits."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PIL import Image, ImageChops

from anyread.decoding.protocol import field
from anyread.models.image_tokens import from_fields

from . import colors
from .damage import RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread.models.image_tokens import ImageTokens

Box = tuple[int, int, int, int]
"""A part of an image: x, y, width and height."""

MEDIA_TYPES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_OPAQUE_MODES: Final = {"L", "RGB", "RGBX"}
_NOISY_BYTES_PER_PIXEL: Final = 1.0
"""An image whose sample needs more as PNG is a photograph; drawings and screenshots need far less."""
_CHEAP_PIXELS: Final = 1 << 18
"""Noisy images of up to this size are sent as PNG, which then needs less than a megabyte."""
_FAITHFUL_DB: Final = 30
"""The peak signal-to-noise ratio in decibels below which the losses of a JPEG are visible."""
_TALL: Final = 3
"""An image that is so many times higher than wide may be shown in strips."""
_LEGIBLE_PART: Final = 0.5
"""It is if all of it would be scaled down to this part of the size of a strip, or less."""
_BEST_QUALITIES: Final = (95, 90)


class Wanted(NamedTuple):
    """What the model accepts, and the part of the image that is requested."""

    media_types: tuple[str, ...]
    max_bytes: int | None
    max_edge: int | None
    max_view_pixels: int | None
    max_pixels: int
    jpeg_quality: int
    region: Box | None = None
    original: str = "plain"
    """When the file itself is sent if it is within the limits: "plain" if it is upright and has one frame;
    "sound" if it decodes in full, even if it is rotated or animated; or "never"."""
    page: int = 1
    """The page of a TIFF, counted from 1."""
    last_page: int | None = None
    """The last page that is requested; `None` for the last page of the file."""
    in_strips: bool = False
    """Whether only the beginning of a tall image is shown if no region is requested."""
    formula: ImageTokens | None = None
    """How the provider scales images down; images are fitted so that it does not scale them again."""

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Wanted:
        """Read the fields of a job."""

        def optional(name: str) -> int | None:
            return None if header.get(name) is None else field(header, name, int)

        region = header.get("region")
        return cls(
            media_types=tuple(field(header, "media_types", list)),
            max_bytes=optional("max_bytes"),
            max_edge=optional("max_edge"),
            max_view_pixels=optional("max_view_pixels"),
            max_pixels=field(header, "max_pixels", int),
            jpeg_quality=field(header, "jpeg_quality", int, maximum=100),
            region=None if region is None else (region[0], region[1], region[2], region[3]),
            original=field(header, "original", str),
            page=field(header, "page", int),
            last_page=optional("last_page"),
            in_strips=field(header, "in_strips", bool),
            formula=None if header.get("formula") is None else from_fields(field(header, "formula", dict)),
        )

    def fitted_size(self, width: int, height: int) -> tuple[int, int]:
        """Return the largest size that the model accepts, from one pixel up to the given size."""
        # The provider's formula comes first: after a rounding it could lose a row of patches.
        size = seen = self._seen_size(width, height)
        if self.max_edge is not None and max(size) > self.max_edge:
            scale = self.max_edge / max(size)
            size = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
        if self.max_view_pixels is not None and size[0] * size[1] > self.max_view_pixels:
            scale = (self.max_view_pixels / (size[0] * size[1])) ** 0.5
            across = max(1, int(size[0] * scale))
            size = across, max(1, min(int(size[1] * scale), self.max_view_pixels // across))
        return size if size == seen else self._seen_size(*size)

    def strip(self, width: int, height: int) -> int | None:
        """Return the height of the strips in which a tall image is legible; `None` if all of it is."""
        if height <= _TALL * width:
            return None
        across = self.fitted_size(width, width)[0]
        if self.fitted_size(width, height)[0] > across * _LEGIBLE_PART:
            return None
        # The largest that is not scaled down more than a square.
        lower, upper = width, height
        while upper - lower > 1:
            middle = (lower + upper) // 2
            if self.fitted_size(width, middle)[0] < across:
                upper = middle
            else:
                lower = middle
        return lower

    def _seen_size(self, width: int, height: int) -> tuple[int, int]:
        if self.formula is None:
            return width, height
        across, down = self.formula.size(width, height)
        return min(width, across), min(height, down)


class Encoded(NamedTuple):
    """An encoded image that the model accepts."""

    data: bytes
    media_type: str
    width: int
    height: int


def encode(image: Image.Image, size: tuple[int, int], wanted: Wanted, *, is_lossy: bool) -> Encoded:
    """Scale a decoded image to a size and encode it; shrink it further until it is within `max_bytes`.

    Args:
        image: The decoded image.
        size: The width and height to show; not larger than the image.
        wanted: The media types and the maximum size that the model accepts.
        is_lossy: Whether it comes from a lossy format, so that JPEG loses little more.
    """
    profile = colors.profile_of(image)
    ready = colors.without_hidden(colors.in_srgb(_reduced(colors.simple(image, profile), size), profile))
    while True:
        for data, media_type in _attempts(ready, wanted, is_lossy=is_lossy):
            if wanted.max_bytes is None or len(data) <= wanted.max_bytes:
                return Encoded(data, media_type, *ready.size)
        if ready.size == (1, 1):
            raise RefusalError.too_large(len(data), wanted.max_bytes or 0, "bytes")
        ready = _reduced(ready, (max(1, ready.width * 3 // 4), max(1, ready.height * 3 // 4)))


def of_pixels(pixels: Any, width: int, height: int) -> Image.Image:
    """Return an image over a buffer of red, green, blue and unused bytes, without copying it."""
    return Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)


def _reduced(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    # The reducing gap, as in `thumbnail`, halves the time without a visible loss.
    return image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _attempts(image: Image.Image, wanted: Wanted, *, is_lossy: bool) -> Iterator[tuple[bytes, str]]:
    """Encode the image in different ways, the most legible first."""
    types = wanted.media_types
    jpeg = "image/jpeg" in types
    if image.mode == "RGBX" and not (jpeg and is_lossy):
        # Of the four formats, only JPEG accepts pixels with an unused byte.
        image = image.convert("RGB")
    opaque = image.mode in _OPAQUE_MODES
    png = "image/png" in types
    if png and not (jpeg and opaque and (is_lossy or _is_noisy(image))):
        yield _as_png(image)
    elif png and not is_lossy:
        yield from _faithful(image, wanted)
    if jpeg:
        flat = image if opaque else _on_white(image)
        for quality in sorted({wanted.jpeg_quality, 60, 40}, reverse=True):
            if quality <= wanted.jpeg_quality:
                yield _saved(flat, "JPEG", quality=quality, optimize=_is_tiny(flat))
    elif "image/webp" in types:
        for quality in (wanted.jpeg_quality, 40):
            yield _saved(image.convert("RGB" if opaque else "RGBA"), "WEBP", quality=quality, method=2)
    elif "image/gif" in types and "image/png" not in types:
        yield _saved(_on_white(image).quantize(), "GIF")


def _faithful(image: Image.Image, wanted: Wanted) -> Iterator[tuple[bytes, str]]:
    """Encode a noisy image from a lossless format: as JPEG first only if the losses are invisible."""
    if image.width * image.height > _CHEAP_PIXELS:
        for subsampling in ("4:2:0", "4:4:4"):
            saved = _saved(image, "JPEG", quality=wanted.jpeg_quality, subsampling=subsampling)
            if _psnr_db(image, saved[0]) >= _FAITHFUL_DB:
                yield saved
                return
    yield _as_png(image)
    for quality in (*_BEST_QUALITIES, wanted.jpeg_quality):
        yield _saved(image, "JPEG", quality=quality, subsampling="4:4:4")


def _psnr_db(image: Image.Image, encoded: bytes) -> float:
    """Return the peak signal-to-noise ratio of an image and its JPEG."""
    shown = Image.open(io.BytesIO(encoded), formats=("JPEG",)).convert(image.mode)
    counts = ImageChops.difference(image, shown).histogram()
    squares = sum(count * (index % 256) ** 2 for index, count in enumerate(counts))
    return 99.0 if not squares else 10 * math.log10(255**2 * sum(counts) / squares)


def _as_png(image: Image.Image) -> tuple[bytes, str]:
    return _saved(_few_colors(image), "PNG", compress_level=6 if _is_small(image) else 3)


def _is_small(image: Image.Image) -> bool:
    return image.width * image.height <= 1 << 20


def _is_tiny(image: Image.Image) -> bool:
    """Return whether optimizing a JPEG saves a large part of it and takes little time."""
    return image.width * image.height <= 1 << 16


def _is_noisy(image: Image.Image) -> bool:
    """Return whether an image is a photograph and not a drawing: its middle compresses badly as PNG."""
    across, down = min(image.width, 256), min(image.height, 256)
    if across * down < 4_096:
        return False
    x, y = (image.width - across) // 2, (image.height - down) // 2
    sample, _ = _saved(image.crop((x, y, x + across, y + down)), "PNG", compress_level=1)
    return len(sample) > _NOISY_BYTES_PER_PIXEL * across * down


def _few_colors(image: Image.Image) -> Image.Image:
    """Convert an image of at most 256 colors to a palette, which is lossless and saves two thirds."""
    if image.mode != "RGB" or image.getcolors(256) is None:
        return image
    return image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode in _OPAQUE_MODES:
        return image
    low, high = image.convert("RGBA").getchannel("A").getextrema()
    if low == high and high:
        # Uniform transparency shows no shape; applying it would only bleach the colors.
        return image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")


def _saved(image: Image.Image, kind: str, **options: Any) -> tuple[bytes, str]:
    # Otherwise its metadata (profiles, locations, comments) would be sent with it.
    image.info = {}
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue(), MEDIA_TYPES[kind]

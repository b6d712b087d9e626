"""Images inside a decoder: decoded in full, turned upright, cropped, fitted and encoded.

Image files, PDF pages and notebook outputs are all encoded by `encode` as PNG, JPEG, GIF or WebP within
the model's limits.
"""

from __future__ import annotations

import io
import math
import warnings
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PIL import Image, ImageChops, ImageFile, ImageOps

from anyread.decoding.protocol import IMAGE_FORMATS, RGBA_PIXELS, field
from anyread.image_tokens import from_fields
from anyread.results.blocks import inspected

from . import colors, opening
from .damage import RefusalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread.image_tokens import ImageTokens

Box = tuple[int, int, int, int]

MEDIA_TYPES: Final = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}
_NAMES: Final = {"MPO": "JPEG"}
_PLAIN_MODES: Final = {
    "PNG": {"1", "L", "LA", "P", "RGB", "RGBA"},
    "JPEG": {"L", "RGB"},
    "GIF": {"L", "P", "RGB", "RGBA"},
    "WEBP": {"RGB", "RGBA"},
}
_ONE_IMAGE: Final = {"MPO", "ICO", "TIFF"}
"""Formats whose further images are not frames, but pages or other sizes of the same image."""
_OPAQUE_MODES: Final = {"L", "RGB", "RGBX"}
_LOSSY: Final = {"JPEG", "AVIF", "WEBP"}
_ORIENTATION: Final = 0x0112
_MIN_DRAFT_EDGE: Final = 64
_NOISY_BYTES_PER_PIXEL: Final = 1.0
"""An image whose sample needs more as PNG is a photograph; drawings and screenshots need far less."""
_CHEAP_PIXELS: Final = 1 << 18
"""Noisy images of up to this size are sent as PNG, which then needs less than a megabyte."""
_FAITHFUL_DB: Final = 30
"""The peak signal-to-noise ratio in decibels below which the losses of a JPEG are visible."""
_BEST_QUALITIES: Final = (95, 90)
_TRUNCATED: Final = (OSError, SyntaxError)
"""The errors with which Pillow reports truncated files."""


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


class Fitted(NamedTuple):
    """An encoded image that the model accepts, and how it was made from the original."""

    encoded: Encoded
    format: str
    width: int
    height: int
    frames: int
    page: int
    pages: int
    orientation_applied: bool
    region: Box | None
    repaired: bool
    spread: tuple[float, float] | None
    """The values that became black and white if they are not the ends of their scale."""

    @property
    def data(self) -> bytes:
        """The bytes to send."""
        return self.encoded.data

    def header(self) -> dict[str, Any]:
        """Return the header of the response."""
        fields = self._asdict()
        encoded = fields.pop("encoded")
        return fields | {
            "media_type": encoded.media_type,
            "shown_width": encoded.width,
            "shown_height": encoded.height,
        }


def fit(data: bytes, wanted: Wanted) -> Fitted:
    """Fit an image file to the model; return the file itself if it needs no change.

    Raises:
        RefusalError: It is damaged, too large, of another format, or the region is outside of it.
    """
    try:
        return _fit(data, wanted, repair=False)
    except _TRUNCATED as error:
        try:
            return _fit(data, wanted, repair=True)
        except (MemoryError, RefusalError):
            raise
        except Exception:  # noqa: BLE001 - the first error has the cause
            raise RefusalError.damaged(str(error)) from error
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        raise RefusalError.damaged(str(error) or type(error).__name__) from error


def describe(data: bytes) -> dict[str, Any]:
    """Return the facts in an image file's headers, without decoding its pixels.

    Raises:
        RefusalError: Its header cannot be read, or requires an unsupported feature.
    """
    image = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = opening.opened(data)
            width, height = image.size if _orientation(image) < 5 else image.size[::-1]
            return {
                "format": _format_name(image),
                "width": width,
                "height": height,
                "frames": _frame_count(image),
                "pages": len(opening.pages_of_tiff(data)) if opening.is_tiff(data) else 1,
            }
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        if opening.is_unsupported(error, data, image):
            raise RefusalError.unsupported() from error
        raise RefusalError.damaged(str(error) or type(error).__name__) from error


def _fit(data: bytes, wanted: Wanted, *, repair: bool) -> Fitted:
    # Decodes a truncated image as far as possible. In Pillow, this is a setting of the process.
    ImageFile.LOAD_TRUNCATED_IMAGES = repair
    image = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            page, pages = _chosen_page(data, wanted)
            image = opening.opened(page)
            return _fit_opened(image, page, wanted, pages=pages, repaired=repair)
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        if opening.is_unsupported(error, data, image):
            raise RefusalError.unsupported() from error
        raise
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _chosen_page(data: bytes, wanted: Wanted) -> tuple[bytes, int]:
    """Return the file and its number of pages; a TIFF is returned with the requested page first."""
    if not opening.is_tiff(data):
        return data, 1
    offsets = opening.pages_of_tiff(data)
    last = wanted.page if wanted.last_page is None else wanted.last_page
    if len(offsets) < max(wanted.page, last) > 1:
        raise RefusalError.pages(max(wanted.page, last), len(offsets))
    return (data if wanted.page == 1 else opening.beginning_at(data, offsets[wanted.page - 1])), len(offsets)


def _require_pixels(image: ImageFile.ImageFile, wanted: Wanted) -> None:
    pixels = image.width * image.height
    if not pixels:
        raise RefusalError.damaged("it has no pixels")
    if pixels > wanted.max_pixels:
        raise RefusalError.too_large(pixels, wanted.max_pixels, "pixels")


def _fit_opened(
    image: ImageFile.ImageFile, data: bytes, wanted: Wanted, *, pages: int, repaired: bool
) -> Fitted:
    kind = _format_name(image)
    _require_pixels(image, wanted)
    frames = _frame_count(image)
    stored = opening.rows_as_stored(image) if repaired else None
    if kind != "JPEG":
        # Before the metadata is read, which loads some formats and hides the errors.
        image.load()
    orientation = _orientation(image)
    width, height = image.size if orientation < 5 else image.size[::-1]
    region = clipped(wanted.region, width, height)
    size = wanted.fitted_size(*((region[2], region[3]) if region else (width, height)))
    if kind == "JPEG":
        # A draft has whole pixels, which would distort a narrow image.
        if region is None and size != (width, height) and min(size) >= _MIN_DRAFT_EDGE:
            image.draft(None, size if orientation < 5 else size[::-1])
        image.load()
    if repaired:
        opening.require_sound(image, stored)
    is_whole = region is None and size == (width, height) and not repaired
    may_stay = wanted.original == "sound" or (wanted.original == "plain" and orientation == 1 and frames == 1)
    if is_whole and may_stay and _is_plain(image, kind, data, wanted):
        encoded, spread = Encoded(data, MEDIA_TYPES[kind], *image.size), None
        _decode_frames(image, frames)
    else:
        upright = ImageOps.exif_transpose(image) if orientation > 1 else image
        # Before it is cropped, so that the values of all its regions are converted in the same way.
        upright, spread = colors.in_eight_bits(upright)
        if region is not None:
            x, y, across, down = region
            upright = upright.crop((x, y, x + across, y + down))
        encoded = encode(upright, size, wanted, is_lossy=kind in _LOSSY)
    return Fitted(
        encoded=encoded,
        format=kind,
        width=width,
        height=height,
        frames=frames,
        page=wanted.page,
        pages=pages,
        orientation_applied=orientation > 1,
        region=region,
        repaired=repaired,
        spread=spread,
    )


def _format_name(image: Image.Image) -> str:
    return _NAMES.get(image.format or "", image.format or "")


def _frame_count(image: Image.Image) -> int:
    return 1 if image.format in _ONE_IMAGE else int(getattr(image, "n_frames", 1))


def _decode_frames(image: Image.Image, frames: int) -> None:
    """Decode the frames after the first, so that a damaged frame raises an error."""
    for number in range(1, frames):
        image.seek(number)
        image.load()


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - an image with damaged metadata is not damaged
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def clipped(region: Box | None, width: int, height: int) -> Box | None:
    """Clip a region to an image or a page of that size; `None` for all of it.

    Raises:
        RefusalError: It is completely outside.
    """
    if region is None:
        return None
    x, y, across, down = region
    left, top = max(0, x), max(0, y)
    right, bottom = min(width, x + across), min(height, y + down)
    if right <= left or bottom <= top:
        raise RefusalError.region(width, height)
    return left, top, right - left, bottom - top


def _is_plain(image: Image.Image, kind: str, data: bytes, wanted: Wanted) -> bool:
    """Return whether the file itself may be sent; other decoders may be stricter than Pillow."""
    if MEDIA_TYPES.get(kind) not in wanted.media_types or image.mode not in _PLAIN_MODES[kind]:
        return False
    if image.format != kind:
        # Some decoders reject an MPO, which is a JPEG followed by a second image.
        return False
    if wanted.max_bytes is not None and len(data) > wanted.max_bytes:
        return False
    if kind == "PNG" and not _checksums_hold(data):
        return False
    try:
        return inspected(data) == (MEDIA_TYPES[kind], *image.size)
    except ValueError:
        return False


def _checksums_hold(data: bytes) -> bool:
    """Return whether the checksums of a PNG's chunks are right; Pillow does not check those of pixels."""
    view, offset = memoryview(data), 8
    while offset + 12 <= len(data):
        end = offset + 8 + int.from_bytes(view[offset : offset + 4], "big")
        if zlib.crc32(view[offset + 4 : end]) != int.from_bytes(view[end : end + 4], "big"):
            return False
        if data[offset + 4 : offset + 8] == b"IEND":
            return True
        offset = end + 4
    return False


def encode(image: Image.Image, size: tuple[int, int], wanted: Wanted, *, is_lossy: bool) -> Encoded:
    """Scale a decoded image to a size and encode it; shrink it further until it is within `max_bytes`.

    Args:
        image: The decoded image.
        size: The width and height to show; not larger than the image.
        wanted: The media types and the maximum size that the model accepts.
        is_lossy: Whether it comes from a lossy format, so that JPEG loses little more.
    """
    profile = colors.profile_of(image)
    ready = colors.in_srgb(_reduced(colors.simple(image, profile), size), profile)
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
    if RGBA_PIXELS in types:
        yield image.convert("RGBA").tobytes(), RGBA_PIXELS
        return
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


def samples() -> list[tuple[bytes, dict[str, Any]]]:
    """Return small typical images, each with the fields of a job that fits it."""
    return [(data, wanted._asdict()) for data, wanted in _SAMPLES]


_SAMPLES: Final[list[tuple[bytes, Wanted]]] = []


def warm() -> None:
    """Decode and encode an image of each format, so that later jobs load nothing."""
    Image.MAX_IMAGE_PIXELS = None
    every = tuple(MEDIA_TYPES.values())
    wanted = Wanted(
        media_types=every,
        max_bytes=None,
        max_edge=8,
        max_view_pixels=None,
        max_pixels=1 << 20,
        jpeg_quality=80,
    )
    sample = Image.effect_noise((16, 12), 80).convert("RGB")
    for kind in IMAGE_FORMATS:
        buffer = io.BytesIO()
        exif = Image.Exif()
        exif[_ORIENTATION] = 6
        options: dict[str, Any] = {"exif": exif} if kind in {"PNG", "JPEG", "WEBP", "TIFF", "AVIF"} else {}
        if kind == "ICO":
            # Before version 13, Pillow wrote an icon without images if none of its usual sizes fit.
            options = {"sizes": [sample.size]}
        sample.save(buffer, kind, **options)
        fit(buffer.getvalue(), wanted)
    for media_type in every:
        for mode in ("RGB", "RGBA", "I", "P"):
            encode(
                sample.convert("L" if mode == "I" else "RGB").convert(mode),
                (4, 3),
                wanted._replace(media_types=(media_type,)),
                is_lossy=False,
            )
    for kind, edge in (("PNG", 16), ("JPEG", 8)):
        buffer = io.BytesIO()
        sample.save(buffer, kind)
        _SAMPLES.append((buffer.getvalue(), wanted._replace(max_edge=edge)))
    with suppress(RefusalError):
        fit(b"\x89PNG\r\n\x1a\n", wanted)

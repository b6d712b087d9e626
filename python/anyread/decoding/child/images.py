"""Images, inside a decoder: decoded in full, turned upright, cropped, fitted and encoded.

Image files, PDF pages and the outputs of notebooks all leave through `encode`, so that whatever
leaves is PNG, JPEG, GIF or WebP within the model's limits.
"""

from __future__ import annotations

import io
import math
import warnings
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from PIL import Image, ImageChops, ImageFile, ImageOps

from anyread.decoding.protocol import field
from anyread.image_tokens import from_fields
from anyread.results.blocks import inspected

from . import colours, opening
from .damage import RefusalError
from .opening import FORMATS

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
_ONE_PICTURE: Final = {"MPO", "ICO", "TIFF"}
"""Formats whose further images are no frames: the same one in other sizes, or pages."""
_OPAQUE_MODES: Final = {"L", "RGB", "RGBX"}
_LOSSY: Final = {"JPEG", "AVIF", "WEBP"}
_ORIENTATION: Final = 0x0112
_MIN_DRAFT_EDGE: Final = 64
_NOISY_BYTES_PER_PIXEL: Final = 1.0
"""A sample that PNG cannot press below this is a photograph; drawings and screens are far below."""


_CHEAP_PIXELS: Final = 1 << 18
"""Noise of so few pixels is sent as PNG, which then has less than a megabyte."""
_FAITHFUL_DB: Final = 30
"""The peak signal-to-noise ratio below which a JPEG shows its losses."""
_BEST_QUALITIES: Final = (95, 90)


class Wanted(NamedTuple):
    """What the model takes, and which part is requested."""

    media_types: tuple[str, ...]
    max_bytes: int | None
    max_edge: int | None
    max_view_pixels: int | None
    max_pixels: int
    jpeg_quality: int
    region: Box | None = None
    original: str = "plain"
    """When the file itself is sent: "plain": if it is upright and has one frame; "sound": also turned or
    moving, if all of it decodes; "never". The other limits hold for it always."""
    page: int = 1
    """The page of a TIFF, counted from 1."""
    last_page: int | None = None
    """The last page that is requested; `None`: the last that there is."""
    formula: ImageTokens | None = None
    """How the provider scales images down, so that it finds nothing left to scale."""

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Wanted:
        """Read it from a job."""

        def optional(name: str) -> int | None:
            return None if header.get(name) is None else field(header, name, int)

        region = header.get("region")
        return cls(
            tuple(field(header, "media_types", list)),
            optional("max_bytes"),
            optional("max_edge"),
            optional("max_view_pixels"),
            field(header, "max_pixels", int),
            field(header, "jpeg_quality", int, maximum=100),
            None if region is None else (region[0], region[1], region[2], region[3]),
            field(header, "original", str),
            field(header, "page", int),
            optional("last_page"),
            None if header.get("formula") is None else from_fields(field(header, "formula", dict)),
        )

    def fitted_size(self, width: int, height: int) -> tuple[int, int]:
        """Shrink a size to what the model takes, never below one pixel, never above what it is."""
        if self.max_edge is not None and max(width, height) > self.max_edge:
            scale = self.max_edge / max(width, height)
            width, height = max(1, round(width * scale)), max(1, round(height * scale))
        if self.max_view_pixels is not None and width * height > self.max_view_pixels:
            scale = (self.max_view_pixels / (width * height)) ** 0.5
            width = max(1, int(width * scale))
            height = max(1, min(int(height * scale), self.max_view_pixels // width))
        if self.formula is not None:
            seen = self.formula.size(width, height)
            width, height = min(width, seen[0]), min(height, seen[1])
        return width, height


class Encoded(NamedTuple):
    """An image as it may be sent."""

    data: bytes
    media_type: str
    width: int
    height: int


class Fitted(NamedTuple):
    """An image as it may be sent, and what was done to it."""

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
    """The numbers that became black and white, where those are not the ends of their scale."""

    @property
    def data(self) -> bytes:
        """The bytes to send."""
        return self.encoded.data

    def header(self) -> dict[str, Any]:
        """Return the answer without the bytes."""
        told = self._asdict()
        encoded = told.pop("encoded")
        return told | {
            "media_type": encoded.media_type,
            "shown_width": encoded.width,
            "shown_height": encoded.height,
        }


def fit(data: bytes, wanted: Wanted) -> Fitted:
    """Make of an image file what the model takes: the file itself if it is good as it is.

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
        except Exception:  # noqa: BLE001 - the first error is the one that tells
            raise RefusalError.damaged(str(error)) from error
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        raise RefusalError.damaged(str(error) or type(error).__name__) from error


_TRUNCATED = (OSError, SyntaxError)


def describe(data: bytes) -> dict[str, Any]:
    """Return what an image file says about itself, without decoding its pixels.

    Raises:
        RefusalError: Its header cannot be read, or names what is not decoded.
    """
    image = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = opening.opened(data)
            width, height = image.size if _orientation(image) < 5 else image.size[::-1]
            return {
                "format": _NAMES.get(image.format or "", image.format or ""),
                "width": width,
                "height": height,
                "frames": 1 if image.format in _ONE_PICTURE else int(getattr(image, "n_frames", 1)),
                "pages": len(opening.pages_of_tiff(data)) if opening.is_tiff(data) else 1,
            }
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        if opening.is_unsupported(error, data, image):
            raise RefusalError.unsupported() from error
        raise RefusalError.damaged(str(error) or type(error).__name__) from error


def _fit(data: bytes, wanted: Wanted, *, repair: bool) -> Fitted:
    # A truncated image is decoded as far as it goes, by a switch that Pillow has for the process only.
    ImageFile.LOAD_TRUNCATED_IMAGES = repair
    picture = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            page, pages = _chosen_page(data, wanted)
            picture = opening.opened(page)
            return _fit_opened(picture, page, wanted, pages=pages, repaired=repair)
    except (MemoryError, RefusalError):
        raise
    except Exception as error:
        if opening.is_unsupported(error, data, picture):
            raise RefusalError.unsupported() from error
        raise
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = False


def _chosen_page(data: bytes, wanted: Wanted) -> tuple[bytes, int]:
    """Return the file, or of a TIFF what begins with the page requested, and how many pages it has."""
    if not opening.is_tiff(data):
        return data, 1
    places = opening.pages_of_tiff(data)
    last = wanted.page if wanted.last_page is None else wanted.last_page
    if len(places) < max(wanted.page, last) > 1:
        raise RefusalError.pages(max(wanted.page, last), len(places))
    return (data if wanted.page == 1 else opening.beginning_at(data, places[wanted.page - 1])), len(places)


def _require_pixels(picture: ImageFile.ImageFile, wanted: Wanted) -> None:
    pixels = picture.width * picture.height
    if not pixels:
        raise RefusalError.damaged("it has no pixels")
    if pixels > wanted.max_pixels:
        raise RefusalError.too_large(pixels, wanted.max_pixels, "pixels")


def _fit_opened(
    picture: ImageFile.ImageFile, data: bytes, wanted: Wanted, *, pages: int, repaired: bool
) -> Fitted:
    kind = _NAMES.get(picture.format or "", picture.format or "")
    _require_pixels(picture, wanted)
    frames = 1 if picture.format in _ONE_PICTURE else int(getattr(picture, "n_frames", 1))
    stored = opening.rows_as_stored(picture) if repaired else None
    if kind != "JPEG":
        # Before anything looks at the metadata, which loads some formats and hides what that raises.
        picture.load()
    orientation = _orientation(picture)
    width, height = picture.size if orientation < 5 else picture.size[::-1]
    region = clipped(wanted.region, width, height)
    size = wanted.fitted_size(*((region[2], region[3]) if region else (width, height)))
    if kind == "JPEG":
        # Steps of a draft are whole pixels, which bend a narrow strip.
        if region is None and size != (width, height) and min(size) >= _MIN_DRAFT_EDGE:
            picture.draft(None, size if orientation < 5 else size[::-1])
        picture.load()
    if repaired:
        opening.require_sound(picture, stored)
    done = (kind, width, height, frames, wanted.page, pages, orientation > 1, region, repaired)
    is_whole = region is None and size == (width, height) and not repaired
    may_stay = wanted.original == "sound" or (wanted.original == "plain" and orientation == 1 and frames == 1)
    if is_whole and may_stay and _is_plain(picture, kind, data, wanted):
        original = Encoded(data, MEDIA_TYPES[kind], *picture.size)
        _decode_frames(picture, frames)
        return Fitted(original, *done, None)
    upright = ImageOps.exif_transpose(picture) if orientation > 1 else picture
    # Before it is cropped, so that all parts of an image are shown alike.
    upright, spread = colours.in_eight_bits(upright)
    if region is not None:
        x, y, across, down = region
        upright = upright.crop((x, y, x + across, y + down))
    return Fitted(encode(upright, size, wanted, is_lossy=kind in _LOSSY), *done, spread)


def _decode_frames(picture: Image.Image, frames: int) -> None:
    """Decode the frames after the first, which a damaged one ends with an error."""
    for number in range(1, frames):
        picture.seek(number)
        picture.load()


def _orientation(picture: Image.Image) -> int:
    try:
        value = picture.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - a broken note about an image is no broken image
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def clipped(region: Box | None, width: int, height: int) -> Box | None:
    """Clip a region to an image or a page of that size; `None`: all of it.

    Raises:
        RefusalError: Nothing of it is inside.
    """
    if region is None:
        return None
    x, y, across, down = region
    left, top = max(0, x), max(0, y)
    right, bottom = min(width, x + across), min(height, y + down)
    if right <= left or bottom <= top:
        raise RefusalError.region(width, height)
    return left, top, right - left, bottom - top


def _is_plain(picture: Image.Image, kind: str, data: bytes, wanted: Wanted) -> bool:
    """Return whether the file itself may be sent: what Pillow forgives, another decoder may not."""
    if MEDIA_TYPES.get(kind) not in wanted.media_types or picture.mode not in _PLAIN_MODES[kind]:
        return False
    if picture.format != kind:
        # The second image after the JPEG of an MPO is of no use, and some call the whole no JPEG.
        return False
    if wanted.max_bytes is not None and len(data) > wanted.max_bytes:
        return False
    if kind == "PNG" and not _checksums_hold(data):
        return False
    try:
        return inspected(data) == (MEDIA_TYPES[kind], *picture.size)
    except ValueError:
        return False


def _checksums_hold(data: bytes) -> bool:
    """Return whether the chunks of a PNG are as they were written; of its pixels Pillow does not ask."""
    view, place = memoryview(data), 8
    while place + 12 <= len(data):
        end = place + 8 + int.from_bytes(view[place : place + 4], "big")
        if zlib.crc32(view[place + 4 : end]) != int.from_bytes(view[end : end + 4], "big"):
            return False
        if data[place + 4 : place + 8] == b"IEND":
            return True
        place = end + 4
    return False


# ---------------------------------------------------------------------------------------------------------


def encode(picture: Image.Image, size: tuple[int, int], wanted: Wanted, *, is_lossy: bool) -> Encoded:
    """Scale a decoded image to a size and encode it, smaller still until it fits the model's bytes.

    Args:
        picture: It, decoded.
        size: Width and height to show; not larger than it is.
        wanted: The media types and the bytes that the model takes.
        is_lossy: Whether it was pressed with loss before, so that JPEG costs it little.
    """
    profile = colours.profile_of(picture)
    ready = colours.in_srgb(_reduced(colours.simple(picture, profile), size), profile)
    while True:
        for data, media_type in _attempts(ready, wanted, is_lossy=is_lossy):
            if wanted.max_bytes is None or len(data) <= wanted.max_bytes:
                return Encoded(data, media_type, *ready.size)
        if ready.size == (1, 1):
            raise RefusalError.too_large(len(data), wanted.max_bytes or 0, "bytes")
        ready = _reduced(ready, (max(1, ready.width * 3 // 4), max(1, ready.height * 3 // 4)))


def of_pixels(pixels: Any, width: int, height: int) -> Image.Image:
    """Make an image of red, green, blue and an unused byte for each pixel, without copying them."""
    return Image.frombuffer("RGBX", (width, height), pixels, "raw", "RGBX", 0, 1)


def _reduced(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    if picture.size == size:
        return picture
    # A reducing gap takes whole-number steps first, as `thumbnail` does: half the time, no visible loss.
    return picture.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)


def _attempts(picture: Image.Image, wanted: Wanted, *, is_lossy: bool) -> Iterator[tuple[bytes, str]]:
    """Encode in one way after the other, the most legible first."""
    types = wanted.media_types
    jpeg = "image/jpeg" in types
    if picture.mode == "RGBX" and not (jpeg and is_lossy):
        # Of the four formats only JPEG takes pixels with a byte to spare.
        picture = picture.convert("RGB")
    opaque = picture.mode in _OPAQUE_MODES
    png = "image/png" in types
    if png and not (jpeg and opaque and (is_lossy or _is_noisy(picture))):
        yield _as_png(picture)
    elif png and not is_lossy:
        yield from _faithful(picture, wanted)
    if jpeg:
        flat = picture if opaque else _on_white(picture)
        for quality in sorted({wanted.jpeg_quality, 60, 40}, reverse=True):
            if quality <= wanted.jpeg_quality:
                yield _saved(flat, "JPEG", quality=quality, optimize=_is_tiny(flat))
    elif "image/webp" in types:
        for quality in (wanted.jpeg_quality, 40):
            yield _saved(picture.convert("RGB" if opaque else "RGBA"), "WEBP", quality=quality, method=2)
    elif "image/gif" in types and "image/png" not in types:
        yield _saved(_on_white(picture).quantize(), "GIF")


def _faithful(picture: Image.Image, wanted: Wanted) -> Iterator[tuple[bytes, str]]:
    """Encode a noisy image that nothing was lost of so far: as JPEG first only where that keeps it."""
    if picture.width * picture.height > _CHEAP_PIXELS:
        for subsampling in ("4:2:0", "4:4:4"):
            saved = _saved(picture, "JPEG", quality=wanted.jpeg_quality, subsampling=subsampling)
            if _likeness_db(picture, saved[0]) >= _FAITHFUL_DB:
                yield saved
                return
    yield _as_png(picture)
    for quality in (*_BEST_QUALITIES, wanted.jpeg_quality):
        yield _saved(picture, "JPEG", quality=quality, subsampling="4:4:4")


def _likeness_db(picture: Image.Image, encoded: bytes) -> float:
    """Return the peak signal-to-noise ratio of what an image became by being encoded."""
    shown = Image.open(io.BytesIO(encoded), formats=("JPEG",)).convert(picture.mode)
    counts = ImageChops.difference(picture, shown).histogram()
    squares = sum(count * (index % 256) ** 2 for index, count in enumerate(counts))
    return 99.0 if not squares else 10 * math.log10(255**2 * sum(counts) / squares)


def _as_png(picture: Image.Image) -> tuple[bytes, str]:
    return _saved(_few_colours(picture), "PNG", compress_level=6 if _is_small(picture) else 3)


def _is_small(picture: Image.Image) -> bool:
    return picture.width * picture.height <= 1 << 20


def _is_tiny(picture: Image.Image) -> bool:
    """Tell where tables of its own make a JPEG smaller by a good part, for time that nobody notices."""
    return picture.width * picture.height <= 1 << 16


def _is_noisy(picture: Image.Image) -> bool:
    """Tell a photograph from a drawing by how well a sample of its middle can be pressed."""
    across, down = min(picture.width, 256), min(picture.height, 256)
    if across * down < 4_096:
        return False
    x, y = (picture.width - across) // 2, (picture.height - down) // 2
    sample, _ = _saved(picture.crop((x, y, x + across, y + down)), "PNG", compress_level=1)
    return len(sample) > _NOISY_BYTES_PER_PIXEL * across * down


def _few_colours(picture: Image.Image) -> Image.Image:
    """Return a drawing of at most 256 colors a palette, which loses nothing and saves two thirds."""
    if picture.mode != "RGB" or picture.getcolors(256) is None:
        return picture
    return picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _on_white(picture: Image.Image) -> Image.Image:
    if picture.mode in _OPAQUE_MODES:
        return picture
    faintest, clearest = picture.convert("RGBA").getchannel("A").getextrema()
    if faintest == clearest and clearest:
        # What is the same everywhere has no shape to show, and would only bleach the colors.
        return picture.convert("RGB")
    white = Image.new("RGBA", picture.size, "white")
    return Image.alpha_composite(white, picture.convert("RGBA")).convert("RGB")


def _saved(picture: Image.Image, kind: str, **options: Any) -> tuple[bytes, str]:
    # Notes about the image (profiles, places, comments) would be sent along.
    picture.info = {}
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue(), MEDIA_TYPES[kind]


def samples() -> list[tuple[bytes, dict[str, Any]]]:
    """Return the images that most are like, small, and what to make of them as a job says it."""
    return [(data, wanted._asdict()) for data, wanted in _SAMPLES]


_SAMPLES: Final[list[tuple[bytes, Wanted]]] = []


def warm() -> None:
    """Decode and encode one of each format once, so that nothing is left to be loaded."""
    Image.MAX_IMAGE_PIXELS = None
    every = tuple(MEDIA_TYPES.values())
    wanted = Wanted(every, None, 8, None, 1 << 20, 80)
    sample = Image.effect_noise((16, 12), 80).convert("RGB")
    for kind in FORMATS:
        buffer = io.BytesIO()
        exif = Image.Exif()
        exif[_ORIENTATION] = 6
        options = {"exif": exif} if kind in {"PNG", "JPEG", "WEBP", "TIFF", "AVIF"} else {}
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

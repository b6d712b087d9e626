"""Images inside a decoder: decoded in full, turned upright, cropped and fitted to the model."""

from __future__ import annotations

import io
import warnings
import zlib
from contextlib import suppress
from typing import Any, Final, NamedTuple

from PIL import Image, ImageFile, ImageOps, PngImagePlugin

from anyread.decoding.protocol import IMAGE_FORMATS
from anyread.results.blocks import inspected

from . import colors, opening
from .damage import RefusalError
from .encoding import MEDIA_TYPES, Box, Encoded, Wanted, encode

_NAMES: Final = {"MPO": "JPEG"}
_PLAIN_MODES: Final = {
    "PNG": {"1", "L", "LA", "P", "RGB", "RGBA"},
    "JPEG": {"L", "RGB"},
    "GIF": {"L", "P", "RGB", "RGBA"},
    "WEBP": {"RGB", "RGBA"},
}
_ONE_IMAGE: Final = {"MPO", "ICO", "TIFF"}
"""Formats whose further images are not frames, but pages or other sizes of the same image."""
_LOSSY: Final = {"JPEG", "AVIF", "WEBP"}
_ORIENTATION: Final = 0x0112
_MIN_DRAFT_EDGE: Final = 64
_STRIPS_OVERLAP: Final = 16
"""A strip of a tall image repeats this part of the one before, so that each line of text is whole in one."""
_SHORT_BYTES: Final = 1 << 20
"""The longest text or profile in a PNG that Pillow accepts by default, and with it many programs."""
_TRUNCATED: Final = (OSError, SyntaxError)
"""The errors with which Pillow reports truncated files."""


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
    following: int | None
    """The y of the next strip of a tall image; `None`: nothing follows."""
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
    except MemoryError:
        raise
    except Exception as error:
        bare = _without_damage(data, error)
        if bare is not None:
            return fit(bare, wanted)
        if isinstance(error, RefusalError):
            raise
        if isinstance(error, _TRUNCATED):
            try:
                return _fit(data, wanted, repair=True)
            except (MemoryError, RefusalError):
                raise
            except Exception:  # noqa: BLE001 - the first error has the cause
                raise RefusalError.damaged(str(error)) from error
        raise RefusalError.damaged(str(error) or type(error).__name__) from error


def _without_damage(data: bytes, error: Exception) -> bytes | None:
    """Return a file without metadata if these may have caused an error; otherwise `None`."""
    is_damage = not isinstance(error, RefusalError) or error.header["error"] == "damaged"
    return opening.without_metadata(data) if is_damage else None


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
    except MemoryError:
        raise
    except Exception as error:
        bare = _without_damage(data, error)
        if bare is not None:
            return describe(bare)
        if isinstance(error, RefusalError):
            raise
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
    if wanted.region is not None:
        # The limits on memory and time bound what is decoded for it.
        pixels = min(pixels, wanted.region[2] * wanted.region[3])
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
    strip = wanted.strip(width, height) if wanted.in_strips and pages == 1 else None
    following = None
    if strip is not None:
        x, y, across, down = region = region or (0, 0, width, strip)
        if (x, across) == (0, width) and y + down < height:
            following = y + down - down // _STRIPS_OVERLAP
    size = wanted.fitted_size(*((region[2], region[3]) if region else (width, height)))
    if kind == "JPEG":
        # A draft has whole pixels, which would distort a narrow image.
        if region is None and size != (width, height) and min(size) >= _MIN_DRAFT_EDGE:
            image.draft(None, size if orientation < 5 else size[::-1])
        image.load()
    if repaired:
        opening.require_sound(image, stored)
    is_whole = region is None and size == (width, height) and not repaired
    is_plain = orientation == 1 and frames == 1 and not colors.hides_colors(image)
    may_stay = wanted.original == "sound" or (wanted.original == "plain" and is_plain)
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
        following=following,
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
    if kind == "PNG" and not (_checksums_hold(data) and _has_short_metadata(image)):
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


def _has_short_metadata(image: Image.Image) -> bool:
    """Return whether no text and no profile of a PNG is so long that many decoders refuse the file."""
    texts = (value for value in image.info.values() if isinstance(value, (str, bytes)))
    return max(map(len, texts), default=0) <= _SHORT_BYTES


def samples() -> list[tuple[bytes, dict[str, Any]]]:
    """Return small typical images, each with the fields of a job that fits it."""
    return [(data, wanted._asdict()) for data, wanted in _SAMPLES]


_SAMPLES: Final[list[tuple[bytes, Wanted]]] = []


def warm() -> None:
    """Decode and encode an image of each format, so that later jobs load nothing."""
    Image.MAX_IMAGE_PIXELS = None
    PngImagePlugin.MAX_TEXT_CHUNK = opening.MAX_PNG_TEXT_BYTES
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

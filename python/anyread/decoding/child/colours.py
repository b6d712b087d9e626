"""Colors, inside a decoder: whatever the numbers of an image mean, they become 8 bits of grey or sRGB."""

from __future__ import annotations

import io
import math
from typing import Any, Final

from PIL import Image, ImageChops, ImageCms, ImageMath

_READY_MODES: Final = frozenset({"L", "LA", "RGB", "RGBA", "RGBX"})
_PREMULTIPLIED: Final = {"La": "LA", "RGBa": "RGBA"}
_MODES_OF_SPACE: Final = {"RGB": {"RGB", "RGBA", "RGBX"}, "GRAY": {"L", "LA"}, "CMYK": {"CMYK"}}
"""The modes that a profile can describe, by its color space."""
_FULL_SCALES: Final = {"I;16": (65_535,), "I": (255, 65_535), "F": (1, 255, 65_535)}
"""What white may be in images of numbers, by the first letters of their mode."""
_FILLED_PART: Final = 0.25
"""Numbers that fill a smaller part of their scale are spread over all of it: 14 bits of 16 are."""
_LARGEST: Final = 1e30
"""Numbers beyond it, and those that are none, mark pixels without data."""
_INVISIBLE: Final = 1
"""A profile that changes no color by more than this is sRGB."""


def in_eight_bits(picture: Image.Image) -> tuple[Image.Image, tuple[float, float] | None]:
    """Bring numbers of 16 or 32 bits into 0 to 255; other images are returned as they are.

    Returns:
        The image, and the numbers that became black and white if they are not the ends of the scale.
    """
    scales = next((scales for mode, scales in _FULL_SCALES.items() if picture.mode.startswith(mode)), None)
    if scales is None:
        return picture, None
    numbers, low, high = _with_extremes(picture.convert("F"))
    scale = next((scale for scale in scales if low >= 0 and high <= scale), None)
    spread = None
    if scale is not None and (low == high or high - low >= _FILLED_PART * scale):
        low, high = 0, scale
    else:
        spread = low, high
    factor = 255 / ((high - low) or 1)
    shown = numbers.point(lambda number: number * factor + -low * factor).convert("L")
    # The value that marks transparent pixels is on the old scale.
    shown.info.pop("transparency", None)
    return shown, spread


def _with_extremes(numbers: Image.Image) -> tuple[Image.Image, float, float]:
    """Return the least and the largest number; pixels without data become the least."""
    low, high = _extremes(numbers)
    if low > -_LARGEST and high < _LARGEST:
        return numbers, low, high

    # A comparison with a number that is none is false, so `min` puts the limit in its place.
    clipped = _calculated(lambda of: of["max"](of["min"](of["a"], _LARGEST), -_LARGEST), a=numbers)
    is_data = _calculated(
        lambda of: of["float"]((of["a"] < _LARGEST) * (of["a"] > -_LARGEST)), a=clipped
    ).convert("F")

    def filled(value: float) -> Image.Image:
        return _calculated(lambda of: of["a"] * of["m"] + (1.0 - of["m"]) * value, a=clipped, m=is_data)

    low, high = _extremes(filled(_LARGEST))[0], _extremes(filled(-_LARGEST))[1]
    if low > high:
        return Image.new("F", numbers.size), 0, 0
    return filled(low), low, high


def _extremes(numbers: Image.Image) -> tuple[float, float]:
    # Of one band, so two numbers. They may be none themselves, which no comparison finds within limits.
    low, high = numbers.getextrema()
    return float(low), float(high)  # type: ignore[arg-type] # Pillow types it for images of several bands


def _calculated(formula: Any, **pictures: Image.Image) -> Image.Image:
    result: Image.Image = ImageMath.lambda_eval(formula, **pictures)
    return result


def profile_of(picture: Image.Image) -> ImageCms.ImageCmsProfile | None:
    """Return the color profile of an image; one that cannot be read is no broken image."""
    data = picture.info.get("icc_profile")
    if not data:
        return None
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(data))
    except (OSError, TypeError):
        return None
    # These modes are converted to RGB first, which is not what a profile of screens describes.
    is_foreign = picture.mode in {"CMYK", "LAB"} and not _describes(profile, picture.mode)
    return None if is_foreign else profile


def simple(picture: Image.Image, profile: ImageCms.ImageCmsProfile | None = None) -> Image.Image:
    """Convert to grey or RGB of 8 bits, with or without transparency; other modes are rarely understood.

    Inks that a profile describes are left for `in_srgb`.
    """
    picture, _ = in_eight_bits(picture)
    if picture.mode in _READY_MODES and "transparency" not in picture.info:
        return picture
    if picture.mode in _PREMULTIPLIED:
        return picture.convert(_PREMULTIPLIED[picture.mode])
    if profile is not None and picture.mode == "CMYK":
        return picture
    if picture.mode in {"PA", "RGBA", "LA"} or "transparency" in picture.info:
        return picture.convert("RGBA")
    return picture.convert("L" if picture.mode == "1" else "RGB")


def in_srgb(picture: Image.Image, profile: ImageCms.ImageCmsProfile | None) -> Image.Image:
    """Convert the colors that a profile describes to sRGB, the meaning of colors without a profile."""
    if profile is not None and _describes(profile, picture.mode):
        try:
            return _converted(picture, profile)
        except ImageCms.PyCMSError:
            # Its tables are damaged, or of a kind that cannot be a source: as if there were none.
            pass
    return picture.convert("RGB") if picture.mode == "CMYK" else picture


def _describes(profile: ImageCms.ImageCmsProfile, mode: str) -> bool:
    return mode in _MODES_OF_SPACE.get(profile.profile.xcolor_space.strip(), ())


def _converted(picture: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    if picture.mode == "LA":
        grey = _converted(picture.getchannel("L"), profile)
        return Image.merge("LA", (grey, picture.getchannel("A")))
    target = {"RGBA": "RGBA", "RGBX": "RGB"}.get(picture.mode, "RGB")
    source = picture.convert("RGB") if picture.mode == "RGBX" else picture
    transform = ImageCms.buildTransform(profile, ImageCms.createProfile("sRGB"), source.mode, target)
    if source.mode != "CMYK" and _is_invisible(transform, source.mode):
        return picture
    shown = transform.apply(source)
    return shown.convert("L") if picture.mode == "L" else shown


def _is_invisible(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Return whether a transform changes no color visibly, as most profiles do: then none is made."""
    sample = _SAMPLE.convert(mode)
    change = ImageChops.difference(transform.apply(sample).convert("RGB"), sample.convert("RGB"))
    # Of three bands, so three pairs; Pillow's type is also that of one band.
    return max(math.ceil(high) for _, high in change.getextrema()) <= _INVISIBLE  # type: ignore[misc]


_STEPS: Final = range(0, 256, 51)
_SAMPLE: Final = Image.new("RGB", (36, 6))
_SAMPLE.putdata([(red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS])

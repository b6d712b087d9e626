"""Colors inside a decoder: the values of all images are converted to 8-bit gray or sRGB."""

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
"""The possible values of white in images of numbers, by the first letters of their mode."""
_FILLED_PART: Final = 0.25
"""Values that fill a smaller part of their scale are spread over all of it, for example 14 of 16 bits."""
_LARGEST: Final = 1e30
"""Larger magnitudes and NaN mark pixels without data."""
_INVISIBLE: Final = 1
"""A profile that changes no color by more than this is treated as sRGB."""


def in_eight_bits(image: Image.Image) -> tuple[Image.Image, tuple[float, float] | None]:
    """Scale 16-bit and 32-bit values to 0–255; other images are returned unchanged.

    Returns:
        The image, and the values that became black and white if they are not the ends of the scale.
    """
    scales = next((scales for mode, scales in _FULL_SCALES.items() if image.mode.startswith(mode)), None)
    if scales is None:
        return image, None
    numbers, low, high = _with_extremes(image.convert("F"))
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
    """Return the image with its minimum and maximum; pixels without data get the minimum."""
    low, high = _extremes(numbers)
    if low > -_LARGEST and high < _LARGEST:
        return numbers, low, high

    # Comparisons with NaN are false, so `min` replaces NaN by the limit.
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
    # Two numbers, because the image has one band. If they are NaN, they fail every comparison.
    low, high = numbers.getextrema()
    return float(low), float(high)  # type: ignore[arg-type] # Pillow types it for images of several bands


def _calculated(formula: Any, **images: Image.Image) -> Image.Image:
    result: Image.Image = ImageMath.lambda_eval(formula, **images)
    return result


def profile_of(image: Image.Image) -> ImageCms.ImageCmsProfile | None:
    """Return the color profile of an image; `None` if there is none or it cannot be read."""
    data = image.info.get("icc_profile")
    if not data:
        return None
    try:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(data))
    except (OSError, TypeError):
        return None
    # Images in these modes are converted to RGB first; an RGB profile does not describe the result.
    is_foreign = image.mode in {"CMYK", "LAB"} and not _describes(profile, image.mode)
    return None if is_foreign else profile


def simple(image: Image.Image, profile: ImageCms.ImageCmsProfile | None = None) -> Image.Image:
    """Convert to 8-bit gray or RGB, with or without transparency; few programs support other modes.

    CMYK with a profile is left for `in_srgb`.
    """
    image, _ = in_eight_bits(image)
    if image.mode in _READY_MODES and "transparency" not in image.info:
        return image
    if image.mode in _PREMULTIPLIED:
        return image.convert(_PREMULTIPLIED[image.mode])
    if profile is not None and image.mode == "CMYK":
        return image
    if image.mode in {"PA", "RGBA", "LA"} or "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert("L" if image.mode == "1" else "RGB")


def in_srgb(image: Image.Image, profile: ImageCms.ImageCmsProfile | None) -> Image.Image:
    """Convert the colors that a profile describes to sRGB, which colors without a profile already are."""
    if profile is not None and _describes(profile, image.mode):
        try:
            return _converted(image, profile)
        except ImageCms.PyCMSError:
            # Its tables are damaged or cannot be used as a source, so the profile is ignored.
            pass
    return image.convert("RGB") if image.mode == "CMYK" else image


def without_hidden(image: Image.Image) -> Image.Image:
    """Make the colors of invisible pixels white, because some programs show them without transparency."""
    if image.mode not in {"RGBA", "LA"} or image.getchannel("A").getextrema()[0]:
        return image
    shown = image.copy()
    shown.paste((255,) * (len(image.mode) - 1) + (0,), mask=image.getchannel("A").point([255, *[0] * 255]))
    return shown


def hides_colors(image: Image.Image) -> bool:
    """Return whether invisible pixels have other colors than white."""
    if image.mode not in {"RGBA", "LA"} and "transparency" not in image.info:
        return False
    pixels = image if image.mode in {"RGBA", "LA"} else image.convert("RGBA")
    return without_hidden(pixels) is not pixels and without_hidden(pixels).tobytes() != pixels.tobytes()


def _describes(profile: ImageCms.ImageCmsProfile, mode: str) -> bool:
    return mode in _MODES_OF_SPACE.get(profile.profile.xcolor_space.strip(), ())


def _converted(image: Image.Image, profile: ImageCms.ImageCmsProfile) -> Image.Image:
    if image.mode == "LA":
        gray = _converted(image.getchannel("L"), profile)
        return Image.merge("LA", (gray, image.getchannel("A")))
    target = {"RGBA": "RGBA", "RGBX": "RGB"}.get(image.mode, "RGB")
    source = image.convert("RGB") if image.mode == "RGBX" else image
    transform = ImageCms.buildTransform(profile, ImageCms.createProfile("sRGB"), source.mode, target)
    if source.mode != "CMYK" and _is_invisible(transform, source.mode):
        return image
    shown = transform.apply(source)
    return shown.convert("L") if image.mode == "L" else shown


def _is_invisible(transform: ImageCms.ImageCmsTransform, mode: str) -> bool:
    """Return whether a transform changes no color visibly, as for most profiles; it is then skipped."""
    sample = _SAMPLE.convert(mode)
    change = ImageChops.difference(transform.apply(sample).convert("RGB"), sample.convert("RGB"))
    # Three pairs, because the image has three bands; Pillow's type includes that for one band.
    return max(math.ceil(high) for _, high in change.getextrema()) <= _INVISIBLE  # type: ignore[misc] # as above


_STEPS: Final = range(0, 256, 51)
_SAMPLE: Final = Image.new("RGB", (36, 6))
_SAMPLE.putdata([(red, green, blue) for red in _STEPS for green in _STEPS for blue in _STEPS])

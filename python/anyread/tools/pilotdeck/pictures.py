"""Pictures as `read_file` sends them: repaired if cut short, and pressed into the model's bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from anyread.errors import DamagedFileError
from anyread.model import Model
from anyread.tools.decoders import fit

from .answers import Refusal

if TYPE_CHECKING:
    from anyread.decoding.host.fitting import FittedImage
    from anyread.running.effects import Steps
    from anyread.tools.files import File

MAX_BYTES: Final = 20 * 1024 * 1024
"""Bytes of a picture, whatever the model takes."""
_SMALL_BYTES: Final = 1_000
"""A picture of no more bytes is suspect."""
_REPAIR_QUALITY: Final = 90
_SENDABLE: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
_READABLE: Final = {*_SENDABLE, "image/tiff", "image/avif"}
"""What the reference's library knows by its header."""


class Picture(NamedTuple):
    """A picture that may be sent."""

    data: bytes
    media_type: str


class _Pass(NamedTuple):
    """One attempt of the cascade."""

    media_type: str
    edge: int
    """Pixels of the longer edge at most."""
    quality: int
    """JPEG or WebP quality; PNG has none."""


_FIRST_PASSES: Final = {
    "image/png": _Pass("image/png", 1_600, 80),
    "image/webp": _Pass("image/webp", 1_600, 80),
    "image/gif": _Pass("image/png", 1_200, 80),
}
_FIRST_PASS: Final = _Pass("image/jpeg", 1_600, 80)
_FURTHER_PASSES: Final = (_Pass("image/jpeg", 1_200, 55), _Pass("image/jpeg", 800, 40))


@dataclass(frozen=True, slots=True)
class Caps:
    """What a picture must keep to: the contract's bytes, and what the host has said of the model."""

    model: Model

    @property
    def max_bytes(self) -> int:
        """Bytes of a picture."""
        caps = [MAX_BYTES, self.model.max_image_bytes or MAX_BYTES]
        if self.model.max_image_base64_bytes is not None:
            caps.append(self.model.max_image_base64_bytes // 4 * 3)
        return min(caps)

    def taking(self, *media_types: str, edge: int | None = None) -> Model:
        """Describe a model that takes these types of the host's, and edges of at most so many pixels.

        Bytes are not capped: the cascade sees to them.
        """
        taken = self.model.image_types or _SENDABLE
        edges = [cap for cap in (edge, self.model.max_long_edge) if cap is not None]
        return Model(
            image_types=tuple(name for name in media_types if name in taken) or taken,
            max_long_edge=min(edges, default=None),
            max_image_pixels=self.model.max_image_pixels,
        )


def checked(file: File, data: bytes, media_type: str, caps: Caps, *, is_validated: bool) -> Steps[Picture]:
    """Give the file itself if it is sound, else what can be saved of it.

    A short file, a JPEG without its end, and what has no header are encoded anew as JPEG.

    Args:
        file: The file.
        data: Its bytes.
        media_type: What its name says.
        caps: What it must keep to.
        is_validated: Whether all of it must decode, be of the type that it is sent as, and keep to the
            size that the host has set; else its end and its header are believed.

    Raises:
        Refusal: It cannot be decoded.
    """
    try:
        if _is_suspect(data, media_type, file.media_type):
            model = caps.taking("image/jpeg")
            return _picture((yield from _fit(file, data, model, quality=_REPAIR_QUALITY)))
        if not is_validated:
            return Picture(data, media_type)
        model = caps.taking(*_SENDABLE)
        return _picture((yield from _fit(file, data, model, quality=_REPAIR_QUALITY, original="sound")))
    except DamagedFileError as error:
        message = f"Image file appears truncated or corrupted ({len(data)} bytes). Cannot decode."
        raise Refusal("invalid_tool_input", message) from error


def _is_suspect(data: bytes, media_type: str, found_type: str) -> bool:
    if len(data) <= _SMALL_BYTES:
        return True
    if media_type == "image/jpeg":
        return not data.endswith(b"\xff\xd9")
    return found_type not in _READABLE


def within(file: File, picture: Picture, caps: Caps) -> Steps[Picture]:
    """Press a picture into the bytes of the model, in up to three passes, each made from the last.

    Args:
        file: The file that it comes from.
        picture: It.
        caps: What it must keep to.

    Raises:
        Refusal: It is over the bytes even so.
    """
    shown = picture
    first = _FIRST_PASSES.get(picture.media_type, _FIRST_PASS)
    for step in (first, *_FURTHER_PASSES):
        if len(shown.data) <= caps.max_bytes:
            return shown
        model = caps.taking(step.media_type, edge=step.edge)
        try:
            shown = _picture((yield from _fit(file, shown.data, model, quality=step.quality)))
        except DamagedFileError:
            # Only what was not validated can be; then its own size decides.
            break
    if len(shown.data) <= caps.max_bytes:
        return shown
    message = (
        f"Image content exceeds the read_file byte budget after compression attempts ({picture.media_type})."
    )
    about = {"mimeType": shown.media_type, "bytes": len(shown.data), "maxBytes": caps.max_bytes}
    raise Refusal("result_too_large", message, **about)


def _picture(fitted: FittedImage) -> Picture:
    return Picture(fitted.image.data, fitted.image.media_type)


def _fit(
    file: File, data: bytes, model: Model, *, quality: int, original: Literal["sound", "never"] = "never"
) -> Steps[FittedImage]:
    return fit(file, model, data=data, media_type="image/*", original=original, jpeg_quality=quality)

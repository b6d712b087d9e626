"""Images as `read_file` sends them: repaired if they are truncated, and compressed to the model's limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from anyread._native import b64encode
from anyread.errors import DamagedFileError
from anyread.model import Model
from anyread.tools.decoders import fit

from .answers import Json, RefusedCall, media_item

if TYPE_CHECKING:
    from anyread.open_file import OpenFile

MAX_IMAGE_BYTES: Final = 20 * 1024 * 1024
"""The most bytes of an image, whatever the model accepts."""
_SUSPECT_BYTES: Final = 1_000
"""An image with at most this many bytes is re-encoded."""
_REPAIR_QUALITY: Final = 90
_SENT_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")
_DETECTED_TYPES: Final = {*_SENT_TYPES, "image/tiff", "image/avif"}
"""The types that the reference's library detects by their headers."""


class SentImage(NamedTuple):
    """An encoded image that may be sent."""

    data: bytes
    media_type: str

    def item(self, detail: str | None) -> Json:
        """Return it as an item of content; `detail` is the host's setting."""
        base64 = b64encode(self.data)
        return media_item("image", self.media_type, base64, len(self.data), detail=detail)


class _CompressionPass(NamedTuple):
    media_type: str
    edge: int
    """Maximum pixels of the longer edge."""
    quality: int
    """JPEG or WebP quality; PNG has none."""


_FIRST_PASSES: Final = {
    "image/png": _CompressionPass("image/png", 1_600, 80),
    "image/webp": _CompressionPass("image/webp", 1_600, 80),
    "image/gif": _CompressionPass("image/png", 1_200, 80),
}
_FIRST_PASS: Final = _CompressionPass("image/jpeg", 1_600, 80)
_FURTHER_PASSES: Final = (_CompressionPass("image/jpeg", 1_200, 55), _CompressionPass("image/jpeg", 800, 40))


def max_image_bytes(model: Model) -> int:
    """Return the maximum bytes of an image: the smallest of the limits of the contract and the model."""
    limits = [MAX_IMAGE_BYTES, model.max_image_bytes or MAX_IMAGE_BYTES]
    if model.max_image_base64_bytes is not None:
        limits.append(model.max_image_base64_bytes // 4 * 3)
    return min(limits)


def accepting(model: Model, *media_types: str, edge: int | None = None) -> Model:
    """Return a model that accepts only these of the types of `model`, and edges of up to `edge` pixels.

    Bytes are not limited, because `compressed` limits them.
    """
    accepted = model.image_types or _SENT_TYPES
    edges = [limit for limit in (edge, model.max_long_edge) if limit is not None]
    return Model(
        image_types=tuple(name for name in media_types if name in accepted) or accepted,
        max_long_edge=min(edges, default=None),
        max_image_pixels=model.max_image_pixels,
    )


def repaired(file: OpenFile, data: bytes, media_type: str, model: Model, *, is_validated: bool) -> SentImage:
    """Return the file itself if it is intact, and otherwise a repaired image.

    A very small file, a JPEG without its end, and a file without a known header are re-encoded as JPEG.

    Args:
        file: The file.
        data: Its bytes.
        media_type: The media type of its extension.
        model: What the model accepts.
        is_validated: Whether it must decode completely, and must fit the host's limits; otherwise only its
            header and its end are checked.

    Raises:
        RefusedCall: It cannot be decoded.
    """
    is_cut = media_type == "image/jpeg" and not data.endswith(b"\xff\xd9")
    is_unknown = media_type != "image/jpeg" and file.media_type not in _DETECTED_TYPES
    try:
        if len(data) <= _SUSPECT_BYTES or is_cut or is_unknown:
            return _fit(file, data, accepting(model, "image/jpeg"), _REPAIR_QUALITY)
        if not is_validated:
            return SentImage(data, media_type)
        return _fit(file, data, accepting(model, *_SENT_TYPES), _REPAIR_QUALITY, "sound")
    except DamagedFileError as error:
        message = f"Image file appears truncated or corrupted ({len(data)} bytes). Cannot decode."
        raise RefusedCall("invalid_tool_input", message) from error


def compressed(file: OpenFile, image: SentImage, model: Model) -> SentImage:
    """Compress an image to the limit of bytes, in up to three passes; each starts from the previous result.

    Args:
        file: The file that it comes from.
        image: The image.
        model: What the model accepts.

    Raises:
        RefusedCall: It is still over the limit.
    """
    maximum, shown = max_image_bytes(model), image
    for step in (_FIRST_PASSES.get(image.media_type, _FIRST_PASS), *_FURTHER_PASSES):
        if len(shown.data) <= maximum:
            break
        accepted = accepting(model, step.media_type, edge=step.edge)
        try:
            shown = _fit(file, shown.data, accepted, step.quality)
        except DamagedFileError:
            # The image was not validated and is damaged; it is sent unchanged if it is small enough.
            break
    if len(shown.data) <= maximum:
        return shown
    message = (
        f"Image content exceeds the read_file byte budget after compression attempts ({image.media_type})."
    )
    about = {"mimeType": shown.media_type, "bytes": len(shown.data), "maxBytes": maximum}
    raise RefusedCall("result_too_large", message, **about)


def _fit(
    file: OpenFile, data: bytes, model: Model, quality: int, original: Literal["sound", "never"] = "never"
) -> SentImage:
    fitted = fit(file, model, data=data, media_type="image/*", original=original, jpeg_quality=quality)
    return SentImage(fitted.image.data, fitted.image.media_type)

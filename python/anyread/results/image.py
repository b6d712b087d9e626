"""The result of reading an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread._native import count_tokens
from anyread.errors.base import quoted

from .blocks import Block, ImageBlock, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation  # noqa: F401 - likewise
from .values import DERIVED, Value, on_first_use


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Size(Value):
    """The size of an image."""

    width: int
    """Pixels from left to right."""
    height: int
    """Pixels from top to bottom."""
    bytes: int = 0
    """Bytes of the encoded image."""


@on_first_use("token_estimate", int, lambda view, _: count_tokens(view.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ImageView(BasePage):
    """An image as the model accepts it: upright, cropped, within its limits.

    Example:
        >>> view = anyread.read_sync("photo.jpg")
        >>> view.original.width, view.shown.width
        (4032, 1269)
        >>> view.blocks[-1].media_type
        'image/jpeg'
    """

    kind: ClassVar[Literal["image"]] = "image"

    format: str = "PNG"
    """The file's format: "PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF" or "ICO"."""
    original: Size = DERIVED
    """The size of the image in the file, upright."""
    shown: Size | None = None
    """The size of the image that is shown; `None` if the model accepts no images."""
    scale: float = 1.0
    """Pixels shown for each pixel of the file, along an edge: 1 or less."""
    frames: int = 1
    """The number of frames of an animation, whose first frame is shown; 1 for other images."""
    page: int = 1
    """The page that is shown, counted from 1."""
    page_count: int = 1
    """The number of pages of a TIFF; 1 for other formats. `next` shows the next page."""
    orientation_applied: bool = False
    """Whether the image was rotated as its metadata specifies."""
    region: tuple[int, int, int, int] | None = None
    """The part that is shown, clipped to the image: x, y, width and height in upright pixels."""
    token_estimate: int = DERIVED
    """Tokens of text and image, by the formula of the model's provider."""
    image: ImageBlock | None = None
    """The image; `None` if the model accepts no images."""

    def __post_init__(self) -> None:
        BasePage.__post_init__(self)
        image = self.image
        size = Size(0, 0) if image is None else Size(image.width, image.height, len(image.data))
        self._derive(original=size, shown=None if image is None else size)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of a message: a line about the image, then the image."""
        text = TextBlock(self.text)
        return (text,) if self.image is None else (text, self.image)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the image in a history."""
        about = f"{self.format} {self.original.width:,}×{self.original.height:,}"
        if self.page_count > 1:
            about += f", page {self.page:,} of {self.page_count:,}"
        if self.shown is None:
            return f"image {quoted(self.path)}: {about}, not shown"
        part = "" if self.region is None else f", region {self.region}"
        return f"image {quoted(self.path)}: {about}{part}, shown {self.shown.width:,}×{self.shown.height:,}"

    def _repr_png_(self) -> bytes | None:
        return None if self.image is None else self.image._repr_png_()

    def _repr_jpeg_(self) -> bytes | None:
        return None if self.image is None else self.image._repr_jpeg_()

"""The result of reading an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread.errors.base import quoted
from anyread.values import Value

from .blocks import Block, ImageBlock, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Size(Value):
    """The size of an image that is shown."""

    width: int
    """Pixels from left to right."""
    height: int
    """Pixels from top to bottom."""
    bytes: int = 0
    """Bytes of the encoded image."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ImageView(PartsPage):
    """An image as the model accepts it: upright, cropped, within its limits.

    Example:
        >>> view = anyread.read_sync("photo.jpg")
        >>> view.width, view.shown.width
        (4032, 1269)
        >>> view.blocks[-1].media_type
        'image/jpeg'
    """

    kind: ClassVar[Literal["image"]] = "image"
    unit: ClassVar[tuple[str, str]] = ("page", "pages")
    facts_of_kind: ClassVar[tuple[str, ...]] = (
        "first",
        "last",
        "count",
        "format",
        "width",
        "height",
        "scale",
        "frames",
        "orientation_applied",
        "region",
    )

    format: str = "PNG"
    """The file's format: "PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF" or "ICO"."""
    width: int = 0
    """Pixels from left to right of the image in the file, upright."""
    height: int = 0
    """Pixels from top to bottom of the image in the file, upright."""
    shown: Size | None = None
    """The size of the image that is shown; `None` if the model accepts no images."""
    scale: float = 1.0
    """Pixels shown for each pixel of the file, along an edge: 1 or less."""
    frames: int = 1
    """The number of frames of an animation, whose first frame is shown; 1 for other images."""
    orientation_applied: bool = False
    """Whether the image was rotated as its metadata specifies."""
    region: tuple[int, int, int, int] | None = None
    """The part that is shown, clipped to the image: x, y, width and height in upright pixels."""
    image: ImageBlock | None = None
    """The image; `None` if the model accepts no images."""

    def __post_init__(self) -> None:
        PartsPage.__post_init__(self)
        image = self.image
        self._derive(shown=None if image is None else Size(image.width, image.height, len(image.data)))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks of a message: a line about the image, then the image."""
        text = TextBlock(self.text)
        return (text,) if self.image is None else (text, self.image)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the image in a history."""
        about = f"{self.format} {self.width:,}×{self.height:,}"
        if self.count != 1:
            about += f", {self.shown_parts()}"
        if self.shown is None:
            return f"image {quoted(self.path)}: {about}, not shown"
        part = "" if self.region is None else f", region {self.region}"
        return f"image {quoted(self.path)}: {about}{part}, shown {self.shown.width:,}×{self.shown.height:,}"

    def _repr_png_(self) -> bytes | None:
        return None if self.image is None else self.image._repr_png_()

    def _repr_jpeg_(self) -> bytes | None:
        return None if self.image is None else self.image._repr_jpeg_()

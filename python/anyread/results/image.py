"""What a read of a picture gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from anyread._native import count_tokens

from .blocks import Block, ImageBlock, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation, Page  # noqa: F401 - likewise
from .values import Value


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Size(Value):
    """Tell how large a picture is."""

    width: int
    """Pixels from left to right."""
    height: int
    """Pixels from top to bottom."""
    bytes: int
    """Bytes, encoded."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ImageView(Page):
    """A picture as the model can take it: upright, cropped, within its limits.

    Example:
        >>> view = anyread.read_sync("photo.jpg")
        >>> view.original.width, view.shown.width
        (4032, 1568)
        >>> view.blocks[-1].media_type
        'image/jpeg'
    """

    kind: ClassVar[str] = "image"

    format: str
    """The file's format: "PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "AVIF" or "ICO"."""
    original: Size
    """The picture in the file, upright."""
    shown: Size | None
    """The picture that is shown; `None`: the model takes none."""
    scale: float
    """Pixels shown for each pixel of the file, along an edge: 1 or less."""
    frames: int
    """How many frames an animation has, of which the first is shown; 1 for other pictures."""
    page: int
    """The page that is shown, counted from 1."""
    page_count: int
    """How many pages a TIFF has; 1 for other formats. `next` shows the next one."""
    orientation_applied: bool
    """Whether the picture was turned as its metadata asks."""
    region: tuple[int, int, int, int] | None
    """The part that is shown, clipped to the picture: x, y, width and height in upright pixels."""
    token_estimate: int
    """Tokens of text and picture, by the formula of the model's provider."""
    image: ImageBlock | None
    """The picture; `None`: the model takes none."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The picture as the blocks of a message: a line about it, then itself."""
        text = TextBlock(self.text)
        return (text,) if self.image is None else (text, self.image)

    def summary(self) -> str:
        """Say in one line what was read, for a history in place of the picture."""
        about = f"{self.format} {self.original.width:,}×{self.original.height:,}"
        if self.page_count > 1:
            about += f", page {self.page:,} of {self.page_count:,}"
        if self.shown is None:
            return f"image `{self.path}`: {about}, not shown"
        part = "" if self.region is None else f", region {self.region}"
        return f"image `{self.path}`: {about}{part}, shown {self.shown.width:,}×{self.shown.height:,}"

    def _empty(self, footer: str) -> dict[str, Any]:
        return {"shown": None, "token_estimate": count_tokens(footer, None), "image": None}

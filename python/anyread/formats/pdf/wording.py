"""The line before the text of a PDF page, or instead of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anyread.formats.parts import Part, Picture

if TYPE_CHECKING:
    from anyread.decoding.host.pdf import DecodedPage
    from anyread.results.blocks import ImageBlock

_LEGIBLE = 1.0
"""Pixels per point below which small print is illegible, so that the page suggests a region."""


class PageImage(Picture):
    """The image of a page, which the decoder has fitted to the model."""

    def __init__(self, block: ImageBlock, tokens: int) -> None:
        self.block: ImageBlock = block
        self.tokens = tokens


@dataclass(slots=True, eq=False)
class PagePart(Part):
    """A page and what is shown of it."""

    page: DecodedPage = field(kw_only=True)
    picture: PageImage | None = field(kw_only=True)
    count: int = field(kw_only=True)
    region: tuple[int, int, int, int] | None = field(kw_only=True)

    @property
    def head(self) -> str:
        """The line that precedes the text or replaces it."""
        page, picture = self.page, self.picture
        image = picture.block if picture and picture.is_shown else None
        is_left_out = picture is not None and picture.is_left_out
        label = f' "{page.label}"' if page.label else ""
        marker = f"[page {page.number:,}{label} of {self.count:,}"
        if self.region is not None:
            marker += " · region=({}, {}, {}, {}) in points".format(*self.region)
        elif self.column > 1:
            marker += f" from character {self.column:,}"
        elif image is not None and image.width < _LEGIBLE * page.width_points:
            size = f"{page.width_points:,}×{page.height_points:,} points"
            shown = f"shown at {image.width:,}×{image.height:,}"
            marker += f" · {size}, {shown}; region=(x, y, width, height) in points shows a part larger"
        if not any(isinstance(piece, str) for piece in self.pieces):
            return f"{marker}: {self._why_no_text(has_image=image is not None, is_left_out=is_left_out)}]"
        return f"{marker}{' · its image is over the budget' if is_left_out else ''}]\n"

    def _why_no_text(self, *, has_image: bool, is_left_out: bool) -> str:
        """Return why no text of a page is shown."""
        page = self.page
        only_image = "" if has_image else "; it can only be shown as an image"
        reasons = [
            (page.is_damaged, "it is damaged and cannot be shown"),
            (bool(page.text), "its text layer is unreadable; see the image"),
            (self.region is not None, "no text"),
            (page.is_blank, "blank"),
            (bool(page.missing_fonts), "its text cannot be shown, because its fonts are missing"),
            (is_left_out, "no text layer; its image is over the budget"),
        ]
        return next((reason for applies, reason in reasons if applies), f"no text layer{only_image}")

"""The result of reading a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anyread.errors.base import quoted
from anyread.values import DERIVED, Value

from .blocks import Block, DocumentBlock, ImageBlock, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage

Mode: TypeAlias = Literal["document", "images", "text", "both"]
"""The form in which a PDF is sent."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PdfPage(Value):
    """One page of a PDF."""

    number: int
    """Its number, counted from 1."""
    text: str = ""
    """Its text, with form values and annotations, cut to the budget; empty if it has none."""
    image: ImageBlock | None = None
    """Its image; `None` if it is not shown."""
    missing_fonts: tuple[str, ...] = ()
    """Fonts that are neither in the file nor on this machine, which is why there is no image."""
    shown_text: str = DERIVED
    """Its part of the result's text: a marker, then its text or the reason why there is none."""

    def __post_init__(self) -> None:
        self._derive(shown_text=self.text)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PdfPages(PartsPage):
    """Pages of a PDF.

    Example:
        >>> result = anyread.read_sync("paper.pdf", pages="1-2")
        >>> [page.number for page in result.pages], result.count
        ([1, 2], 12)
    """

    kind: ClassVar[Literal["pdf"]] = "pdf"
    unit: ClassVar[tuple[str, str]] = ("page", "pages")
    facts_of_kind: ClassVar[tuple[str, ...]] = ("first", "last", "count", "mode", "degraded")

    mode: Mode = "text"
    """The form in which it is sent: "document", "images", "text" or "both"."""
    pages: tuple[PdfPage, ...] = ()
    """The pages shown."""
    degraded: str | None = None
    """Why the model gets less than it accepts, as a clause; `None` if it gets everything."""
    document: DocumentBlock | None = None
    """The file itself in mode "document"."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The pages as the blocks of a message: the file itself, or text and image of each page."""
        if self.document is not None:
            return (TextBlock(self.text), self.document)
        blocks: list[Block] = []
        for page in self.pages:
            blocks.append(TextBlock(page.shown_text))
            if page.image is not None:
                blocks.append(page.image)
        if self.footer:
            blocks.append(TextBlock(self.footer))
        return tuple(blocks)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the pages in a history."""
        mode = "text and images" if self.mode == "both" else self.mode
        return f"pdf {quoted(self.path)}: {self.shown_parts()} as {mode}"

"""The result of reading a PDF."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from anyread._native import count_tokens
from anyread.errors.base import quoted

from .blocks import Block, DocumentBlock, ImageBlock, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation  # noqa: F401 - likewise
from .values import DERIVED, Value, on_first_use

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


@on_first_use("token_estimate", int, lambda result, _: count_tokens(result.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PdfPages(BasePage):
    """Pages of a PDF.

    Example:
        >>> result = anyread.read_sync("paper.pdf", pages="1-2")
        >>> [page.number for page in result.pages], result.page_count
        ([1, 2], 12)
    """

    kind: ClassVar[Literal["pdf"]] = "pdf"

    page_count: int = DERIVED
    """The number of pages in the file."""
    first_page: int = DERIVED
    """The first page shown, counted from 1."""
    last_page: int = DERIVED
    """The last page shown."""
    mode: Mode = "text"
    """The form in which it is sent: "document", "images", "text" or "both"."""
    pages: tuple[PdfPage, ...] = ()
    """The pages shown."""
    degraded: str | None = None
    """Why the model gets less than it accepts, as a clause; `None` if it gets everything."""
    token_estimate: int = DERIVED
    """Tokens of text and images, the latter by the formula of the model's provider.

    Those of the text are exact with `Limits.tokenizer`, else an estimate.
    """
    document: DocumentBlock | None = None
    """The file itself in mode "document"."""
    footer: str = ""
    """The last line of `text`, which says what is left out; empty if nothing is."""

    def __post_init__(self) -> None:
        BasePage.__post_init__(self)
        first, last = (self.pages[0].number, self.pages[-1].number) if self.pages else (1, 1)
        self._derive(first_page=first, last_page=last, page_count=last)

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
        if self.first_page == self.last_page:
            shown = f"page {self.first_page:,}"
        else:
            shown = f"pages {self.first_page:,}-{self.last_page:,}"
        mode = "text and images" if self.mode == "both" else self.mode
        return f"pdf {quoted(self.path)}: {shown} of {self.page_count:,} as {mode}"

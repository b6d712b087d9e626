"""The page of a file that is made of parts: pages, cells or entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anyread._native import count_tokens
from anyread.errors.base import quoted
from anyread.values import DERIVED, on_first_use

from .blocks import Block, TextBlock
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation


@on_first_use("token_estimate", int, lambda page, _: count_tokens(page.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PartsPage(BasePage):
    """The fields of every page that shows numbered parts of a file; each format has a class of its own."""

    facts_of_kind: ClassVar[tuple[str, ...]] = ("first", "last", "count")
    unit: ClassVar[tuple[str, str]] = ("part", "parts")
    """What one part is called, and several."""

    first: int = 1
    """The first part shown, counted from 1."""
    last: int = DERIVED
    """The last part shown; one less than `first` if none is."""
    count: int | None = 1
    """The number of parts in the file; `None` while it is not known, because their end was not reached."""
    hits: tuple[int, ...] = ()
    """The parts shown that match `find`."""
    clipped: tuple[Continuation, ...] = ()
    """For each text that is shortened: the call that reads the rest of it."""
    footer: str = ""
    """The last line of `text`, which says what is left out; empty if nothing is."""
    token_estimate: int = DERIVED
    """Tokens of text and images, the latter by the formula of the model's provider.

    Those of the text are exact with `Limits.tokenizer`, else an estimate.
    """
    _blocks: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        BasePage.__post_init__(self)
        self._derive(last=self.first)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The page as the blocks of a message: text, and each image that is shown after its line."""
        return self._blocks or (TextBlock(self.text or f"[{self.kind}: {self.shown_parts()}]"),)

    def summary(self) -> str:
        """Return one line that says what was read, to replace the page in a history."""
        return f"{self.kind} {quoted(self.path)}: {self.shown_parts()}"

    def shown_parts(self) -> str:
        """Return which parts are shown, such as "pages 3-5 of 12"."""
        numbers = f"{self.first:,}" if self.last <= self.first else f"{self.first:,}-{self.last:,}"
        named = (
            f"{self.unit[self.last != self.first]} {numbers}"
            if self.last >= self.first
            else f"no {self.unit[0]}"
        )
        return f"{named} of {f'at least {self.last:,}' if self.count is None else f'{self.count:,}'}"

    def shown_share(self) -> float:
        """Return which part of the file is shown, from 0 to 1; for an unknown count, all that was seen."""
        return (self.last - self.first + 1) / max(self.count or self.last, 1)

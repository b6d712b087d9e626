"""The result of reading a file that is made of parts, in a format that has no class of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anyread._native import count_tokens

from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import BasePage, Continuation  # noqa: F401 - likewise
from .values import DERIVED, on_first_use


@on_first_use("token_estimate", int, lambda page, _: count_tokens(page.text, None))
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class PartsPage(BasePage):
    """Numbered parts of a file: entries of a directory, paragraphs of a document."""

    kind: str  # type: ignore[misc] # each format has its own
    """The kind as which the file was read."""
    footer: str = ""
    """The last line of `text`, which says what is left out; empty if nothing is."""
    first: int = 1
    """The first part shown, counted from 1."""
    last: int = 0
    """The last part shown; one less than `first` if none is."""
    count: int = 0
    """The number of parts in the file."""
    unit: tuple[str, str] = ("part", "parts")
    """What one part is called, and several."""
    facts: Mapping[str, Any] = DERIVED
    """Further facts about the file."""
    token_estimate: int = DERIVED
    """Tokens of `text`."""

    def summary(self) -> str:
        """Return one line that says what was read, to replace the page in a history."""
        numbers = f"{self.first:,}" if self.first == self.last else f"{self.first:,}-{self.last:,}"
        unit = self.unit[self.first != self.last]
        return f"{self.kind} `{self.path}`: {unit} {numbers} of {self.count:,}"

"""The result of reading a Word document.

Loaded when the first one is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from anyread import values
from anyread.values import on_first_use

from .blocks import Block  # noqa: F401 - the names of inherited fields
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DocumentLine(values.Value):
    """A line of the document as Markdown."""

    number: int
    """Its number, counted from 1."""
    text: str
    """Its text, or the part of it that the page shows."""


def _lines(_: object, runs: Sequence[tuple[int, Sequence[str]]]) -> tuple[DocumentLine, ...]:
    return tuple(
        DocumentLine(number, text) for first, texts in runs for number, text in enumerate(texts, first)
    )


@on_first_use("lines", tuple, _lines)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DocumentPage(PartsPage):
    """Lines of a document as Markdown."""

    kind: ClassVar[Literal["document"]] = "document"
    unit: ClassVar[tuple[str, str]] = ("line", "lines")

    lines: tuple[DocumentLine, ...] = ()
    """The lines shown."""

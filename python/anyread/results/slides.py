"""The result of reading a presentation.

Loaded when the first one is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from anyread import values

from .blocks import Block  # noqa: F401 - the names of inherited fields
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Slide(values.Value):
    """A slide of a presentation."""

    number: int
    """Its number, hidden slides included, counted from 1."""
    title: str = ""
    """Its title in one line; empty if it has none."""
    layout: str = ""
    """The name of its layout; empty if it has none."""
    text: str = ""
    """Its content, notes and comments as Markdown, as far as they are shown."""
    is_hidden: bool = False
    """Whether it is left out when the presentation is shown."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SlidesPage(PartsPage):
    """Slides of a presentation."""

    kind: ClassVar[Literal["slides"]] = "slides"
    unit: ClassVar[tuple[str, str]] = ("slide", "slides")

    slides: tuple[Slide, ...] = ()
    """The slides shown."""
    hidden: tuple[int, ...] = ()
    """The numbers of all hidden slides of the presentation."""

"""The result of reading a sheet of a workbook.

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
class Sheet(values.Value):
    """A sheet of a workbook."""

    number: int
    """Its number among the sheets, hidden ones included, counted from 1."""
    name: str
    """Its name."""
    state: Literal["visible", "hidden", "very_hidden"] = "visible"
    """Whether it is visible; one that is "very_hidden" can only be shown by a macro."""
    has: Literal["table", "chart", "other", "missing"] = "table"
    """What it has: cells, a chart, something else, such as a dialog, or nothing if its part is missing."""
    dimension: str | None = None
    """Its area as the file declares it, such as "A1:J500", which may be wrong; `None`: not known."""

    def __str__(self) -> str:
        facts = [self.dimension, None if self.has == "table" else self.has, self.state.replace("_", " ")]
        known = [fact for fact in facts if fact and fact != "visible"]
        return f"{self.name} ({', '.join(known)})" if known else self.name


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SheetCell(values.Value):
    """A cell with a value or a formula."""

    column: str
    """The letters of its column."""
    text: str
    """What is shown of it, with its own line breaks and tabs; at most `Limits.max_line_chars` characters."""
    type: Literal["empty", "number", "date", "text", "boolean", "error"] = "text"
    """What it has; "empty": a formula whose result is not stored."""
    value: float | bool | str | None = None
    """What is stored: a number, also for a date; a boolean; a text, cut like `text`; or an error."""
    formula: str | None = None
    """Its formula without `=`; `None` if it has none, or only shares that of another cell."""
    characters: int = 0
    """The characters of its whole text."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SheetRow(values.Value):
    """A row in which a cell is shown."""

    number: int
    """Its number in the workbook, counted from 1."""
    cells: tuple[SheetCell, ...] = ()
    """Its cells, from left to right, without empty ones."""
    is_hidden: bool = False
    """Whether the workbook hides it, as a filter does."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class SheetPage(PartsPage):
    """Rows of a sheet, or the lines of one cell."""

    kind: ClassVar[Literal["sheet"]] = "sheet"
    facts_of_kind: ClassVar[tuple[str, ...]] = (*PartsPage.facts_of_kind, "sheet", "at", "verified")
    unit: ClassVar[tuple[str, str]] = ("row", "rows")

    sheet: str = ""
    """The name of the sheet."""
    at: str = ""
    """The address that was read; empty: the first visible sheet."""
    verified: bool = True
    """Whether the sheet, and the texts that all sheets share, were read to their ends and have the right
    checksums."""
    rows: tuple[SheetRow, ...] = ()
    """The rows shown; for the address of one cell, only that cell."""
    sheets: tuple[Sheet, ...] = ()
    """All sheets of the workbook, without their dimensions, which `anyread.info` has."""

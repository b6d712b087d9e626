"""The result of reading a sheet of a workbook.

Loaded when the first one is read.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import ClassVar, Literal, TypeAlias

from anyread import values

from .blocks import Block  # noqa: F401 - the names of inherited fields
from .notices import Notice  # noqa: F401 - the names of inherited fields
from .page import Continuation  # noqa: F401 - the name of an inherited field
from .parts import PartsPage

CellData: TypeAlias = "bool | int | float | str | date | None"
"""The value of a cell; a `datetime` is a `date`."""


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

    @property
    def data(self) -> CellData:
        """The value as data: a whole number as `int`, a date as `date` or `datetime`; `None` if unknown."""
        if self.type == "date" and "-" in (shown := self.text.rpartition(" → ")[2]):
            with suppress(ValueError):
                kind = date if len(shown) == len("2020-01-31") else datetime
                return kind.fromisoformat(shown)
        if isinstance(self.value, float) and self.value.is_integer():
            return int(self.value)
        return self.value


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SheetRow(values.Value):
    """A row in which a cell is shown."""

    number: int
    """Its number in the workbook, counted from 1."""
    cells: tuple[SheetCell, ...] = ()
    """Its cells, from left to right, without empty ones."""
    is_hidden: bool = False
    """Whether the workbook hides it, as a filter does."""

    def values(self, first: str = "A") -> tuple[CellData, ...]:
        """Return the data of its cells, from a column to the last cell, with `None` for empty ones.

        Example:
            >>> anyread.read_sync("report.xlsx:A2:D9").rows[0].values()
            (1, 'Customer 1', datetime.date(2020, 1, 2), 7.5)
        """
        found = {_number(cell.column): cell.data for cell in self.cells}
        return tuple([found.get(column) for column in range(_number(first), max(found, default=0) + 1)])


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

    def dictionaries(self) -> list[dict[str, CellData]]:
        """Return the data of each row below the first one, by the texts of the first, or by letters.

        Example:
            >>> anyread.read_sync("report.xlsx").dictionaries()[0]["customer"]
            'Customer 1'
        """
        titles = {cell.column: cell.text for row in self.rows[:1] for cell in row.cells}
        return [
            {
                **dict.fromkeys(titles.values()),
                **{titles.get(cell.column, cell.column): cell.data for cell in row.cells},
            }
            for row in self.rows[1:]
        ]


def _number(letters: str) -> int:
    """Return the number of a column, counted from 1."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number

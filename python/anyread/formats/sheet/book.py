"""An opened workbook: what an address means in it, its rows, and what is shown of a cell."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from anyread._native import Workbook
from anyread.arguments.settings import LARGEST
from anyread.errors import BadArgumentError, DamagedFileError, NoSuchSheetError
from anyread.errors.base import as_literal, one_line, quoted
from anyread.formats.fallback import unchanged
from anyread.results.notices import make_notice
from anyread.results.sheet import Sheet, SheetCell, SheetPage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread import _native
    from anyread._native import Opened, Pattern
    from anyread.arguments.request import Request
    from anyread.formats.parts import How, Values
    from anyread.results.notices import Notice

LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384
_SAMPLE_BYTES = 65_536
"""The most bytes of text in a sample."""
LONGEST_CELL = 65_536
"""The most characters of a cell that the core returns; Excel allows 32,767."""
MOST_NAMED = 10
"""The most cells, rows or columns that a notice names."""
_MOST_DESCRIBED = 100
"""The most sheets of which `info` has the dimensions."""
_LABEL_ROWS = 64
"""In how many rows the first text of a column is looked for."""
_LABEL_CHARS = 40
_MOST_DIGITS = 9
_NAMES_CHARS = 400
"""The characters of the names of all columns together; a table has at most 64."""
_HEADER_ROWS = 8
"""In how many rows with cells the names of columns are looked for."""
_QUOTED = re.compile(r"'((?:[^']|'')*)'(?:!(.*))?")
_AREA = re.compile(r"\$?([A-Za-z]{1,3})?\$?(\d{1,7})?(?:(:)\$?([A-Za-z]{1,3})?\$?(\d{1,7})?)?")


class Area(NamedTuple):
    """A part of a sheet: rows and columns, counted from 1."""

    first_row: int = 1
    last_row: int = LAST_ROW
    first_column: int = 1
    last_column: int = _LAST_COLUMN
    is_cell: bool = False

    @classmethod
    def parse(cls, text: str) -> Area | None:
        """Return the area of "B2:F20", "B:F", "2:20" or "J50"; `None` if it is none."""
        found = _AREA.fullmatch(text)
        if found is None:
            return None
        letters, number, colon, last_letters, last_number = found.groups()
        if not colon:
            last_letters, last_number = letters, number
        if (
            not (letters or number)
            or not (last_letters or last_number)
            or not (colon or (letters and number))
        ):
            return None
        rows = sorted((int(number or 1), int(last_number or LAST_ROW)))
        columns = sorted((_number_of(letters or "A"), _number_of(last_letters or "XFD")))
        if not 1 <= rows[0] <= rows[1] <= LAST_ROW or columns[1] > _LAST_COLUMN:
            return None
        return cls(rows[0], rows[1], columns[0], columns[1], not colon)


def _number_of(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - 64
    return number


def letters_of(column: int) -> str:
    """Return the letters of a column, counted from 1."""
    letters = ""
    # A decoder may say anything.
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


class Drawing(NamedTuple):
    """What lies on a sheet or is said about a cell, or that some of it is missing."""

    row: int
    column: int
    kind: Literal["image", "chart", "object", "comment", "text", "missing", "damaged", "others"]
    part: str
    """Its part, or the author of a comment."""
    text: str
    """Its text, or what an image is said to show."""
    number: int
    """Its number among the images of the sheet."""

    @property
    def cell(self) -> str:
        """The address of the cell at its top left corner."""
        return f"{letters_of(self.column)}{self.row}"


class Book:
    """A workbook, the part of it that is read, and how."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        self.opened, self.how = opened, how
        limits = how.limits
        self.native = how.native(Workbook)(
            opened,
            max_inflated_bytes=limits.max_inflated_bytes,
            cancel=how.cancel,
        )
        self.media_type, self.sheets = self.native.media_type, self.native.sheets
        if not self.sheets:
            raise DamagedFileError(opened.path, media_type=self.media_type, reason="it has no sheets")
        self.at = "" if request is None else request["at"] or ""
        self.values = how.values if request is None else request["values"] or how.values
        self.limit = None if request is None else request["limit"]
        self.is_start = request is None or (request["offset"] == 1 and request["ranges"] is None)
        is_all = self.limit is None or self.limit >= limits.max_lines
        self._goes_on = is_all and (request is None or request["ranges"] is None)
        tables = [sheet for sheet in self.sheets if sheet.kind == "table"] or self.sheets
        self._first = next((sheet for sheet in tables if sheet.state == "visible"), tables[0])
        self.sheet, self.area = self._found()
        self.is_verified = True

    def _found(self) -> tuple[_native.SheetInfo, Area]:
        at, first, goes_on = self.at, self._first, self._goes_on
        if not at:
            return first, Area()
        self._goes_on = False
        try:
            return self.native.find(at), Area()
        except NoSuchSheetError:
            if at.endswith(":"):
                # From this sheet on.
                self._goes_on = goes_on
                in_quotes = _QUOTED.fullmatch(at[:-1])
                return self._sheet(at[:-1] if in_quotes is None else in_quotes[1].replace("''", "'")), Area()
            area = Area.parse(at)
            if area is not None:
                return first, area
            if _QUOTED.fullmatch(at) is None and "!" not in at:
                return self._named(at) or (self._sheet(at), Area())
        name, rest = _divided(at)
        sheet = self.native.find(name) if name else first
        area = Area.parse(rest) if rest else Area()
        found = self._named(rest, sheet.number) if area is None else (sheet, area)
        if found is None:
            reason = 'an address such as "Orders", "Orders!B2:F20", "Orders!B:F" or "Orders!J50"'
            raise BadArgumentError(self.opened.path, argument="at", value=at, reason=reason)
        return found

    def _named(self, name: str, sheet: int | None = None) -> tuple[_native.SheetInfo, Area] | None:
        """Return the cells of a defined name or of a table, if there is one, and make them the address."""
        with unchanged(self.opened):
            refers_to = self.native.refers_to(name, sheet=sheet, cancel=self.how.cancel)
        if refers_to is None:
            return None
        of, cells = _divided(refers_to)
        found = next((each for each in self.sheets if each.name == of), None)
        area = Area.parse(cells)
        if found is None or area is None:
            reason = f"the name of one range of cells; it refers to {quoted(one_line(refers_to))}"
            raise BadArgumentError(self.opened.path, argument="at", value=name, reason=reason)
        self.at = f"{self._quoted(found.name)}!{cells.replace('$', '')}"
        return found, area

    def _sheet(self, name: str) -> _native.SheetInfo:
        """Return the sheet with a name, or else with a number."""
        try:
            return self.native.find(name)
        except NoSuchSheetError:
            if name.isdecimal() and len(name) < _MOST_DIGITS:
                return self.native.find(int(name))
            raise

    def following(self) -> str:
        """Return the address of the next visible sheet; empty if there is none, or if a sheet was chosen."""
        visible = [sheet for sheet in self.sheets if sheet.state == "visible" and sheet.kind != "other"]
        order = [self._first, *(sheet for sheet in visible if sheet.number != self._first.number)]
        numbers, names = [sheet.number for sheet in order], [sheet.name for sheet in self.sheets]
        if not self._goes_on or self.sheet.number not in numbers:
            return ""
        for sheet in order[numbers.index(self.sheet.number) + 1 :]:
            # In a damaged workbook several may have the same name.
            if sheet.name == one_line(sheet.name) and names.count(sheet.name) == 1:
                return f"{self._quoted(sheet.name)}:"
            if f"{sheet.number}" not in names:
                return f"{sheet.number}:"
        return ""

    @property
    def has_columns(self) -> bool:
        """Whether the area leaves out columns."""
        return (self.area.first_column, self.area.last_column) != (1, _LAST_COLUMN)

    def drawings(self) -> list[Drawing]:
        """Return what lies on the area, by row and column."""
        images, area, found = 0, self.area, []
        for row, column, kind, part, text in self.native.drawings(self.sheet.number, cancel=self.how.cancel):
            images += kind == "image"
            if area.first_row <= row <= area.last_row and area.first_column <= column <= area.last_column:
                found.append(Drawing(row, column, kind, part, text, images))
        return found

    def sample(self, most: int) -> _native.SheetRows:
        """Return the first rows of the area, with one character of each cell, whatever the budget is."""
        return self._rows(self.area.first_row, most, "shown", 1, _SAMPLE_BYTES)

    def rows(self, first: int, most: int, *, chars: int = LONGEST_CELL) -> _native.SheetRows:
        """Return rows of the area from one on; with at most so many characters of each cell."""
        return self._rows(first, most, self.values, chars, self.how.limits.max_bytes)

    def _rows(self, first: int, most: int, values: Values, chars: int, max_bytes: int) -> _native.SheetRows:
        area = self.area
        columns = ((area.first_column, area.last_column),) if self.has_columns else ()
        with unchanged(self.opened):
            found = self.native.rows(
                self.sheet.number,
                first=first,
                last=area.last_row,
                most=most,
                columns=columns,
                values=values,
                max_cell_chars=chars,
                max_bytes=max_bytes,
                cancel=self.how.cancel,
            )
        self.is_verified = found.is_verified
        return found

    def search(self, first: int, last: int, pattern: Pattern, most: int | None) -> tuple[list[int], int]:
        """Return the rows of the area that match, and the last one that was looked at."""
        area = self.area
        last = min(last, area.last_row)
        with unchanged(self.opened):
            hits, looked = self.native.search(
                self.sheet.number,
                first=max(first, area.first_row),
                last=last,
                most=most or LARGEST,
                columns=((area.first_column, area.last_column),) if self.has_columns else (),
                values=self.values,
                find=pattern.text,
                literal=pattern.is_literal,
                cancel=self.how.cancel,
            )
        return hits, last if looked is None else looked

    def labels(self, row: int, column: int) -> list[str]:
        """Return the first text of the column of a cell, above it, and the first of its row, left of it."""
        read = partial(
            self.native.rows,
            self.sheet.number,
            most=_LABEL_ROWS,
            max_cell_chars=_LABEL_CHARS,
            max_bytes=_SAMPLE_BYTES,
            cancel=self.how.cancel,
        )
        found = []
        with unchanged(self.opened):
            if row > 1:
                above = read(first=1, last=min(row - 1, _LABEL_ROWS), columns=[(column, column)])
                found.append(("column", above.rows))
            if column > 1:
                found.append(("row", read(first=row, last=row, columns=[(1, column - 1)]).rows))
        texts = (
            (name, next((cell.text for each in rows for cell in each.cells), "")) for name, rows in found
        )
        return [f"{name} {as_literal(one_line(text, _LABEL_CHARS))}" for name, text in texts if text]

    def names_of(self, columns: range, above: int) -> list[str]:
        """Return the letters of columns, each with its text in the first row above a row that has only texts.

        A row with fewer cells than half of the columns does not count, and names that do not fit beside each
        other are cut.
        """
        most_chars, names = min(_LABEL_CHARS, _NAMES_CHARS // len(columns)), {}
        # Most sheets have it in their first row, and reading many takes as long as a short page.
        for most in (1, _HEADER_ROWS) if above > 1 and self.how.has_room else ():
            with unchanged(self.opened):
                rows = self.native.rows(
                    self.sheet.number,
                    first=1,
                    last=min(above - 1, _LABEL_ROWS),
                    most=most,
                    columns=[(columns[0], columns[-1])],
                    max_cell_chars=most_chars + 1,
                    max_bytes=_SAMPLE_BYTES,
                    cancel=self.how.cancel,
                ).rows
            full = (row.cells for row in rows if 2 * len(row.cells) >= len(columns))
            found = next((cells for cells in full if all(cell.kind == "text" for cell in cells)), None)
            if found:
                names = {cell.column: f": {one_line(cell.text, most_chars)}" for cell in found}
                break
        return [letters_of(column) + names.get(column, "") for column in columns]

    def address(self, column: int, row: int) -> str:
        """Return the address of a cell, as `at` takes it."""
        return f"{self._quoted(one_line(self.sheet.name))}!{letters_of(column)}{row}"

    def _quoted(self, name: str) -> str:
        return "'{}'".format(name.replace("'", "''")) if re.search(r"['!:\s]", name) else name

    def dimension(self, sheet: _native.SheetInfo) -> str | None:
        """Return the area that a sheet uses, as the file says."""
        if sheet.kind != "table":
            return None
        with unchanged(self.opened):
            area = self.native.rows(
                sheet.number, first=1, last=1, most=1, max_cell_chars=1, max_bytes=1, cancel=self.how.cancel
            ).dimension
        return None if area is None else area_text(area)

    def facts(self) -> Mapping[str, object]:
        sheets: list[Sheet] = []
        found: Counter[str] = Counter()
        for sheet in self.sheets:
            self.sheet, self.area = sheet, Area()
            found.update(drawing.kind for drawing in self.drawings())
            dimension = self.dimension(sheet) if len(sheets) < _MOST_DESCRIBED else None
            sheets.append(Sheet(sheet.number, sheet.name, sheet.state, sheet.kind, dimension))
        return {
            "kind": "sheet",
            "media_type": self.media_type,
            "sheets": sheets,
            "images": found["image"],
            "comments": found["comment"],
            "text_boxes": found["text"],
            "has_macros": self.native.has_macros,
            "has_external_links": self.native.has_external_links,
            "is_encrypted": False,
        }

    def notices(self) -> list[Notice]:
        """Return what is to know about the file."""
        others = [sheet for sheet in self.sheets if sheet.number != self.sheet.number]
        hidden = [sheet.name for sheet in others if sheet.state != "visible"]
        notices = [make_notice("hidden_left_out", sheets=hidden[:MOST_NAMED])] if hidden else []
        notices += [make_notice("macros")] if self.native.has_macros else []
        notices += [make_notice("no_styles")] if self.native.has_no_styles else []
        return notices + ([make_notice("external_links")] if self.native.has_external_links else [])

    def page(self, common: dict[str, Any], **own: Any) -> SheetPage:
        common |= {"media_type": self.media_type, "sheet": self.sheet.name, "at": self.at}
        sheets = tuple(Sheet(sheet.number, sheet.name, sheet.state, sheet.kind) for sheet in self.sheets)
        return SheetPage(**common, **own, verified=self.is_verified, sheets=sheets)

    def described_cell(self, cell: _native.SheetCell) -> SheetCell:
        column, text = letters_of(cell.column), self.shown(cell)
        return SheetCell(column, text, cell.kind, cell.value, cell.formula, max(cell.chars, len(text)))

    def shown(self, cell: _native.SheetCell) -> str:
        """Return what is shown of a cell, as `values` say."""
        has_formula = cell.formula is not None or cell.shared_with is not None
        if not has_formula or (self.values != "formulas" and cell.kind != "empty"):
            return cell.text
        formula = f"={cell.formula}"
        if cell.formula is None:
            formula = f"=(shared with {cell.shared_with})" if cell.shared_with else "=(shared)"
        return formula if cell.kind == "empty" else f"{formula} → {cell.text}"


def _divided(address: str) -> tuple[str, str]:
    """Return the sheet and the cells of an address; either may be empty."""
    in_quotes = _QUOTED.fullmatch(address)
    name, _, cells = address.rpartition("!")
    return (name, cells) if in_quotes is None else (in_quotes[1].replace("''", "'"), in_quotes[2] or "")


def area_text(area: tuple[int, int, int, int]) -> str:
    """Write an area (first row, first column, last row, last column) as "B2:F20" or "J50"."""
    first_row, first_column, last_row, last_column = area
    first, last = f"{letters_of(first_column)}{first_row}", f"{letters_of(last_column)}{last_row}"
    return first if first == last else f"{first}:{last}"

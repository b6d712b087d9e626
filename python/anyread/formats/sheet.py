"""Workbooks: the core finds rows and shows values, and this module makes parts of them.

The layout of a page depends on the sheet alone, so that a row looks the same wherever a page begins. The
reasons are in docs/design/022-sheets.md.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread._native import Workbook
from anyread.arguments.request import ReadArguments
from anyread.errors import (
    BadArgumentError,
    DamagedFileError,
    NoSuchSheetError,
    UnsupportedFormatError,
    WrongKindError,
)
from anyread.errors.base import counted, one_line
from anyread.kinds import kind_of
from anyread.results.notices import make_notice
from anyread.results.sheet import Sheet, SheetCell, SheetPage, SheetRow

from .budget import footer_line
from .fallback import unchanged
from .parts import Part, Parts, continuation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from anyread import _native
    from anyread._native import Opened
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How
    from .selection import Selection

_LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384
_MOST_COLUMNS = 64
"""The most columns with letters of their own; the cells of a wider sheet are shown as `column: value`."""
_SAMPLE_ROWS = 64
"""The first rows of a sheet, which decide how all of it is shown; and how many are shown at first."""
_MOST_ROWS_AT_ONCE = 2_048
_LONGEST_CELL = 65_536
"""The most characters of a cell that the core returns; Excel allows 32,767."""
_MOST_NAMED = 10
"""The most cells, rows or columns that a notice names."""
_MOST_CHARS = 90
"""About the most characters of a list in a footer."""
_MOST_DESCRIBED = 100
"""The most sheets of which `info` has the dimensions, and the most clipped cells with a call of their own."""
_QUOTED = re.compile(r"'((?:[^']|'')*)'(?:!(.*))?")
_AREA = re.compile(r"\$?([A-Za-z]{1,3})?\$?(\d{1,7})?(?:(:)\$?([A-Za-z]{1,3})?\$?(\d{1,7})?)?")
_BREAKS = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class _Area(NamedTuple):
    """A part of a sheet: rows and columns, counted from 1."""

    first_row: int = 1
    last_row: int = _LAST_ROW
    first_column: int = 1
    last_column: int = _LAST_COLUMN
    is_cell: bool = False

    @classmethod
    def parse(cls, text: str) -> _Area | None:
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
        rows = sorted((int(number or 1), int(last_number or _LAST_ROW)))
        columns = sorted((_number_of(letters or "A"), _number_of(last_letters or "XFD")))
        if not 1 <= rows[0] <= rows[1] <= _LAST_ROW or columns[1] > _LAST_COLUMN:
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
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a workbook, and find the sheet or the cell that the call names.

    Raises:
        WrongKindError: It is no workbook.
        UnsupportedFormatError: It is in a format that is not read, or `Limits.require_sandbox` is set.
        DamagedFileError: It is damaged.
        PasswordRequiredError: It is encrypted.
        NoSuchSheetError: It has no such sheet.
        BadArgumentError: The address cannot be parsed.
        FileChangedError: The file changed meanwhile.
    """
    kind = kind_of(opened.media_type, is_text=opened.is_text)
    if kind not in {"sheet", "binary"}:
        raise WrongKindError(opened.path, argument="kind", kind=kind)
    if how.limits.requires_sandbox:
        # It is read in this process.
        raise UnsupportedFormatError(opened.path, media_type=opened.media_type, size_bytes=opened.size_bytes)
    with unchanged(opened):
        book = _Book(opened, request, how)
        return CellParts(book) if book.area.is_cell else RowParts(book)


class _Book:
    """A workbook, the part of it that is read, and how."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        self.opened, self.how = opened, how
        limits = how.limits
        self.native = Workbook(
            opened,
            max_inflated_bytes=limits.max_inflated_bytes,
            index_bytes=limits.index_bytes,
            cancel=how.cancel,
        )
        self.media_type, self.sheets = self.native.media_type, self.native.sheets
        if not self.sheets:
            raise DamagedFileError(opened.path, media_type=self.media_type, reason="it has no sheets")
        self.at = "" if request is None else request["at"] or ""
        self.values = how.values if request is None else request["values"] or how.values
        self.limit = None if request is None else request["limit"]
        self.is_start = request is None or (request["offset"] == 1 and request["ranges"] is None)
        self.sheet, self.area = self._found()
        self.is_verified = True

    def _found(self) -> tuple[_native.SheetInfo, _Area]:
        at, find = self.at, self.native.find
        tables = [sheet for sheet in self.sheets if sheet.kind == "table"] or self.sheets
        first = next((sheet for sheet in tables if sheet.state == "visible"), tables[0])
        if not at:
            return first, _Area()
        try:
            return find(at), _Area()
        except NoSuchSheetError:
            area = _Area.parse(at)
            if area is not None:
                return first, area
            if at.isdecimal():
                return find(int(at)), _Area()
            quoted = _QUOTED.fullmatch(at)
            if quoted is None and "!" not in at:
                raise
        name, rest = at.rpartition("!")[::2] if quoted is None else (quoted[1].replace("''", "'"), quoted[2])
        sheet, area = find(name) if name else first, _Area.parse(rest) if rest else _Area()
        if area is None:
            reason = 'an address such as "Orders", "Orders!B2:F20", "Orders!B:F" or "Orders!J50"'
            raise BadArgumentError(self.opened.path, argument="at", value=at, reason=reason)
        return sheet, area

    def rows(self, first: int, most: int, *, chars: int | None = None) -> _native.SheetRows:
        """Return rows of the area from one on; with at most so many characters of each cell."""
        limits, area = self.how.limits, self.area
        columns = (area.first_column, area.last_column)
        with unchanged(self.opened):
            found = self.native.rows(
                self.sheet.number,
                first=first,
                last=area.last_row,
                most=most,
                columns=() if columns == (1, _LAST_COLUMN) else (columns,),
                values=self.values,
                max_cell_chars=chars or min(limits.max_line_chars, _LONGEST_CELL),
                max_bytes=limits.max_bytes,
                cancel=self.how.cancel,
            )
        self.is_verified = found.is_verified
        return found

    def address(self, column: int, row: int) -> str:
        """Return the address of a cell, as `at` takes it."""
        name = one_line(self.sheet.name)
        name = "'{}'".format(name.replace("'", "''")) if re.search(r"['!:\s]", name) else name
        return f"{name}!{letters_of(column)}{row}"

    def facts(self) -> Mapping[str, object]:
        sheets: list[Sheet] = []
        for sheet in self.sheets:
            self.sheet, self.area, area = sheet, _Area(), None
            if sheet.kind == "table" and len(sheets) < _MOST_DESCRIBED:
                area = self.rows(1, 1, chars=1).dimension
            dimension = None if area is None else _area_text(area)
            sheets.append(Sheet(sheet.number, sheet.name, sheet.state, sheet.kind, dimension))
        return {
            "kind": "sheet",
            "media_type": self.media_type,
            "sheets": sheets,
            "has_macros": self.native.has_macros,
            "has_external_links": self.native.has_external_links,
            "is_encrypted": False,
        }

    def notices(self) -> list[Notice]:
        """Return what is to know about the file."""
        others = [sheet for sheet in self.sheets if sheet.number != self.sheet.number]
        hidden = [sheet.name for sheet in others if sheet.state != "visible"]
        notices = [make_notice("hidden_left_out", sheets=hidden[:_MOST_NAMED])] if hidden else []
        notices += [make_notice("macros")] if self.native.has_macros else []
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


def _area_text(area: tuple[int, int, int, int]) -> str:
    first_row, first_column, last_row, last_column = area
    first, last = f"{letters_of(first_column)}{first_row}", f"{letters_of(last_column)}{last_row}"
    return first if first == last else f"{first}:{last}"


class RowPart(Part):
    """A row as one line."""

    __slots__ = ("_head", "_last", "row")

    def __init__(self, row: _native.SheetRow | None, text: str, head: str, number: int, last: int) -> None:
        super().__init__(number, [text])
        self.row, self._head, self._last = row, head, last

    @property
    def head(self) -> str:
        return self._head

    @property
    def last(self) -> int:
        return self._last


class RowParts(Parts[RowPart]):
    """The rows of a sheet, or of an area of it."""

    has_gaps = True

    def __init__(self, book: _Book) -> None:
        self._book, self.most = book, book.how.limits.max_lines
        self.start = book.area.first_row
        self.count = None
        # The first rows say how the sheet is shown.
        self._known: _native.SheetRows | None = None
        self._columns = range(0)
        if book.sheet.kind != "table":
            self.count = 0
            return
        self._known = sample = book.rows(self.start, _SAMPLE_ROWS, chars=1)
        self._columns = self._lettered(sample.rows)
        if sample.total_rows is not None:
            self.count = min(sample.total_rows, book.area.last_row)
        elif sample.dimension is not None and sample.dimension[2] < _LAST_ROW:
            self.estimate = min(sample.dimension[2], book.area.last_row)

    def _lettered(self, rows: Sequence[_native.SheetRow]) -> range:
        """Return the columns that have letters of their own; none if few cells of them are filled."""
        used = [cell.column for row in rows for cell in row.cells]
        if not used:
            return range(0)
        area = self._book.area
        first, last = area.first_column, area.last_column
        if last - first >= _MOST_COLUMNS:
            first, last = min(used), max(used)
        cells = (last + 1 - first) * sum(bool(row.cells) for row in rows)
        is_table = last - first < _MOST_COLUMNS and 4 * len(used) >= cells
        return range(first, last + 1) if is_table else range(0)

    def counted(self) -> int:
        book = self._book
        with unchanged(book.opened):
            return min(book.native.count(book.sheet.number, cancel=book.how.cancel), book.area.last_row)

    def facts(self) -> Mapping[str, object]:
        return self._book.facts()

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        book, size, following = self._book, self._book.limit or _SAMPLE_ROWS, 0
        coming: list[_native.SheetRow] = []
        first = shown = after = None
        for number in numbers:
            first = first or number
            if number < following:
                continue
            while coming and coming[-1].number < number:
                coming.pop()
            if not coming:
                self._known = found = book.rows(number, min(size, _MOST_ROWS_AT_ONCE))
                size *= 2
                coming = [row for row in reversed(found.rows) if row.cells]
                after = self._after(found)
                if not coming and after is None:
                    return
                if not coming:
                    # What is there is in other columns.
                    following = after or 0
                    continue
            following = coming[-1].number
            if number < following:
                continue
            row = coming.pop()
            following = coming[-1].number if coming else after or 0
            yield self._part(row, following - 1 if following else row.number, is_first=not shown).since(
                column
            )
            column, shown = 1, number
            if not following:
                return
        if first and not shown and following and book.limit is not None:
            # Without a part the page would not advance.
            last = following - 1
            named = f"row {first:,} has" if first == last else f"rows {first:,}-{last:,} have"
            yield RowPart(None, f"[{named} no cells]", self._heading(), last, last)

    def _after(self, found: _native.SheetRows) -> int | None:
        """Return the next row with content after some rows; without one, the end is known."""
        area = self._book.area
        if found.next_row is not None and found.next_row <= area.last_row:
            return found.next_row
        last = found.rows[-1].number if found.rows else self.start - 1
        end = area.last_row if found.next_row is not None else found.total_rows
        self.count = min(area.last_row, last if end is None else end)
        return None

    def _part(self, row: _native.SheetRow, last: int, *, is_first: bool) -> RowPart:
        part = RowPart(row, self._text(row), self._book.how.gutter.before(row.number), row.number, last)
        if is_first:
            part.gap = self._heading()
        return part

    def _text(self, row: _native.SheetRow) -> str:
        """Write a row: the cells of lettered columns in their places, then others with their letters."""
        columns = self._columns
        fields, others = [""] * len(columns), []
        for cell in row.cells:
            text = self._book.shown(cell)
            if not text.isprintable() and {"\t", "\n", "\r"} & {*text}:
                text = text.translate(_BREAKS)
            if cell.chars > len(cell.text):
                rest, at = cell.chars - len(cell.text), self._book.address(cell.column, row.number)
                text += f' … [{counted(rest, "more characters")}: at="{at}"]'
            if cell.column in columns:
                fields[cell.column - columns.start] = text
            else:
                others.append(f"{letters_of(cell.column)}: {text}")
        while fields and not fields[-1] and not others:
            fields.pop()
        return "\t".join(fields + others)

    def _heading(self) -> str:
        """Return the lines above the rows: which sheet it is, and the letters of its columns."""
        book, columns = self._book, self._columns
        clauses = [f"sheet {book.sheet.number:,} of {len(book.sheets):,}", one_line(book.sheet.name)]
        if book.sheet.state != "visible":
            clauses.append("hidden")
        if book.sheet.kind != "table":
            clauses.append("a chart" if book.sheet.kind == "chart" else "not a table")
        if not columns:
            clauses += ["cells as column: value"] if self.count != 0 else []
            return f"{footer_line(*clauses)}\n"
        first, last = letters_of(columns[0]), letters_of(columns[-1])
        clauses.append(f"column {first}" if first == last else f"columns {first}-{last}")
        gutter = book.how.gutter
        before = "" if gutter.separator is None else f"{'':>{gutter.width}}{gutter.separator}"
        return f"{footer_line(*clauses)}\n{before}{chr(9).join(map(letters_of, columns))}\n"

    def about(self, parts: Sequence[RowPart]) -> str | None:
        # The rows of an area are not all that the sheet has.
        if self._book.area == _Area() or not parts or parts[-1].following is not None:
            return None
        first, last = parts[0].number, parts[-1].number
        rows = f"row {first:,}" if first == last else f"rows {first:,}-{last:,}"
        return f"{rows} of {one_line(self._book.at)}"

    def below(self, parts: Sequence[RowPart]) -> str:
        rows, known = [part.row for part in parts if part.row is not None], self._known
        if not rows or known is None:
            return ""
        left, right = _extent(rows)
        merged = [
            _area_text(area)
            for area in known.merged or ()
            if area[0] <= rows[-1].number
            and rows[0].number <= area[2]
            and area[1] <= right
            and left <= area[3]
        ]
        if merged and known.merged_count > len(known.merged or ()):
            merged.append("…")
        hidden = self._hidden(rows)
        marks = [f"[merged: {_listed(merged)}]"] if merged else []
        if any(hidden):
            named = [_named("row", hidden[0], str), _named("column", hidden[1], letters_of)]
            marks.append(f"[hidden: {', '.join(filter(None, named))}]")
        return " ".join(marks)

    def _hidden(
        self, rows: Sequence[_native.SheetRow]
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return the spans of rows and of columns that are shown, but hidden in the workbook."""
        hidden_rows: list[tuple[int, int]] = []
        for row in rows:
            if row.is_hidden and hidden_rows and hidden_rows[-1][1] == row.number - 1:
                hidden_rows[-1] = (hidden_rows[-1][0], row.number)
            elif row.is_hidden:
                hidden_rows.append((row.number, row.number))
        left, right = _extent(rows)
        groups = () if self._known is None else self._known.hidden_columns
        columns = [(max(a, left), min(b, right)) for a, b in groups if a <= right and left <= b]
        return hidden_rows, columns

    def marks(self, parts: Sequence[RowPart]) -> list[str]:
        book = self._book
        # Once is enough.
        others = [sheet for sheet in book.sheets if book.is_start and sheet.number != book.sheet.number]
        shown = [one_line(sheet.name) for sheet in others if sheet.state == "visible"]
        hidden = [one_line(sheet.name) for sheet in others if sheet.state != "visible"]
        named = (("other sheets", shown), ("hidden", hidden))
        return [f"{name}: {_listed(names)}" for name, names in named if names]

    def notices(self, parts: Sequence[RowPart], chosen: Selection) -> list[Notice]:
        book, known = self._book, self._known
        notices = book.notices() if book.is_start else []
        rows = [part.row for part in parts if part.row is not None]
        empty = [
            f"{letters_of(cell.column)}{row.number}"
            for row in rows
            for cell in row.cells
            if cell.kind == "empty"
        ]
        if empty:
            notices.append(make_notice("no_cached_value", cells=empty[:_MOST_NAMED]))
        hidden, columns = self._hidden(rows)
        if hidden or columns:
            letters = [(letters_of(first), letters_of(last)) for first, last in columns[:_MOST_NAMED]]
            notices.append(make_notice("hidden_rows", rows=hidden[:_MOST_NAMED], columns=letters))
        return notices + ([] if known is None else _of_sheet(known))

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> SheetPage:
        book, rows = self._book, [part.row for part in parts if part.row is not None]
        if not parts:
            clauses = ["no cells", *self.marks(parts)]
            common["text"] = f"{self._heading()}{footer_line(*clauses)}"
        clipped = [
            continuation(book.opened, ReadArguments(at=book.address(cell.column, row.number)))
            for row in rows
            for cell in row.cells
            if cell.chars > len(cell.text)
        ]
        return book.page(
            common,
            rows=tuple(
                SheetRow(row.number, tuple(map(book.described_cell, row.cells)), row.is_hidden)
                for row in rows
            ),
            clipped=tuple(clipped[:_MOST_DESCRIBED]),
        )


def _extent(rows: Sequence[_native.SheetRow]) -> tuple[int, int]:
    """Return the first and the last column with a cell."""
    columns = [cell.column for row in rows for cell in row.cells]
    return min(columns, default=1), max(columns, default=1)


def _named(unit: str, spans: Sequence[tuple[int, int]], write: Callable[[int], str]) -> str:
    """Return "row 3" or "columns C-E, H"; empty for none."""
    texts = [write(first) if first == last else f"{write(first)}-{write(last)}" for first, last in spans]
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"{unit}{'' if is_one else 's'} {_listed(texts)}" if texts else ""


def _listed(texts: Sequence[str]) -> str:
    """Join texts up to a length, and count the others."""
    kept = [texts[0]]
    for text in texts[1:]:
        if sum(map(len, kept)) + len(text) > _MOST_CHARS:
            return f"{', '.join(kept)} and {len(texts) - len(kept):,} more"
        kept.append(text)
    return ", ".join(kept)


def _of_sheet(found: _native.SheetRows) -> list[Notice]:
    """Return what is to know about a sheet."""
    notices = []
    if found.unknown_formats:
        notices.append(make_notice("unknown_format", formats=found.unknown_formats))
    if found.is_unordered:
        notices.append(make_notice("unordered"))
    if found.is_lossy:
        notices.append(make_notice("lossy", encoding="utf-8"))
    if not found.is_verified:
        notices.append(make_notice("unverified"))
    return notices


class CellParts(Parts[RowPart]):
    """The lines of one cell."""

    unit = ("line", "lines")

    def __init__(self, book: _Book) -> None:
        self._book, self.most = book, book.how.limits.max_lines
        row, column = book.area.first_row, book.area.first_column
        self._found = book.rows(row, 1, chars=_LONGEST_CELL)
        cells = [cell for each in self._found.rows if each.number == row for cell in each.cells]
        self._cell = next((cell for cell in cells if cell.column == column), None)
        text = "" if self._cell is None else book.shown(self._cell)
        self._lines = _LINE_BREAK.split(text) if text else []
        self.count = len(self._lines)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        for number in numbers:
            head = self._book.how.gutter.before(number)
            yield RowPart(None, self._lines[number - 1], head, number, number).since(column)
            column = 1

    def notices(self, parts: Sequence[RowPart], chosen: Selection) -> list[Notice]:
        return _of_sheet(self._found)

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> SheetPage:
        book = self._book
        row, column = book.area.first_row, book.area.first_column
        if not parts:
            common["text"] = f"[{book.address(column, row)} is empty]"
        rows = () if self._cell is None else (SheetRow(row, (book.described_cell(self._cell),)),)
        return book.page(common, rows=rows)

"""Workbooks: the core finds rows and shows values, and this package makes parts of them.

The layout of a page depends on the sheet alone, so that a row looks the same wherever a page begins. The
reasons are in docs/design/022-sheets.md.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from anyread.arguments.request import ReadArguments
from anyread.errors import NoSuchSheetError
from anyread.errors.base import as_literal, counted, one_line
from anyread.formats.budget import footer_line, next_clause
from anyread.formats.chart import ChartParts
from anyread.formats.fallback import chart_number, require_kind, unchanged
from anyread.formats.parts import Part, continuation, near_hit
from anyread.formats.pictures import MarkedParts, PackageImage, absent_mark
from anyread.results.notices import make_notice
from anyread.results.sheet import SheetPage, SheetRow

from .book import LAST_ROW, LONGEST_CELL, MOST_NAMED, Area, Book, Drawing, area_text, letters_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from anyread import _native
    from anyread._native import Opened, Pattern
    from anyread.arguments.request import Request
    from anyread.formats.parts import How, Parts, Picture
    from anyread.formats.selection import Selection
    from anyread.results.notices import Notice

_MOST_COLUMNS = 64
"""The most columns with letters of their own; the cells of a wider sheet are shown as `column: value`."""
_SAMPLE_ROWS = 64
"""The first rows of a sheet, which decide how all of it is shown; and how many are shown at first."""
_MOST_ROWS_AT_ONCE = 2_048
_PARTS_AT_ONCE = 256
_CELLS_AT_ONCE = 1_024
"""The cells between two looks at whether the work shall end."""
_MOST_MARKS = 1_000
"""The most drawings on some rows that have marks of their own."""
_MOST_MARK_CHARS = 200_000
"""About the most characters of the marks of the charts on some rows."""
_ABSENT = {
    "missing": "not in this file",
    "damaged": "damaged",
    "others": "there are more than are shown",
}
_NO_TABLES = {"chart": "a chart", "other": "not a table", "missing": "not in this file"}
_SHORT_CELL = 40
"""Up to so many characters, the part of a cell with which a page would end is left to the next page."""
_MOST_CHARS = 90
"""About the most characters of a list in a footer."""
_MOST_LINK_CHARS = 2_000
"""About the most characters of the links that a page lists."""
_MOST_CLIPPED = 100
"""The most clipped cells of a row whose marks name them, and of a page with a call of their own."""
_CELL = re.compile(r"(?:^|!)\$?[A-Za-z]{1,3}\$?\d{1,7}$")
_BREAKS = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_T = TypeVar("_T")


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a workbook, and find the sheet or the cell that the call names.

    Raises:
        WrongKindError: It is no workbook.
        UnsupportedFormatError: It is in a format that is not read.
        DamagedFileError: It is damaged.
        PasswordRequiredError: It is encrypted.
        NoSuchSheetError: It has no such sheet.
        BadArgumentError: The address cannot be parsed.
        FileChangedError: The file changed meanwhile.
    """
    require_kind(opened, "sheet")
    at = "" if request is None else request["at"] or ""
    with unchanged(opened):
        try:
            book = Book(opened, request, how)
        except NoSuchSheetError:
            number = chart_number(at)
            if request is None or number is None:
                raise
            return ChartParts(opened, request, how, partial(SheetPage, at=at), number)
        return CellParts(book, request) if book.area.is_cell else RowParts(book, request)


def around(_opened: Opened, request: Request, _how: How, line: int) -> tuple[int, int]:
    """Return a line of a cell, or ten rows before and after a row."""
    near = 0 if _CELL.search(request["at"] or "") else 10
    return max(1, line - near), line + near


class RowPart(Part):
    """A row as one line."""

    __slots__ = ("_head", "_last", "row")

    def __init__(
        self,
        row: _native.SheetRow | None,
        pieces: Sequence[str | Picture],
        head: str,
        number: int,
        last: int,
    ) -> None:
        super().__init__(number, pieces)
        self.row, self._head, self._last = row, head, last

    @property
    def head(self) -> str:
        return self._head

    @property
    def last(self) -> int:
        return self._last

    def within(self, most_bytes: int) -> None:
        super().within(most_bytes)
        shown = self.pieces[-1]
        if len(self.pieces) == 1 and isinstance(shown, str) and self.following is not None:
            # A number in two parts would read as two numbers.
            begin = shown.rfind("\t") + 1
            if begin and len(shown) - begin <= _SHORT_CELL:
                self._end_at(begin)

    @property
    def is_clipped(self) -> bool:
        return any(self.clipped_cells())

    def clipped_cells(self) -> Iterator[_native.SheetCell]:
        """Yield the cells of which the row shows only the beginning."""
        cells = () if self.row is None else self.row.cells
        return (cell for cell in cells if cell.chars > len(cell.text))


class _SheetParts(MarkedParts[RowPart]):
    """Rows, or the lines of a cell, and what lies on them."""

    def __init__(self, book: Book, request: Request | None) -> None:
        super().__init__(book.opened, request, book.how)
        self._book, self.most = book, book.how.limits.max_lines
        self._drawings = book.drawings()

    def _lying(self, first: int, last: int) -> Sequence[Drawing]:
        """Return the drawings whose top left cell is in some rows."""
        begin, end = (bisect_left(self._drawings, row, key=attrgetter("row")) for row in (first, last + 1))
        return self._drawings[begin:end]

    def _marks(self, first: int, last: int) -> list[str | Picture]:
        """Return the marks of these drawings, each in a line of its own, and images after their marks."""
        pieces: list[str | Picture] = []
        lying, native = self._lying(first, last), self._book.native
        if not lying:
            return pieces
        drawings = lying[:_MOST_MARKS]
        charts = self._looked_into(native.charts, drawings, "chart")
        images = self._looked_into(native.pictures, drawings, "image")
        left = _MOST_MARK_CHARS
        for drawing in drawings:
            if drawing.kind == "chart":
                # Many may be the same chart.
                mark = charts.get(drawing.part, "[chart]") if left > 0 else "[chart]"
                left -= len(mark)
                head, line_end, rest = mark.partition("\n")
                about = f" · {drawing.text}]" if drawing.text else "]"
                pieces.append(f"\n{head[:-1]}{about}{line_end}{rest}")
            elif drawing.kind == "object":
                pieces.append(f"\n[object: {one_line(drawing.part.removeprefix('xl/'))}]")
            elif drawing.kind in {"comment", "text"}:
                name = "comment" if drawing.kind == "comment" else "text box"
                clauses = filter(None, (f"at {drawing.cell}", one_line(drawing.part)))
                pieces.append(f"\n{footer_line(name, *clauses)} {' '.join(drawing.text.split())}")
            elif drawing.kind != "image":
                pieces.append(f"\n[images and charts · {_ABSENT[drawing.kind]}]")
            elif found := images.get(drawing.part):
                image = PackageImage(*found, is_measured=True)
                pieces += [f"\n{image.mark(drawing.number, drawing.cell, drawing.text)}", self._marked(image)]
            else:
                pieces.append(f"\n{absent_mark(drawing.number, drawing.cell, drawing.text)}")
        if more := len(lying) - len(drawings):
            pieces.append(f"\n[{counted(more, 'more drawings')}]")
        return pieces

    def _marks_of_cells(self, row: _native.SheetRow) -> list[str | Picture]:
        """Return the marks of images that are the values of cells, and the images."""
        shown = [cell for cell in row.cells if cell.image is not None][:_MOST_MARKS]
        pieces: list[str | Picture] = []
        if not shown:
            return pieces
        parts = [cell.image for cell in shown if cell.image is not None]
        with unchanged(self._opened):
            found = self._book.native.pictures(parts, cancel=self._how.cancel)
        for cell, each in zip(shown, found, strict=False):
            at = f"{letters_of(cell.column)}{row.number}"
            if each is None:
                pieces.append(f"\n{absent_mark(0, at)}")
            else:
                image = PackageImage(*each, is_measured=True)
                pieces += [f"\n{image.mark(0, at)}", self._marked(image)]
        return pieces

    def _looked_into(
        self, look: Callable[..., list[_T]], drawings: Sequence[Drawing], kind: str
    ) -> dict[str, _T]:
        """Look into the parts of the drawings of a kind, many at once; several may have the same part."""
        parts = [*dict.fromkeys(drawing.part for drawing in drawings if drawing.kind == kind)]
        found: dict[str, _T] = {}
        with unchanged(self._opened):
            for some in (parts[at : at + _PARTS_AT_ONCE] for at in range(0, len(parts), _PARTS_AT_ONCE)):
                # A decoder may say anything.
                found.update(zip(some, look(some, cancel=self._how.cancel), strict=False))
                if sum(len(mark) for mark in found.values() if isinstance(mark, str)) > _MOST_MARK_CHARS:
                    # The others have marks without details.
                    break
        return found


class RowParts(_SheetParts):
    """The rows of a sheet, or of an area of it."""

    has_gaps = True
    shortens_hits = True

    def __init__(self, book: Book, request: Request | None) -> None:
        super().__init__(book, request)
        self.start = book.area.first_row
        self.count = None
        # The others are only listed where a sheet begins, not for a part of it.
        is_map = book.is_start and book.area == Area()
        self._others = [sheet for sheet in book.sheets if is_map and sheet.number != book.sheet.number]
        visible = [sheet for sheet in self._others if sheet.state == "visible"][:MOST_NAMED]
        self._dimensions = {sheet.number: book.dimension(sheet) for sheet in visible}
        # The first rows say how the sheet is shown.
        self._known: _native.SheetRows | None = None
        self._links: dict[tuple[int, int, int, int], str] = {}
        self._columns = range(0)
        if book.sheet.kind != "table":
            self.count = self._end(0)
            return
        self._known = sample = book.sample(_SAMPLE_ROWS)
        self._columns = self._lettered(sample.rows)
        if sample.total_rows is not None:
            self.count = self._end(sample.total_rows)
        elif book.how.limits.exact_total:
            self.count = self.counted()
        elif sample.dimension is not None and sample.dimension[2] < LAST_ROW:
            self.estimate = min(sample.dimension[2], book.area.last_row)

    def _end(self, rows: int) -> int:
        """Return how many rows there are in the area; at least the first if anything lies on it."""
        return max(min(rows, self._book.area.last_row), self.start if self._drawings else 0)

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

    def shows(self, number: int) -> bool:
        return self._how.gutter.shows(number)

    def counted(self) -> int:
        book = self._book
        with unchanged(book.opened):
            return self._end(book.native.count(book.sheet.number, cancel=book.how.cancel))

    def facts(self) -> Mapping[str, object]:
        return self._book.facts()

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        book, size, following = self._book, self._book.limit or _SAMPLE_ROWS, self.start
        coming: list[_native.SheetRow] = []
        first = shown = after = None
        number = covered = 0
        for number in numbers:
            first = first or number
            if number >= following:
                while coming and coming[-1].number < number:
                    coming.pop()
                if not coming:
                    size, found = self._how.in_time(size, partial(self._fetched, number))
                    coming, after = found
                    size *= 2
                # Without rows, what is there is in other columns.
                following = coming[-1].number if coming else after or 0
                if not following:
                    break
            if number < following:
                if number > covered and self._lying(number, following - 1):
                    yield self._gap(number, following - 1).since(column)
                    column, covered, shown = 1, following - 1, number
                continue
            row = coming.pop()
            if not coming and after is not None and book.has_columns:
                # The next rows may have cells in other columns only.
                coming, after = self._fetched(after, _SAMPLE_ROWS)
            following = coming[-1].number if coming else after or 0
            part = self._part(row, following, column, is_first=not shown)
            yield part.since(column)
            column, covered, shown = 1, part.last, number
            if not following:
                return
        last = following - 1 if following else book.area.last_row
        is_empty = bool(first) and not shown
        # Without a part the page would not advance.
        if (is_empty and following and book.limit is not None) or (
            number > covered and self._lying(number if shown else first or 1, last)
        ):
            yield self._gap(number if shown else first or 1, last).since(column)

    def searched(self, chosen: Selection, pattern: Pattern, most: int | None) -> Iterator[tuple[int, int]]:
        for first, last in chosen.ranges:
            hits, looked = self._book.search(first, last, pattern, most)
            # What lies after the last row is shown with it.
            end = self._book.area.last_row if looked == self.count else looked
            for row in sorted({drawing.row for drawing in self._lying(first, end)}):
                self._how.require_uninterrupted()
                marks = "\n".join(mark for mark in self._marks(row, row) if isinstance(mark, str))
                hits += [min(row, looked)] if pattern.find(marks) is not None else []
            yield from ((row, 1) for row in sorted(hits))
            yield looked, 0

    def _fetched(self, first: int, rows: int) -> tuple[list[_native.SheetRow], int | None]:
        """Return the rows with cells from one on, the last one first, and the row with content after them."""
        chars = min(self._how.limits.max_line_chars, LONGEST_CELL)
        self._known = found = self._book.rows(first, min(rows, _MOST_ROWS_AT_ONCE), chars=chars)
        self._links.update(found.links)
        return [row for row in reversed(found.rows) if row.cells], self._after(found)

    def _gap(self, first: int, last: int) -> RowPart:
        """Return the part for rows without cells, at the beginning of a page."""
        named = f"row {first:,} has" if first == last else f"rows {first:,}-{last:,} have"
        text = "[no cells]" if last == self._book.area.last_row else f"[{named} no cells]"
        marks = self._marks(first, last)
        # The next page may begin inside of it, and must find the same drawings.
        return RowPart(None, [text, *marks], self._heading(first), first if marks else last, last)

    def _after(self, found: _native.SheetRows) -> int | None:
        """Return the next row with content after some rows; without one, the end is known."""
        area = self._book.area
        if found.next_row is not None and found.next_row <= area.last_row:
            return found.next_row
        last = found.rows[-1].number if found.rows else self.start - 1
        end = area.last_row if found.next_row is not None else found.total_rows
        self.count = self._end(last if end is None else end)
        return None

    def _part(self, row: _native.SheetRow, following: int, column: int, *, is_first: bool) -> RowPart:
        """Return a row, and what lies on it and on the rows before the next one with cells.

        Where a page goes on inside the row, what is shown still stands below or after its letters.
        """
        until = following - 1 if following else self._book.area.last_row
        text = self._text(row)
        before = text[: column - 1] if column <= len(text) else ""
        passed, head = before.count("\t"), self._book.how.gutter.before(row.number)
        head += "\t" * min(passed, len(self._columns))
        if before and passed >= len(self._columns):
            cell = before.rfind("\t") + 1
            head += before[cell : text.index(": ", cell) + 2]
        marks = self._marks_of_cells(row) + self._marks(row.number, until)
        part = RowPart(row, [text, *marks], head, row.number, until)
        if is_first:
            part.gap = self._heading(row.number)
        return part

    def _text(self, row: _native.SheetRow) -> str:
        """Write a row: the cells of lettered columns in their places, then others with their letters."""
        columns, pattern = self._columns, self._how.pattern
        fields, others, clipped = [""] * len(columns), [], 0
        cells = row.cells
        whole: dict[int, str] = {}
        for first in range(0, len(cells), _CELLS_AT_ONCE):
            self._how.require_uninterrupted()
            for cell in cells[first : first + _CELLS_AT_ONCE]:
                text = self._book.shown(cell)
                is_clipped = cell.chars > len(cell.text)
                if is_clipped and pattern is not None:
                    whole = whole or self._whole(row)
                    found = pattern.find(whole.get(cell.column, ""))
                    if found is not None and found[1] > len(cell.text):
                        text, is_clipped = near_hit(whole[cell.column], pattern, len(cell.text)), False
                if not text.isprintable() and {"\t", "\n", "\r"} & {*text}:
                    text = text.translate(_BREAKS)
                if is_clipped:
                    clipped += 1
                    at = self._book.address(cell.column, row.number) if clipped <= _MOST_CLIPPED else ""
                    rest = counted(cell.chars - len(cell.text), "more characters")
                    text += f" … [{rest}: at={as_literal(at)}]" if at else f" … [{rest}]"
                if cell.column in columns:
                    fields[cell.column - columns.start] = text
                else:
                    others.append(f"{letters_of(cell.column)}: {text}")
        while fields and not fields[-1] and not others:
            fields.pop()
        return "\t".join(fields + others)

    def _whole(self, row: _native.SheetRow) -> dict[int, str]:
        """Return the texts of a row as far as the core returns them, by columns."""
        found = self._book.rows(row.number, 1)
        return {cell.column: self._book.shown(cell) for each in found.rows for cell in each.cells}

    def _heading(self, row: int = 1) -> str:
        """Return the lines above a row: which sheet it is, and the letters and names of its columns."""
        book, columns = self._book, self._columns
        clauses = [f"sheet {book.sheet.number:,} of {len(book.sheets):,}", one_line(book.sheet.name)]
        if book.sheet.state != "visible":
            clauses.append("hidden")
        if book.sheet.kind != "table":
            clauses.append(_NO_TABLES[book.sheet.kind])
        if not columns:
            clauses += ["cells as column: value"] if self.count != 0 else []
            return f"{footer_line(*clauses)}\n"
        first, last = letters_of(columns[0]), letters_of(columns[-1])
        clauses.append(f"column {first}" if first == last else f"columns {first}-{last}")
        gutter = book.how.gutter
        before = "" if gutter.separator is None else f"{'':>{gutter.width}}{gutter.separator}"
        return f"{footer_line(*clauses)}\n{before}{chr(9).join(book.names_of(columns, row))}\n"

    def about(self, parts: Sequence[RowPart]) -> str | None:
        # The rows of an area are not all that the sheet has.
        if self._book.area == Area() or not parts or parts[-1].following is not None:
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
            area_text(area)
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
        links = [
            f"{area_text(area)} {one_line(target, _MOST_LINK_CHARS)}"
            for area, target in self._links.items()
            if area[0] <= rows[-1].number and rows[0].number <= area[2]
        ]
        marks += [f"[links: {_listed(links, _MOST_LINK_CHARS)}]"] if links else []
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
        shown = [
            f"{one_line(sheet.name)} {self._dimensions.get(sheet.number) or ''}".rstrip()
            for sheet in self._others
            if sheet.state == "visible"
        ]
        hidden = [one_line(sheet.name) for sheet in self._others if sheet.state != "visible"]
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
            notices.append(make_notice("no_cached_value", cells=empty[:MOST_NAMED]))
        if unseen := sum(row.unseen for row in rows):
            notices.append(make_notice("unseen_runs", count=unseen))
        notices += self._images_left_out(parts, "rows")
        hidden, columns = self._hidden(rows)
        if hidden or columns:
            letters = [(letters_of(first), letters_of(last)) for first, last in columns[:MOST_NAMED]]
            notices.append(make_notice("hidden_rows", rows=hidden[:MOST_NAMED], columns=letters))
        return notices + ([] if known is None else _of_sheet(known))

    def beyond(self) -> str:
        return self._book.following()

    def nothing(self) -> str:
        at = self.beyond()
        following = [next_clause(f"at={as_literal(at)}")] if at else []
        return f"{self._heading()}{footer_line('no cells', *self.marks([]), *following)}"

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> SheetPage:
        book, rows = self._book, [part.row for part in parts if part.row is not None]
        clipped = (
            continuation(book.opened, ReadArguments(at=book.address(cell.column, part.number)))
            for part in parts
            for cell in part.clipped_cells()
        )
        return book.page(
            self._complete(parts, common),
            rows=tuple(
                SheetRow(row.number, tuple(map(book.described_cell, row.cells)), row.is_hidden)
                for row in rows
            ),
            clipped=tuple(islice(clipped, _MOST_CLIPPED)),
        )


def _has(area: tuple[int, int, int, int], row: int, column: int) -> bool:
    return area[0] <= row <= area[2] and area[1] <= column <= area[3]


def _extent(rows: Sequence[_native.SheetRow]) -> tuple[int, int]:
    """Return the first and the last column with a cell."""
    columns = [cell.column for row in rows for cell in row.cells]
    return min(columns, default=1), max(columns, default=1)


def _named(unit: str, spans: Sequence[tuple[int, int]], write: Callable[[int], str]) -> str:
    """Return "row 3" or "columns C-E, H"; empty for none."""
    texts = [write(first) if first == last else f"{write(first)}-{write(last)}" for first, last in spans]
    is_one = len(spans) == 1 and spans[0][0] == spans[0][1]
    return f"{unit}{'' if is_one else 's'} {_listed(texts)}" if texts else ""


def _listed(texts: Sequence[str], most: int = _MOST_CHARS) -> str:
    """Join texts up to a length, and count the others."""
    kept = [texts[0]]
    for text in texts[1:]:
        if sum(map(len, kept)) + len(text) > most:
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
    return notices


class CellParts(_SheetParts):
    """The lines of one cell."""

    unit = ("line", "lines")
    are_lines = True

    def __init__(self, book: Book, request: Request | None) -> None:
        super().__init__(book, request)
        row, column = book.area.first_row, book.area.first_column
        self._found = book.rows(row, 1)
        cells = [cell for each in self._found.rows if each.number == row for cell in each.cells]
        self._cell = next((cell for cell in cells if cell.column == column), None)
        links = [target for area, target in self._found.links if _has(area, row, column)]
        targets = [f"link {one_line(target, _MOST_LINK_CHARS)}" for target in links]
        self._labels = [book.address(column, row), *book.labels(row, column), *targets]
        text = "" if self._cell is None else book.shown(self._cell)
        self._lines = _LINE_BREAK.split(text) if text else []
        self.count = len(self._lines)
        if self._drawings and not self._lines:
            self.count, self._lines = 1, [self.nothing()]

    def about(self, parts: Sequence[RowPart]) -> str | None:
        if not parts or parts[0].column > 1 or parts[-1].following is not None:
            return None
        first, last = parts[0].number, parts[-1].number
        lines = f"line {first:,}" if first == last else f"lines {first:,}-{last:,}"
        return " · ".join([*self._labels, *([f"{lines} of {self.count:,}"] if self.count != 1 else [])])

    def nothing(self) -> str:
        area = self._book.area
        return f"[{self._book.address(area.first_column, area.first_row)} is empty]"

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[RowPart]:
        for number in numbers:
            # A number would look like that of a row.
            head = self._book.how.gutter.before(number) if len(self._lines) > 1 else ""
            marks = self._marks(1, LAST_ROW) if number == self.count else []
            if number == self.count:
                own = (each for each in self._found.rows if each.number == self._book.area.first_row)
                marks = [*chain(*map(self._marks_of_cells, own)), *marks]
            yield RowPart(None, [self._lines[number - 1], *marks], head, number, number).since(column)
            column = 1

    def clipped(self, parts: Sequence[RowPart]) -> int:
        return int(bool(self.marks(parts)))

    def marks(self, parts: Sequence[RowPart]) -> list[str]:
        left = 0 if self._cell is None else self._cell.chars - len(self._cell.text)
        is_at_end = parts and parts[-1].number == self.count and parts[-1].following is None
        return [f"{counted(left, 'more characters')}, which are not kept"] if left and is_at_end else []

    def notices(self, parts: Sequence[RowPart], chosen: Selection) -> list[Notice]:
        return _of_sheet(self._found) + self._images_left_out(parts, "lines")

    def page(self, parts: Sequence[RowPart], common: dict[str, Any]) -> SheetPage:
        book = self._book
        row = book.area.first_row
        rows = () if self._cell is None else (SheetRow(row, (book.described_cell(self._cell),)),)
        return book.page(self._complete(parts, common), rows=rows)

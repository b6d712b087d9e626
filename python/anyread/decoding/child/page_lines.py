"""Lines of a PDF page and their positions, which are arranged in reading order and in rows.

pdfium returns lines about in the order in which the file draws them, and text that goes down the page from
the last line to the first. This module moves each line after all lines above it, and joins the rows of tables
that are drawn column by column, and of forms whose values are drawn after the labels.

Positions are relative to the direction of the text: `start` and `end` along the line, `baseline` across it,
downwards. So rotated pages need no special case.
"""

from __future__ import annotations

import ctypes
import math
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from heapq import heappop, heappush
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple
from unicodedata import east_asian_width

from pypdfium2 import raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import pypdfium2

Box = tuple[float, float, float, float]

CELL_GAP: Final = "  "
"""The separator between the cells of a row that are joined."""
_SAME_ROW: Final = 0.35
"""Maximum distance between the baselines of a row, in line heights."""
_JOINED: Final = 1.0
"""Maximum gap between two parts of a line that pdfium split, in line heights."""
_WORD_GAP: Final = 0.2
"""Minimum gap at which the two parts are separated by a space."""
_STEP: Final = 8
"""Maximum distance from one row of a table to the next, in line heights."""
_CELL_CHARACTERS: Final = 14
"""Maximum length of the median cell of a table's shortest column."""
_LABEL_CHARACTERS: Final = 6
"""The same for a column beside prose, such as line numbers."""
_PROSE_CHARACTERS: Final = 40
"""A column with longer lines is prose, which is read column by column."""
_MATCHING: Final = 0.6
"""Minimum part of a column's lines that must have a row beside them."""
_ABOVE: Final = 0.5
"""Minimum distance from a line to one that is above it, in heights of the higher one."""
_APART: Final = 2
"""Minimum distance of the header and the footer from all other lines, in line heights."""
_STRIPS: Final = 48
"""The number of strips of a page in which lines are compared, side by side."""
_SAME_FIELD: Final = 0.6
"""Maximum distance between the baselines of a form's value and its label, in line heights."""
_NEIGHBORS: Final = 32
"""Maximum number of rows that are compared with a form's value."""
_WIDE: Final = {"W", "F"}
"""East Asian widths of characters that are also written vertically."""
_GAP: Final = 1.5
"""Minimum distance between the baselines of characters that are lines of their own, in line heights."""
_UPRIGHT: Final = 0.1
"""Maximum sine or cosine of a direction that counts as parallel to an edge of the page."""


@dataclass(slots=True)
class PlacedText:
    """One line of text and its position in points."""

    text: str
    direction: tuple[int, int]
    """Its direction in hundredths of a unit vector; only lines with the same direction are compared."""
    start: float
    end: float
    baseline: float
    height: float
    is_drawn_over: bool = False
    """Whether it belongs to a form field or an annotation, which is drawn after the page."""
    cells: list[PlacedText] = field(default_factory=list)
    """The other cells of its row."""

    def shown(self) -> str:
        """Return the text of its row."""
        if not self.cells:
            return self.text
        cells = sorted([self, *self.cells], key=lambda line: line.start)
        return CELL_GAP.join(line.text for line in cells)

    def is_beside(self, other: PlacedText) -> bool:
        """Return whether both are in one row."""
        reach = _SAME_ROW * min(self.height, other.height)
        return self.direction == other.direction and abs(self.baseline - other.baseline) <= reach


def arranged(lines: Iterable[PlacedText]) -> list[str]:
    """Arrange lines, which are passed in the order of the file, in rows."""
    page: list[PlacedText] = []
    drawn_over: list[PlacedText] = []
    for line in _without_copies(_merged(lines)):
        (drawn_over if line.is_drawn_over else page).append(line)
    rows = [row for run in _tables(_runs(_in_reading_order(page))) for row in run]
    return [row.shown() for row in _with_values(rows, drawn_over)]


# -- lines that pdfium split, or that the file draws twice


def _merged(lines: Iterable[PlacedText]) -> list[PlacedText]:
    """Join lines that continue the line before; pdfium splits slanted text after each character."""
    merged: list[PlacedText] = []
    for line in lines:
        last = merged[-1] if merged else None
        if last is None or line.is_drawn_over != last.is_drawn_over or not last.is_beside(line):
            merged.append(line)
            continue
        gap = (line.start - last.end) / max(line.height, 0.1)
        if -0.5 <= gap <= _JOINED:
            space = " " if gap > _WORD_GAP else ""
            last.text, last.end = f"{last.text}{space}{line.text}", line.end
        else:
            merged.append(line)
    return merged


def _without_copies(lines: list[PlacedText]) -> list[PlacedText]:
    """Drop lines that are drawn a second time at the same position, for bold text or a shadow."""
    seen: dict[str, list[PlacedText]] = {}
    kept = []
    for line in lines:
        earlier = seen.setdefault(line.text, [])
        near = 0.5 * line.height
        if any(line.is_beside(other) and abs(line.start - other.start) <= near for other in earlier[-8:]):
            continue
        earlier.append(line)
        kept.append(line)
    return kept


# -- lines that are drawn after lines below them


def _in_reading_order(lines: list[PlacedText]) -> list[PlacedText]:
    """Move lines after those above them; otherwise, and so for columns, the order of the file is kept."""
    above: dict[int, set[int]] = {}
    for direction in {line.direction for line in lines}:
        above |= _lines_above(lines, [at for at, line in enumerate(lines) if line.direction == direction])
    if all(other < index for index, found in above.items() for other in found):
        return lines
    below: dict[int, list[int]] = {}
    for index, found in above.items():
        for other in found:
            below.setdefault(other, []).append(index)
    waits_for = {index: len(found) for index, found in above.items()}
    ready = [index for index in range(len(lines)) if not waits_for[index]]
    ordered = []
    while ready:
        index = heappop(ready)
        ordered.append(lines[index])
        for other in below.get(index, ()):
            waits_for[other] -= 1
            if not waits_for[other]:
                heappush(ready, other)
    return ordered


def _lines_above(lines: list[PlacedText], indexes: list[int]) -> dict[int, set[int]]:
    """Return for each of some lines, which have one direction, those next above it."""
    ordered = sorted(indexes, key=lambda index: lines[index].baseline)
    left = min(lines[index].start for index in ordered)
    width = (max(lines[index].end for index in ordered) - left) / _STRIPS or 1
    margins = _margins([lines[index] for index in ordered])
    last: list[int | None] = [None] * (_STRIPS + 1)
    above: dict[int, set[int]] = {}
    for index in ordered:
        line = lines[index]
        # A line is in the strips of which it covers the middle, so that columns may overlap a little.
        first = round((line.start - left) / width)
        end = max(first + 1, round((line.end - left) / width))
        if line.baseline in margins:
            first, end = 0, len(last)
        found: set[int] = set()
        for other in {*last[first:end]}:
            if other is None:
                continue
            if line.baseline - lines[other].baseline > _ABOVE * max(line.height, lines[other].height):
                found.add(other)
            else:
                # It is beside the line.
                found |= above[other]
        above[index] = found
        last[first:end] = [index] * (end - first)
    return above


def _margins(ordered: list[PlacedText]) -> set[float]:
    """Return the baselines of the header and the footer, which are above and below everything else."""
    found: set[float] = set()
    for lines in (ordered, ordered[::-1]):
        outer = lines[0]
        reach = _SAME_ROW * outer.height
        near = [line for line in lines if abs(line.baseline - outer.baseline) <= reach]
        rest = lines[len(near) :]
        if rest and abs(rest[0].baseline - outer.baseline) > _APART * max(outer.height, rest[0].height):
            found.update(line.baseline for line in near)
    return found


# -- tables that are drawn column by column


def _runs(lines: list[PlacedText]) -> list[list[PlacedText]]:
    """Split lines into runs, each of which goes down the page in one column."""
    runs: list[list[PlacedText]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        if last is not None and _continues(last, line):
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _continues(last: PlacedText, line: PlacedText) -> bool:
    if last.direction != line.direction:
        return False
    step = line.baseline - last.baseline
    overlaps = line.start <= last.end and last.start <= line.end
    return overlaps and _SAME_ROW * last.height < step <= _STEP * max(last.height, line.height)


def _tables(runs: list[list[PlacedText]]) -> list[list[PlacedText]]:
    """Add each run that is another column of a table to the rows before it."""
    tables: list[list[PlacedText]] = []
    for run in runs:
        rows = tables[-1] if tables else []
        matches = _matches(rows, run) if rows and len(run) > 1 else {}
        if not _is_column(matches, run):
            tables.append(run)
            continue
        for index, line in enumerate(run):
            if index in matches:
                matches[index].cells.append(line)
            else:
                insort(rows, line, key=lambda row: row.baseline)
    return tables


def _matches(rows: list[PlacedText], run: list[PlacedText]) -> dict[int, PlacedText]:
    """Return the rows beside lines of a run, by the line's index."""
    baselines = [row.baseline for row in rows]
    found: dict[int, PlacedText] = {}
    for index, line in enumerate(run):
        position = bisect_left(baselines, line.baseline)
        near = [row for row in rows[max(0, position - 1) : position + 1] if row.is_beside(line)]
        if near and not any(_overlap(cell, line) for cell in (near[0], *near[0].cells)):
            found[index] = near[0]
    return found


def _overlap(one: PlacedText, other: PlacedText) -> bool:
    return one.start < other.end and other.start < one.end


def _is_column(matches: dict[int, PlacedText], run: list[PlacedText]) -> bool:
    if len(matches) < max(2, _MATCHING * len(run)):
        return False
    # Columns of prose have lines beside each other too, but a table has at least one column of short cells.
    short, long = sorted(median(len(line.text) for line in column) for column in (matches.values(), run))
    return short <= (_LABEL_CHARACTERS if long > _PROSE_CHARACTERS else _CELL_CHARACTERS)


# -- values of forms


def _with_values(rows: list[PlacedText], values: list[PlacedText]) -> list[PlacedText]:
    """Add the texts of fields and annotations to the rows where they are drawn, or below the row above."""
    by_direction: dict[tuple[int, int], list[PlacedText]] = {}
    for row in sorted(rows, key=lambda row: row.baseline):
        by_direction.setdefault(row.direction, []).append(row)
    following: dict[int, list[PlacedText]] = {}
    unmatched: list[PlacedText] = []
    for value in values:
        neighbors = by_direction.get(value.direction, [])
        nearest = _nearest(value, neighbors) or _nearest(value, unmatched[-_NEIGHBORS:])
        if nearest is not None:
            nearest.cells.append(value)
            continue
        above = bisect_left(neighbors, value.baseline, key=lambda row: row.baseline)
        following.setdefault(id(neighbors[above - 1]) if above else 0, []).append(value)
        unmatched.append(value)
    result = following.get(0, [])
    for row in rows:
        result += [row, *following.get(id(row), ())]
    return result


def _nearest(value: PlacedText, rows: list[PlacedText]) -> PlacedText | None:
    """Return the closest row beside a value; fields are often a little higher or lower than labels."""
    reach = _SAME_FIELD * value.height
    first = bisect_left(rows, value.baseline - reach, key=lambda row: row.baseline)
    near = []
    for row in rows[first : first + _NEIGHBORS]:
        if row.direction == value.direction and abs(row.baseline - value.baseline) <= reach:
            gap = max(value.start - row.end, row.start - value.end, 0)
            near.append((gap, row.start, row))
    return min(near, key=lambda found: found[:2])[2] if near else None


# -- positions from pdfium


class Ruler:
    """Measures lines of one page; the buffers are reused, because a page needs hundreds of calls."""

    def __init__(self, textpage: pypdfium2.PdfTextPage, within: Box) -> None:
        self._textpage = textpage
        left, bottom, right, top = within
        self._corners = [(x, y) for x in (left, right) for y in (bottom, top)]
        self._matrix, self._box = raw.FS_MATRIX(), raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def lines(
        self, text: str, printed: int, index_of: Callable[[int], int], *, is_drawn_over: bool
    ) -> Iterator[PlacedText]:
        """Measure one line from pdfium, which may be several lines that pdfium joined.

        Args:
            text: The line.
            printed: The number of its characters at that position; the rest of a hyphenated word follows.
            index_of: Returns pdfium's index of a character by its position in `text`.
            is_drawn_over: As in `PlacedText`.
        """
        across, up = self._direction(index_of(0))
        first, last = (self._extent(index_of(position), across, up) for position in (0, printed - 1))
        if _is_below(last, first):
            # Text that goes down the page is in reverse; single characters may also have a wrong direction.
            parts = [*self._split(text, printed, index_of, (across, up), is_drawn_over=is_drawn_over)]
            rise = parts[0].baseline - parts[1].baseline if len(parts) > 1 else 0
            # The numbers of an axis have gaps, the characters of a word have not.
            if rise > _GAP * parts[0].height or any(len(part.text) > 1 for part in parts):
                yield from parts
                return
        if _is_below(first, last):
            if east_asian_width(text[0]) not in _WIDE:
                yield from self._split(text, printed, index_of, (across, up), is_drawn_over=is_drawn_over)
                return
            # Vertical writing: the characters are upright and the line goes down.
            across, up = up, -across
            first, last = (self._extent(index_of(position), across, up) for position in (0, printed - 1))
        yield self._line(text, index_of(0), (first, last), (across, up), is_drawn_over=is_drawn_over)

    def _split(
        self,
        text: str,
        printed: int,
        index_of: Callable[[int], int],
        direction: tuple[float, float],
        *,
        is_drawn_over: bool,
    ) -> Iterator[PlacedText]:
        """Measure the lines of a text that pdfium joined: the digits of a column, or turned texts."""
        begin, first = 0, self._extent(index_of(0), *direction)
        before = first
        for position in range(1, printed):
            if text[position].isspace():
                continue
            extent, turned = self._extent(index_of(position), *direction), self._direction(index_of(position))
            is_turned = turned[0] * direction[0] + turned[1] * direction[1] < _UPRIGHT
            if is_turned or _is_below(first, extent) or _is_below(extent, first):
                part, ends = text[begin:position], (first, before)
                yield self._line(part, index_of(begin), ends, direction, is_drawn_over=is_drawn_over)
                direction = turned
                begin, first = position, self._extent(index_of(position), *direction)
                extent = first
            before = extent
        rest, ends = text[begin:], (first, before)
        yield self._line(rest, index_of(begin), ends, direction, is_drawn_over=is_drawn_over)

    def _line(
        self,
        text: str,
        first: int,
        ends: tuple[_Extent, _Extent],
        direction: tuple[float, float],
        *,
        is_drawn_over: bool,
    ) -> PlacedText:
        across, up = direction
        raw.FPDFText_GetCharOrigin(self._textpage, first, self._x, self._y)
        start, end = sorted((ends[0].start, ends[1].end))
        return PlacedText(
            text=text.replace("\0", "").rstrip(),
            direction=(round(across * 100), round(up * 100)),
            start=start,
            end=end,
            baseline=self._x.value * up - self._y.value * across,
            height=ends[0].bottom - ends[0].top,
            is_drawn_over=is_drawn_over,
        )

    def is_within(self, line: PlacedText) -> bool:
        """Return whether the middle of a line overlaps the area."""
        across, up = line.direction[0] / 100, line.direction[1] / 100
        along = [x * across + y * up for x, y in self._corners]
        over = [x * up - y * across for x, y in self._corners]
        middle = line.baseline - line.height / 3
        return line.end >= min(along) and line.start <= max(along) and min(over) <= middle <= max(over)

    def _direction(self, index: int) -> tuple[float, float]:
        raw.FPDFText_GetMatrix(self._textpage, index, self._matrix)
        length = math.hypot(self._matrix.a, self._matrix.b)
        return (self._matrix.a / length, self._matrix.b / length) if length > 0 else (1.0, 0.0)

    def _extent(self, index: int, across: float, up: float) -> _Extent:
        """Measure a character along a direction."""
        raw.FPDFText_GetLooseCharBox(self._textpage, index, self._box)
        width, height = self._box.right - self._box.left, self._box.top - self._box.bottom
        x, y = (self._box.left + self._box.right) / 2, (self._box.top + self._box.bottom) / 2
        along, over = abs(across) * width + abs(up) * height, abs(up) * width + abs(across) * height
        if min(abs(across), abs(up)) > _UPRIGHT:
            # The box of a slanted character is parallel to the page, and so about twice as large.
            along, over = along / 2, over / 2
        middle, depth = x * across + y * up, x * up - y * across
        return _Extent(middle - along / 2, middle + along / 2, depth - over / 2, depth + over / 2)


def _is_below(one: _Extent, other: _Extent) -> bool:
    """Return whether the middle of `other` is below `one`."""
    return (other.top + other.bottom) / 2 > one.bottom


class _Extent(NamedTuple):
    """The extent of a character along its line and across it."""

    start: float
    end: float
    top: float
    bottom: float

"""Workbooks, judged by openpyxl over random sheets, budgets and damage."""

from __future__ import annotations

import io
import random
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import takewhile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import openpyxl
import pytest
import xlsxwriter
from openpyxl.utils import get_column_letter

import anyread
from anyread import Gutter, Limits, Reader, errors, info_sync, read_sync
from anyread.arguments.places import FilePlace, parsed
from anyread.arguments.types import VALUES
from anyread.results.sheet import SheetPage

SEEDS = range(25)
TEXTS = [
    "word",
    "Grüße 字 😀",
    "two\nlines",
    "tab\there",
    "back\\slash",
    "back\\slash and\nline",
    "a, b; c",
    " spaces ",
    "=no formula",
    "<b>&amp;</b>",
    "C: total",
    "x" * 300,
    "many words " * 260,
    "line\n" * 90,
]
MARKER = re.compile(r' … \[[\d,]+ more characters?: at="[^"]*"\]')
NAMES = ["Orders", "My sheet", "Q1", "it's", "Größe", "a!b", "7"]


def general(value: float) -> str:
    """Write a number as Excel does without a format: at most 11 digits."""
    return format(Decimal(format(value, ".10g")).normalize(), "f")


def fixed(value: float, digits: int, comma: str = "", *, shift: int = 0) -> str:
    found = Decimal(repr(value)).scaleb(shift).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{found or abs(found):{comma}f}"


FORMATS: dict[str, Callable[[float], str]] = {
    "General": general,
    "0": lambda value: fixed(value, 0),
    "0.00": lambda value: fixed(value, 2),
    "#,##0": lambda value: fixed(value, 0, ","),
    "#,##0.00": lambda value: fixed(value, 2, ","),
    "0%": lambda value: f"{fixed(value, 0, shift=2)}%",
    '0.0 "EUR"': lambda value: f"{fixed(value, 1)} EUR",
}
"""Number formats, and what they show."""


@dataclass
class Book:
    """A workbook that was made, and what its cells must show."""

    path: Path
    cells: dict[str, dict[tuple[int, int], str]] = field(default_factory=dict)
    """By sheet, then by row and column: the text."""
    states: dict[str, str] = field(default_factory=dict)
    hidden_rows: dict[str, set[int]] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The sheet that is shown without an address."""
        return next(name for name, state in self.states.items() if state == "visible")

    def rows(self, sheet: str) -> dict[int, dict[str, str]]:
        rows: dict[int, dict[str, str]] = {}
        for (row, column), text in sorted(self.cells[sheet].items()):
            rows.setdefault(row, {})[get_column_letter(column)] = text
        return rows


def places_of(rng: random.Random) -> list[tuple[int, int]]:
    """Return the rows and columns of the cells of a sheet: a table, or a few cells anywhere."""
    form = rng.choice(["table", "table", "long", "sparse", "wide", "corners", "empty"])
    if form == "empty":
        return []
    if form == "corners":
        return [(1, 1), (1_048_576, 16_384)] if rng.random() < 0.3 else [(3, 2), (9_000, 70)]
    if form == "sparse":
        return sorted({(rng.randint(1, 400), rng.randint(1, 40)) for _ in range(rng.randint(1, 60))})
    rows, columns = {"table": (40, 8), "long": (700, 4), "wide": (12, 90)}[form]
    top, left, share = rng.choice([1, 1, 4]), rng.choice([1, 1, 3]), rng.choice([1, 0.9, 0.6])
    found = [(top + row, left + column) for row in range(rng.randint(1, rows)) for column in range(columns)]
    return [place for place in found if rng.random() < share]


def content(rng: random.Random) -> tuple[Any, str, str]:
    """Return a value, its number format, and what it shows."""
    choice = rng.randrange(8)
    if choice < 3:
        text = rng.choice(TEXTS[: rng.choice([9, 11, 14])])
        return text, "General", text
    if choice < 4:
        value = rng.random() < 0.5
        return value, "General", str(value).upper()
    if choice < 5:
        day = date(2001, 1, 1) + timedelta(days=rng.randint(0, 12_000))
        return datetime(day.year, day.month, day.day), rng.choice(["yyyy-mm-dd", "dd/mm/yy"]), f"{day}"  # noqa: DTZ001
    number = rng.choice([rng.randint(-99_999, 99_999), round(rng.uniform(-999, 9_999), rng.randint(1, 4))])
    number_format, shown = rng.choice([*FORMATS.items()])
    return number, number_format, shown(number)


def made(rng: random.Random, path: Path) -> Book:
    """Write a workbook with one of two libraries."""
    book = Book(path)
    names = rng.sample(NAMES, rng.choice([1, 1, 2, 4]))
    states = [rng.choice(["visible", "visible", "hidden"]) for _ in names]
    states[rng.randrange(len(states))] = "visible"
    book.states = dict(zip(names, states, strict=True))
    rng.choice([write_with_openpyxl, write_with_xlsxwriter])(rng, book)
    judge_positions(book)
    return book


def write_with_openpyxl(rng: random.Random, book: Book) -> None:
    workbook: Any = openpyxl.Workbook()
    workbook.remove(workbook.active)
    if rng.random() < 0.2:
        workbook.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    for name, state in book.states.items():
        sheet = workbook.create_sheet(name)
        sheet.sheet_state = state
        cells = book.cells[name] = {}
        for row, column in places_of(rng):
            value, number_format, shown = content(rng)
            if rng.random() < 0.05:
                value, number_format, shown = "=A1+1", "General", "=A1+1"
            cell = sheet.cell(row, column, value)
            cell.number_format = number_format
            if value == "=no formula":
                cell.data_type = "s"
            cells[row, column] = shown
        hidden = book.hidden_rows[name] = {row for row, _ in cells if rng.random() < 0.05}
        for row in hidden:
            sheet.row_dimensions[row].hidden = True
    workbook.save(book.path)


def write_with_xlsxwriter(rng: random.Random, book: Book) -> None:
    options = {"constant_memory": rng.random() < 0.5, "date_1904": rng.random() < 0.2}
    with xlsxwriter.Workbook(str(book.path), options) as workbook:
        formats: dict[str, Any] = {}
        is_first = True
        for name, state in book.states.items():
            sheet = workbook.add_worksheet(name)
            if state == "hidden":
                sheet.hide()
            elif is_first:
                # The first sheet is active by default, and cannot be hidden then.
                sheet.activate()
                sheet.set_first_sheet()
                is_first = False
            cells, hidden = {}, set()
            for row, column in places_of(rng):
                value, number_format, shown = content(rng)
                style = formats.setdefault(number_format, workbook.add_format({"num_format": number_format}))
                if rng.random() < 0.03 and row not in hidden:
                    hidden.add(row)
                    sheet.set_row(row - 1, None, None, {"hidden": True})
                if isinstance(value, float | int) and not isinstance(value, bool) and rng.random() < 0.2:
                    sheet.write_formula(row - 1, column - 1, "=1+1", style, value)
                elif isinstance(value, datetime):
                    sheet.write_datetime(row - 1, column - 1, value, style)
                elif isinstance(value, str):
                    sheet.write_string(row - 1, column - 1, value, style)
                else:
                    sheet.write(row - 1, column - 1, value, style)
                cells[row, column] = shown
            book.cells[name], book.hidden_rows[name] = cells, hidden


def judge_positions(book: Book) -> None:
    """Require that openpyxl finds the cells of the book where they were written."""
    workbook = openpyxl.load_workbook(book.path)
    for name, cells in book.cells.items():
        found = {(cell.row, cell.column) for cell in workbook[name]._cells.values() if cell.value is not None}
        assert found == cells.keys(), name


def page_of(path: Path, reader: Reader | None = None, /, **call: Any) -> SheetPage:
    page = (reader.read_sync if reader else read_sync)(path, **call)
    assert isinstance(page, SheetPage)
    return page


def budget_of(rng: random.Random) -> dict[str, int]:
    return rng.choice([{"max_bytes": rng.randint(1_500, 9_000)}, {"max_tokens": rng.randint(800, 4_000)}, {}])


def walk(path: Path, budget: dict[str, int], **call: Any) -> Iterator[SheetPage]:
    """Read all pages from a call on."""
    following = call
    while True:
        page = page_of(path, **following, **budget)
        is_least = not page.rows or any(notice.code == "over_budget" for notice in page.notices)
        # The least that is shown may be too much.
        if not is_least or min(budget.values(), default=0) >= 800:
            assert len(page.text.encode()) <= budget.get("max_bytes", 1 << 60)
            assert page.token_estimate <= budget.get("max_tokens", 1 << 60)
        yield page
        if page.next is None:
            return
        assert dict(page.next.arguments) != following
        following = dict(page.next.arguments)
        for name in budget:
            following.pop(name, None)


def lines_of(page: SheetPage) -> dict[int, str]:
    """Return the lines of the rows on a page, by number."""
    rows: dict[int, str] = {}
    for line in page.text.removesuffix(page.footer).split("\n"):
        number, tab, text = line.partition("\t")
        if tab and number.isdecimal():
            rows[int(number)] = text
    return rows


def fields_of(page: SheetPage, line: str) -> dict[str, str]:
    """Return the cells in the line of a row by their columns, as the lines above it say.

    A line that goes on with the next cell ends with a tab.
    """
    letters: list[str] = []
    for above in page.text.split("\n")[:2]:
        if above.startswith("\t"):
            letters = [name.partition(":")[0] for name in above[1:].split("\t")]
    found: dict[str, str] = {}
    for number, text in enumerate(line.removesuffix("\t").split("\t")):
        if number < len(letters):
            if text:
                found[letters[number]] = text
        else:
            letter, _, value = text.partition(": ")
            found[letter] = value
    return found


def add_fields(page: SheetPage, shown: dict[int, dict[str, str]]) -> None:
    """Add what a page shows of the cells of its rows to what the pages before it did."""
    for number, line in lines_of(page).items():
        cells = shown.setdefault(number, {})
        for letter, text in fields_of(page, line).items():
            cells[letter] = cells.get(letter, "") + text


def escaped(text: str) -> str:
    if not {"\t", "\n", "\r"} & {*text}:
        return text
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def judge_row(found: dict[str, str], wanted: dict[str, str]) -> None:
    assert found.keys() == wanted.keys()
    for column, text in found.items():
        shown = escaped(wanted[column][:2_000])
        if len(wanted[column]) <= 2_000:
            assert text == shown
        else:
            assert MARKER.sub("", text) == shown
            assert f"{len(wanted[column]) - 2_000:,} more character" in text


def address_of(sheet: str) -> str:
    return "'{}'".format(sheet.replace("'", "''"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_following_next_shows_each_row_once(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    book = made(rng, tmp_path / "a.xlsx")
    for sheet in book.states:
        wanted = book.rows(sheet)
        call: dict[str, Any] = {} if sheet == book.first and rng.random() < 0.5 else {"at": address_of(sheet)}
        if rng.random() < 0.3:
            call["limit"] = rng.choice([1, 7, 100])
        # With a small limit the corners of a sheet are many pages apart.
        shown: dict[int, dict[str, str]] = {}
        first: SheetPage | None = None
        budget = budget_of(rng)
        if len(wanted) < 30 and rng.random() < 0.4:
            budget = {rng.choice(["max_tokens", "max_bytes"]): rng.choice([1, 45, 200, 700])}
        for page in walk(book.path, budget, **call):
            first = first or page
            if page.sheet != first.sheet:
                # Without an address, the pages lead on to the next sheet.
                break
            assert page.sheet == sheet
            has_hidden = any(row.is_hidden for row in page.rows)
            assert ("hidden_rows" in {notice.code for notice in page.notices}) == has_hidden
            add_fields(page, shown)
            for row in page.rows:
                assert row.is_hidden == (row.number in book.hidden_rows[sheet])
                for cell in row.cells:
                    assert cell.text == wanted[row.number][cell.column][:2_000]
                    assert cell.characters == len(wanted[row.number][cell.column])
        assert [*shown] == [*wanted]
        for number, cells in shown.items():
            judge_row(cells, wanted[number])
        # Random access gives the same.
        for number in rng.sample([*wanted], min(5, len(wanted))):
            one = page_of(book.path, at=address_of(sheet), offset=number, limit=1, max_bytes=1 << 18)
            assert fields_of(one, lines_of(one)[number]) == shown[number]
            again = page_of(book.path, at=address_of(sheet), ranges=[(number, number)])
            assert lines_of(again) == lines_of(one)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_following_next_leads_through_the_visible_sheets(tmp_path: Path, seed: int) -> None:
    """The first sheet counted as the whole workbook."""
    rng = random.Random(f"sheets {seed}")
    book = made(rng, tmp_path / "a.xlsx")
    visible = [name for name, state in book.states.items() if state == "visible"]
    order = [book.first, *(name for name in visible if name != book.first)]
    shown: dict[str, list[int]] = {}
    for page in walk(book.path, rng.choice([{}, {"max_bytes": 9_000}])):
        shown.setdefault(page.sheet, []).extend(
            row.number for row in page.rows if row.number not in shown.get(page.sheet, ())
        )
        assert page.truncated == (page.next is not None or bool(page.clipped))
    assert shown == {name: [*book.rows(name)] for name in order}
    assert page_of(book.path, at=address_of(book.first), offset=-1).next is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_address_shows_the_cells_of_an_area(tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"at {seed}")
    book = made(rng, tmp_path / "a.xlsx")
    for sheet, cells in book.cells.items():
        if not cells:
            continue
        (top, left), (bottom, right) = rng.choice([*cells]), rng.choice([*cells])
        rows, columns = sorted((top, bottom)), sorted((left, right))
        first, last = get_column_letter(columns[0]), get_column_letter(columns[1])
        form = rng.choice(["area", "columns", "rows"])
        at = {
            "area": f"{first}{rows[0]}:{last}{rows[1]}",
            "columns": f"${first}:{last}",
            "rows": f"{rows[0]}:{rows[1]}",
        }[form]
        wanted: dict[int, dict[str, str]] = {}
        for (row, column), text in sorted(cells.items()):
            is_in_rows = form == "columns" or rows[0] <= row <= rows[1]
            if is_in_rows and (form == "rows" or columns[0] <= column <= columns[1]):
                wanted.setdefault(row, {})[get_column_letter(column)] = text
        address = f"{address_of(sheet)}!{at}"
        shown: dict[int, dict[str, str]] = {}
        for page in walk(book.path, budget_of(rng), at=address):
            add_fields(page, shown)
        assert [*shown] == [*wanted]
        for number, fields in shown.items():
            judge_row(fields, wanted[number])


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_cell_is_shown_as_lines(tmp_path: Path, seed: int) -> None:
    rng = random.Random(f"cell {seed}")
    book = made(rng, tmp_path / "a.xlsx")
    for sheet, cells in book.cells.items():
        longest = sorted(cells, key=lambda place: len(cells[place]))
        for row, column in {*longest[-2:], *longest[:1]}:
            address = f"{address_of(sheet)}!{get_column_letter(column)}{row}"
            lines: dict[int, str] = {}
            for page in walk(book.path, budget_of(rng), at=address):
                only = {1: page.text.removesuffix(page.footer).removesuffix("\n")}
                # The only line of a cell has no number.
                for number, text in (only if page.count == 1 else lines_of(page)).items():
                    lines[number] = lines.get(number, "") + text
            text = cells[row, column]
            assert "\n".join(lines.values()) == text
            assert read_sync(book.path, at=address, values="formulas").text


def plain_book(path: Path) -> Path:
    """Write a workbook with some of everything."""
    with xlsxwriter.Workbook(str(path)) as workbook:
        day = workbook.add_format({"num_format": "yyyy-mm-dd"})
        euro = workbook.add_format({"num_format": '#,##0.00 "EUR"'})
        sheet = workbook.add_worksheet("Orders")
        sheet.write_row(0, 0, ["id", "customer", "date", "total"])
        for number in range(1, 9):
            sheet.write_row(number, 0, [number, f"Customer {number % 3}"])
            sheet.write_datetime(number, 2, datetime(2020, 1, number), day)  # noqa: DTZ001
            sheet.write_formula(number, 3, f"=A{number + 1}*7", euro, number * 7)
        sheet.merge_range("A10:B10", "all of it")
        sheet.set_row(3, None, None, {"hidden": True})
        sheet.set_column("B:B", None, None, {"hidden": True})
        notes = workbook.add_worksheet("My notes")
        notes.write_string("J50", "first line\nsecond\tline\\ " + "word " * 600)
        workbook.add_worksheet("Secret").hide()
        workbook.get_worksheet_by_name("Secret").write_string("A1", "hidden text")
        chart = workbook.add_chart({"type": "line"})
        chart.add_series({"values": "=Orders!$D$2:$D$9"})
        workbook.add_chartsheet("Chart").set_chart(chart)
    return path


def texts_of(path: Path) -> list[str]:
    """Read everything of a workbook: all pages of all sheets."""
    started = time.process_time()
    info = info_sync(path)
    if info.problem is not None:
        raise info.problem
    sheets = [sheet.name for sheet in (info.facts or {}).get("sheets", ())]
    found = [page.text for page in walk(path, {})]
    for sheet in sheets[:8]:
        found += [page.text for page in walk(path, {}, at=address_of(sheet))]
    assert time.process_time() - started < 1
    return found


def settle(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("at", ["S!B2:D9", "S!B:B", "S!B2:B9"])
@pytest.mark.parametrize("limit", [None, 1, 3, 7])
def test_area_ends_with_its_last_cell(tmp_path: Path, at: str, limit: int | None) -> None:
    """Rows with cells in other columns only made a last page without cells."""
    book: Any = openpyxl.Workbook()
    book.active.title = "S"
    for row in range(1, 12):
        book.active.cell(row, 2 if row < 8 else 1, f"in row {row}")
    book.save(tmp_path / "a.xlsx")
    pages = [*walk(tmp_path / "a.xlsx", {}, at=at, limit=limit)]
    assert all(page.rows for page in pages)
    first = 1 if at == "S!B:B" else 2
    assert [row.number for page in pages for row in page.rows] == [*range(first, 8)]
    assert page_of(tmp_path / "a.xlsx", at=at, ranges=[(3, 9)]).next is None


@pytest.mark.no_cover
@pytest.mark.slow
def test_damaged_archives_are_read_as_before_or_refused(tmp_path: Path) -> None:
    """A byte of a member never changes what is shown, because its checksum no longer fits.

    Parts may be missing: what lies on a sheet, texts and styles; then marks or a notice say so.
    """
    rng, data = random.Random(1), plain_book(tmp_path / "a.xlsx").read_bytes()
    wanted = texts_of(tmp_path / "a.xlsx")
    refused = 0
    for number in range(500):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 1, 3])):
            at = rng.randrange(len(damaged))
            change = rng.randrange(5)
            if change < 2:
                damaged[at] ^= 1 << rng.randrange(8)
            elif change < 3:
                del damaged[at : at + rng.choice([1, 2, 40])]
            elif change < 4:
                damaged[at:at] = rng.randbytes(rng.choice([1, 30]))
            else:
                del damaged[rng.choice([at, len(damaged) - 30]) :]
        try:
            path = settle(tmp_path / f"{number % 7}.xlsx", bytes(damaged))
            found = texts_of(path)
        except errors.ReadError:
            refused += 1
        else:
            lacks_parts = re.compile(r" · (?:damaged|not in this file)\b").search
            has_no_styles = "no_styles" in {notice.code for notice in read_sync(path).notices}
            for page, expected in zip(found, wanted, strict=True):
                assert page == expected or has_no_styles or lacks_parts(page), number
    assert 170 < refused < 500


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


@pytest.mark.no_cover
@pytest.mark.slow
def test_damaged_markup_is_read_or_refused(tmp_path: Path) -> None:
    """What two parsers accept is shown with the same values."""
    rng, members = random.Random(2), members_of(plain_book(tmp_path / "a.xlsx"))
    names = [name for name in members if name.startswith(("xl/", "_rels", "[")) and "drawing" not in name]
    compared = 0
    for copy in range(200):
        name = rng.choice([*names, "xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"])
        text = members[name].decode()
        pieces = re.split(r'(<[^>]*>|"[^"]*")', text)
        at = rng.randrange(len(pieces))
        change = rng.randrange(6)
        if change == 0:
            pieces[at] = ""
        elif change == 1:
            pieces[at] = pieces[at] * 2
        elif change == 2:
            pieces[at] = re.sub(
                r"\d+", lambda _: rng.choice(["0", "7", "99999999999", "-1", "1e9"]), pieces[at]
            )
        elif change == 3:
            pieces[at] = rng.choice(
                ["<", ">", '"', "&", "&#0;", "<!--", "]]>", "\0", "<x>", "</row>", "\ud7ff"]
            )
        elif change == 4:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        else:
            del pieces[at:]
        changed = {**members, name: "".join(pieces).encode()}
        path = settle(tmp_path / f"{copy % 7}.xlsx", packed(changed))
        try:
            texts_of(path)
        except errors.ReadError:
            continue
        compared += judge_values(path, changed)
    assert compared > 40


def judge_values(path: Path, members: dict[str, bytes]) -> bool:
    """Compare the first sheet with what openpyxl reads, if it and an XML parser accept the file."""
    try:
        for name, content in members.items():
            if name.endswith((".xml", ".rels")):
                ET.fromstring(content)
        # A path would stay open if it cannot be loaded.
        workbook = openpyxl.load_workbook(io.BytesIO(path.read_bytes()), data_only=True)
        sheet = workbook[page_of(path).sheet]
        texts = ET.fromstring(members["xl/sharedStrings.xml"])
        is_plain = len(texts) == sum(element.tag.endswith("}si") for element in texts.iter())
        elements = ET.fromstring(members["xl/worksheets/sheet1.xml"]).iter()
        is_plain = is_plain and all(map(contradicts_nothing, elements))
    except Exception:  # noqa: BLE001 - whatever openpyxl raises for a file that it does not accept
        return False
    if not is_plain:
        return False
    pages = takewhile(lambda page: page.sheet == sheet.title, walk(path, {}, values="raw"))
    rows = [row for page in pages for row in page.rows]
    found = {(row.number, cell.column): cell.value for row in rows for cell in row.cells}
    for cell in sheet._cells.values():
        value = cell.value[:2_000] if isinstance(cell.value, str) else cell.value
        # A date that no calendar has is an error for openpyxl.
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "#VALUE!":
            shown = found.get((cell.row, get_column_letter(cell.column)))
            assert shown in {value, "[text · not in this file]"}, (cell, path)
    return True


def contradicts_nothing(element: ET.Element) -> bool:
    """Return whether a row has the number that its cells have, and a text no negative number."""
    name = element.tag.rpartition("}")[2]
    if name == "row":
        return all(cell.get("r", "").lstrip("ABCD") == element.get("r") for cell in element)
    return name != "v" or not (element.text or "").startswith("-")


def test_rows_further_down_have_the_names_of_their_columns(tmp_path: Path) -> None:
    """The names are the first row of texts that has cells in at least half of the columns."""
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    for row in (
        ["Report"],
        [1, "x", "y", "z"],
        ["id", None, "a\tb", "long " * 20],
        *[[n, 2, "t", 4] for n in range(99)],
    ):
        book.active.append(row)
    for column in range(1, 65):
        book.create_sheet("Wide" if column == 1 else None)
        book["Wide"].cell(1, column, f"column {column}")
        book["Wide"].cell(2, column, column)
    book.save(path)
    letters = [page_of(path, **call).text.split("\n")[1] for call in ({}, {"offset": 3}, {"offset": 4})]
    assert letters[:2] == ["\tA\tB\tC\tD"] * 2
    assert letters[2] == f"\tA: id\tB\tC: a\\tb\tD: {('long ' * 20)[:40]}…"
    assert page_of(path, at="A90:C91").text.split("\n")[1] == "\tA: id\tB\tC: a\\tb"
    assert page_of(path, at="Wide!2:2").text.split("\n")[1].startswith("\tA: column…\tB: column…\t")


def test_page_has_names_letters_numbers_and_marks(tmp_path: Path) -> None:
    path = plain_book(tmp_path / "a.xlsx")
    page = page_of(path, limit=4)
    assert page.text == (
        "[sheet 1 of 4 · Orders · columns A-D]\n"
        "\tA\tB\tC\tD\n"
        "1\tid\tcustomer\tdate\ttotal\n"
        "2\t1\tCustomer 1\t2020-01-01\t7.00 EUR\n"
        "3\t2\tCustomer 2\t2020-01-02\t14.00 EUR\n"
        "4\t3\tCustomer 0\t2020-01-03\t21.00 EUR\n"
        "[hidden: row 4, column B]\n"
        "[rows 1-4 of 10 · other sheets: My notes J50, Chart · hidden: Secret · next: offset=5]"
    )
    assert (page.first, page.last, page.count, page.sheet, page.verified) == (1, 4, 10, "Orders", True)
    assert [(sheet.name, sheet.state, sheet.has) for sheet in page.sheets] == [
        ("Orders", "visible", "table"),
        ("My notes", "visible", "table"),
        ("Secret", "hidden", "table"),
        ("Chart", "visible", "chart"),
    ]
    last = page_of(path, offset=5, gutter=Gutter.PIPE)
    assert last.text.endswith(
        "\n  10 | all of it\n[merged: A10:B10] [hidden: column B]\n"
        "[rows 5-10 of 10 · next: at=\"'My notes':\"]"
    )
    notes = page_of(path, at="My notes")
    assert notes.text.startswith(
        "[sheet 2 of 4 · My notes · column J]\n\tJ\n50\tfirst line\\nsecond\\tline\\\\ word word"
    )
    assert " … [1,024 more characters: at=\"'My notes'!J50\"]\n[row" in notes.text
    assert page_of(path, **notes.clipped[0]).text.startswith("1\tfirst line\n2\tsecond\tline\\ word")
    for at in ["Chart", "Orders!X40:Z50"]:
        empty = page_of(path, at=at)
        assert "no cells" in empty.text
        assert (empty.rows, empty.next) == ((), None)
    tight = page_of(path, at="Orders!X40:Z50", max_bytes=20)
    assert "no cells" in tight.text
    assert tight.notices[-1].code == "over_budget"
    assert page_of(path, at="Orders!Z99").text == "[Orders!Z99 is empty]"


def test_values_are_shown_as_stored_and_with_formulas(tmp_path: Path) -> None:
    path = plain_book(tmp_path / "a.xlsx")
    cells = {values: page_of(path, at="C3:D3", values=values).rows[0].cells for values in VALUES}
    texts = {values: [cell.text for cell in found] for values, found in cells.items()}
    assert texts == {
        "shown": ["2020-01-02", "14.00 EUR"],
        "raw": ["2020-01-02", "14"],
        "formulas": ["2020-01-02", "=A3*7 → 14.00 EUR"],
    }
    assert [(cell.type, cell.value, cell.formula) for cell in cells["shown"]] == [
        ("date", 43_832, None),
        ("number", 14, "A3*7"),
    ]
    reader = Reader(values="formulas")
    page = page_of(path, reader, at="D3")
    assert page.text == '=A3*7 → 14.00 EUR\n[Orders!D3 · column "total" · row "2"]'
    assert page_of(path, reader, at="D3", values="raw").text.startswith("14\n")
    page = page_of(path, values="raw", limit=1)
    assert page.next is not None
    assert page.next["values"] == "raw"
    with pytest.raises(errors.BadArgumentError, match='must be "shown" or "raw" or "formulas"'):
        read_sync(path, values="displayed")  # type: ignore[call-overload]
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(errors.WrongKindError):
        read_sync(tmp_path / "a.txt", values="raw")


def test_what_a_workbook_hides_is_noticed(tmp_path: Path) -> None:
    path = plain_book(tmp_path / "a.xlsx")
    notices = {notice.code: notice for notice in page_of(path).notices}
    assert notices.keys() == {"hidden_left_out", "hidden_rows"}
    assert notices["hidden_left_out"].data == {"sheets": ["Secret"]}
    assert page_of(path, at="secret").text.startswith("[sheet 3 of 4 · Secret · hidden · column A]\n")
    workbook = openpyxl.Workbook()
    workbook.active.append([1, "=A1+1", "=B1+1"])
    workbook.save(path)
    page = page_of(path)
    assert "1\t1\t=A1+1\t=B1+1" in page.text
    assert [notice.data for notice in page.notices if notice.code == "no_cached_value"] == [
        {"cells": ["B1", "C1"]}
    ]
    members = members_of(path)
    members["xl/vbaProject.bin"] = b"macros"
    types = members["[Content_Types].xml"].decode()
    types = types.replace("<Override", '<Default Extension="bin" ContentType="application/x"/><Override', 1)
    members["[Content_Types].xml"] = types.encode()
    rels = members["xl/_rels/workbook.xml.rels"].decode()
    kind = "http://schemas.microsoft.com/office/2006/relationships/vbaProject"
    rels = rels.replace(
        "</Relationships>",
        f'<Relationship Id="rId99" Type="{kind}" Target="vbaProject.bin"/></Relationships>',
    )
    members["xl/_rels/workbook.xml.rels"] = rels.encode()
    path.write_bytes(packed(members))
    assert "macros" in [notice.code for notice in page_of(path).notices]
    facts = info_sync(path).facts
    assert facts is not None
    assert facts["has_macros"]


def test_other_packages_are_refused_as_before(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "text")
    with pytest.raises(errors.BinaryFileError) as caught:
        read_sync(path)
    assert caught.value.media_type == "application/zip"
    with pytest.raises(errors.WrongKindError):
        read_sync(path, at="Orders")
    assert info_sync(path).kind == "binary"
    book = plain_book(tmp_path / "a.xlsx")
    with pytest.raises(errors.WrongKindError):
        read_sync(settle(tmp_path / "a.txt", b"a,b\n"), kind="sheet")
    # A picture before the parts of the workbook hides them from the first bytes.
    members = {"docProps/thumbnail.jpeg": random.Random(0).randbytes(20_000), **members_of(book)}
    path.write_bytes(packed(members))
    page = page_of(path)
    assert page.text == page_of(book).text
    assert page.media_type == page_of(book).media_type
    assert info_sync(path).kind == "sheet"
    members["xl/workbook.xml"] = members["xl/workbook.xml"][:-40]
    path.write_bytes(packed(members))
    with pytest.raises(errors.DamagedFileError):
        read_sync(path)


def test_address_without_a_sheet_names_those_that_exist(tmp_path: Path) -> None:
    path = plain_book(tmp_path / "a.xlsx")
    for at, pass_ in [("Ordres", "Orders"), ("my note!A1", "My notes"), ("9", None), ("'Orders'!", "Orders")]:
        if at == "'Orders'!":
            assert page_of(path, at=at).sheet == "Orders"
            continue
        with pytest.raises(errors.NoSuchSheetError) as caught:
            read_sync(path, at=at)
        assert caught.value.sheets == ("Orders", "My notes", "Chart")
        assert pass_ is None or caught.value.hint == f'pass at="{pass_}"'
    for at in ["Orders!ZZZ9", "Orders!A0", "Orders!1-2", "Orders!A1:B2:C3", "Orders!A9999999"]:
        with pytest.raises(errors.BadArgumentError, match="must be an address such as"):
            read_sync(path, at=at)
    assert page_of(path, at="2").sheet == "My notes"
    with pytest.raises(errors.OffsetPastEndError, match="row 11 is past the end"):
        read_sync(path, offset=11)
    assert [row.number for row in page_of(path, offset=-2).rows] == [9, 10]
    assert [row.number for row in page_of(path, at="A7:B9", offset=-2, limit=1).rows] == [8]


def test_names_of_the_workbook_and_tables_are_addresses(tmp_path: Path) -> None:
    refused = {
        "Two": "Orders!$A$1:$B$2,Orders!$D$1",
        "Moved": "OFFSET(Orders!$A$1,1,1)",
        "Other": "[1]Orders!$A$1",
        "Gone": "#REF!",
        "Tax": "0.19",
    }
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as workbook:
        orders, notes = workbook.add_worksheet("Orders"), workbook.add_worksheet("it's a note")
        for sheet in (orders, notes):
            for row in range(12):
                sheet.write_row(row, 0, [f"{sheet.name}{row}", row, row * 2, "x"])
        orders.add_table("A1:C9", {"name": "Sales", "columns": [{"header": name} for name in "abc"]})
        workbook.define_name("Totals", "='it''s a note'!$B$2:$C$5")
        workbook.define_name("Whole", "=Orders!$B:$C")
        workbook.define_name("Orders!Rates", "=Orders!$D$3")
        workbook.define_name("it's a note!Totals", "=Orders!$A$2:$B$2")
        workbook.define_name("Notes", "=Orders!$A$1")
        workbook.add_worksheet("Notes").write_string("A1", "the sheet")
        for name, refers_to in refused.items():
            workbook.define_name(name, f"={refers_to}")
    book = openpyxl.load_workbook(path)
    named = {
        **{name: found.attr_text for name, found in book.defined_names.items()},
        "Orders!Rates": book["Orders"].defined_names["Rates"].attr_text,
        "rates": book["Orders"].defined_names["Rates"].attr_text,
        "'it''s a note'!Totals": book["it's a note"].defined_names["Totals"].attr_text,
        "Sales": f"Orders!{book['Orders'].tables['Sales'].ref}",
    }
    assert page_of(path, at=named.pop("Notes")).sheet == "Orders"
    assert page_of(path, at="Notes").sheet == "Notes"
    assert {"Totals", "Whole", "Gone"} < named.keys()
    for name, address in named.items():
        if name not in refused:
            page, same = (page_of(path, at=at) for at in (name, address.replace("$", "")))
            assert (page.text, page.at) == (same.text, same.at), name
            pages = [*walk(path, {}, at=name, limit=2)]
            assert [row.number for page in pages for row in page.rows] == [row.number for row in same.rows]
            continue
        with pytest.raises(errors.BadArgumentError) as caught:
            read_sync(path, at=name)
        assert f"it refers to `{address}`" in str(caught.value)
    [found] = anyread.read_many_sync([f"{path}#Totals"])
    assert isinstance(found, SheetPage)
    assert found.text == page_of(path, at="Totals").text
    with pytest.raises(errors.NoSuchSheetError):
        read_sync(path, at="Nothing")
    reader = Reader(limits=Limits(require_sandbox=True))
    assert page_of(path, reader, at="Sales").text == page_of(path, at="Sales").text


@pytest.mark.parametrize(
    ("place", "at", "spans"),
    [
        ("a.xlsx:Orders", "Orders", ()),
        ("a.xlsx:'My notes'!B2:F20", "'My notes'!B2:F20", ()),
        ("a.xlsx:'My notes':3-9", "'My notes'", ((3, 9),)),
        ("a.xlsx:B2:F20", "B2:F20", ()),
        ("a.xlsx!My notes", "'My notes'", ()),
        ("a.xlsx:J50:2-", "J50", ((2, -1),)),
        ("a.xlsx:Orders!B:F:10-20,30-40", "Orders!B:F", ((10, 20), (30, 40))),
        ("a.xlsx:10-20", "", ((10, 20),)),
    ],
)
def test_place_has_the_address(place: str, at: str, spans: tuple[tuple[int, int], ...]) -> None:
    found = parsed(place)
    assert found == FilePlace("a.xlsx", spans, 1, at)
    assert parsed(str(found)) == found


def test_wide_and_sparse_sheets_name_the_column_of_each_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet["C7"], sheet["XFD7"], sheet["B900"] = "total", "corner", 1
    dense = workbook.create_sheet("Dense")
    for row in range(1, 101):
        dense.append([row, row * 2])
    dense["E90"] = "late"
    workbook.save(path)
    page = page_of(path)
    assert page.text == (
        "[sheet 1 of 2 · Sheet · cells as column: value]\n7\tC: total\tXFD: corner\n900\tB: 1\n"
        '[rows 1-900 of 900 · other sheets: Dense A1:E100 · next: at="Dense:"]'
    )
    assert "\n90\t90\t180\tE: late\n" in page_of(path, at="Dense").text
    gap = page_of(path, offset=10, limit=20)
    assert "[rows 10-899 have no cells]" in gap.text
    assert gap.next is not None
    assert gap.next["offset"] == 900


@pytest.mark.slow
def test_large_sheet_is_verified_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet()
        for row in range(30_000):
            sheet.write_row(row, 0, [row, f"text {row}", row / 4, row * 3, "same", row % 7])
    page = page_of(path, limit=2)
    assert page.footer == "[rows 1-2 of about 30,000 · next: offset=3]"
    assert (page.count, page.verified, page.notices) == (None, False, ())
    far = page_of(path, offset=29_000, limit=1)
    assert "\n29000\t28999\ttext 28999\t7249.75\t86997\tsame\t5\n" in far.text
    last = page_of(path, offset=-1)
    assert (last.first, last.count, last.verified, last.notices) == (30_000, 30_000, True, ())
    anyread.clear_caches()
    counted = Reader(limits=Limits(exact_total=True)).read_sync(path, limit=2)
    assert "of 30,000 " in counted.text


def test_values_are_those_of_openpyxl(tmp_path: Path) -> None:
    """Empty cells were left out, so that columns moved, and a date was a number."""
    rows = [
        ("id", "when", "paid", "total", None, "note"),
        (1, date(2020, 2, 29), True, 7.5, None, None),
        (2, datetime.fromisoformat("2020-01-02T10:30"), False, -15, "x", "first\nsecond"),
        (None, None, None, None, None, "alone"),
    ]
    book: Any = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    page = anyread.read_sync(tmp_path / "a.xlsx", kind="sheet")
    shown = [row.values() for row in page.rows]
    padded = [(*row, *[None] * (6 - len(row))) for row in shown]
    judged = [[*row] for row in openpyxl.load_workbook(tmp_path / "a.xlsx").active.values]
    judged[1][1] = judged[1][1].date()
    assert padded == [tuple(row) for row in judged]
    assert all(type(one) is type(other) for one, other in zip(padded[2], judged[2], strict=True))
    assert page.rows[2].values("E") == ("x", "first\nsecond")
    first, second, _ = page.dictionaries()
    assert first == {"id": 1, "when": date(2020, 2, 29), "paid": True, "total": 7.5, "note": None}
    assert second["E"] == "x"

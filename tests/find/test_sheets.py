"""Rows that a search finds are those whose cells match, however the workbook writes their text."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

import anyread
from anyread import Limits, Reader
from anyread.results.sheet import SheetPage

PATTERNS = (
    "needle",
    "NEEDLE",
    "^needle$",
    "need",
    "a & b",
    "=SUM",
    "SUM",
    ".SUM",
    "EUR",
    "12.5",
    "1,250",
    "1250",
    "true",
    "2026-03",
    "x_y",
    r"\bneed",
    "Nr",
    "[^a]le",
)


def written(path: Path, chance: random.Random) -> None:
    """Write rows with texts in all the ways in which a workbook has them, and numbers of many formats."""
    options = {"constant_memory": chance.random() < 0.3}
    with xlsxwriter.Workbook(str(path), options) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        formats = chance.sample(
            ["0.00", '#,##0 "EUR"', "yyyy-mm-dd", '"Nr "0', '0;0;0;"Nr "@'], chance.randint(0, 3)
        )
        styles = [None, *(book.add_format({"num_format": code}) for code in formats)]
        texts = [
            "hay",
            "needle",
            "a needle",
            "Needle",
            "a & b",
            "x_y",
            "two\nneedle\nlines",
            "_x006e_",
            "SUM of",
        ]
        texts += [f"hay {number}" for number in range(chance.choice([1, 200]))]
        for row in range(chance.randint(1, 120)):
            if chance.random() < 0.2:
                continue
            for column in range(chance.randint(1, 4)):
                kind = chance.choice(["text", "text", "number", "rich", "formula", "no value", "boolean"])
                style = chance.choice(styles)
                if kind == "text":
                    sheet.write_string(row, column, chance.choice(texts), style)
                elif kind == "number":
                    sheet.write_number(row, column, chance.choice([12.5, 1250, 46_100, 0.1]), style)
                elif kind == "rich":
                    sheet.write_rich_string(row, column, "a nee", bold, "dle", " & more")
                elif kind == "formula":
                    sheet.write_formula(row, column, "=SUM(B1:C9)", style, chance.choice([1250, "needle"]))
                elif kind == "no value":
                    sheet.write_formula(row, column, "=SUM(A1)", style, "")
                else:
                    sheet.write_boolean(row, column, chance.random() < 0.5)


def rows_of(path: Path, **arguments: Any) -> list[Any]:
    page = Reader(limits=Limits(max_bytes=10**7, max_tokens=10**7)).read_sync(path, limit=10**6, **arguments)
    assert isinstance(page, SheetPage)
    assert page.next is None
    return list(page.rows)


def texts_of(cell: Any) -> list[str]:
    # A formula and its value are searched apart.
    texts: list[str] = cell.text.split(" → ")
    # The number of a date is shown nowhere.
    if isinstance(cell.value, float) and cell.type != "date":
        texts += [f"{cell.value:.15g}", repr(cell.value), f"{cell.value:.17g}"]
    return texts


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_those_whose_cells_match(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "a.xlsx"
    written(path, chance)
    values = chance.choice([{}, {"values": "raw"}, {"values": "formulas"}])
    # What is shown, and what is stored.
    texts: dict[int, list[str]] = {}
    for row in rows_of(path, **values) + rows_of(path, values="raw"):
        texts[row.number] = texts.get(row.number, []) + [t for cell in row.cells for t in texts_of(cell)]
    for pattern in PATTERNS:
        case = 0 if re.search("[A-Z]", pattern) else re.IGNORECASE
        judge = re.compile(pattern, case | re.MULTILINE)
        expected = [number for number, each in texts.items() if any(map(judge.search, each))]
        for limits in (Limits(exact_total=True), Limits()):
            found: list[int] = []
            arguments: Any = {"find": pattern, **values}
            while True:
                page: Any = Reader(limits=limits).read_sync(path, **arguments)
                found += page.hits
                if page.next is None:
                    break
                arguments = page.next.arguments
            assert found == expected, (pattern, values)


def test_rows_out_of_order_and_marks_of_charts_are_found(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for row in (0, 4, 9):
            sheet.write_string(row, 0, "hay")
        for row, title in ((2, "first needle"), (20, "last needle")):
            chart: Any = book.add_chart({"type": "line"})
            chart.add_series({"values": "=Sheet1!$A$1:$A$9"})
            chart.set_title({"name": title})
            sheet.insert_chart(row, 3, chart)
    page = anyread.read_sync(path, find="needle")
    assert isinstance(page, SheetPage)
    assert page.hits == (3, 10)
    assert page.text.count("needle") == 2


def test_all_sheets_are_searched(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name in ("One", "Two", "Three"):
            book.add_worksheet(name).write_string(4, 1, "needle" if name != "Two" else "hay")
    first = anyread.read_sync(path, find="needle")
    assert first.next is not None
    second = anyread.read_sync(path, **first.next)
    assert [page.text.split(" · ")[1] for page in (first, second)] == ["One", "Three"]
    assert (second.hits, second.next) == ((5,), None)
    assert anyread.read_sync(path, find="straw").text == "[no hits in 3 sheets]"
    assert anyread.read_sync(path, find="needle", at="Two").text == "[no hits in rows 1-5]"
    assert anyread.read_sync(tmp_path, find="hay").text.count("needle") == 0

"""Charts by their addresses: all points of each are shown once, whatever the pages."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
import xlsxwriter
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

import anyread
from anyread import Limits, Reader
from anyread.errors import BadArgumentError, NoSuchNameError, NoSuchSheetError

Rows = list[list[str]]
INLINE = (
    "<w:r xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:drawing><wp:inline "
    "xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing'><a:graphic "
    "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'><a:graphicData><c:chart "
    "xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart' "
    "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships' r:id='{}'/>"
    "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
)


def table(number: int, points: int, series: int) -> Rows:
    """Return the names and the values of a chart, by points; some values are missing."""
    random_ = random.Random(number)

    def value() -> str:
        return "" if random_.random() < 0.1 else str(random_.randrange(10**6))

    return [[f"c{number}|{point}", *(value() for _ in range(series))] for point in range(points)]


def number_of(text: str) -> int | None:
    return int(text) if text else None


def add_chart(slide: Any, rows: Rows) -> Any:
    """Add a line chart, or if there is one series, a scatter chart."""
    if len(rows[0]) == 2:
        scatter: Any = XyChartData()  # type: ignore[no-untyped-call] # without annotations
        series = scatter.add_series("s0")
        for row in rows:
            row[:] = [str(rows.index(row)), row[1] or "7"]
            series.add_data_point(*map(int, row))
        return slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 9, 9, scatter).chart
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = [name for name, *_ in rows]
    for at in range(1, len(rows[0])):
        data.add_series(f"s{at - 1}", [number_of(row[at]) for row in rows])
    return slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 9, 9, data).chart


def save(path: Path, tables: list[Rows], random_: random.Random) -> None:
    if path.suffix == ".xlsx":
        with xlsxwriter.Workbook(str(path)) as book:
            for number, rows in enumerate(tables):
                sheet = book.add_worksheet(f"S{number}")
                for at, row in enumerate(rows):
                    sheet.write_row(at, 0, [row[0], *map(number_of, row[1:])])
                chart = book.add_chart({"type": "line"})
                for at in range(1, len(rows[0])):
                    names, values = ([f"S{number}", 0, column, len(rows) - 1, column] for column in (0, at))
                    chart.add_series({"name": f"s{at - 1}", "categories": names, "values": values})
                sheet.insert_chart("Z1", chart)
        return
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    charts = []
    for rows in tables:
        if random_.random() < 0.5:
            slide = deck.slides.add_slide(deck.slide_layouts[6])
        charts.append(add_chart(slide, rows))
    if path.suffix == ".pptx":
        deck.save(str(path))
        return
    document = docx.Document()
    parts = [
        Part(
            PackURI(f"/word/charts/odd{random_.random()}.xml"),
            "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
            chart.part.blob,
            document.part.package,
        )
        for chart in charts
    ]
    # Their order is that of the text, whatever the relationships are.
    for part in random_.sample(parts, len(parts)):
        document.part.relate_to(part, RELATIONSHIP_TYPE.CHART)
    for part in parts:
        paragraph = document.add_paragraph("before ")
        paragraph._p.append(parse_xml(INLINE.format(document.part.relate_to(part, RELATIONSHIP_TYPE.CHART))))
    document.save(str(path))


def shown_rows(text: str) -> Rows:
    """Return the rows of a page by number, without what is above and below them."""
    rows = []
    for line in text.split("\n"):
        number, _, row = line.strip().partition("\t")
        if number.isdecimal():
            cells = row.replace("\\|", "\0").removeprefix("| ").removesuffix(" |").split(" | ")
            rows.append([number, *(cell.replace("\0", "|") for cell in cells)])
    return rows


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
@pytest.mark.parametrize("seed", range(3))
def test_pages_of_a_chart_show_each_point_once(tmp_path: Path, suffix: str, seed: int) -> None:
    random_ = random.Random(seed)
    sizes = [(random_.choice((3, 21, 300)), random_.choice((1, 2, 25))) for _ in range(4)] + [(1_000, 3)]
    tables = [table(number, *size) for number, size in enumerate(sizes)]
    path = tmp_path / f"a.{suffix}"
    save(path, tables, random_)
    reader = Reader(limits=Limits(require_sandbox=seed == 0))
    whole = "".join(page.text for page in anyread.pages_sync(path))
    for number, rows in enumerate(tables, 1):
        address = f'at="chart {number}"'
        assert (address in whole) == (len(rows) > 20 or len(rows[0]) > 21), address
        call: dict[str, Any] = {"at": f"chart {number}", "max_tokens": random_.choice((1_000, 5_000))}
        call |= {"limit": random_.choice((17, 150, 2_000))}
        found: Rows = []
        while call:
            page = reader.read_sync(path, **call)
            assert f"{len(rows[0]) - 1} series" in page.text
            found += shown_rows(page.text)
            call = dict(page.next.arguments) if page.next else {}
        assert found == [[str(at), *row] for at, row in enumerate(rows, 1)]
    last = reader.read_sync(path, at="Chart 5", offset=-2)
    assert [row[0] for row in shown_rows(last.text)] == ["999", "1000"]
    assert shown_rows(anyread.read_sync(f"{path}#chart 5", offset=77, limit=1).text)[0][1:] == tables[4][76]
    assert 501 in reader.read_sync(path, at="chart 5", find=r"\|500\b").hits


def test_outer_categories_are_named_on_each_page(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    slides = [deck.slides.add_slide(deck.slide_layouts[6]) for _ in range(2)]
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    for outer in range(7):
        category = data.add_category(f"o{outer}")
        for inner in range(50):
            category.add_sub_category(f"i{inner}")
    data.add_series("in", range(350))
    slides[1].shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 9, 9, data)
    box: Any = slides[0].shapes.add_textbox(0, 0, 9, 9)
    # The relationship of a link to a slide does not change the order.
    box.click_action.target_slide = slides[1]
    add_chart(slides[0], table(1, 30, 2))
    deck.save(str(tmp_path / "a.pptx"))
    for first in (1, 120, 151, 340):
        page = anyread.read_sync(tmp_path / "a.pptx", at="chart 2", offset=first, limit=200)
        for number, name, value in shown_rows(page.text):
            at = int(number) - 1
            assert (name, value) == (f"o{at // 50} / i{at % 50}", str(at))


@pytest.mark.parametrize("suffix", ["docx", "pptx", "xlsx"])
def test_charts_that_are_not_there_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    save(path, [table(1, 30, 2)], random.Random(0))
    for at in ("chart 2", "chart 0", "chart 999999"):
        with pytest.raises(NoSuchNameError, match="has no chart"):
            anyread.read_sync(path, at=at)
    with pytest.raises((NoSuchNameError, NoSuchSheetError)):
        anyread.read_sync(path, at="chart x")
    if suffix != "xlsx":
        with pytest.raises(BadArgumentError):
            anyread.read_sync(path, at="chart 1", region=(0, 0, 1, 1))


def test_exact_names_come_before_charts(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet("chart 1").write("A1", "of a sheet")
    assert "of a sheet" in anyread.read_sync(path, at="chart 1").text
    document = docx.Document()
    document.add_heading("Chart 1", 1)
    document.add_paragraph("of a section")
    stream = io.BytesIO()
    document.save(stream)
    path = tmp_path / "a.docx"
    path.write_bytes(stream.getvalue())
    assert "of a section" in anyread.read_sync(path, at="chart 1").text

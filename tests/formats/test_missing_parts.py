"""Charts, images and drawings whose parts are missing or damaged have marks, and the rest is shown."""

from __future__ import annotations

import io
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
import xlsxwriter
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from anyread import Limits, Reader, info_sync, read_sync
from anyread.decoding.host import decoder
from anyread.results import ImageBlock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="decoders have no sandbox on Windows")

READERS = (Reader(), Reader(limits=Limits(require_sandbox=True, decode_timeout_s=60)))
"""A reader that parses in this process, and one that does so in a decoder."""
CHART = "<w:p><w:r><w:drawing><c:chart r:id='chart'/></w:drawing></w:r></w:p>"
DIAGRAM = "<w:p><w:r><w:drawing><dgm:relIds r:dm='diagram'/></w:drawing></w:r></w:p>"


def png() -> io.BytesIO:
    data = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(data, "PNG")
    data.seek(0)
    return data


def document(path: Path) -> None:
    made = docx.Document()
    made.add_paragraph("before")
    made.add_picture(png())
    made.add_paragraph("after")
    made.save(str(path))
    related = "<Relationship Id='{0}' Type='x/{0}' Target='charts/{0}1.xml'/>"
    rewrite(
        path,
        {
            "word/document.xml": lambda content: content.replace(
                b"<w:sectPr", f"{CHART}{DIAGRAM}<w:sectPr".encode(), 1
            ),
            "document.xml.rels": lambda content: content.replace(
                b"</Relationships>",
                f"{related.format('chart')}{related.format('diagram')}</Relationships>".encode(),
            ),
        },
        **{
            "word/charts/chart1.xml": b"<chartSpace><chart><title><t>Flow</t></title></chart></chartSpace>",
            "word/charts/diagram1.xml": b"<dataModel><pt><t><p><t>node</t></p></t></pt></dataModel>",
        },
    )


def presentation(path: Path) -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "before"
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call] # without annotations
    data.categories = ["a"]
    data.add_series("Flow", (1,))
    place = Inches(1), Inches(3), Inches(2), Inches(1)
    slide.shapes.add_chart(XL_CHART_TYPE.LINE, *place, data)
    slide.shapes.add_picture(png(), Inches(1), Inches(2))
    slide.shapes.add_textbox(Inches(1), Inches(5), Inches(1), Inches(1)).text_frame.text = "after"
    deck.save(str(path))


def workbook(path: Path) -> None:
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Data")
        sheet.write("A1", "before")
        sheet.write("A9", "after")
        sheet.insert_image("B2", "a.png", {"image_data": png()})
        for place in (sheet, book.add_chartsheet("Chart")):
            chart = book.add_chart({"type": "line"})
            chart.add_series({"name": "Flow", "values": "=Data!$A$1:$A$2"})
            if place is sheet:
                sheet.insert_chart("B3", chart)
            else:
                place.set_chart(chart)


def rewrite(path: Path, changes: dict[str, Callable[[bytes], bytes | None]], **added: bytes) -> None:
    """Change the members whose names contain a text; `None` leaves a member out."""
    with zipfile.ZipFile(path) as archive:
        members: dict[str, bytes | None] = {name: archive.read(name) for name in archive.namelist()}
    for part, change in changes.items():
        found = [name for name in members if part in name]
        assert found, part
        for name in found:
            members[name] = change(members[name] or b"")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**members, **added}.items():
            if content is not None:
                archive.writestr(name, content)


def gone(_: bytes) -> None:
    return None


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def outside(content: bytes) -> bytes:
    changed = re.sub(
        rb'Target="[./]*media/image1.png"', b'Target="file:///i.png" TargetMode="External"', content
    )
    assert changed != content
    return changed


KINDS: dict[str, Callable[[Path], None]] = {
    "a.docx": document,
    "a.pptx": presentation,
    "a.xlsx": workbook,
}


@pytest.fixture(params=KINDS)
def path(request: Any, tmp_path: Path) -> Path:
    made: Path = tmp_path / request.param
    KINDS[request.param](made)
    return made


def shown(path: Path, **call: Any) -> tuple[list[str], int]:
    """Return the marks on a page and how many images it has; texts around them are shown."""
    found = []
    for reader in READERS:
        page = reader.read_sync(path, **call)
        if not call:
            assert "before" in page.text
            assert "after" in page.text
        marks = re.findall(r"\[(?:image|chart|diagram).*\]", page.text)
        found.append((marks, sum(isinstance(block, ImageBlock) for block in page.blocks)))
    assert found[0] == found[1]
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize(("change", "reason"), [(gone, "not in this file"), (cut, "damaged")])
def test_chart_whose_part_is_missing_or_damaged_is_a_mark(
    path: Path, change: Callable[[bytes], bytes | None], reason: str
) -> None:
    """A chart of a workbook made the whole file unreadable, and so did any that was damaged."""
    marks, images = shown(path)
    assert any("Flow" in mark for mark in marks)
    rewrite(path, {"charts/chart": change})
    assert shown(path) == ([re.sub(r"\[chart.*", f"[chart · {reason}]", mark) for mark in marks], images)
    assert images == 1
    if path.suffix == ".docx":
        rewrite(path, {"charts/diagram": change})
        assert f"[diagram · {reason}]" in shown(path)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes", [{"media/image1": gone}, {"slide1.xml.rels": outside}], ids=["missing", "outside"]
)
def test_image_that_is_not_in_the_file_is_a_mark(
    path: Path, changes: dict[str, Callable[[bytes], bytes | None]]
) -> None:
    """Slides and sheets left out images that are only linked, and slides also missing ones."""
    names = {".docx": "document.xml.rels", ".pptx": "slide1.xml.rels", ".xlsx": "drawing1.xml.rels"}
    named = {part.replace("slide1.xml.rels", names[path.suffix]): change for part, change in changes.items()}
    marks, _ = shown(path)
    rewrite(path, named)
    at = " · at B2" if path.suffix == ".xlsx" else ""
    # The last clause is what the image is said to show, its name in slides and sheets.
    mark_of_it = rf"[image 1{at} · not in this file\1]"
    expected = [re.sub(r"\[image.*?( · [a-z]+\.png)?\]", mark_of_it, mark) for mark in marks]
    assert shown(path) == (expected, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "reason"), [(gone, "not in this file"), (cut, "damaged")])
def test_drawings_of_a_sheet_that_are_missing_or_damaged_are_a_mark(
    tmp_path: Path, change: Callable[[bytes], bytes | None], reason: str
) -> None:
    path = tmp_path / "a.xlsx"
    workbook(path)
    rewrite(path, {"drawings/drawing": change})
    marks, images = shown(path)
    assert (marks[0], images) == (f"[images and charts · {reason}]", len(marks) - 1)
    assert f"[images and charts · {reason}]" in shown(path, at="Chart")[0]
    assert len((info_sync(path).facts or {})["sheets"]) == 2
    page = read_sync(path, max_tokens=60)
    while page.next is not None and "at" not in page.next:
        page = read_sync(path, **page.next.arguments)
    assert "after" in page.text


@pytest.mark.slow
def test_drawings_with_one_part_are_looked_into_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet with 20,000 charts took one call of a decoder for each."""
    path = tmp_path / "a.xlsx"
    workbook(path)
    charts = b"".join(
        b"<oneCellAnchor><from><col>0</col><row>%d</row></from><chart r:id='rId%d'/></oneCellAnchor>"
        % (row % 2, row % 3 + 1)
        for row in range(3_000)
    )
    rewrite(path, {"drawings/drawing1": lambda _: b"<wsDr>" + charts + b"</wsDr>"})
    calls = 0
    ask = decoder.Decoder.ask

    def counted(self: decoder.Decoder, *given: Any, **named: Any) -> None:
        nonlocal calls
        calls += 1
        ask(self, *given, **named)

    monkeypatch.setattr(decoder.Decoder, "ask", counted)
    here, sandboxed = (reader.read_sync(path).text for reader in READERS)
    assert sandboxed == here
    assert here.count("[chart") >= 1_000
    assert calls < 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "change", "wanted"),
    [
        ("sharedStrings.xml", gone, "1\t[text · not in this file]\t7\n"),
        (
            "worksheets/sheet1.xml",
            lambda content: content.replace(b"<v>0</v>", b"<v>9</v>"),
            "1\t[text · not",
        ),
        (
            "worksheets/sheet1.xml",
            lambda content: content.replace(b"<v>0</v>", b"<v>-1</v>"),
            "1\t[text · not",
        ),
        ("worksheets/sheet1.xml", gone, "[sheet 1 of 2 · A · not in this file]\n[no cells · other sheets: B"),
        ("styles.xml", gone, "1\ttext\t7\n"),
        ("styles.xml", cut, "1\ttext\t7\n"),
    ],
)
def test_references_of_a_workbook_that_lead_nowhere_are_marks(
    tmp_path: Path, part: str, change: Callable[[bytes], bytes | None], wanted: str
) -> None:
    """A cell with a number that no text has ended the read of all rows, missing styles that of all sheets."""
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name in "AB":
            book.add_worksheet(name).write_row(0, 0, ["text", 7])
    rewrite(path, {part: change})
    page = read_sync(path, at="A")
    assert wanted in page.text
    codes = [notice.code for notice in page.notices]
    assert ("no_styles" in codes) == (part == "styles.xml")
    assert "1\t" in read_sync(path, at="B").text

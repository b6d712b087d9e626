"""What formatting means, and content outside of the text, in files that other libraries write."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
import xlsxwriter
from openpyxl.comments import Comment
from PIL import Image
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

import anyread
from anyread import Limits, Reader
from anyread.results import ImageBlock

from .test_missing_parts import rewrite

LINK = "https://example.invalid/a?b=1"


def png() -> io.BytesIO:
    data = io.BytesIO()
    Image.new("RGB", (30, 20), "red").save(data, "PNG")
    data.seek(0)
    return data


def text_of(path: Path, **call: Any) -> str:
    """Return the text of a page, which is the same in a decoder."""
    text = str(anyread.read_sync(path, **call).text)
    assert Reader(limits=Limits(require_sandbox=True)).read_sync(path, **call).text == text
    return text


def test_formatting_that_is_content_is_shown_and_found(tmp_path: Path) -> None:
    path, deck_path, book_path = (tmp_path / name for name in ("a.docx", "a.pptx", "a.xlsx"))
    runs = [("factor 10", ""), ("5", "superscript"), (", CO", ""), ("2", "subscript"), (", pays ", "")]
    runs += [("500", "strike"), (" 700 EUR", "")]
    document = docx.Document()
    paragraph = document.add_paragraph()
    for text, look in runs:
        font = paragraph.add_run(text).font
        if look:
            setattr(font, look, True)
    total = document.add_paragraph("the to")
    total.add_run("tal pr").bold = True
    total.add_run("ice")
    document.save(str(path))
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    shown = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.paragraphs[0]
    for text, look in runs:
        run = shown.add_run()
        run.text = text
        names = {"superscript": ("baseline", "30000"), "subscript": ("baseline", "-25000")}
        if look:
            run.font._element.set(*names.get(look, ("strike", "sngStrike")))
    deck.save(str(deck_path))
    with xlsxwriter.Workbook(str(book_path)) as book:
        sheet = book.add_worksheet()
        looks = {
            "": book.add_format(),
            "superscript": book.add_format({"font_script": 1}),
            "subscript": book.add_format({"font_script": 2}),
            "strike": book.add_format({"font_strikeout": True}),
        }
        sheet.write_rich_string("A1", *(each for text, look in runs for each in (looks[look], text)))
        sheet.write_number("B1", 80.5, looks["strike"])
    for each in (path, deck_path, book_path):
        assert "factor 10^5, CO_2, pays ~~500~~ 700 EUR" in text_of(each)
        for pattern in ("10\\^5", "105", "CO2", "pays 500 700"):
            assert "1 hit" in text_of(each, find=pattern)
    assert "1 hit" in text_of(path, find="total price")
    assert "\t~~80.5~~" in text_of(book_path)


def test_comments_and_text_boxes_of_sheets_follow_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("Data")
        sheet.write_row("A1", ["a", "b"])
        sheet.write_row("A9", [1, 2])
        sheet.write_comment("B1", "check\nthis", {"author": "Ann"})
        sheet.write_comment("A9", "and this")
        sheet.insert_textbox("C3", "BOX  TEXT", {"url": LINK})
        sheet.insert_image("B9", "a.png", {"image_data": png(), "description": "A pump", "url": LINK})
    text = text_of(path)
    lines = text.split("\n")
    assert lines[2:5] == [
        "1\ta\tb",
        "[comment · at B1 · Ann] check this",
        f"[text box · at C3] BOX TEXT · {LINK}",
    ]
    assert lines[5:7] == ["9\t1\t2", "[comment · at A9] and this"]
    assert lines[7].startswith("[image 1 · at B9 · image/png · 30×20 · ")
    assert lines[7].endswith(f" · A pump · {LINK}]")
    assert "[comment · at B1 · Ann] check this" in text_of(path, at="B1")
    assert "[1 hit]" in text_of(path, find="check this")
    facts = anyread.info_sync(path).facts or {}
    assert (facts["comments"], facts["text_boxes"], facts["images"]) == (2, 1, 1)


def test_threads_of_comments_have_their_authors(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active["A1"] = 5
    book.active["A1"].comment = Comment("[Threaded comment] Your version … Comment: HEY", "tc={1}")
    book.save(path)
    threads = (
        "<ThreadedComments>"
        "<threadedComment ref='A1' id='{1}' personId='{P}'><text>HEY</text></threadedComment>"
        "<threadedComment ref='A1' id='{2}' parentId='{1}' personId='{Q}'><text>yes &amp; no</text>"
        "</threadedComment></ThreadedComments>"
    )
    persons = "<personList><person displayName='Ann' id='{P}'/></personList>"

    def related(kind: str, target: str) -> Any:
        item = (
            f"<Relationship Id='rT' Type='x/2017/10/relationships/{kind}' Target='{target}'/></Relationships>"
        )
        return lambda content: content.replace(b"</Relationships>", item.encode())

    rewrite(
        path,
        {
            "sheet1.xml.rels": related("threadedComment", "/xl/threadedComments/threadedComment1.xml"),
            "workbook.xml.rels": related("person", "/xl/persons/person.xml"),
        },
        **{
            "xl/threadedComments/threadedComment1.xml": threads.encode(),
            "xl/persons/person.xml": persons.encode(),
        },
    )
    lines = text_of(path).split("\n")
    assert lines[2:] == ["1\t5", "[comment · at A1 · Ann] HEY", "[comment · at A1] yes & no"]


def test_links_of_cells_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    for row in range(1, 301):
        sheet.cell(row, 1, f"site {row}").hyperlink = f"{LINK}{row}"
    sheet["B1"] = "notes"
    sheet["B1"].hyperlink = openpyxl.worksheet.hyperlink.Hyperlink(ref="B1", location="Sheet!A9")
    sheet.merge_cells("A2:B2")
    book.save(path)
    page = text_of(path, limit=2)
    assert f"[links: A1 {LINK}1, B1 #Sheet!A9, A2 {LINK}2]" in page
    assert "[merged: A2:B2]" in page
    assert "more]" in text_of(path)
    assert f"link {LINK}217" in text_of(path, at="A217")
    assert f"A217 {LINK}217" in text_of(path, ranges=[217])


def test_images_that_are_values_of_cells_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write("A1", "pump")
        sheet.embed_image("B1", "a.png", {"image_data": png()})
    lines = text_of(path).split("\n")
    assert lines[2] == "1\tpump\t[image]"
    assert lines[3].startswith("[image · at B1 · image/png · 30×20 · ")
    page = Reader(model="claude").read_sync(path)
    assert sum(isinstance(block, ImageBlock) for block in page.blocks) == 1


@pytest.mark.parametrize("suffix", ["pptx", "xlsx"])
def test_charts_show_their_values(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    names, values = [f"n{number}" for number in range(30)], [*range(100, 129), None]
    if suffix == "pptx":
        deck = pptx.Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        data: Any = CategoryChartData(number_format="0.0")  # type: ignore[no-untyped-call] # without annotations
        data.categories = names
        data.add_series("in", values)
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, Inches(1), Inches(1), data)
        scatter: Any = XyChartData()  # type: ignore[no-untyped-call]
        for number in (1, 2):
            series = scatter.add_series(f"s{number}")
            series.add_data_point(number, number + 0.5)
        slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, Inches(2), Inches(1), Inches(1), scatter)
        deck.save(str(path))
    else:
        with xlsxwriter.Workbook(str(path)) as book:
            sheet = book.add_worksheet("Data")
            number = book.add_format({"num_format": "0.0"})
            sheet.write_column("A1", names)
            sheet.write_column("B1", values, number)
            chart = book.add_chart({"type": "line"})
            ranges = {"categories": "=Data!$A$1:$A$30", "values": "=Data!$B$1:$B$30"}
            chart.add_series({"name": "in", **ranges})
            sheet.insert_chart("D1", chart)
    text = text_of(path)
    assert "[chart: 1 series: in]\n|  | in |\n| --- | --- |\n| n0 | 100" in text
    assert "\n[points 1-20 of 30 · " in text
    if suffix == "pptx":
        assert "|  | s1 |  | s2 |\n| --- | --- | --- | --- |\n| 1 | 1.5 | 2 | 2.5 |" in text
        assert "| n0 | 100.0 |" in text


def unseen(path: Path, **call: Any) -> int:
    """Return how many pieces of text a notice says that people do not see."""
    notices = anyread.read_sync(path, **call).notices
    return next((each.data["count"] for each in notices if each.code == "unseen_runs"), 0)


def test_text_that_people_do_not_see_is_counted_in_all_kinds(tmp_path: Path) -> None:
    path, deck_path, book_path = (tmp_path / name for name in ("a.docx", "a.pptx", "a.xlsx"))
    document, deck = docx.Document(), pptx.Presentation()
    looks: list[tuple[int, str]] = [(12, "000000"), (12, "FFFFFF"), (1, "000000"), (1, "FFFFFF")]
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    box = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1))
    for paragraph in (document.add_paragraph(), box.text_frame.paragraphs[0]):
        for size, color in looks:
            run = paragraph.add_run()
            run.text = f"{size} {color} "
            run.font.size = Pt(size)
            if isinstance(paragraph, docx.text.paragraph.Paragraph):
                run.font.color.rgb = docx.shared.RGBColor(*bytes.fromhex(color))
            else:
                run.font.color.rgb = RGBColor(*bytes.fromhex(color))  # type: ignore[no-untyped-call]
    document.save(str(path))
    deck.save(str(deck_path))
    assert unseen(path) == unseen(deck_path) == 3
    assert "1 FFFFFF" in text_of(deck_path)
    # Something with a color may be behind white text.
    slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, 0, 0, Inches(1), Inches(1))
    beyond = slide.shapes.add_textbox(deck.slide_width + 1, 0, Inches(1), Inches(1))
    beyond.text_frame.text = "beyond"
    deck.save(str(deck_path))
    assert unseen(deck_path) == 3
    with xlsxwriter.Workbook(str(book_path)) as book:
        sheet = book.add_worksheet()
        forms: list[dict[str, Any]] = [
            {"font_color": "white"},
            {"font_color": "white", "bg_color": "blue"},
            {"font_size": 1},
            {"num_format": ";;;"},
            {},
        ]
        for row, form in enumerate(forms):
            sheet.write(row, 0, "a text", book.add_format(form))
            sheet.write(row, 1, 5, book.add_format(form))
    assert unseen(book_path) == 6
    assert unseen(book_path, at="A2:B3") == 2
    assert unseen(book_path, at="Sheet1!A5:B9") == 0


def test_packages_with_odd_types_and_targets_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    book = openpyxl.Workbook()
    book.active["A1"] = 42
    book.save(path)
    content = path.read_bytes()
    changes: list[tuple[str, Callable[[bytes], bytes | None]]] = [
        ("[Content_Types].xml", lambda _: None),
        ("[Content_Types].xml", lambda types: types.replace(b"t.main+xml", b"t.main+xml; charset=utf-8")),
        ("[Content_Types].xml", lambda types: types.replace(b"spreadsheetml.sheet.main", b"odd")),
        ("workbook.xml.rels", lambda rels: rels.replace(b"sheet1.xml", b"sheet%31.xml")),
    ]
    for part, change in changes:
        path.write_bytes(content)
        rewrite(path, {part: change})
        assert "1\t42" in anyread.read_sync(path).text

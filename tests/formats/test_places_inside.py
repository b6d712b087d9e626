"""Places in documents, slides, sheets and records show what other libraries find there."""

from __future__ import annotations

import json
import random
import re
import shlex
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from openpyxl.utils import get_column_letter

import anyread
from anyread import Failed, NotShown, errors, read_many_sync
from anyread.cli import main

NAMES = ("Data", "My sheet", "it's", "a!b", "10-20", "2", "B2", "a,b", "#L12", "Ünï")
"""Names of sheets, some of which look like something else."""


def shown(place: str) -> Any:
    """Return the only page that a place shows, as `read_many` and the tool do."""
    [page] = read_many_sync([place])
    assert not isinstance(page, Failed | NotShown), page
    [block] = anyread.tool().call_sync({"places": [place]})["content"]
    heading, text = block["text"].split("\n", 1)
    assert heading.startswith(f"==> {page.path}")
    # Notices precede the text.
    assert text.endswith(page.text.removesuffix(page.footer).rstrip("\n"))
    return page


def quoted(name: str) -> str:
    return "'{}'".format(name.replace("'", "''"))


def test_lines_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "report.docx"
    made = docx.Document()
    for number in range(1, 41):
        made.add_paragraph(f"paragraph {number} Grüße")
    made.save(str(path))
    paragraphs = [paragraph.text for paragraph in docx.Document(str(path)).paragraphs]
    lines = "\n\n".join(paragraphs).split("\n")
    for place, first, last in (
        (":7", 1, 17),
        ("#L12", 2, 22),
        (":20-31", 20, 31),
        (":70-", 70, 79),
        (":-3", 77, 79),
    ):
        page = shown(f"{path}{place}")
        assert [(line.number, line.text) for line in page.lines] == [
            (number, lines[number - 1]) for number in range(first, last + 1)
        ]
    page = shown(f"{path}:3@11-5")
    assert [line.text for line in page.lines] == [lines[2][10:], lines[3], lines[4]]


def test_slides_of_presentations(tmp_path: Path) -> None:
    path = tmp_path / "deck.pptx"
    deck = pptx.Presentation()
    for number in range(1, 7):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = f"title {number}"
    deck.slides[4]._element.set("show", "0")
    deck.save(str(path))
    titles = [slide.shapes.title.text for slide in pptx.Presentation(str(path)).slides]
    for place, numbers in (
        (":3", [3]),
        (":5", [5]),
        (":2-4", [2, 3, 4]),
        (":1,4-", [1, 4, 6]),
        (", slide 2", [2]),
        (" (slides 1-2)", [1, 2]),
    ):
        page = shown(f"{path}{place}")
        assert [(slide.number, slide.title) for slide in page.slides] == [
            (number, titles[number - 1]) for number in numbers
        ]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    rng, made = random.Random(4), openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name in NAMES:
        sheet = made.create_sheet(name)
        for row in range(1, 31):
            for column in range(1, 9):
                if rng.random() < 0.7:
                    sheet.cell(row, column, f"{name} {get_column_letter(column)}{row}")
        sheet["C5"] = f"{name}\nin two lines"
    path = tmp_path / "report.xlsx"
    made.save(path)
    return path


def test_areas_and_cells_of_sheets(workbook: Path) -> None:
    for sheet in openpyxl.load_workbook(workbook).worksheets:
        for area, bounds in (
            ("", (1, 30, 1, 8)),
            ("!B2:D9", (2, 9, 2, 4)),
            ("!$B$4:$c6", (4, 6, 2, 3)),
            ("!C:D", (1, 30, 3, 4)),
            ("!7:8", (7, 8, 1, 8)),
            ("!B2:D9:3-4", (3, 4, 2, 4)),
            (":12-13", (12, 13, 1, 8)),
        ):
            first, last, left, right = bounds
            expected = {
                cell.coordinate: cell.value
                for row in sheet.iter_rows(first, last, left, right)
                for cell in row
                if cell.value is not None
            }
            page = shown(f"{workbook}:{quoted(sheet.title)}{area}")
            assert page.sheet == sheet.title
            found = {f"{cell.column}{row.number}": cell.text for row in page.rows for cell in row.cells}
            assert found == expected
        page = shown(f"{workbook}:{quoted(sheet.title)}!C5")
        assert page.text.startswith(f"1\t{sheet.title}\n2\tin two lines\n[")
    for name in ("My sheet", "it's", "Ünï", "a,b"):
        # Only an exclamation mark needs quotes.
        assert shown(f"{workbook}:{name}!C5:C5:1-").sheet == shown(f"{workbook}:{name}").sheet == name


def test_values_of_records(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    records = [{"output": f"first {n}\nsecond {n}", "list": [n, {"a": n}]} for n in range(1, 31)]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    for number in (1, 17, 30):
        expected = json.loads(path.read_text(encoding="utf-8").splitlines()[number - 1])
        lines = expected["output"].split("\n")
        assert shown(f"{path}#{number}/output").text == f"1\t{lines[0]}\n2\t{lines[1]}"
        assert shown(f"{path}#{number}/output:2").text.startswith(f"2\t{lines[1]}")
        assert str(expected["list"][1]["a"]) in shown(f"{path}#{number}/list/1/a").text


def test_hints_for_wrong_places_work_when_followed(
    workbook: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sheet was left out, so that the hint showed another one; that for slides named `offset`."""
    deck, report, trace = tmp_path / "deck.pptx", tmp_path / "report.docx", tmp_path / "trace.jsonl"
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "only"
    made.save(str(deck))
    document = docx.Document()
    document.add_paragraph("only")
    document.save(str(report))
    trace.write_text('{"output": "one\\ntwo"}\n{"output": "x\\ny"}\n', encoding="utf-8")
    for place, text in (
        (f"{workbook}:'My sheet':99", "My sheet"),
        (f"{workbook}:'10-20':99-120", "10-20"),
        (f"{workbook}:'it''s'!B2:D9:50", "it's"),
        (f"{deck}:9", "only"),
        (f"{deck}:9-12", "only"),
        (f"{report}:9", "only"),
        (f"{trace}#2/output:9", "y"),
    ):
        [failed] = read_many_sync([place])
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, errors.OffsetPastEndError)
        answer: Any = anyread.tool().call_sync({"places": [place]})
        assert answer["is_error"]
        following = re.findall(r'"((?:[^"\\]|\\.)*)"', answer["hint"])
        assert following
        for found in following:
            assert text in shown(found).text
        assert main([place]) == 1
        again = re.search(r"hint: pass (.*?) for the last", capsys.readouterr().err)
        assert again
        assert main(shlex.split(again[1])) == 0
        assert text in capsys.readouterr().out
    with pytest.raises(errors.OffsetPastEndError) as caught:
        anyread.read_sync(deck, ranges=[9])
    assert 'pages="1"' in str(caught.value)


def test_empty_documents_have_a_line_that_says_so(tmp_path: Path) -> None:
    """A place from the first line on was past the end, and its hint was the same place."""
    path = tmp_path / "empty.docx"
    docx.Document().save(str(path))
    assert shown(str(path)).text == "[no lines]"
    for place in (":1-", ":3-9", ":1"):
        assert shown(f"{path}{place}").text == "[no lines]"

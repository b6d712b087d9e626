"""An argument that selects is never dropped: its part is shown, or an error names the right argument."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest
import xlsxwriter
from PIL import Image

import anyread
from anyread.arguments.request import ARGUMENTS
from anyread.tools import Tool
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, write

SELECTING: dict[str, list[Any]] = {
    "offset": [2, 3, -1, -2],
    "limit": [1, 2],
    "column": [3],
    "pages": ["2", "2-3", 3],
    "region": [[0, 0, 5, 5]],
    "at": ["2", "Results", "/a", "Second!B1"],
    "values": ["raw", "formulas"],
    "kind": ["image", "pdf", "sheet"],
}
JSON = [("a.jsonl", "at"), ("a.ipynb", "at"), ("a.txt", "at")]
"""Texts that have addresses, or parts with names."""
FILES = ("a.txt", "a.png", "a.tiff", "a.pdf", "a.ipynb", "a.xlsx", "a.docx", "a.pptx", "a.jsonl", "directory")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("files")
    (root / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 6)))
    (root / "a.jsonl").write_text("".join(f'{{"a": {number}, "b": "x"}}\n' for number in range(1, 6)))
    (root / "a.png").write_bytes(encoded(drawing(40, 30), "PNG"))
    pages = [Image.new("RGB", (20 + 9 * number, 20)) for number in range(5)]
    pages[0].save(root / "a.tiff", save_all=True, append_images=pages[1:])
    (root / "a.pdf").write_bytes(text_pdf(5))
    write(root, *(code(f"cell_{number}") for number in range(1, 6)), name="a.ipynb")
    with xlsxwriter.Workbook(str(root / "a.xlsx")) as book:
        for name in ("First", "Second"):
            sheet = book.add_worksheet(name)
            for row in range(5):
                sheet.write_formula(row, 0, f"={row}/3", book.add_format({"num_format": "0.0"}), row / 3)
                sheet.write(row, 1, f"{name} {row}")
    document, deck = docx.Document(), pptx.Presentation()
    for number in range(1, 6):
        document.add_paragraph(f"paragraph {number}")
        deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = f"slide number {number}"
    document.save(str(root / "a.docx"))
    deck.save(str(root / "a.pptx"))
    (root / "directory").mkdir()
    for number in range(1, 6):
        (root / "directory" / f"{number}.txt").touch()
    return root


@pytest.fixture(scope="module", params=["any", "anthropic"])
def tool(root: Path, request: pytest.FixtureRequest) -> Tool:
    reader = anyread.Reader(roots=[root], model=request.param)
    return anyread.tool("anyread", reader=reader)


def shown(answer: Any) -> list[Any]:
    """Return the blocks of an answer without its notices."""
    notices = "\n".join(f"[notice: {notice['message']}]" for notice in answer["notices"])
    return [part for part in answer["content"] if part.get("text") != notices]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", SELECTING)
def test_selection_is_shown_or_refused(tool: Tool, file: str, name: str) -> None:
    """`offset=5` of a PDF showed pages 1-4, `offset=9` of slides all 30, `at="Results"` a whole document."""
    alone = tool.call_sync({"path": file})
    for value in SELECTING[name]:
        answer = tool.call_sync({"path": file, name: value})
        if value == alone["kind"] or (file, name) == ("a.png", "limit"):
            assert shown(answer) == shown(alone)
        elif not tool.failed(answer):
            assert shown(answer) != shown(alone), value
        elif alone["kind"] not in ARGUMENTS[name].kinds and (file, name) not in JSON:
            others = set(re.findall(r"\b([a-z]+)(?==)", answer["hint"])) & set(ARGUMENTS) - {name}
            assert others, (value, answer["message"], answer["hint"])


@pytest.mark.parametrize(
    ("arguments", "numbers"),
    [
        ({"offset": 2}, [2, 3, 4, 5]),
        ({"offset": 2, "limit": 2}, [2, 3]),
        ({"limit": 2}, [1, 2]),
        ({"offset": -2}, [4, 5]),
        ({"offset": -9, "limit": 2}, [1, 2]),
        ({"offset": 4, "limit": 2_000}, [4, 5]),
        ({"offset": 1, "limit": 2_000, "pages": "2-3"}, [2, 3]),
    ],
)
@pytest.mark.parametrize("file", ["a.pdf", "a.pptx"])
def test_window_counts_pages_where_these_are_the_unit(
    tool: Tool, root: Path, file: str, arguments: dict[str, Any], numbers: list[int]
) -> None:
    """The library refused `offset` and ignored `limit`, and the tool ignored both."""
    answer = tool.call_sync({"path": file, **arguments})
    page: Any = anyread.read_sync(root / file, **arguments)
    assert (answer["first"], answer["last"]) == (numbers[0], numbers[-1])
    assert (page.first, page.last) == (numbers[0], numbers[-1])
    is_translated = "pages" not in arguments
    for notices in ([each["code"] for each in answer["notices"]], [each.code for each in page.notices]):
        assert ("window_of_pages" in notices) is is_translated
    following = [page.first]
    while page.next is not None:
        page = anyread.read_sync(root / file, **page.next)
        following.append(page.first)
    assert following == list(range(numbers[0], 6, arguments.get("limit", 9) if is_translated else 9))


def test_filled_in_defaults_are_no_selection(tool: Tool) -> None:
    """`values="shown"` had a notice for all other kinds; `limit=2000` is a default of other tools."""
    for file in FILES:
        alone = tool.call_sync({"path": file})
        filled = {"offset": 1, "limit": 2_000, "column": 1, "pages": "", "at": "", "region": [0, 0, 0, 0]}
        answer = tool.call_sync({"path": file, **filled, "values": "shown"})
        assert (answer["content"], answer["notices"]) == (alone["content"], alone["notices"]), file


@pytest.mark.parametrize(
    ("file", "arguments", "named"),
    [
        ("a.pdf", {"pages": "2-3", "offset": 2}, "`offset` out"),
        ("a.pptx", {"pages": "2-3", "limit": 1}, "`limit` out"),
        ("a.pdf", {"offset": 9}, 'pages="5"'),
        ("a.tiff", {"offset": 9}, 'pages="'),
    ],
)
def test_contradictory_selections_are_refused(
    tool: Tool, file: str, arguments: dict[str, Any], named: str
) -> None:
    answer = tool.call_sync({"path": file, **arguments})
    assert tool.failed(answer)
    assert named.replace("`", "") in answer["hint"].replace("`", "")

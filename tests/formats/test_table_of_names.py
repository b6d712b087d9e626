"""The table of the design note says what each written form means for each kind of file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import docx
import nbformat
import openpyxl
import pptx
import pytest

import anyread
from anyread import Failed, read_sync
from helpers.media import text_pdf

# Results of any kind, and functions without types.
read_many_sync: Any = anyread.read_many_sync
notebooks: Any = nbformat.v4
write_notebook: Any = nbformat.write
ROOT = Path(__file__).parents[2]
NOTE = (ROOT / "docs/design/027-names.md").read_text("utf-8")
HEAD, _, *LINES = NOTE[NOTE.index("| written") :].split("\n\n")[0].split("\n")
KINDS = [cell.strip(" `") for cell in HEAD.strip("|").split("|")][1:]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]


def made(directory: Path, kind: str) -> Path:
    """Write a file in which each form of the table could mean something."""
    path = directory / f"a{kind}"
    if kind == ".md":
        path.write_text(
            "# Manual\n\n## install\n\nmake\n\n### 1.2 more\n\ntext\n\n## other\n" + "text\n" * 20
        )
    elif kind == ".py":
        path.write_text("import x\n\n\ndef install():\n    return 1\n\n\n" + "x = 1\n" * 20)
    elif kind == ".json":
        path.write_text(json.dumps({"install": {"2": [1, 2, 3, 4]}, "a": [1] * 20}, indent=1))
    elif kind == ".jsonl":
        path.write_text("".join(f'{{"install": {number}}}\n' for number in range(20)))
    elif kind == ".ipynb":
        cells = [notebooks.new_code_cell(f"install = {n}", execution_count=14 - n) for n in range(1, 14)]
        write_notebook(notebooks.new_notebook(cells=cells), path)
    elif kind == ".docx":
        document = docx.Document()
        for level, title in ((1, "Manual"), (2, "install"), (3, "1.2 more"), (2, "other")):
            document.add_heading(title, level)
            document.add_paragraph("text")
        document.save(str(path))
    elif kind == ".xlsx":
        book = openpyxl.Workbook()
        book.active.title = "install"
        for row in range(1, 21):
            book.active.append([row, f"b{row}"])
        book.save(path)
    elif kind == ".pptx":
        deck = pptx.Presentation()
        for number in range(1, 14):
            deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = f"install {number}"
        deck.save(str(path))
    else:
        path.write_bytes(text_pdf(13))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_each_form_means_what_the_table_says(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = made(tmp_path, kind).name
    for row in ROWS:
        place, cell = f"{file}{row[0].strip('`')}", row[1 + KINDS.index(kind)]
        [found] = read_many_sync([place])
        if isinstance(found, Failed):
            assert cell == ("not found" if found.error.code == "not_found" else "error"), place
            continue
        call = re.fullmatch(r"`(at|ranges)=(.+)`", cell)
        assert call is not None, (place, cell, found.text[:200])
        assert found.text == read_sync(file, **{call[1]: json.loads(call[2])}).text, place


@pytest.mark.posix("names with a colon")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_there", [False, True])
def test_file_with_exactly_the_written_name_comes_first(
    kind: str, is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if is_there:
        made(tmp_path, kind)
    for row in ROWS:
        place = f"a{kind}{row[0].strip('`')}"
        Path(place).parent.mkdir(exist_ok=True)
        Path(place).write_text("exactly this")
        [found] = read_many_sync([place])
        assert found.text.startswith("1\texactly this"), place
        assert read_sync(place).text.startswith("1\texactly this")

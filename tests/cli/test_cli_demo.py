"""`anyread demo`: the example files of the documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import openpyxl
import pptx

import anyread
from anyread import kinds
from anyread.cli.demo import FILES
from helpers.command_line import run

if TYPE_CHECKING:
    from pathlib import Path


def test_demo_writes_files_of_every_kind_and_the_same_ones_each_time(tmp_path: Path) -> None:
    made = run("demo", tmp_path / "new" / "one")
    assert (made.returncode, made.stderr) == (0, "")
    run("demo", "two", cwd=tmp_path)
    one, two = ({file.name: file for file in (tmp_path / name).iterdir()} for name in ("new/one", "two"))
    assert {name: file.read_bytes() for name, file in one.items()} == {
        name: file.read_bytes() for name, file in two.items()
    }
    assert [line.rpartition("/")[2].partition(":")[0] for line in made.stdout.splitlines()] == list(FILES)
    assert anyread.read_sync(one["notes.txt"]).text == "1\tБуря мглою небо кроет,\n2\tВихри снежные крутя;"
    assert "Pâté en croûte" in anyread.read_sync(one["menu.txt"]).text
    assert anyread.info_sync(one["server.log"]).lines == 500_000
    # A loaded machine needs more than 10 s for 12 megapixels.
    reader = anyread.Reader(limits=anyread.Limits(decode_timeout_s=100))
    chart = reader.read_sync(one["chart.png"], kind="image")
    assert (chart.format, chart.width, chart.height) == ("PNG", 4_000, 3_000)
    assert "Flow was 41.7 litres a second" in anyread.read_sync(one["trial.pdf"]).text
    assert "flow.mean()" in anyread.read_sync(one["pump.ipynb"]).text
    orders = openpyxl.load_workbook(one["report.xlsx"])["Orders"]
    assert (orders["B2"].value, orders["D2"].value) == ("Customer 1", 7.5)
    assert docx.Document(str(one["report.docx"])).paragraphs[-1].text == "The pump stays."
    assert len(pptx.Presentation(str(one["plan.pptx"])).slides) == 4
    listing = anyread.Reader(roots=tmp_path / "two", directories="list")
    for form in kinds.BY_KIND.values():
        assert listing.read_sync(form.example).kind == form.kind


def test_demo_changes_no_existing_file(tmp_path: Path) -> None:
    (tmp_path / "menu.txt").write_text("mine")
    made = run("demo", tmp_path)
    assert (made.returncode, (tmp_path / "menu.txt").read_text()) == (1, "mine")
    assert made.stderr == f"anyread: cannot write `{tmp_path / 'menu.txt'}`: File exists\n"

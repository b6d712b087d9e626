"""P20 to P22: windows of workbooks, documents and records, whose libraries read the whole file."""

from __future__ import annotations

import json
import statistics
import subprocess
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import pytest
from benches import inputs, judges
from benches.rivals import ENVIRONMENTS, ROOT
from openpyxl import load_workbook
from python_calamine import CalamineWorkbook

import anyread

if TYPE_CHECKING:
    from collections.abc import Callable

    from benches.conftest import Measure

pytestmark = pytest.mark.benchmark

RECORD = 1_000_000
ROW, ROWS = 400_000, 50
# A text that each paragraph, each point of a slide but the first, and each row has once; how many have it.
EACH = {
    "document": ("bold", inputs.PARAGRAPHS),
    "slides": (" with words", 8 * inputs.SLIDES),
    "sheet": ("@mail.test", inputs.ROWS - 1),
}
READER = anyread.Reader()
WHOLE = anyread.Reader(
    limits=anyread.Limits(max_lines=10**7, max_bytes=10**9, max_tokens=10**9),
    model=anyread.Model.named("text-only"),
)


@pytest.fixture(scope="module")
def records() -> tuple[Path, Path]:
    return inputs.records()


@pytest.fixture(scope="module")
def workbook() -> Path:
    return inputs.workbook()


def name_of(path: Path, number: int) -> str:
    return anyread.read_sync(path, at=f"{number}/name").text.splitlines()[0]


@pytest.mark.parametrize("cold", [True, False], ids=["cold", "again"])
def test_record_of_an_array(measure: Measure, records: tuple[Path, Path], *, cold: bool) -> None:
    path = records[0]
    assert str(inputs.record(RECORD - 1)["name"]) in name_of(path, RECORD)
    measure.alone(
        "records-cold" if cold else "records-again",
        lambda: READER.read_sync(path, kind="records", offset=RECORD, limit=1),
        rounds=5 if cold else 200,
        before=anyread.clear_caches if cold else None,
    )


def test_record_of_json_lines(measure: Measure, records: tuple[Path, Path]) -> None:
    path = records[1]
    assert str(inputs.record(RECORD - 1)["name"]) in name_of(path, RECORD)
    measure.alone(
        "records-lines",
        lambda: READER.read_sync(path, kind="records", offset=RECORD, limit=1),
        rounds=10,
        before=anyread.clear_caches,
    )


@pytest.mark.parametrize("rival", ["jq", "json"])
def test_near_record(measure: Measure, records: tuple[Path, Path], rival: str) -> None:
    path = records[1]

    def by_json() -> object:
        with path.open() as lines:
            return json.loads(next(islice(lines, 999, 1_000)))["name"]

    def by_jq() -> object:
        return json.loads(judges.jq_record(path, 1_000))["name"]

    judge = by_jq if rival == "jq" else by_json
    assert str(judge()) in name_of(path, 1_000)
    measure.pair(
        f"records-{rival}",
        lambda: READER.read_sync(path, at="1000/name"),
        judge,
        "jq" if rival == "jq" else "json.loads of the line",
        rounds=5,
        before=anyread.clear_caches,
    )


@pytest.mark.parametrize(("key", "offset"), [("first", 1), ("cold", ROW), ("again", ROW)])
def test_rows_of_a_workbook(measure: Measure, workbook: Path, key: str, offset: int) -> None:
    assert f"\n{ROW}\t{ROW - 1}\tCustomer" in READER.read_sync(workbook, offset=ROW, limit=ROWS).text
    measure.alone(
        f"sheet-{key}",
        lambda: READER.read_sync(workbook, offset=offset, limit=ROWS),
        rounds=50 if key == "again" else 5,
        before=None if key == "again" else anyread.clear_caches,
    )


@pytest.mark.parametrize("rival", ["openpyxl", "calamine"])
def test_first_rows_beside_libraries(measure: Measure, workbook: Path, rival: str) -> None:
    def by_openpyxl() -> list[object]:
        book = load_workbook(workbook, read_only=True, data_only=True)
        rows = [row[1] for row in book["Orders"].iter_rows(max_row=ROWS, values_only=True)]
        book.close()
        return rows

    def by_calamine() -> list[object]:
        sheet = CalamineWorkbook.from_path(str(workbook)).get_sheet_by_name("Orders")
        return [row[1] for row in sheet.to_python(nrows=ROWS)]

    judge = by_openpyxl if rival == "openpyxl" else by_calamine
    text = READER.read_sync(workbook, limit=ROWS).text
    assert all(f"\t{name}\t" in text for name in judge()[1:])
    measure.pair(
        f"sheet-{rival}",
        lambda: READER.read_sync(workbook, limit=ROWS),
        judge,
        rival,
        rounds=3,
        before=anyread.clear_caches,
    )


@pytest.fixture(scope="module")
def document() -> Path:
    return inputs.document()


@pytest.fixture(scope="module")
def presentation() -> Path:
    return inputs.presentation()


def test_pages_of_a_document(measure: Measure, document: Path) -> None:
    page = READER.read_sync(document)
    assert page.text.startswith("1\t# 0 ")
    measure.alone(
        "document-first", lambda: READER.read_sync(document), rounds=20, before=anyread.clear_caches
    )


@pytest.mark.parametrize("key", ["document-whole", "slides-whole"])
def test_whole_document(measure: Measure, document: Path, presentation: Path, key: str) -> None:
    path = document if key == "document-whole" else presentation
    last = f"bold{inputs.PARAGRAPHS - 1}" if path is document else f"slide {inputs.SLIDES - 1} with words"
    assert last in WHOLE.read_sync(path).text
    measure.alone(key, lambda: WHOLE.read_sync(path), rounds=5, before=anyread.clear_caches)


@pytest.mark.parametrize(
    "key",
    [
        "document-python_docx", "document-office_oxide", "document-anydoc", "document-markitdown",
        "slides-python_pptx", "slides-office_oxide", "slides-anydoc", "slides-markitdown",
        "sheet-office_oxide",
    ],
)  # fmt: skip
def test_whole_beside_libraries(
    key: str, request: pytest.FixtureRequest, report: Callable[..., None], not_run: Callable[..., None]
) -> None:
    kind, library = key.split("-")
    python = ENVIRONMENTS / "office" / "bin" / "python"
    if not python.exists():
        not_run(key, reason="`make bench-rivals` installs it")
    fixture = {"document": "document", "slides": "presentation", "sheet": "workbook"}[kind]
    path = request.getfixturevalue(fixture)
    text, count = EACH[kind]
    ours = []
    for _ in range(3):
        anyread.clear_caches()
        started = perf_counter()
        page = READER.read_sync(path, limit=ROWS) if kind == "sheet" else WHOLE.read_sync(path)
        ours.append(perf_counter() - started)
        # Without the row of headings.
        assert page.text.count(text) == (ROWS - 1 if kind == "sheet" else count)
    command = [python, "-m", "benches.drivers.office", library, path, text]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    theirs = json.loads(done.stdout)
    # It has read all of the file.
    assert theirs["found"] == count
    report(key, statistics.median(ours) * 1e3, "ms", library, theirs["seconds"] * 1e3)

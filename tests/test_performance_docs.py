"""The figures of README.md and docs/performance.md are those of the newest records of `make bench`."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import publish

RECORDS = publish.Records.newest()
DOCUMENTS = publish.DOCUMENTS


def linked_files(document: Path) -> Iterator[Path]:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text("utf-8")):
        yield document.parent / target


def test_documents_and_images_match_the_newest_records() -> None:
    assert publish.stale(RECORDS) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_figure_changed_by_hand_is_found(document: Path) -> None:
    text = document.read_text("utf-8")
    figures = publish.BLOCK.search(text)
    assert figures is not None
    start = figures.start() + figures[0].index("\n") + 1
    forged = text[:start] + "| 99 × " + text[start:]
    assert publish.with_figures(forged, RECORDS) == text != forged


def test_every_block_of_figures_is_in_one_document() -> None:
    named = [
        found["name"]
        for document in DOCUMENTS
        for found in publish.BLOCK.finditer(document.read_text("utf-8"))
    ]
    assert sorted(named) == sorted(publish.BLOCKS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_lead_to_files(document: Path) -> None:
    assert [str(target) for target in linked_files(document) if not target.exists()] == []


def test_figure_equals_that_of_the_record() -> None:
    """Check one row of the page against the record, without the code that writes the page."""
    row = RECORDS.rows["count"]
    assert row.ratio is not None
    line = next(
        line for line in publish.PERFORMANCE.read_text("utf-8").splitlines() if row.target.what in line
    )
    assert f"| {row.ratio:.3g}× |" in line

"""docs/conformance.md has the verdicts of the newest record and all rules, with rows of the catalogue."""

from __future__ import annotations

import re

import pytest
from benches.conformance import page
from benches.conformance.rivals import READERS, CheckedReader

from anyread_conformance import all_rules

RECORDS = page.newest_record()
TEXT = page.PAGE.read_text("utf-8")
CATALOGUE = page.PAGE.with_name("catalogue.md").read_text("utf-8")


def test_page_has_the_rules_and_the_newest_record() -> None:
    assert page.with_verdicts(TEXT, RECORDS) == TEXT


def test_verdict_changed_by_hand_is_found() -> None:
    forged = re.sub(r"(?m)^(\| fifo \|.*)✗", r"\1✓", TEXT)
    assert forged != TEXT
    assert page.with_verdicts(forged, RECORDS) == TEXT


def test_record_has_every_reader_and_every_rule() -> None:
    assert [record["name"] for record in RECORDS] == [reader.name for reader in READERS]
    names = {rule.name for rule in all_rules()}
    for record in RECORDS:
        assert set(record["findings"]) == names, record["name"]
        verdicts = [found["verdict"] for found in record["findings"].values()]
        assert record["counts"] == {verdict: verdicts.count(verdict) for verdict in record["counts"]}


def test_rules_name_rows_of_the_catalogue() -> None:
    rows = set(map(int, re.findall(r"(?m)^\| (\d+) \|", CATALOGUE)))
    assert [rule.name for rule in all_rules() if not rule.rows or not rows.issuperset(rule.rows)] == []


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: str(reader.name))
def test_record_is_of_the_pinned_version(reader: CheckedReader) -> None:
    [record] = [record for record in RECORDS if record["name"] == reader.name]
    assert record["version"] == reader.version
    assert bool(reader.version) == bool(reader.package)


def test_page_agrees_with_the_record_in_one_cell() -> None:
    """Check cells without the code that writes the page."""
    header = next(line for line in TEXT.split("\n") if line.startswith("| rule | anyread |"))
    row = next(line for line in TEXT.split("\n") if line.startswith("| fifo | ") and "FIFO" not in line)
    cells = dict(zip(header.split(" | ")[1:], row.split(" | ")[1:], strict=True))
    for record in RECORDS:
        sign = {"passed": "✓", "failed": "✗", "not applicable": "–"}[record["findings"]["fifo"]["verdict"]]
        name = record["name"]
        assert next(cell for column, cell in cells.items() if column.strip(" |") == name).strip(" |") == sign

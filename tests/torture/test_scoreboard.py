"""The scoreboard records what tests counted, and docs/security.md shows the newest record."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benches import machine

from torture import publish, scoreboard
from torture.scoreboard import Line, Score

NEWEST = machine.newest_record("torture")


@pytest.fixture
def lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let a full run write to a directory of its own."""
    monkeypatch.setattr(scoreboard, "IS_FULL", True)
    monkeypatch.setattr(scoreboard, "LINES", tmp_path / "lines")
    return tmp_path / "lines"


def test_document_matches_the_newest_record() -> None:
    document = publish.DOCUMENT.read_text("utf-8")
    assert len(publish.BLOCK.findall(document)) == 1
    assert publish.published(document, NEWEST) == document


def test_failures_fail_the_test_and_are_recorded(lines: Path) -> None:
    with pytest.raises(AssertionError, match=r"3 of 1,000 reads failed"):
        Score()("S7", "rotation", failures=3, of=1_000, unit="reads")
    assert scoreboard.collect(lines) == [Line("S7", "rotation", "reads", 3, 1_000)]


@pytest.mark.parametrize(
    ("key", "lines", "expected"),
    [
        ("S5", [], "not run"),
        ("S5", [Line("S5", "images", "mutants", 0, 30_000), Line("S5", "PDFs", "mutants", 0, 20_000)], "yes"),
        ("S5", [Line("S5", "images", "mutants", 0, 49_999)], "in part"),
        ("S5", [Line("S5", "images", "mutants", 1, 50_000)], "no"),
        ("S1", [Line("S1", "walk", "opens", 0, 2 * 10**6), Line("S1", "openat2", "opens", 0, 10)], "in part"),
        ("S3", [Line("S3", "corpus", "files", 0, 9), Line("S3", "`test_a`", "tests", 1, 1)], "no"),
        ("S3", [Line("S3", "corpus", "files", 0, 9), Line("S3", "`test_a`", "tests")], "in part"),
        ("S12", [Line("S12", "p99", "×", value=1.9, bound=2)], "yes"),
        ("S12", [Line("S12", "p99", "×", value=2.1, bound=2)], "no"),
    ],
)
def test_verdict_needs_enough_cases_and_no_failure(key: str, lines: list[Line], expected: str) -> None:
    assert scoreboard.verdict(key, lines) == expected


@pytest.mark.posix("git")
def test_rows_that_ran_again_replace_those_of_the_record(tmp_path: Path) -> None:
    path = tmp_path / "record.csv"
    publish.save([Line("S12", "p99", "×", value=2.5, bound=2), Line("S3", "a", "files", 0, 7)], path)
    publish.save([Line("S12", "p99", "×", value=1.23456, bound=2, detail="median | of five")], path)
    lines, _ = publish.load(path)
    assert lines == [
        Line("S3", "a", "files", 0, 7),
        Line("S12", "p99", "×", value=1.235, bound=2, detail="median | of five"),
    ]
    table = publish.markdown(path)
    date = machine.facts()["date"]
    assert f"| p99 | 1.24× | 2× | yes | median \\| of five | {date} |" in table
    assert "| a | 0 of 7 files |" in table
    assert table.count("| not run |") == len(scoreboard.ROWS) - 2


@pytest.mark.posix("git")
def test_rows_that_did_not_run_keep_their_date(tmp_path: Path) -> None:
    """A run of two rows on another day lost what was known of all others."""
    earlier, path = tmp_path / "earlier.csv", tmp_path / "today.csv"
    publish.save([Line("S3", "a", "files", 0, 7)], earlier)
    earlier.write_text(earlier.read_text().replace(machine.facts()["date"], "2020-02-02"))
    publish.save([Line("S5", "b", "mutants", 0, 60_000)], path, earlier)
    table = publish.markdown(path)
    assert re.search(r"\| a \| 0 of 7 files .*\| 2020-02-02 \|", table)
    assert "2020-02-02 at commit" in table

"""The catalogue of difficult inputs: every row has tests, and every cited row is on the page."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "catalogue.md").read_text("utf-8")


def rows() -> dict[int, list[str]]:
    """Return the test files that the page names for each row."""
    lines = [line for line in PAGE.split("\n") if re.match(r"\| \d+ \|", line)]
    found = {int(line.split("|")[1]): re.findall(r"\]\(\.\./([^)]+)\)", line) for line in lines}
    assert len(found) == len(lines), "two rows have the same number"
    return found


def citations() -> dict[int, list[str]]:
    """Return the test files that cite each row."""
    found: dict[int, list[str]] = {}
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        cited = set(re.findall(r"mark\.catalogue\(row=(\d+)\)", path.read_text("utf-8")))
        for row in cited:
            found.setdefault(int(row), []).append(path.relative_to(ROOT).as_posix())
    return found


def test_page_and_tests_agree_on_every_row() -> None:
    assert rows() == citations()


def test_every_row_describes_its_input_and_output() -> None:
    for line in PAGE.split("\n"):
        if re.match(r"\| \d+ \|", line):
            cells = line.strip("|").replace(r"\|", "").split("|")
            assert len(cells) == 4, line
            assert all(cell.strip() for cell in cells), line

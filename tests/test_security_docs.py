"""docs/security.md: its links, and its table of promises."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "security.md"
ROWS = [f"S{number}" for number in range(1, 16)]


def promises() -> dict[str, tuple[list[str], list[str]]]:
    """Return the test files and the rows of the scoreboard for each promise."""
    table = PAGE.read_text("utf-8").split("| promise | tested by | row |")[1].split("\n\n")[0]
    found = {}
    for line in table.splitlines()[2:]:
        promise, tests, rows = (cell.strip() for cell in line.strip("|").split("|"))
        found[promise] = (re.findall(r"\]\(([^)]+)\)", tests), re.findall(r"S\d+", rows))
    return found


@pytest.mark.parametrize("page", [PAGE, ROOT / "SECURITY.md"], ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = page.read_text("utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    headings = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
    anchors = {"#" + re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert links
    assert [link for link in links if not (page.parent / link).exists() and link not in anchors] == []


def test_every_promise_is_tested() -> None:
    assert len(promises()) > 8
    for promise, (tests, _) in promises().items():
        assert tests, promise
        assert all(Path(test).stem.startswith("test_") or test.endswith(".rs") for test in tests), promise


def test_every_row_of_the_scoreboard_tests_a_promise() -> None:
    named = {row for _, rows in promises().values() for row in rows}
    assert sorted(named, key=ROWS.index) == ROWS

"""The page about tools: every deviation from a contract has a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


def deviations() -> list[tuple[str, ...]]:
    """Return the rows of all tables whose last column is `reason` or `why`, cell by cell."""
    rows: list[tuple[str, ...]] = []
    is_wanted = False
    for line in PAGE.split("\n"):
        if not line.startswith("| "):
            is_wanted = False
            continue
        cells = tuple(cell.strip() for cell in line.strip("|").replace(r"\|", "¦").split("|"))
        if cells[-1] in {"reason", "why"}:
            is_wanted = True
        elif is_wanted and set(cells[0]) != {"-"}:
            rows.append(cells)
    return rows


def test_page_has_the_deviations_of_every_contract() -> None:
    assert len(deviations()) > 80


@pytest.mark.parametrize("row", deviations(), ids=lambda row: row[0][:40])
def test_deviation_has_a_reason(row: tuple[str, ...]) -> None:
    assert row[-1] not in {"", "–", "the same", "as above"}

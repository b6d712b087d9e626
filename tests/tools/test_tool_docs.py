"""The page about tools gives every contract a dated source, and every deviation from it a reason."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from anyread.tools import PROFILES

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


def deviations() -> list[tuple[str, ...]]:
    """Return the rows, split into cells, of all tables whose last column is `reason` or `why`."""
    rows: list[tuple[str, ...]] = []
    has_reasons = False
    for line in PAGE.split("\n"):
        if not line.startswith("| "):
            has_reasons = False
            continue
        cells = tuple(cell.strip() for cell in line.strip("|").replace(r"\|", "¦").split("|"))
        if cells[-1] in {"reason", "why"}:
            has_reasons = True
        elif has_reasons and set(cells[0]) != {"-"}:
            rows.append(cells)
    return rows


def test_page_lists_the_deviations() -> None:
    assert len(deviations()) > 80


@pytest.mark.parametrize("row", deviations(), ids=lambda row: row[0][:40])
def test_deviation_has_a_reason(row: tuple[str, ...]) -> None:
    assert row[-1] not in {"", "–", "the same", "as above"}


URL = re.compile(r"https://[^\s|;)]*[\w/]")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def sources() -> dict[str, str]:
    """Return the row of each profile in the table of sources."""
    table = PAGE.split("\n## Sources\n")[1].split("\n## ")[0]
    return {line.split("`")[1]: line for line in table.split("\n") if line.startswith("| `")}


@pytest.mark.parametrize("profile", list(PROFILES))
def test_contract_has_a_source_with_a_date(profile: str) -> None:
    source = sources()[profile]
    assert DATE.search(source.split("|")[-2])
    supplied = "design document supplied with the project" in source
    assert URL.search(source) or supplied or profile == "anyread"


@pytest.mark.parametrize("profile", list(PROFILES))
def test_docstring_of_a_contract_names_the_same_source_as_the_page(profile: str) -> None:
    docstring = import_module(PROFILES[profile].partition(":")[0]).__doc__ or ""
    source = sources()[profile]
    assert "Source" in docstring
    assert set(URL.findall(docstring)) == set(URL.findall(source))
    # A URL may contain a date.
    assert set(DATE.findall(URL.sub("", docstring))) == set(DATE.findall(source.split("|")[-2]))


def test_every_source_belongs_to_a_contract() -> None:
    assert set(sources()) == set(PROFILES)

"""The page about tools gives every contract a dated source, and every deviation from it a reason."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from anyread.tools import CONTRACTS

PAGE = (Path(__file__).parents[2] / "docs" / "tools.md").read_text("utf-8")


URL = re.compile(r"https://[^\s|;)]*[\w/]")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


def sources() -> dict[str, str]:
    """Return the row of each contract in the table of sources."""
    table = PAGE.split("\n## Sources\n")[1].split("\n## ")[0]
    return {line.split("`")[1]: line for line in table.split("\n") if line.startswith("| `")}


@pytest.mark.parametrize("contract", list(CONTRACTS))
def test_docstring_of_a_contract_names_the_same_source_as_the_page(contract: str) -> None:
    docstring = import_module(CONTRACTS[contract].partition(":")[0]).__doc__ or ""
    source = sources()[contract]
    assert "Source" in docstring
    assert set(URL.findall(docstring)) == set(URL.findall(source))
    # A URL may contain a date.
    assert set(DATE.findall(URL.sub("", docstring))) == set(DATE.findall(source.split("|")[-2]))


def test_every_source_belongs_to_a_contract() -> None:
    assert set(sources()) == set(CONTRACTS)

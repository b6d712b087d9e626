"""Every contract has a page with a dated source, which is also the source in its docstring."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

import anyread
from anyread.tools import CONTRACTS
from helpers import pages

URL = re.compile(r"https://[^\s|;)]*[\w/]")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


@pytest.mark.parametrize("contract", list(CONTRACTS))
def test_docstring_of_a_contract_names_the_same_source_as_its_page(contract: str) -> None:
    docstring = import_module(CONTRACTS[contract].partition(":")[0]).__doc__ or ""
    page = (pages.DOCS / "contracts" / f"{contract}.md").read_text("utf-8")
    source, dates = page.split("\n## Source\n")[1].split("\nDate: ")
    assert "Source" in docstring
    assert set(URL.findall(docstring)) == set(URL.findall(source))
    # A URL may contain a date.
    assert set(DATE.findall(URL.sub("", docstring))) == set(DATE.findall(dates))


def test_index_links_to_the_page_of_every_contract() -> None:
    index = (pages.DOCS / "contracts" / "index.md").read_text("utf-8")
    linked = re.findall(r"^\| \[`[\w-]+`\]\(([\w-]+)\.md\)", index, re.MULTILINE)
    assert set(linked) == set(CONTRACTS)


def test_each_agent_has_a_call_that_its_contract_accepts(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    page = (pages.DOCS / "contracts" / "index.md").read_text("utf-8")
    rows = re.findall(r"^\| .+ \| \[`([\w-]+)`\]\(.+\) \| `(\w+)` \| `(\{.+\})` \|$", page, re.MULTILINE)
    assert len(rows) >= 14
    for contract, name, call in rows:
        tool = anyread.tool(contract, cwd=tmp_path)
        assert tool.name == name, contract
        assert tool.validate(json.loads(call)) is None, contract
        jsonschema.validate(json.loads(call), tool.input_schema)

"""The tables of the documentation are complete, and say what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest
from benches import publish
from website import tables

import anyread
from anyread.arguments.gutter import GUTTERS
from anyread.errors.base import tree
from anyread.models.named import NAMES
from helpers import pages

LEAVES = list(tree())[1:]


def text_of(page: str) -> str:
    return (pages.DOCS / page).read_text("utf-8")


def first_cells(text: str) -> list[str]:
    """Return the names in the first column of all tables."""
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def rows_of_limits() -> dict[str, tuple[str, str]]:
    """Return the default and the unit of each limit on the page."""
    own = text_of("limits.md").split("\n## Limits in other places\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| ([\w –-]+) \| .+ \|$", own, re.MULTILINE)
    assert len(rows) == len(first_cells(own))
    return {name: (default, unit) for name, default, unit in rows}


def test_fixed_limits_are_those_of_the_core() -> None:
    core = pages.DOCS.parent / "rust" / "anyread-core" / "src"
    rows = re.findall(
        r"^\| .+ \| ([\d,]+)( [KM]iB)? \| `([\w/]+\.rs)`: `(\w+)` \|", text_of("limits.md"), re.MULTILINE
    )
    assert len(rows) > 20
    for number, unit, file, name in rows:
        text = (core / file).read_text("utf-8")
        (value, shift) = re.findall(rf"const {name}: \w+ = ([\d_]+)(?: << (\d+))?;", text)[0]
        most = int(number.replace(",", "")) << {"": 0, " KiB": 10, " MiB": 20}[unit]
        assert most == int(value) << int(shift or 0), name


def test_age_of_each_published_figure_is_known() -> None:
    records = publish.Records.newest()
    lines = list(publish.ages(records, date.fromisoformat(records.measured_on["date"])))
    blocks = re.findall(
        r"<!-- figures: ([\w-]+) -->", "".join(path.read_text("utf-8") for path in publish.DOCUMENTS)
    )
    assert [re.search(r", ([\w-]+):", line)[1] for line in lines] == ["scoreboard", "verdicts", *blocks]  # type: ignore[index]
    assert f"docs/performance.md, targets: measured {records.measured_on['date']}, 0 days ago" in lines
    assert all(re.search(r": (measured [\d-]+, -?\d+ days ago|not recorded)$", line) for line in lines)


def test_pages_name_every_gutter() -> None:
    for name in GUTTERS:
        assert f"`{name}`" in text_of("command-line.md")
        assert f"| `{name.upper().replace('-', '_')}`" in (anyread.Gutter.__doc__ or "")


def test_page_lists_every_limit_with_its_default() -> None:
    limits = anyread.Limits()
    for name, (default, _) in rows_of_limits().items():
        value = getattr(limits, name)
        is_count = isinstance(value, int) and not isinstance(value, bool)
        shown = f"{value:,}" if is_count else f'`"{value}"`' if isinstance(value, str) else f"`{value}`"
        assert default == shown, name
    assert sorted(rows_of_limits()) == sorted(field.name for field in fields(limits))


@pytest.mark.parametrize("page", tables.PAGES, ids=lambda page: page.stem)
def test_tables_are_those_of_the_code(page: Path) -> None:
    """`make docs` writes them."""
    assert tables.with_tables(page) == page.read_text("utf-8")


def test_page_of_models_has_every_name() -> None:
    for name in NAMES:
        assert f"`{name}`" in text_of("models.md"), name


def test_table_of_originals_is_that_of_the_recorded_calls() -> None:
    page = text_of("contracts/index.md")
    assert page.count("| [`claude-code`](claude-code.md) | `@anthropic-ai/claude-code` 2.") == 1


@pytest.mark.parametrize("page", tables.PAGES_WITH_VERSIONS, ids=lambda page: page.stem)
def test_versions_of_the_originals_are_those_of_the_contracts(page: Path) -> None:
    """`make docs` writes them."""
    text = page.read_text("utf-8")
    assert tables.with_versions(text) == text


def test_page_of_a_contract_names_its_version() -> None:
    shown = "".join(page.read_text("utf-8") for page in tables.PAGES_WITH_VERSIONS)
    for name, version in tables.references().items():
        assert re.search(rf"{re.escape(name)}(` |==|@){version}", shown), name


def sections() -> dict[str, str]:
    """Return the section of each class of errors."""
    found = {}
    for section in re.split(r"^### ", text_of("errors.md"), flags=re.MULTILINE)[1:]:
        heading, body = section.split("\n", 1)
        name = re.match(r"\n`(\w+)`", body)
        assert name is not None, heading
        found[name[1]] = f"{heading}\n{body}"
    return found


def test_page_has_a_section_for_every_error_and_lists_it() -> None:
    assert sorted(sections()) == sorted(leaf.__name__ for leaf in LEAVES)

"""The tables of the documentation are complete, and say what the code does."""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest
from PIL import Image
from website import tables

import anyread
import pages
from anyread import errors
from anyread.errors.base import tree
from anyread.model import PRESETS
from anyread.named_models import NAMES
from anyread.results import notices
from media import encoded

LEAVES = list(tree())[1:]


def text_of(page: str) -> str:
    return (pages.DOCS / page).read_text("utf-8")


def first_cells(text: str) -> list[str]:
    """Return the names in the first column of all tables."""
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


# ------------------------------------------------------------------------------------------------------------
# docs/limits.md


def rows_of_limits() -> dict[str, tuple[str, str]]:
    """Return the default and the unit of each limit on the page."""
    own = text_of("limits.md").split("\n## Limits in other places\n")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\S+) \| ([\w –-]+) \| .+ \|$", own, re.MULTILINE)
    assert len(rows) == len(first_cells(own))
    return {name: (default, unit) for name, default, unit in rows}


def test_page_lists_every_limit_with_its_default() -> None:
    limits = anyread.Limits()
    for name, (default, _) in rows_of_limits().items():
        value = getattr(limits, name)
        is_count = isinstance(value, int) and not isinstance(value, bool)
        shown = f"{value:,}" if is_count else f'`"{value}"`' if isinstance(value, str) else f"`{value}`"
        assert default == shown, name
    assert sorted(rows_of_limits()) == sorted(field.name for field in fields(limits))


def test_units_of_limits_are_those_in_their_names() -> None:
    for name, (_, unit) in rows_of_limits().items():
        for part, expected in {
            "bytes": "bytes",
            "tokens": "tokens",
            "lines": "lines",
            "pixels": "pixels",
        }.items():
            if name.endswith(f"_{part}"):
                assert unit == expected, name
        assert (unit == "seconds") == name.endswith("_s"), name


# ------------------------------------------------------------------------------------------------------------
# docs/models.md


def test_tables_of_models_are_those_of_the_code() -> None:
    """`make docs` writes them."""
    page = text_of("models.md")
    assert tables.with_tables(page) == page
    for name in NAMES:
        assert f"`{name}`" in page, name


def test_forged_table_of_models_is_found() -> None:
    page = text_of("models.md")
    assert (
        tables.with_tables(page.replace("| 1,120 |", "| 1,121 |")) == page != page.replace("1,120", "1,121")
    )


@pytest.mark.slow
def test_images_are_sent_at_the_size_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(encoded(Image.new("L", tables.CHART), "PNG"))
    models = {
        tables.size_sent(model): model for model in map(anyread.Model.named, NAMES) if model.image_tokens
    }
    models |= {tables.size_sent(make()): make() for make in PRESETS.values() if "image" in make().inputs}
    assert len(models) > 4
    for size, model in models.items():
        block = anyread.Reader(model=model).read_sync(path).blocks[1]
        assert isinstance(block, anyread.ImageBlock)
        assert (block.width, block.height) == size


# ------------------------------------------------------------------------------------------------------------
# docs/errors.md


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
    page = text_of("errors.md")
    assert tables.with_tables(page) == page


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.__name__)
def test_section_of_an_error_is_complete(leaf: type[errors.ReadError]) -> None:
    section = sections()[leaf.__name__]
    assert section.startswith(f"`{leaf.code}`")
    builtins = [base.__name__ for base in leaf.__mro__ if base.__module__ == "builtins"]
    _, _, about, *_ = section.split("\n")
    assert re.findall(r"also an? `(\w+)`", about) == builtins[:1]
    arguments = signature(leaf.__init__).parameters.values()
    data = [each.name for each in arguments if each.kind is each.KEYWORD_ONLY]
    assert re.findall(r"`(\w+)`", about.partition(" Data: ")[2]) == data
    for part in ("Cause", "Fix", "Next call"):
        assert re.search(rf"^- \*\*{part}\*\*: \S.*\.$", section, re.MULTILINE), part
    *_, output = re.findall(r"^```text\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    refused, hint, *then = output.splitlines()
    assert refused.startswith(f"{leaf.code}: ")
    # The second line of a contract's own wording is not a hint.
    assert hint.startswith("hint: ") or leaf is errors.StaleReadError
    assert then or leaf is errors.StaleReadError


# ------------------------------------------------------------------------------------------------------------
# docs/output.md


def test_table_of_notices_is_complete() -> None:
    section = text_of("output.md").split("\n## Notices\n")[1]
    assert first_cells(section) == sorted(notices._SENTENCES)

"""The site of the documentation: its pages, its reference, and the checks of `make docs`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from website import check, reference, stage

import anyread
from anyread import adapters, batch, errors, integrations


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site") / "docs"
    stage.stage(directory)
    return directory


def test_navigation_lists_every_page(staged: Path) -> None:
    configuration = stage.CONFIGURATION.read_text("utf-8")
    listed = re.findall(r": ([\w/-]+\.md)$", configuration, re.MULTILINE)
    pages = [path.relative_to(staged).as_posix() for path in staged.rglob("*.md")]
    assert sorted(listed) == sorted(pages)


def test_links_of_pages_lead_to_pages(staged: Path) -> None:
    for path in staged.rglob("*.md"):
        prose = stage.CODE.sub("", path.read_text("utf-8"))
        for found in stage.LINK.finditer(prose):
            target = found["target"].partition("#")[0]
            assert not target or "://" in target or (path.parent / target).exists(), (path, target)


def test_links_to_other_files_become_their_names(tmp_path: Path) -> None:
    source = tmp_path / "docs" / "page.md"
    source.parent.mkdir()
    source.write_text("[a.rs](../a.rs) [the code](../a.rs) [b](b.md#c) [d](https://e.f) `[g](../h)`\n")
    names = {(source.parent / "b.md").resolve(): "under/b.md"}
    shown = stage.staged("page.md", source, names)
    assert shown == "`a.rs` the code [b](under/b.md#c) [d](https://e.f) `[g](../h)`\n"


def test_reference_has_every_public_name() -> None:
    named = [name for part in reference.PARTS for name in part.names]
    assert len(named) == len(set(named))
    modules = {"adapters", "batch", "integrations", "tools", "__version__"}
    expected = {f"anyread.{name}" for name in anyread.__all__ if name not in modules}
    expected |= {f"anyread.adapters.{name}" for name in adapters.__all__}
    expected |= {f"anyread.integrations.{name}" for name in integrations.__all__}
    expected |= {f"anyread.batch.{name}" for name in batch.__all__}
    expected |= {f"anyread.errors.{name}" for name in vars(errors)["__all__"] if name not in anyread.__all__}
    assert set(named) == expected


# ------------------------------------------------------------------------------------------------------------
# The checks of the built site


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a site of one page without problems."""
    monkeypatch.setattr(check, "STAGE", tmp_path / "docs")
    monkeypatch.setattr(reference, "PARTS", ())
    site = tmp_path / "site"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# One\n")
    (site / "reference").mkdir(parents=True)
    (site / "index.html").write_text('<h1 id="one">One</h1><a href="#one">x</a><a href="https://a.b">y</a>')
    (site / "search.json").write_text(json.dumps({"items": [{"location": "index.html#one"}]}))
    return site


def test_site_without_problems_passes(site: Path) -> None:
    assert list(check.problems(site)) == []


@pytest.mark.parametrize(
    ("added", "problem"),
    [
        ('<a href="#two">x</a>', "index.html links to #two, which has no such anchor"),
        ('<a href="two.html">x</a>', "index.html links to two.html, which does not exist"),
        ('<img src="a.png">', "index.html links to a.png, which does not exist"),
        ('<script src="https://a.b/c.js"></script>', "index.html loads https://a.b/c.js"),
        ('<link rel="stylesheet" href="https://a.b/c.css">', "index.html loads https://a.b/c.css"),
    ],
)
def test_problem_of_a_page_is_found(site: Path, added: str, problem: str) -> None:
    with (site / "index.html").open("a") as page:
        page.write(added)
    assert list(check.problems(site)) == [problem]


def test_page_that_is_missing_or_cannot_be_found_is_a_problem(site: Path) -> None:
    (site.parent / "docs" / "two.md").write_text("# Two\n")
    assert list(check.problems(site)) == ["two.html is missing", "the search does not find two.html"]


def test_style_sheet_that_loads_a_font_is_a_problem(site: Path) -> None:
    (site / "a.css").write_text("@import url('https://fonts.example/a.css');")
    assert list(check.problems(site)) == ["a.css loads https://fonts.example/a.css"]


def test_name_without_a_place_in_the_reference_is_a_problem(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = reference.Part("reading.md", "Reading", "", ("anyread.read",))
    monkeypatch.setattr(reference, "PARTS", (part,))
    assert list(check.problems(site)) == ["anyread.read is not in the reference"]

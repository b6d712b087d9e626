"""Links of the documentation lead to files and headings that exist."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers import pages
from helpers.readme import ROOT

ROOT_PAGES = [
    ROOT / name for name in ("ARCHITECTURE.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")
]
PAGES = [*pages.PAGES, *ROOT_PAGES]
LINK = re.compile(r"(?<!!)\[(?P<text>[^]\n]*)\]\((?P<target>[^)\s]+)\)|!\[[^]]*\]\((?P<image>[^)\s]+)\)")


def prose(page: Path) -> str:
    """Return the text of a page without code."""
    text = pages.FENCE.sub("", page.read_text("utf-8"))
    return re.sub(r"(`+)(?:(?!\1).)+\1", "", text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    text = pages.FENCE.sub("", page.read_text("utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def slug(heading: str) -> str:
    """Return the anchor of a heading."""
    plain = unicodedata.normalize("NFKD", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading))
    return re.sub(r"[^\w\s-]", "", plain).strip().lower().replace(" ", "-")


def links(page: Path) -> Iterator[str]:
    """Yield the targets on this machine."""
    for found in LINK.finditer(prose(page)):
        target = found["target"] or found["image"]
        if "://" not in target and not target.startswith("mailto:"):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=pages.name_of)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for target in links(page):
        name, _, anchor = target.partition("#")
        there = (page.parent / name) if name else page
        if not there.exists() or (anchor and (there.suffix != ".md" or anchor not in anchors(there))):
            broken.append(target)
    assert broken == []


def test_every_page_can_be_reached_from_the_first_one() -> None:
    reached: set[Path] = set()
    waiting = [pages.DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        targets = {(page.parent / target.partition("#")[0]).resolve() for target in links(page)}
        waiting += [target for target in targets if target.is_file()]
    assert [pages.name_of(page) for page in pages.PAGES if page not in reached] == []

"""Check the built site: `python -m website.check`.

Every link and anchor leads to something, no page loads anything from elsewhere, the search knows every page,
and every public name has its place in the API reference.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from website import reference
from website.stage import NOT_SEARCHED, ROOT, STAGE

SITE = ROOT / "target" / "site"
LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""Elements and attributes whose files a browser loads by itself."""


class Page(HTMLParser):
    """The anchors, the links and the loaded files of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what an element has."""
        values = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        relation = values.get("rel") or ""
        for name, value in values.items():
            if value and (tag, name) in LOADED and relation not in {"canonical", "prev", "next", "edit"}:
                self.loaded.add(value)
            elif value and (tag, name) == ("a", "href"):
                self.links.add(value)


def problems(site: Path = SITE) -> Iterator[str]:
    """Yield what is wrong with the site, one sentence each."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    expected = {path.relative_to(STAGE).with_suffix(".html").as_posix() for path in STAGE.rglob("*.md")}
    built = {path.relative_to(site).as_posix() for path in pages} - {"404.html"}
    yield from (f"{name} is missing" for name in sorted(expected - built))
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        for target in sorted(page.links | page.loaded):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in page.loaded and parts.scheme != "data":
                    yield f"{name} loads {target}"
            elif name != "404.html":
                there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
                if not there.exists():
                    yield f"{name} links to {target}, which does not exist"
                elif (
                    parts.fragment and there in pages and unquote(parts.fragment) not in pages[there].anchors
                ):
                    yield f"{name} links to {target}, which has no such anchor"
    for style in sorted(site.rglob("*.css")):
        for target in re.findall(r"(?:@import|url\()\s*[\"']?(https?:[^\"')]+)", style.read_text("utf-8")):
            yield f"{style.relative_to(site)} loads {target}"
    yield from _missing_from_search(site, expected)
    anchors = {anchor for path in (site / "reference").glob("*.html") for anchor in pages[path].anchors}
    for part in reference.PARTS:
        yield from (f"{each} is not in the reference" for each in part.names if each not in anchors)


def _missing_from_search(site: Path, expected: set[str]) -> Iterator[str]:
    index = json.loads((site / "search.json").read_text("utf-8"))
    found = {item["location"].partition("#")[0] for item in index["items"]}
    searched = {name for name in expected if not NOT_SEARCHED.fullmatch(name.removesuffix("html") + "md")}
    yield from (f"the search does not find {name}" for name in sorted(searched - found))
    yield from (f"the search finds {name}" for name in sorted(found - searched))


def main() -> None:
    """Print what is wrong, and exit with 1 if anything is."""
    found = list(problems())
    for problem in found:
        print(problem, file=sys.stderr)
    pages = len(list(SITE.rglob("*.html")))
    print(f"{SITE.relative_to(ROOT)}: {pages} pages, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

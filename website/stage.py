"""Copy the pages of the site to target/docs: `python -m website.stage`.

The Markdown files in the repository stay readable there. Their copies differ in three ways:

- links to files that are no pages of the site become names of files;
- the name of a framework after a fence is removed;
- pages for contributors are excluded from the search, so that guides come first.

The pages of the API reference are added.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from website import reference

import anyread

ROOT = Path(__file__).parents[1]
STAGE = ROOT / "target" / "docs"
CONFIGURATION = ROOT / "website" / "mkdocs.yml"
"""Copied to target, because the generator requires its directories next to it."""

ROOT_PAGES = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
}
"""Pages in the root of the repository, and their names on the site."""
NOT_SEARCHED = re.compile(
    r"design/.*|(architecture|catalogue|changelog|conformance|contributing|releasing|reporting)\.md"
)
"""Pages for contributors."""

FENCE = re.compile(r"^( *```)(\w+) \w+$", re.MULTILINE)
CODE = re.compile(r"^ *```.*?^ *```$|(`+)(?:(?!\1).)+?\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[(?P<text>[^]\n]+)\]\((?P<target>[^)\s]+)\)")


def sources() -> dict[str, Path]:
    """Return the file of each page and image by its name on the site."""
    docs = ROOT / "docs"
    found = {
        path.relative_to(docs).as_posix(): path
        for path in sorted(docs.rglob("*"))
        if path.suffix in {".md", ".png", ".svg"}
    }
    return found | {name: ROOT / source for source, name in ROOT_PAGES.items()}


def staged(name: str, source: Path, names: dict[Path, str]) -> str:
    """Return the text of a page as it is on the site; `names` has the name of each page on the site."""

    def link(found: re.Match[str]) -> str:
        text, target = found["text"], found["target"]
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        there = names.get((source.parent / path).resolve())
        if there is None:
            # Of a file that is no page, the reader gets the name; a code span is already one.
            return text if text.startswith("`") else f"`{text}`" if re.fullmatch(r"[\w./-]+", text) else text
        relative = os.path.relpath(there, Path(name).parent).replace(os.sep, "/")
        return f"[{text}]({relative}{'#' if anchor else ''}{anchor})"

    text = FENCE.sub(r"\1\2", source.read_text("utf-8"))
    if NOT_SEARCHED.fullmatch(name):
        text = f"---\nsearch:\n  exclude: true\n---\n{text}"
    in_code = {position for code in CODE.finditer(text) for position in range(*code.span())}
    return LINK.sub(lambda found: found[0] if found.start() in in_code else link(found), text)


def stage(directory: Path = STAGE) -> list[str]:
    """Write all pages to a directory, which is replaced, and return their names."""
    shutil.rmtree(directory, ignore_errors=True)
    found = sources()
    names = {source.resolve(): name for name, source in found.items()}
    for name, source in found.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(staged(name, source, names), "utf-8")
        else:
            shutil.copyfile(source, target)
    (directory / "reference").mkdir()
    for name, text in reference.pages():
        (directory / "reference" / name).write_text(text, "utf-8")
    (directory / "assets").mkdir(exist_ok=True)
    shutil.copyfile(ROOT / "website" / "style.css", directory / "assets" / "style.css")
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*.md"))


if __name__ == "__main__":
    stage()
    configuration = CONFIGURATION.read_text("utf-8").replace(
        'release: ""', f'release: "{anyread.__version__}"'
    )
    (STAGE.parent / CONFIGURATION.name).write_text(configuration, "utf-8")

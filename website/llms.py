"""Write what others read of the built site: `python -m website.llms`.

Models read `llms.txt` and the Markdown of each page, next to its HTML. The format is that of
https://llmstxt.org, read on 2026-11-26. The search reads an index, in which guides come before the reference.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator

from website.stage import CONFIGURATION, ROOT, STAGE

SITE = ROOT / "target" / "site"
FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def index() -> Iterator[str]:
    """Yield the parts of `llms.txt`: what the project is, and each page of the navigation by section."""
    title, about, *_ = (STAGE / "index.md").read_text("utf-8").split("\n\n")
    yield title
    yield "> " + about.replace("\n", " ")
    navigation = CONFIGURATION.read_text("utf-8").split("\nnav:\n")[1]
    for section in re.split(r"^  - ", navigation, flags=re.MULTILINE)[1:]:
        name, _, entries = section.partition(":\n")
        # The format reserves this name for what may be skipped.
        yield f"## {'Optional' if name == 'Project' else name}"
        yield "\n".join(map(_line, re.findall(r"[\w/-]+\.md", entries)))


def _line(page: str) -> str:
    """Return a link to a page, and its first sentence if that is one line; the reference is HTML only."""
    heading, _, text = FRONT_MATTER.sub("", (STAGE / page).read_text("utf-8")).partition("\n")
    first = re.match(r"\n(?!```|Date: |You need: |`anyread\.tool)([^\n|:]+\.)$", text, re.MULTILINE)
    target = re.sub(r"^(reference/.*)\.md$", r"\1.html", page)
    line = f"- [{heading.removeprefix('# ')}]({target})"
    about = LINK.sub(r"\1", first[1]) if first else ""
    return f"{line}: {about}" if about else line


def _guides_first() -> None:
    """Name the reference in the titles of its items: the search prefers a title that begins with a word."""
    path = SITE / "search.json"
    index = json.loads(path.read_text("utf-8"))
    for item in index["items"]:
        if item["location"].startswith("reference/"):
            item["title"] = f"API reference: {item['title'].removeprefix('API reference: ')}"
    path.write_text(json.dumps(index, ensure_ascii=False), "utf-8")


def main() -> None:
    """Write the files."""
    _guides_first()
    (SITE / "llms.txt").write_text("\n\n".join(index()) + "\n", "utf-8")
    for path in STAGE.rglob("*.md"):
        name = path.relative_to(STAGE)
        if name.parts[0] != "reference":
            shutil.copyfile(path, SITE / name)


if __name__ == "__main__":
    main()

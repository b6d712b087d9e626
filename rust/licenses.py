"""Which crates the compiled extension contains, and under which licences: fills THIRD_PARTY_LICENSES.md.

`make licenses` runs it after Cargo.lock has changed, and a test fails until somebody has.
It writes between the document's markers, from what cargo and the crates' own files say; the rest is by hand.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "THIRD_PARTY_LICENSES.md"

TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu")
"""Where wheels are built for; C libraries other than glibc link the same crates."""

ACCEPTED = {
    "MIT": ("LICENSE-MIT", "LICENSE-MIT.md", "LICENSE"),
    "BSD-3-Clause": ("LICENSE-BSD-3-Clause", "LICENSE-WHATWG"),
    "Unicode-3.0": ("LICENSE-UNICODE",),
    "Unicode-DFS-2016": ("LICENSE-UNICODE",),
}
"""The licences that we use crates under, preferred ones first, and the names of their files in crates."""


class UnacceptableLicenseError(Exception):
    """A part comes under no licence of `ACCEPTED`, or without its text."""


class Crate(NamedTuple):
    """A package that is linked into the extension."""

    name: str
    version: str
    expression: str
    repository: str
    folder: Path


class Notice(NamedTuple):
    """What one part asks to be handed on: a licence's text, and whose copyright it is."""

    part: str
    license: str
    copyrights: tuple[str, ...]
    text: str


WITHOUT_FILE = {
    "bpe": "Copyright (c) 2023 GitHub Inc.",
    "bpe-openai": "Copyright (c) 2023 GitHub Inc.",
}
"""Crates under MIT that come without its text, and the copyright that their repository's LICENSE names."""


# Which crates are linked -----------------------------------------------------------------------------------


def cargo(*arguments: str) -> str:
    """Run cargo on this workspace as it is locked, and return what it prints."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked_crates() -> list[Crate]:
    """Return the foreign crates whose code is in the extension on Linux, by name.

    `cargo tree` says which: unlike `cargo metadata` it leaves out optional crates that nobody asks for.
    Macros and what build scripts and tests need are not linked.
    """
    names = {line for target in TARGETS for line in _tree(target)}
    described = json.loads(cargo("metadata", "--format-version=1", f"--filter-platform={TARGETS[0]}"))
    return sorted(
        Crate(
            package["name"],
            package["version"],
            package["license"] or "",
            package["repository"] or "",
            Path(package["manifest_path"]).parent,
        )
        for package in described["packages"]
        if package["source"] is not None and f"{package['name']} v{package['version']}" in names
    )


def _tree(target: str) -> list[str]:
    edges = ("--edges=normal,no-proc-macro", "--prefix=none", "--no-dedupe", "--format={p}")
    return cargo("tree", "--package=anyread-python", f"--target={target}", *edges).splitlines()


# Which licences are used -----------------------------------------------------------------------------------


def chosen(expression: str) -> list[str]:
    """Return accepted licences that together meet an SPDX expression, the preferred ones of a choice."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR ").replace(" WITH ", "-WITH-"))
    licenses = _any_of(tokens)
    if licenses is None or tokens:
        raise UnacceptableLicenseError(f"`{expression}` cannot be met by {', '.join(ACCEPTED)}")
    return licenses


def _any_of(tokens: list[str]) -> list[str] | None:
    options = [_all_of(tokens)]
    while tokens[:1] == ["OR"]:
        del tokens[0]
        options.append(_all_of(tokens))
    order = list(ACCEPTED)
    possible = [option for option in options if option is not None]
    return min(possible, key=lambda option: [order.index(name) for name in option], default=None)


def _all_of(tokens: list[str]) -> list[str] | None:
    parts = [_one(tokens)]
    while tokens[:1] == ["AND"]:
        del tokens[0]
        parts.append(_one(tokens))
    return None if None in parts else [name for part in parts if part is not None for name in part]


def _one(tokens: list[str]) -> list[str] | None:
    if not tokens:
        return None
    first = tokens.pop(0)
    if first != "(":
        return [first] if first in ACCEPTED else None
    inside = _any_of(tokens)
    return inside if tokens and tokens.pop(0) == ")" else None


# What their texts are --------------------------------------------------------------------------------------


def notices_of(crate: Crate) -> Iterator[Notice]:
    """Yield the notices of a crate: of each licence that is used, and of the data among its sources."""
    for license_name in chosen(crate.expression):
        found = [crate.folder / name for name in ACCEPTED[license_name] if (crate.folder / name).is_file()]
        if found:
            yield _notice(crate.name, license_name, found[0].read_text("utf-8"))
        elif license_name == "MIT" and crate.name in WITHOUT_FILE:
            own = _notice("", "MIT", (ROOT / "LICENSE").read_text("utf-8"))
            yield own._replace(part=crate.name, copyrights=(WITHOUT_FILE[crate.name],))
        else:
            raise UnacceptableLicenseError(f"`{crate.name}` has no file with the text of {license_name}")
    # Tables made of Unicode's data have its licence beside them, which the crates' expressions pass over.
    for path in sorted((crate.folder / "src").rglob("LICENSE*")):
        if path.name != "LICENSE-UNICODE":
            raise UnacceptableLicenseError(f"`{crate.name}` has a licence of its own in {path.name}")
        yield _notice(f"{crate.name} (tables of characters)", "Unicode-DFS-2016", path.read_text("utf-8"))


def _notice(part: str, license_name: str, text: str) -> Notice:
    """Split a licence's file into whose copyright it is and the text that others share."""
    lines = [line.rstrip() for line in text.splitlines()]
    copyrights = tuple(
        line for line in lines if re.match(r"Copyright (?!and |holder|notice)", line, re.IGNORECASE)
    )
    rest = "\n".join(line for line in lines if line not in copyrights)
    body = re.sub(r"\A(?:The )?MIT License(?: \(MIT\))?\s*", "", rest.strip(), flags=re.IGNORECASE)
    return Notice(part, license_name, copyrights, re.sub(r"\n{3,}", "\n\n", body))


# The document ----------------------------------------------------------------------------------------------


def document(before: str) -> str:
    """Return the document with what stands between its markers written anew."""
    crates = linked_crates()
    notices = [notice for crate in crates for notice in notices_of(crate)]
    for part, written in (("crates", _table(crates)), ("notices", _texts(notices))):
        start, end = f"<!-- licences: {part} -->\n\n", "\n<!-- end of licences -->"
        head, _, rest = before.partition(start)
        _, found, tail = rest.partition(end)
        if not found:
            raise ValueError(f"{DOCUMENT.name} has lost the markers of its part `{part}`")
        before = f"{head}{start}{written}{end}{tail}"
    return before


def _table(crates: list[Crate]) -> str:
    rows = [(crate.name, crate.version, crate.expression, crate.repository) for crate in crates]
    head = [("crate", "version", "licence", "source"), ("---",) * 4]
    return "".join(f"| {' | '.join(row)} |\n" for row in head + rows)


def _texts(notices: list[Notice]) -> str:
    """Return each licence's text once, below all who use it; how lines are broken makes no other text."""
    alike: dict[tuple[int, str], list[Notice]] = {}
    for notice in notices:
        rank = list(ACCEPTED).index(notice.license)
        alike.setdefault((rank, " ".join(notice.text.lower().split())), []).append(notice)
    sections = []
    for _, group in sorted(alike.items()):
        owners = "".join(f"- {each.part}: {'; '.join(each.copyrights) or 'its authors'}\n" for each in group)
        sections.append(f"### {group[0].license}\n\n{owners}\n```text\n{group[0].text}\n```\n")
    return "\n".join(sections)


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text("utf-8")), "utf-8")

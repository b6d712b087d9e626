"""List the crates in the compiled extension and their licenses in THIRD_PARTY_LICENSES.md.

Run it with `make licenses` after Cargo.lock has changed; a test fails until the document is up to date.
The text between the document's markers is generated from cargo and the crates' files; the rest is manual.
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

TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
"""The targets for which wheels are built; with C libraries other than glibc, the same crates are linked."""

ACCEPTED = {
    "MIT": ("LICENSE-MIT", "LICENSE-MIT.md", "LICENSE", "LICENSE.md", "license-mit"),
    "BSD-3-Clause": ("LICENSE-BSD-3-Clause", "LICENSE-WHATWG"),
    "Unicode-3.0": ("LICENSE-UNICODE",),
    "Unicode-DFS-2016": ("LICENSE-UNICODE",),
}
"""The licenses under which crates are used, preferred ones first, and the names of their files in crates."""


class UnacceptableLicenseError(Exception):
    """A part has no license of `ACCEPTED`, or lacks the license text."""


class Crate(NamedTuple):
    """A package that is linked into the extension."""

    name: str
    version: str
    expression: str
    repository: str
    directory: Path


class Notice(NamedTuple):
    """What must be distributed with one part: the license text and the copyright lines."""

    part: str
    license: str
    copyrights: tuple[str, ...]
    text: str


# Which crates are linked -----------------------------------------------------------------------------------


def cargo(*arguments: str) -> str:
    """Run cargo on this workspace with `--locked`, and return its output."""
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def linked_crates() -> list[Crate]:
    """Return the third-party crates whose code is in the extension of any platform, sorted by name.

    They are selected by `cargo tree`, because `cargo metadata` also lists optional crates that are not used.
    Procedural macros and dependencies of build scripts and tests are not linked.
    """
    names = {line for target in TARGETS for line in _tree(target)}
    described = json.loads(cargo("metadata", "--format-version=1"))
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


# Which licenses are used -----------------------------------------------------------------------------------


def chosen(expression: str) -> list[str]:
    """Return accepted licenses that satisfy an SPDX expression, preferred ones if there is a choice."""
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


# License texts ---------------------------------------------------------------------------------------------


def notices_of(crate: Crate) -> Iterator[Notice]:
    """Yield the notices of a crate: one for each license that is used, and one for data in its sources."""
    for license_name in chosen(crate.expression):
        found = [
            crate.directory / name for name in ACCEPTED[license_name] if (crate.directory / name).is_file()
        ]
        if found:
            yield _notice(crate.name, license_name, found[0].read_text("utf-8"))
        else:
            raise UnacceptableLicenseError(f"`{crate.name}` has no file with the text of {license_name}")
    # Tables generated from Unicode's data have its license next to them, which crates' expressions omit.
    for path in sorted((crate.directory / "src").rglob("LICENSE*")):
        if path.name != "LICENSE-UNICODE":
            raise UnacceptableLicenseError(f"`{crate.name}` has a license of its own in {path.name}")
        yield _notice(f"{crate.name} (tables of characters)", "Unicode-DFS-2016", path.read_text("utf-8"))


def _notice(part: str, license_name: str, text: str) -> Notice:
    """Split a license file into the copyright lines and the text that other crates share."""
    lines = [line.rstrip() for line in text.splitlines()]
    copyrights = tuple(
        line for line in lines if re.match(r"Copyright (?!and |holder|notice)", line, re.IGNORECASE)
    )
    rest = "\n".join(line for line in lines if line not in copyrights)
    body = re.sub(r"\A(?:The )?MIT License(?: \(MIT\))?\s*", "", rest.strip(), flags=re.IGNORECASE)
    return Notice(part, license_name, copyrights, re.sub(r"\n{3,}", "\n\n", body))


# The document ----------------------------------------------------------------------------------------------


def document(before: str) -> str:
    """Return the document with the text between its markers regenerated."""
    crates = linked_crates()
    notices = [notice for crate in crates for notice in notices_of(crate)]
    for part, written in (("crates", _table(crates)), ("notices", _texts(notices))):
        start, end = f"<!-- licenses: {part} -->\n\n", "\n<!-- end of licenses -->"
        head, _, rest = before.partition(start)
        _, found, tail = rest.partition(end)
        if not found:
            raise ValueError(f"{DOCUMENT.name} has lost the markers of its part `{part}`")
        before = f"{head}{start}{written}{end}{tail}"
    return before


def _table(crates: list[Crate]) -> str:
    rows = [(crate.name, crate.version, crate.expression, crate.repository) for crate in crates]
    head = [("crate", "version", "license", "source"), ("---",) * 4]
    return "".join(f"| {' | '.join(row)} |\n" for row in head + rows)


def _texts(notices: list[Notice]) -> str:
    """Return each license text once, below the parts that use it; texts may differ in their line breaks."""
    by_text: dict[tuple[int, str], list[Notice]] = {}
    for notice in notices:
        rank = list(ACCEPTED).index(notice.license)
        by_text.setdefault((rank, " ".join(notice.text.lower().split())), []).append(notice)
    sections = []
    for _, group in sorted(by_text.items()):
        owners = "".join(f"- {each.part}: {'; '.join(each.copyrights) or 'its authors'}\n" for each in group)
        sections.append(f"### {group[0].license}\n\n{owners}\n```text\n{group[0].text}\n```\n")
    return "\n".join(sections)


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text("utf-8")), "utf-8")

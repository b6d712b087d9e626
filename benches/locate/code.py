"""The sources of code, and what tasks about it have in common: hits of a search, and errors of compilers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .making import Making, Span

_MOST_LINES = 150
MOST_FRAMES = 5
USED: dict[str, list[Any]] = json.loads((Path(__file__).parent / "code.json").read_text("utf-8"))
"""The packages, and programs that fail inside them."""


def packages(m: Making) -> None:
    """Unpack the sources."""
    for name, version, file, base in USED["pypi"]:
        m.tree(
            "pypi",
            name,
            version,
            file,
            "py",
            "*.py",
            base=base,
            without=("*/tests/*", "tests/*", "*/_vendor/*"),
        )
    for name, version in USED["npm"]:
        globs = (
            ("package.json", "*.js", "*.json", "*.cjs")
            if name != "typescript"
            else ("package.json", "lib/*.js")
        )
        without = ("*/locales/*", "*.map", "*.min.js", "docs/*")
        m.tree(
            "npm",
            name,
            version,
            f"{name}-{version}.tgz",
            f"node/node_modules/{name}",
            *globs,
            without=without,
        )
    m.tree("npm", "rxjs", "7.8.2", "rxjs-7.8.2.tgz", "ts/rxjs", "src/internal/*.ts", "src/index.ts")
    m.tree(
        "npm", "zod", "4.1.5", "zod-4.1.5.tgz", "ts/zod", "src/v4/*.ts", without=("*/tests/*", "*/locales/*")
    )
    for name, version in USED["crates"]:
        m.tree("crates", name, version, f"{name}-{version}.crate", f"rust/{name}", "src/*.rs")
    for name, module, version in USED["go"]:
        file = f"{name}-{version}.zip"
        m.tree(
            "go",
            module,
            version,
            file,
            f"go/{name}",
            "*.go",
            "go.mod",
            base=f"{module}@{version}/",
            without=("*_test.go",),
        )
    for name, artifact, version in USED["maven"]:
        file = f"{artifact.partition(':')[2]}-{version}-sources.jar"
        m.tree(
            "maven",
            artifact,
            version,
            file,
            f"java/{name}",
            "*.java",
            without=("module-info.java", "META-INF/*"),
        )
    m.tree(
        "crates",
        "libz-sys",
        "1.1.22",
        "libz-sys-1.1.22.crate",
        "c/zlib",
        "*.c",
        "*.h",
        base="src/zlib/",
        without=("contrib/*", "test/*", "examples/*"),
    )
    m.tree(
        "npm",
        "leveldown",
        "6.1.1",
        "leveldown-6.1.1.tgz",
        "cpp/leveldb",
        "*.cc",
        "*.h",
        base="deps/leveldb/leveldb-1.20/",
        without=("*_test.cc",),
    )


def hits(
    m: Making,
    family: str,
    directory: str,
    glob: str,
    patterns: Sequence[str],
    spans: Callable[[list[tuple[str, int]]], Sequence[Span | None]],
) -> None:
    """What a search for a pattern prints, some of its hits."""
    for pattern in patterns:
        out = m.run("rg", "-n", "--no-heading", "--sort", "path", "-g", glob, pattern, directory)
        found = [line.split(":", 2) for line in out.splitlines() if line.count(":") >= 2]
        chosen = [(path, int(line)) for path, line, _ in m.draw.sample(found, 24)]
        good = [
            (place, span)
            for place, span in zip(chosen, spans(chosen), strict=True)
            if span and 0 < span[1] - span[0] < _MOST_LINES
        ]
        kept = m.draw.sample(good, m.draw.choice((1, 3, 5, 8)))
        if kept:
            said = "\n".join(f"{path}:{line}:{m.lines(path)[line - 1]}" for (path, line), _ in kept)
            m.task(family, said, [m.at(path, line, span) for (path, line), span in kept])


def broken(m: Making, paths: Sequence[str], line: str, before: str, after: str, each: int = 2) -> list[str]:
    """Put an unknown name into some lines of files, and return the files."""
    changed = []
    earlier = {edit["path"] for edit in m.header["edits"]}
    for path in (each for each in paths if each not in earlier):
        places = [number for number, text in enumerate(m.lines(path), 1) if re.match(line, text)]
        if places:
            changes = [
                {"line": number, "pattern": before, "with": after} for number in m.draw.sample(places, each)
            ]
            m.edit(path, changes)
            changed.append(path)
    return changed


def compiled(
    m: Making,
    family: str,
    said: list[str],
    pattern: str,
    directory: str,
    spans: Callable[[list[tuple[str, int]]], list[Span]],
) -> None:
    """What a compiler prints about the unknown names."""
    places: dict[tuple[str, int], str] = {}
    for line in said:
        found = re.search(pattern, line)
        if found:
            path = (
                found[1] if found[1].startswith(directory) else f"{directory}/{found[1].removeprefix('./')}"
            )
            places.setdefault((m.name(path) if path.startswith("/") else path, int(found[2])), line)
    chosen = list(places)[:MOST_FRAMES]
    if chosen:
        wants = [m.at(*place, span) for place, span in zip(chosen, spans(chosen), strict=True)]
        m.task(family, "\n".join(places[place] for place in chosen), wants)

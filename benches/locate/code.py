"""Tasks over code: stack traces, errors of compilers, and hits of a search; `code.json` has the packages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .golds import Golds
from .making import Making, Span

_MOST_LINES = 150
MOST_FRAMES = 5
USED: dict[str, Any] = json.loads((Path(__file__).parent / "code.json").read_text("utf-8"))
"""The packages, programs that fail inside them, and what compilers and searches are asked."""
Spans = Callable[[list[tuple[str, int]]], Sequence[Span | None]]
"""Returns the functions around places."""


def packages(m: Making) -> None:
    """Unpack the sources."""
    for tree in USED["trees"]:
        m.tree(**tree)


def language(m: Making, golds: Golds, name: str) -> None:
    """Stack traces, errors of the compiler, and hits in a language."""
    spans: Spans = getattr(golds, {"node": "javascript", "cpp": "c"}.get(name, name))
    traces = {"go": _panics, "node": _node_traces, "java": _java_traces}.get(name)
    if traces is not None:
        traces(m, spans)
    for row in USED["errors"][name]:
        errors(m, row, spans, golds.tools)
    for row in USED["hits"][name]:
        hits(m, spans, *row)


def hits(m: Making, spans: Spans, family: str, directory: str, glob: str, patterns: Iterable[str]) -> None:
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


def errors(m: Making, row: dict[str, Any], spans: Spans, tools: Path) -> None:
    """What a compiler prints about unknown names in some lines of files."""
    name = row["after"].strip(":=; ")
    directory = row["in"]
    files = [m.name(path) for path in sorted(m.root.glob(row["files"]))]
    fitting = [path for path in files if row.get("least", 0) < len(m.lines(path)) < row.get("most", 10**9)]
    command = [word.replace("{tools}", str(tools)) for word in row["command"]]
    for _ in range(row.get("rounds", 1)):
        edited = {edit["path"] for edit in m.header["edits"]}
        fresh = [path for path in fitting if path not in edited]
        changed = _broken(m, m.draw.sample(fresh, row["sample"]), row)
        given = [path.removeprefix(f"{directory}/") for path in changed] if "is_given_files" in row else []
        out = m.run(*command, *given, cwd=directory, GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
        places: dict[tuple[str, int], str] = {}
        for found in filter(None, (re.search(row["place"], line) for line in out.splitlines() if changed)):
            path = m.name((m.root / directory / found[1]).resolve())
            if path in changed and name in m.lines(path)[int(found[2]) - 1]:
                places.setdefault((path, int(found[2])), found.string)
        _task(m, row["family"], places, spans, "\n".join(list(places.values())[:MOST_FRAMES]), MOST_FRAMES)


def _broken(m: Making, paths: Iterable[str], row: dict[str, Any]) -> list[str]:
    """Put an unknown name into some lines of files, and return the files."""
    changed = []
    for path in paths:
        lines = [number for number, text in enumerate(m.lines(path), 1) if re.match(row["line"], text)]
        if lines:
            chosen = m.draw.sample(lines, row.get("lines", 2))
            m.edit(path, [{"line": n, "pattern": row["before"], "with": row["after"]} for n in chosen])
            changed.append(path)
    return changed


def _task(
    m: Making,
    family: str,
    places: Iterable[tuple[str, int]],
    spans: Spans,
    said: str,
    most: int,
    longest: int = 10**9,
) -> None:
    chosen = list(dict.fromkeys(places))[:most]
    found = zip(chosen, spans(chosen), strict=True) if chosen else ()
    wants = [m.at(*place, span) for place, span in found if span and span[1] - span[0] < longest]
    if wants:
        m.task(family, said, wants)


def _frames(m: Making, pattern: str, out: str) -> list[tuple[str, int]]:
    found = re.findall(pattern, out)
    return [(m.name(path), int(line)) for path, line, *_ in found if path.startswith(str(m.root))]


def _panics(m: Making, spans: Spans) -> None:
    source = next(tree for tree in m.header["trees"] if tree["to"] == "go/yaml")
    for k, function in enumerate(
        ("scalar", "mapping", "sequence", "unmarshal", "document", "callUnmarshaler")
    ):
        directory = f"go/panic{k}"
        m.again(source, directory)
        path = f"{directory}/decode.go"
        lines = enumerate(m.lines(path), 1)
        line = next((n for n, text in lines if text.startswith(f"func (d *decoder) {function}(")), None)
        if line is not None:
            panic = ["\tif true {", '\t\tpanic("unexpected state")', "\t}"]
            m.edit(path, [{"line": line + 1, "insert": panic}])
            m.made(f"{directory}/cmd/main.go", "text", text=USED["go program"])
            out = m.run("go", "run", "./cmd", cwd=directory, GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
            _task(m, "go-panic", _frames(m, r"\t(/\S+\.go):(\d+)", out), spans, out, 6)


def _node_traces(m: Making, spans: Spans) -> None:
    for code in USED["node"]:
        out = m.run("node", "--stack-trace-limit=12", "-e", code, cwd="node")
        places = _frames(m, r"\(?(/[^\s():]+\.c?js):(\d+):(\d+)\)?", out)
        # Those of the TypeScript compiler have one function of 50,000 lines around all others.
        _task(m, "node-traces", places, spans, out, MOST_FRAMES, 400)


def _java_traces(m: Making, spans: Spans) -> None:
    names = ("Engine", "Store", "Wire")
    for k in range(6):
        depth = 3 * m.draw.between(2, 4)
        for index, name in enumerate(names):
            m.made(
                f"java/app{k}/{name}.java",
                "java",
                package=f"app{k}",
                name=name,
                following=names[(index + 1) % 3],
                depth=depth,
                seed=f"{m.seed} java {k} {name}",
            )
        classes = f"/tmp/classes-{m.seed}-{k}"
        m.run("javac", "-d", classes, *(f"java/app{k}/{name}.java" for name in names))
        out = m.run("java", "-cp", classes, f"app{k}.Engine")
        frames = re.findall(r"\((\w+)\.java:(\d+)\)", out)
        places = [(f"java/app{k}/{name}.java", int(line)) for name, line in frames]
        _task(m, "java-traces", places, spans, f"{out}sources in /w/java/app{k}", 6)

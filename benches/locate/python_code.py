"""Tasks over Python: frames of tracebacks, hits, errors of mypy, modules, names of files, and mistakes."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

from .code import MOST_FRAMES, USED, hits
from .golds import python_function, python_statement
from .making import Making, Span


def tracebacks(m: Making) -> None:
    """Frames of Python tracebacks through packages."""
    for number, code in enumerate(USED["python"]):
        script = f"run/try{number}.py"
        m.made(script, "text", text=code + "\n")
        out = m.run(sys.executable, str(m.root / script), PYTHONPATH=str(m.root / "py"))
        out = "Traceback" + out.rpartition("Traceback")[2]
        frames = re.findall(r'File "([^"]+)", line (\d+)', out)
        places = dict.fromkeys(
            (m.name(path), int(line)) for path, line in frames if path.startswith(f"{m.root}/py/")
        )
        spans = {place: python_function(m, *place) for place in list(places)[-MOST_FRAMES:]}
        wants = [m.at(*place, span) for place, span in spans.items() if span]
        if wants:
            m.task("py-traceback", out, wants)


def python_hits(m: Making) -> None:
    """Hits in Python, and definitions by their name."""
    for row in USED["hits"]["python"]:
        hits(m, lambda places: [python_function(m, *place) for place in places], *row)
    names: dict[str, list[tuple[str, Span]]] = {}
    for file in sorted((m.root / "py").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.decorator_list:
                span = node.lineno, node.end_lineno or 0
                names.setdefault(node.name, []).append((m.name(file), span))
    single = [
        name
        for name, places in sorted(names.items())
        if len(places) == 1 and 8 <= places[0][1][1] - places[0][1][0] <= 40
    ]
    for name in m.draw.sample(single, 10):
        path, span = names[name][0]
        said, pattern = f"/w/{path}: the function {name}", rf"def {name}\b"
        m.ask("function-name", said, "function", path, [list(span)], name=name, pattern=pattern)


def types(m: Making) -> None:
    """Errors of mypy, whose gold is the statement."""
    files = (
        "sqlparse/sql.py",
        "tabulate/__init__.py",
        "mako/lexer.py",
        "lark/lexer.py",
        "pyparsing/helpers.py",
        "dateutil/rrule.py",
        "yaml/scanner.py",
        "markdown_it/ruler.py",
        "networkx/relabel.py",
        "docutils/frontend.py",
    )
    for name in files:
        copy = f"check/{Path(name).parent.name}_{Path(name).name}"
        m.edit(copy, [], f"py/{name}")
        out = m.run(
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-incremental",
            "--cache-dir=/dev/null",
            "--show-column-numbers",
            "--follow-imports=skip",
            "--ignore-missing-imports",
            copy,
        )
        found = [line for line in out.splitlines() if re.match(rf"{re.escape(copy)}:\d+:\d+: error", line)]
        chosen = sorted(
            m.draw.sample(found, m.draw.choice((2, 4, 6))), key=lambda line: int(line.split(":")[1])
        )
        lines = list(dict.fromkeys(int(line.split(":")[1]) for line in chosen))
        if lines:
            m.task(
                "type-errors",
                "\n".join(chosen),
                [m.at(copy, line, python_statement(m, copy, line)) for line in lines],
            )


def modules(m: Making) -> None:
    """Twelve small modules at once."""
    small = [
        m.name(path)
        for path in sorted((m.root / "py").rglob("*.py"))
        if 15 <= len(path.read_bytes().splitlines()) <= 160
    ]
    for _ in range(6):
        chosen = m.draw.sample(small, 12)
        wants = [{"kind": "whole", "path": path, "gold": [[1, len(m.lines(path))]]} for path in chosen]
        m.task("modules", "read these 12 modules:\n" + "\n".join(f"/w/{path}" for path in chosen), wants)


def directories(m: Making) -> None:
    """A file of which a part of the name is known."""
    found = [
        m.name(path)
        for path in sorted((m.root / "py").rglob("*.py"))
        if len(path.relative_to(m.root).parts) > 3
    ]
    long = [path for path in found if len(m.lines(path)) >= 40 and len(Path(path).stem) > 7]
    for path in m.draw.sample(long, 8):
        top, part = "/".join(path.split("/")[:2]), Path(path).stem[:7]
        matching = [each for each in (m.root / top).rglob(f"*{part}*") if each.is_file()]
        if len(matching) == 1:
            said = f"the first 40 lines of the file below /w/{top} whose name contains {part!r}"
            m.ask("directory", said, "name", path, [[1, 40]], top=top, part=part)


def mistakes(m: Making) -> None:
    """Names of files that are not quite right, and lines past the end of a file."""

    def add(said: str, given: str, path: str, first: int, last: int) -> None:
        m.task(
            "mistakes", f"{said}: {given}, lines {first}-{last}", [m.window(path, first, last, given=given)]
        )

    add("wrong case", "py/rich/Console.py", "py/rich/console.py", 100, 139)
    add("wrong case of a directory", "py/Jinja2/compiler.py", "py/jinja2/compiler.py", 100, 139)
    add("wrong extension", "py/mako/template.pyi", "py/mako/template.py", 1, 40)
    add("two letters swapped", "py/click/decroators.py", "py/click/decorators.py", 200, 239)
    add("missing directory", "py/docutils/states.py", "py/docutils/parsers/rst/states.py", 1, 40)
    add("wrong directory", "py/werkzeug/map.py", "py/werkzeug/routing/map.py", 1, 40)
    add("plural", "py/lark/lexers.py", "py/lark/lexer.py", 1, 40)
    add("path with a line number", "py/yaml/parser.py:310", "py/yaml/parser.py", 310, 340)
    add("path with line and column", "py/yaml/parser.py:210:12", "py/yaml/parser.py", 210, 240)
    add("quotes", '"py/rich/table.py"', "py/rich/table.py", 50, 89)
    add("backquotes", "`py/rich/table.py`", "py/rich/table.py", 150, 189)
    add("file URL", "file://py/rich/text.py", "py/rich/text.py", 50, 89)
    path = "py/lark/load_grammar.py"
    total = len(m.lines(path))
    for first in (total + 400, 100_000):
        said, near = f"line {first} of /w/{path}, which is past its end: the last 20 lines", total - 19
        place = {"first": first, "last": first + 39, "total": total, "near": near}
        m.ask("mistakes", said, "lines", path, [[near, total]], **place)

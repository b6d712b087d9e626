"""Tasks over code of public packages: what tracebacks, compilers and searches print about it.

The gold is the function around a line, or the statement of a type error, by the parser of the language:
`ast`, the TypeScript compiler, `go/ast`, `syn`, the compiler tree of `javac`, and libclang. Nothing looks at
indentation.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from .gold import clang
from .making import Making, Span

GOLD = Path(__file__).with_name("gold")
_MOST_LINES = 150
_MOST_FRAMES = 5
_USED: dict[str, list[Any]] = json.loads((Path(__file__).parent / "code.json").read_text("utf-8"))
"""The packages, and programs that fail inside them."""


def packages(m: Making) -> None:
    """Unpack the sources."""
    for name, version, file, base in _USED["pypi"]:
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
    for name, version in _USED["npm"]:
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
    for name, version in _USED["crates"]:
        m.tree("crates", name, version, f"{name}-{version}.crate", f"rust/{name}", "src/*.rs")
    for name, module, version in _USED["go"]:
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
    for name, artifact, version in _USED["maven"]:
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


# Golds


def python_function(m: Making, path: str, line: int) -> Span | None:
    """Return the innermost function around a line, with its decorators, else the innermost statement."""
    best: tuple[tuple[bool, int], Span] | None = None
    for node in ast.walk(ast.parse("\n".join(m.lines(path)))):
        if not isinstance(node, ast.stmt):
            continue
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        last = node.end_lineno or first
        if first <= line <= last:
            rank = (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)), first - last)
            if best is None or rank > best[0]:
                best = rank, (first, last)
    return best[1] if best else None


def python_statement(m: Making, path: str, line: int) -> Span:
    """Return the statement of a line, of a compound one only its head."""
    best: Span | None = None
    for node in ast.walk(ast.parse("\n".join(m.lines(path)))):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or 0):
            last, body = node.end_lineno or node.lineno, getattr(node, "body", None)
            if body:
                last = max(node.lineno, body[0].lineno - 1)
            if line <= last and (best is None or last - node.lineno < best[1] - best[0]):
                best = node.lineno, last
    return best or (line, line)


class Golds:
    """The parsers of the other languages, each started once for many lines.

    Args:
        m: The tasks.
        tools: A directory with the TypeScript compiler in `node_modules` and the program of `gold/rust`.
    """

    def __init__(self, m: Making, tools: Path) -> None:
        self._m, self.tools = m, tools

    def javascript(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the functions around lines of JavaScript or TypeScript."""
        return self._asked(["node", "-e", (GOLD / "functions.js").read_text()], places)

    def statements(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the statements of lines of TypeScript."""
        return self._asked(["node", "-e", (GOLD / "functions.js").read_text(), "", "statement"], places)

    def go(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the functions around lines of Go."""
        return self._asked(["go", "run", str(GOLD / "functions.go")], places)

    def java(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the methods around lines of Java."""
        return self._asked(["java", str(GOLD / "Functions.java")], places)

    def rust(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the functions around lines of Rust."""
        return self._asked([str(self.tools / "functions")], places)

    def c(self, places: Iterable[tuple[str, int]]) -> list[Span]:
        """Return the functions around lines of C or C++."""
        include = str(self._m.root / "cpp/leveldb")
        flags = {".cc": ["-std=c++11", f"-I{include}", f"-I{include}/include"], ".c": []}
        return [
            clang.span(str(self._m.root / path), line, *flags[Path(path).suffix]) for path, line in places
        ]

    def _asked(self, command: list[str], places: Iterable[tuple[str, int]]) -> list[Span]:
        requests = "\n".join(json.dumps([str(self._m.root / path), line]) for path, line in places)
        done = subprocess.run(
            command, cwd=self.tools, input=requests, capture_output=True, text=True, check=True
        )
        return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


# Tasks


def tracebacks(m: Making) -> None:
    """Frames of Python tracebacks through packages."""
    for number, code in enumerate(_USED["python"]):
        script = f"run/try{number}.py"
        m.made(script, "text", text=code + "\n")
        out = m.run(sys.executable, str(m.root / script), PYTHONPATH=str(m.root / "py"))
        out = "Traceback" + out.rpartition("Traceback")[2]
        frames = re.findall(r'File "([^"]+)", line (\d+)', out)
        places = dict.fromkeys(
            (m.name(path), int(line)) for path, line in frames if path.startswith(f"{m.root}/py/")
        )
        spans = {place: python_function(m, *place) for place in list(places)[-_MOST_FRAMES:]}
        wants = [m.at(*place, span) for place, span in spans.items() if span]
        if wants:
            m.task("py-traceback", out, wants)


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


def python_hits(m: Making) -> None:
    """Hits in Python, and definitions by their name."""
    patterns = (
        r"def _parse",
        r"raise ValueError\(",
        r"isinstance\(.*bytes\)",
        r"warnings\.warn\(",
        r"except OSError",
        r"def __enter__",
        r"os\.path\.join\(",
        r"\.decode\(",
        r"assert isinstance",
        r"NotImplementedError",
        r"time\.time\(\)",
        r"def read\(",
        r"yield from",
    )
    hits(
        m, "rg-hits", "py", "*.py", patterns, lambda places: [python_function(m, *place) for place in places]
    )
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
        want = {"kind": "function", "path": path, "name": name, "pattern": rf"def {name}\b"}
        m.task("function-name", f"/w/{path}: the function {name}", [{**want, "gold": [list(span)]}])


def broken(m: Making, paths: Sequence[str], line: str, before: str, after: str, each: int = 2) -> list[str]:
    """Put an unknown name into some lines of files, and return the files."""
    changed = []
    for path in paths:
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
    chosen = list(places)[:_MOST_FRAMES]
    if chosen:
        wants = [m.at(*place, span) for place, span in zip(chosen, spans(chosen), strict=True)]
        m.task(family, "\n".join(places[place] for place in chosen), wants)


def rust(m: Making, golds: Golds) -> None:
    """Errors of rustc, and hits."""
    for name, _ in _USED["crates"]:
        files = [m.name(path) for path in sorted((m.root / f"rust/{name}/src").rglob("*.rs"))]
        large = [path for path in files if len(m.lines(path)) > 60]
        broken(m, m.draw.sample(large, 4), r"[ \t]+let \w+ = .*;$", r"= .*;", "= misspelt_name;")
        out = m.run(
            "rustc",
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--crate-name",
            "x",
            "--error-format",
            "short",
            "--emit",
            "metadata",
            "-o",
            "/dev/null",
            "src/lib.rs",
            cwd=f"rust/{name}",
        )
        said = [line for line in out.splitlines() if "misspelt_name" in line]
        compiled(m, "rustc-errors", said, r"^(\S+?\.rs):(\d+)", f"rust/{name}", golds.rust)
    hits(
        m,
        "rust-hits",
        "rust",
        "*.rs",
        (r"unsafe \{", r"\.unwrap\(\)", r"impl.*Display", r"debug_assert", r"for \w+ in ", r"match self"),
        golds.rust,
    )


def go(m: Making, golds: Golds) -> None:
    """Errors of the Go compiler, panics, and hits."""
    for k, place in enumerate(("scalar", "mapping", "sequence", "unmarshal", "document", "callUnmarshaler")):
        directory = f"go/panic{k}"
        source = next(tree for tree in m.header["trees"] if tree["to"] == "go/yaml")
        m.again(source, directory)
        path = f"{directory}/decode.go"
        line = next(
            (
                n
                for n, text in enumerate(m.lines(path), 1)
                if re.match(rf"func \(d \*decoder\) {place}\(", text)
            ),
            None,
        )
        if line is None:
            continue
        m.edit(path, [{"line": line + 1, "insert": ["\tif true {", '\t\tpanic("unexpected state")', "\t}"]}])
        program = _USED["go program"][0]
        m.made(f"{directory}/cmd/main.go", "text", text=program)
        out = m.run("go", "run", "./cmd", cwd=directory, GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
        frames = re.findall(r"\t(/\S+\.go):(\d+)", out)
        places = list(dict.fromkeys((m.name(p), int(n)) for p, n in frames if p.startswith(str(m.root))))[:6]
        wants = [m.at(*each, span) for each, span in zip(places, golds.go(places), strict=True)]
        if wants:
            m.task("go-panic", out, wants)
    for name, _, _ in _USED["go"]:
        files = [m.name(path) for path in sorted((m.root / f"go/{name}").glob("*.go"))]
        broken(m, m.draw.sample(files, 4), r"\t+\w+ := [^{`(]*[\w\])\"]$", r":= .*", ":= misspeltName")
        out = m.run(
            "go", "build", "-gcflags=-e", "./...", cwd=f"go/{name}", GOTOOLCHAIN="local", GOFLAGS="-mod=mod"
        )
        said = [line for line in out.splitlines() if "misspeltName" in line]
        compiled(m, "go-errors", said, r"^(\S+?\.go):(\d+)", f"go/{name}", golds.go)
    hits(
        m,
        "go-hits",
        "go",
        "*.go",
        (r"panic\(", r"fmt\.Errorf\(", r"switch ", r"\.Kind\(\)", r"append\(", r"strings\.Has"),
        golds.go,
    )


def node(m: Making, golds: Golds) -> None:
    """Stack traces of Node.js, errors of the TypeScript compiler, and hits."""
    for code in _USED["node"]:
        out = m.run("node", "--stack-trace-limit=12", "-e", code, cwd="node")
        frames = re.findall(r"\(?(/[^\s():]+\.c?js):(\d+):(\d+)\)?", out)
        places = dict.fromkeys((m.name(p), int(n)) for p, n, _ in frames if p.startswith(str(m.root)))
        chosen = list(places)[:_MOST_FRAMES]
        spans = golds.javascript(chosen) if chosen else []
        wants = [
            m.at(*place, span) for place, span in zip(chosen, spans, strict=True) if span[1] - span[0] < 400
        ]
        if wants:
            m.task("node-traces", out, wants)
    for name, number in (("rxjs", 6), ("zod", 4)):
        files = [m.name(path) for path in sorted((m.root / f"ts/{name}/src").rglob("*.ts"))]
        large = [path for path in files if 40 < len(m.lines(path)) < 4_000]
        for _ in range(number):
            changed = broken(
                m, m.draw.sample(large, 2), r"\s+(const|let) \w+ = [^`({]*;$", r"= .*;", "= misspeltName;"
            )
            if changed:
                tsc = str(golds.tools / "node_modules/typescript/lib/tsc.js")
                out = m.run(
                    "node",
                    tsc,
                    "--noEmit",
                    "--target",
                    "es2022",
                    "--moduleResolution",
                    "bundler",
                    "--module",
                    "esnext",
                    *changed,
                )
                said = [line for line in out.splitlines() if "misspeltName" in line]
                compiled(m, "tsc-errors", said, r"^(\S+?\.ts)\((\d+),", "ts", golds.javascript)
    hits(
        m,
        "js-hits",
        "node/node_modules/acorn",
        "*.js",
        (r"this\.raise", r"pp\S*\.parse\w+ = "),
        golds.javascript,
    )
    hits(
        m,
        "js-hits",
        "node/node_modules/graphql",
        "*.js",
        (r"throw new", r"for \(const", r"instanceof"),
        golds.javascript,
    )
    hits(m, "js-hits", "ts", "*.ts", (r"throw new", r"subscriber\.next", r"Object\.keys"), golds.javascript)


def java(m: Making, golds: Golds) -> None:
    """Stack traces of Java, errors of javac, and hits."""
    for k in range(6):
        names = ("Engine", "Store", "Wire")
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
        places = list(
            dict.fromkeys(
                (f"java/app{k}/{name}.java", int(n)) for name, n in re.findall(r"\((\w+)\.java:(\d+)\)", out)
            )
        )[:6]
        wants = [m.at(*place, span) for place, span in zip(places, golds.java(places), strict=True)]
        if wants:
            m.task("java-traces", f"{out}sources in /w/java/app{k}", wants)
    for name, _, _ in _USED["maven"]:
        files = [m.name(path) for path in sorted((m.root / f"java/{name}").rglob("*.java"))]
        large = [path for path in files if len(m.lines(path)) > 150]
        for _ in range(2):
            changed = broken(
                m, m.draw.sample(large, 3), r"\s+(final )?\w+ \w+ = [^{]*;$", r"= .*;", "= misspeltName;"
            )
            out = m.run(
                "javac", "-proc:none", "-d", f"/tmp/classes-{m.seed}", "-sourcepath", f"java/{name}", *changed
            )
            said = [
                line for line in out.splitlines() if re.search(r"\.java:\d+: error: cannot find symbol", line)
            ]
            said = [
                line
                for line in said
                if "misspeltName" in m.lines(line.partition(":")[0])[int(line.split(":")[1]) - 1]
            ]
            compiled(m, "javac-errors", said, r"^(\S+?\.java):(\d+)", f"java/{name}", golds.java)
    hits(
        m,
        "java-hits",
        "java/lang",
        "*.java",
        (r"throw new", r"@Override", r"StringBuilder", r"for \(final", r"synchronized", r"instanceof"),
        golds.java,
    )


def c(m: Making, golds: Golds) -> None:
    """Errors of gcc in C and C++, and hits."""
    for name, glob, line, flags in (
        ("c/zlib", "*.c", r"\s+\w+ = [^{(]*;$", []),
        (
            "cpp/leveldb",
            "*.cc",
            r"\s+(const )?[\w:]+ \w+ = [^{]*;$",
            ["-std=c++11", "-I.", "-Iinclude", "-DLEVELDB_PLATFORM_POSIX", "-DOS_LINUX"],
        ),
    ):
        family = "gcc-errors" if name.startswith("c/") else "gpp-errors"
        files = [m.name(path) for path in sorted((m.root / name).rglob(glob))]
        for path in m.draw.sample([each for each in files if len(m.lines(each)) > 120], 8):
            if not broken(m, [path], line, r"= .*;", "= misspelt_name;", 4):
                continue
            inside = path.removeprefix(f"{name}/")
            out = m.run("g++" if flags else "gcc", "-fsyntax-only", *flags, inside, cwd=name)
            said = [each for each in out.splitlines() if "misspelt_name" in each and "error" in each]
            compiled(m, family, said, r"^(\S+?\.cc?):(\d+)", name, golds.c)
        patterns = (
            (r"memcpy", r"return \w+;", r"while \(", r"switch")
            if family == "gcc-errors"
            else (r"assert\(", r"Slice\(", r"delete ", r"mutex_")
        )
        hits(m, "c-hits", name, glob, patterns, golds.c)


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
            m.task(
                "directory",
                said,
                [{"kind": "name", "top": top, "part": part, "path": path, "gold": [[1, 40]]}],
            )


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
        want = {
            "kind": "lines",
            "path": path,
            "first": first,
            "last": first + 39,
            "total": total,
            "near": total - 19,
        }
        said = f"line {first} of /w/{path}, which is past its end: the last 20 lines"
        m.task("mistakes", said, [{**want, "gold": [[total - 19, total]]}])


def steps(m: Making, golds: Golds) -> list[Callable[[], Any]]:
    """Return the steps, in an order in which no edit changes the gold of an earlier task."""
    return [
        lambda: packages(m),
        lambda: tracebacks(m),
        lambda: python_hits(m),
        lambda: types(m),
        lambda: modules(m),
        lambda: directories(m),
        lambda: mistakes(m),
        lambda: rust(m, golds),
        lambda: go(m, golds),
        lambda: node(m, golds),
        lambda: java(m, golds),
        lambda: c(m, golds),
    ]

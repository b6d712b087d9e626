"""The functions that judge blocks, found by the parsers of their languages.

    python benches/blocks/gold.py DIRECTORY NODE_MODULES > places.jsonl

These are Python's `ast`, the TypeScript compiler, `go/ast`, the trees of `javac`, and `syn`.
`DIRECTORY` has one directory for each package, with its files unpacked; `NODE_MODULES` has `typescript`.
Each line of the output is a place: a file, a line of it, and the first and last line of the innermost
function around that line.
Functions and lines are chosen by the SHA-256 of their positions, at most `MOST` of a package.
Decorators, documentation comments and the whole signature belong to a function.
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
MOST = 60
"""The maximum number of places of a package and language."""
LONGEST_MEAN = 200
"""Files whose lines have more bytes than this on average are minified, and left out."""
SCRIPTS = {".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"}


class Function(NamedTuple):
    """A function: its file and its lines."""

    path: str
    first: int
    last: int


def chance(*key: object) -> int:
    """Return a number that is the same for the same key."""
    return int(hashlib.sha256(":".join(map(str, key)).encode()).hexdigest(), 16)


def of_python(path: Path) -> list[Function]:
    """Return the functions of a module; none if it is not valid."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        Function(str(path), min(each.lineno for each in [node, *node.decorator_list]), node.end_lineno or 0)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def of_program(command: list[str], paths: Iterable[Path], cwd: Path) -> list[Function]:
    """Return the functions that another program finds: it reads paths, and writes `[path, first, last]`."""
    names = "\n".join(map(str, paths))
    done = subprocess.run(command, input=names, cwd=cwd, capture_output=True, text=True, check=True)
    return [Function(*json.loads(line)) for line in done.stdout.splitlines()]


def chosen(functions: Iterable[Function], base: Path) -> Iterator[dict[str, object]]:
    """Choose places in functions."""
    of_file: dict[str, list[Function]] = {}
    for function in functions:
        of_file.setdefault(function.path, []).append(function)

    def key(function: Function) -> int:
        return chance(Path(function.path).relative_to(base), function.first, function.last)

    every = [function for found in of_file.values() for function in found]
    for function in sorted(set(every), key=key)[:MOST]:
        lines = Path(function.path).read_bytes().decode("utf-8", "replace").split("\n")
        filled = [n for n in range(function.first, function.last + 1) if lines[n - 1].strip()]
        line = filled[key(function) // 7 % len(filled)]
        around = [f for f in of_file[function.path] if f.first <= line <= f.last]
        inner = min(around, key=lambda f: f.last - f.first)
        yield {"path": function.path, "line": line, "first": inner.first, "last": inner.last}


def is_readable(path: Path) -> bool:
    """Return whether a file is source that people read."""
    content = path.read_bytes()
    return len(content) // (content.count(b"\n") + 1) <= LONGEST_MEAN and b"\r" not in content.replace(
        b"\r\n", b""
    )


def main() -> None:
    """Write the places of each package."""
    base, modules = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    for package in sorted(base.iterdir()):
        files = [path for path in sorted(package.rglob("*")) if path.is_file() and not path.is_symlink()]
        python = [f for path in files if path.suffix == ".py" for f in of_python(path)]
        scripts = [p for p in files if p.suffix in SCRIPTS and ".d." not in p.name and is_readable(p)]
        script = ["node", str(HERE / "functions.cjs"), str(modules / "typescript")]
        go, java, rust = ([path for path in files if path.suffix == s] for s in (".go", ".java", ".rs"))
        manifest = str(HERE / "rust" / "Cargo.toml")
        cargo = ["cargo", "run", "--quiet", "--release", "--manifest-path", manifest]
        for language, functions in (
            ("python", python),
            ("script", of_program(script, scripts, package) if scripts else []),
            ("go", of_program(["go", "run", str(HERE / "functions.go")], go, package) if go else []),
            ("java", of_program(["java", str(HERE / "Functions.java")], java, package) if java else []),
            ("rust", of_program(cargo, rust, package) if rust else []),
        ):
            for place in chosen(functions, base):
                sys.stdout.write(json.dumps({"language": language, "package": package.name, **place}) + "\n")


if __name__ == "__main__":
    main()

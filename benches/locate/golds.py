"""Golds of code: the functions and statements around lines, by the parsers of the languages; nothing looks at
indentation.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .gold import clang
from .making import Making, Span

GOLD = Path(__file__).with_name("gold")


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

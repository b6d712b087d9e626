"""The whole function is shown, according to Python's own parser."""

from __future__ import annotations

import ast
import hashlib
import sysconfig
from pathlib import Path

import pytest

from anyread import Reader

MODULES = 40
PLACES = 12
"""How many modules, and how many places of each."""


def chance(*key: object) -> int:
    return int(hashlib.sha256(":".join(map(str, key)).encode()).hexdigest(), 16)


def functions(text: bytes) -> list[tuple[int, int]]:
    return [
        (min(each.lineno for each in [node, *node.decorator_list]), node.end_lineno or 0)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


@pytest.mark.slow
def test_the_first_answer_has_the_whole_function() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    modules = sorted(library.glob("*.py"), key=lambda path: chance(path.name))[:MODULES]
    reader = Reader()
    places = whole = lines_shown = lines_wanted = 0
    for path in modules:
        text = path.read_bytes()
        found = functions(text)
        lines = text.split(b"\n")
        for first, last in sorted(found, key=lambda span: chance(path.name, *span))[:PLACES]:
            filled = [number for number in range(first, last + 1) if lines[number - 1].strip()]
            line = filled[chance(path.name, first) % len(filled)]
            around = [span for span in found if span[0] <= line <= span[1]]
            first, last = min(around, key=lambda span: span[1] - span[0])
            ranges = reader.read_sync(path, ranges=[line], kind="text").ranges
            places += 1
            whole += any(start <= first and last <= end for start, end in ranges)
            lines_shown += sum(end - start + 1 for start, end in ranges)
            lines_wanted += last - first + 1
    assert places > 200
    assert whole >= 0.93 * places
    assert lines_shown <= 1.15 * lines_wanted

"""The examples in docstrings run, and return what is written below them.

Those of adapters and integrations have tests of their own.
"""

from __future__ import annotations

import ast
import asyncio
import doctest
import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from inspect import CO_COROUTINE
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import anyread
import anyread.cli
from anyread.arguments import page_range
from anyread.batch import Histogram, level
from anyread.cli import demo
from anyread.models import image_tokens
from helpers import pages
from helpers.media import drawing, encoded, text_pdf
from helpers.notebooks import code, write
from helpers.readme import ROOT

PACKAGE = ROOT / "python" / "anyread"
ELSEWHERE = {"adapters", "integrations", "decoding"}
# `map_batches` belongs to Ray Data, and following a file never ends.
NOT_RUN = ("dataset.map_batches", "anyread.follow(", "anyread.follow_sync(")

pytestmark = pytest.mark.slow


class Documented(NamedTuple):
    """A docstring with examples."""

    where: str
    examples: list[doctest.Example]


MODULES = sorted(
    str(path.relative_to(PACKAGE))
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in ELSEWHERE and ">>>" in path.read_text("utf-8")
)


def documented(module: str) -> Iterator[Documented]:
    """Yield the docstrings with examples, in a module, its classes and functions, and below fields."""
    parser = doctest.DocTestParser()
    for node in ast.walk(ast.parse((PACKAGE / module).read_text("utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            text = node.value.value
            examples = parser.get_examples(text) if isinstance(text, str) and ">>>" in text else []
            if examples:
                yield Documented(f"{module}:{node.lineno}", examples)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create the files that the examples name."""
    directory = tmp_path_factory.mktemp("docstrings")
    pages.create_repository(directory / "repo")
    (directory / "repo" / "notes.txt").write_text("Notes\n" + "\n" * 11)
    (directory / "repo" / "title.txt").write_text("Notes\n")
    (directory / "src").symlink_to(directory / "repo" / "src")
    (directory / "README.md").write_text("# Read me\n")
    (directory / "server.log").write_text("".join(f"INFO request {n}\n" for n in range(1, 500_001)))
    (directory / "poem.txt").write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    (directory / "notes.txt").write_text("Notes\n")
    (directory / "report.xlsx").write_bytes(demo.FILES["report.xlsx"][1]())
    (directory / "photo.jpg").write_bytes(encoded(drawing(4_032, 3_024), "JPEG"))
    (directory / "paper.pdf").write_bytes(text_pdf(12))
    write(directory, code("import pandas as pd")).rename(directory / "analysis.ipynb")
    return directory


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_are_correct(
    module: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(directory)
    for found in documented(module):
        run_examples(found, directory)


def run_examples(found: Documented, directory: Path) -> None:
    names: dict[str, Any] = {
        "anyread": anyread,
        "Histogram": Histogram,
        "level": level,
        "dataclasses": __import__("dataclasses"),
        "paths": ["poem.txt", "notes.txt"],
        "png": encoded(drawing(640, 480), "PNG"),
        "reader": anyread.Reader(),
        **vars(image_tokens),
        **vars(page_range),
    }
    checker = doctest.OutputChecker()
    with asyncio.Runner() as runner:
        for example in found.examples:
            source = example.source.replace('"/repo', f'"{directory}/repo')
            compiled = compile(source, found.where, "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            if any(each in source for each in NOT_RUN):
                continue
            output = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
            with redirect_stdout(output):
                result = eval(compiled, names)
                if compiled.co_flags & CO_COROUTINE:
                    runner.run(result)
            output.seek(0)
            shown = output.read()
            if example.want:
                shown = shown.replace(str(directory), "")
                assert checker.check_output(example.want, shown, doctest.ELLIPSIS), (found.where, shown)

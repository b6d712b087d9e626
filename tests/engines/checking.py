"""The check of all rows of a run, and the examples of the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from helpers import fleet


class Checker:
    """Collects the rows of a run, and checks that there is exactly one correct row per file."""

    def __init__(self, cases: Iterable[fleet.Case]) -> None:
        self.waiting = {case.path: case for case in cases}
        self.tokens = 0
        self.progress: list[int] = []

    def add(self, columns: Mapping[str, Any]) -> None:
        """Check a batch of rows."""
        names = list(columns)
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(names, values, strict=True))
            # A second row of the same file raises KeyError.
            case = self.waiting.pop(row["path"])
            if not row["tokens"]:
                case = case._replace(marker="")
            assert fleet.wrong(case, row) == []
            self.tokens += int(row["tokens"])
        self.progress.append(len(self.waiting))

    def finish(self, budget: int) -> None:
        """Check that no row is missing, that rows arrived in steps, and that the budget holds."""
        assert not self.waiting
        assert len(self.progress) > 1
        assert 0 < self.tokens <= budget


def run_documented(engine: str, directory: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the example of an engine in docs/batch.md with the files of the page, and return its output."""
    page = (Path(__file__).parents[2] / "docs" / "batch.md").read_text("utf-8")
    files, example = (
        re.findall(rf"^```python{tag}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[0]
        for tag in ("", f" {engine}")
    )
    with chdir(directory):
        names: dict[str, Any] = {}
        exec(files, names)
        paths = example.replace('"server.log"', repr(str(directory / "server.log")))
        capsys.readouterr()
        exec(paths.replace('"notes.txt"', repr(str(directory / "notes.txt"))), names)
    return capsys.readouterr().out

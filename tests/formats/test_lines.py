"""What formats have in common of which the parts are lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook

from anyread import Gutter, Reader
from anyread.results.parts import PartsPage
from continuation.documents import write_document


def document(path: Path, lines: list[str]) -> str | None:
    write_document(path, [(len(line),) for line in lines], "")
    return None


def string(path: Path, lines: list[str]) -> str:
    path.write_text(json.dumps({"text": "\n".join(lines)}))
    return "/text"


def cell(path: Path, lines: list[str]) -> str:
    book = Workbook()
    assert book.active is not None
    book.active["B2"] = "\n".join(lines)
    book.save(path)
    return "Sheet!B2"


@pytest.mark.parametrize(("make", "name"), [(document, "a.docx"), (string, "a.json"), (cell, "a.xlsx")])
def test_lines_have_the_same_text_with_and_without_numbers(
    tmp_path: Path, make: Callable[[Path, list[str]], str | None], name: str
) -> None:
    """Empty lines were left out of pages without numbers."""
    chance = random.Random(7)
    path = tmp_path / name
    lines = ["first", *("x" * chance.choice([0, 0, 3, 40]) for _ in range(300)), "last"]
    at = make(path, lines)
    for _ in range(40):
        first, most = chance.randint(1, 250), chance.randint(1, 300)
        max_bytes = chance.choice([None, chance.randint(640, 6_000)])
        numbered, plain = (
            Reader(gutter=gutter).read_sync(path, at=at, offset=first, limit=most, max_bytes=max_bytes)
            for gutter in (Gutter.TAB, Gutter.NONE)
        )
        assert isinstance(numbered, PartsPage)
        assert isinstance(plain, PartsPage)
        with_numbers = numbered.text.removesuffix(numbered.footer).split("\n")
        texts = [line.split("\t", 1)[1] for line in with_numbers if line]
        without = plain.text.removesuffix(plain.footer).removesuffix("\n" if plain.footer else "")
        # Without numbers, more lines fit.
        assert without.split("\n")[: len(texts)] == texts
        assert without.count("\n") + 1 == plain.last - plain.first + 1

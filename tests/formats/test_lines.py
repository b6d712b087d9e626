"""What formats have in common of which the parts are lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from anyread import Gutter, Reader
from anyread.results.parts import PartsPage
from continuation.documents import write_document
from continuation.texts import counted


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


LINES = pytest.mark.parametrize(
    ("make", "name"), [(document, "a.docx"), (string, "a.json"), (cell, "a.xlsx")]
)


@LINES
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


@LINES
@pytest.mark.parametrize("length", [832, 3_000])
def test_page_that_ends_inside_its_first_line_goes_on_there(
    tmp_path: Path, make: Callable[[Path, list[str]], str | None], name: str, length: int
) -> None:
    """The number of a document's line, and the mark of a clipped line of a string, counted as characters."""
    lines = [counted(f"{n}:", each, ".é日😀") for n, each in enumerate((length, 0, 300, 0, 900), 1)]
    path = tmp_path / name
    at = make(path, lines)
    for tokens in range(200, 700, 11):
        shown = ""
        following: dict[str, Any] = {"at": at}
        while following.get("offset", 1) == 1:
            page: Any = Reader().read_sync(path, **{**following, "max_tokens": tokens})
            shown += page.text.split("\n")[0].removeprefix("1\t")
            following = dict(page.next or {"offset": 2})
            if following.get("column", 1) > 1:
                # A small budget has no footer.
                assert f"-{len(shown):,} of {length:,} ·" in page.footer or not page.footer
                assert not page.clipped
        assert shown == lines[0]

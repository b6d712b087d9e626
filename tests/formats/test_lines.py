"""What formats have in common of which the parts are lines."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

import anyread
from anyread import Gutter, Reader
from anyread.results.parts import PartsPage
from continuation.documents import write_document
from continuation.texts import counted
from helpers import notebooks


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
                assert not page.truncated or page.next
        assert shown == lines[0]


def text(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines))


def rows(path: Path, lines: list[str]) -> None:
    book = Workbook()
    assert book.active is not None
    for line in lines:
        book.active.append([line])
    book.save(path)


def records(path: Path, lines: list[str]) -> str:
    path.write_text(json.dumps({"lines": lines}))
    return "/lines"


def outputs(path: Path, lines: list[str]) -> None:
    cells = [notebooks.code("1", notebooks.stream(line * 20)) for line in lines]
    notebooks.write(path.parent, *cells, name=path.name)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (text, "a.txt"),
        (string, "a.json"),
        (records, "b.json"),
        (rows, "a.xlsx"),
        (outputs, "a.ipynb"),
    ],
)
@pytest.mark.parametrize("length", [20, 3_000])
def test_page_is_truncated_if_something_is_clipped(
    tmp_path: Path, make: Callable[[Path, list[str]], str | None], name: str, length: int
) -> None:
    """Only pages of text and of notebooks said so, and answers to places never."""
    at = make(tmp_path / name, ["x" * length, "end"])
    reader = Reader(roots=[tmp_path])
    page = reader.read_sync(name, at=at)
    assert page.next is None
    assert page.truncated == (length > 2_000)
    tool = anyread.tool(reader=reader)
    output = tool.call_sync({"path": name} if at is None else {"path": name, "at": at})
    answer = tool.call_sync({"places": [name if at is None else f"{name}#{at}"]})
    assert output["truncated"] == answer["truncated"] == answer["results"][0]["truncated"] == page.truncated
    assert answer["next"] is None
    row = anyread.batch.read_rows({"path": [str(tmp_path / name)], "at": [at]})
    assert row["truncated"] == [page.truncated]

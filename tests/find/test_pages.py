"""Pages of hits: the values that other libraries wrote are found, each hit on one page, at any budget."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest

import anyread
from anyread import Limits, Reader
from anyread.errors import BadArgumentError, WrongKindError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
WORDS = ("error", "Timeout", "total(", "a[0]", "C++", "1.25", "Müller", "naïve", "ok", "retry", "x")
PATTERNS = (
    "error",
    "Timeout",
    "timeout",
    "total(",
    "a[0]",
    r"\d\.\d+",
    "c++",
    "Müller|naïve",
    "^ok",
    "x$",
    "zzz",
)


def written_text(path: Path, parts: list[list[str]]) -> None:
    path.write_text("".join(f"{' '.join(words)}\n" for words in parts), encoding="utf-8")


def written_sheet(path: Path, parts: list[list[str]]) -> None:
    book = openpyxl.Workbook()
    for words in parts:
        book.active.append(words)
    book.save(path)


def written_document(path: Path, parts: list[list[str]]) -> None:
    document = docx.Document()
    for words in parts:
        document.add_paragraph(" ".join(words))
    document.save(str(path))


def written_slides(path: Path, parts: list[list[str]]) -> None:
    slides = pptx.Presentation()
    for words in parts:
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.placeholders[1].text_frame.text = "\n".join(words)
    slides.save(str(path))


def written_notebook(path: Path, parts: list[list[str]]) -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "\n".join(words)} for words in parts]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    path.write_text(json.dumps(notebook), encoding="utf-8")


FORMATS: dict[str, tuple[Callable[[Path, list[list[str]]], None], str, Callable[[int], int]]] = {
    # What writes it, what joins the words of a part, and the number of a part.
    "a.txt": (written_text, " ", lambda index: index + 1),
    "a.xlsx": (written_sheet, "\n", lambda index: index + 1),
    # A paragraph is followed by an empty line.
    "a.docx": (written_document, " ", lambda index: 2 * index + 1),
    "a.pptx": (written_slides, "\n", lambda index: index + 1),
    "a.ipynb": (written_notebook, "\n", lambda index: index + 1),
}


def expected(pattern: str, texts: list[str], number: Callable[[int], int]) -> list[int]:
    """Return the parts with a line that matches, with smart case; as letters if none does otherwise."""
    case = 0 if re.search("[A-ZÄ-Ü]", pattern) else re.IGNORECASE
    for each in (pattern, re.escape(pattern)):
        try:
            compiled = re.compile(each, case)
        except re.error:
            continue
        hits = [number(at) for at, text in enumerate(texts) if any(map(compiled.search, text.split("\n")))]
        if hits:
            return hits
    return []


def pages_of(reader: Reader, path: Path, arguments: dict[str, Any]) -> list[Any]:
    found = [reader.read_sync(path, **arguments)]
    while found[-1].next is not None:
        found.append(reader.read_sync(path, **found[-1].next))
        assert len(found) < 300
    return found


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_each_hit_is_on_one_page(tmp_path: Path, name: str, seed: int) -> None:
    chance = random.Random(f"{name} {seed}")
    write, joint, number = FORMATS[name]
    parts = [chance.choices(WORDS, k=chance.randint(1, 6)) for _ in range(chance.randint(1, 40))]
    write(tmp_path / name, parts)
    texts = [joint.join(words) for words in parts]
    whole = anyread.read_sync(tmp_path / name).text
    for pattern in PATTERNS:
        limits = Limits(max_bytes=chance.choice([400, 2_000, 100_000]), exact_total=chance.random() < 0.5)
        reader = Reader(limits=limits)
        arguments = {"find": pattern, "limit": chance.choice([1, 3, None])}
        pages = pages_of(reader, tmp_path / name, arguments)
        hits = [hit for page in pages for hit in page.hits]
        assert hits == expected(pattern, texts, number), pattern
        for page in pages:
            lines = page.text.removesuffix(page.footer).rstrip("\n").split("\n")
            assert all(line in whole for line in lines if line[:1].isdigit()), pattern


@pytest.mark.parametrize("name", FORMATS)
def test_search_begins_where_the_call_says(tmp_path: Path, name: str) -> None:
    write, _, number = FORMATS[name]
    write(tmp_path / name, [["a needle"], ["other"], ["a needle"], ["other"], ["a needle"]])
    begin = {"pages": "2-"} if name == "a.pptx" else {"offset": number(1)}
    [page] = pages_of(Reader(), tmp_path / name, {"find": "needle", **begin})
    assert page.hits == (number(2), number(4))
    [page] = pages_of(Reader(), tmp_path / name, {"find": "needle", "ranges": [(number(1), number(3))]})
    assert page.hits == (number(2),)


def test_ranges_that_overlap_or_do_not_exist_are_searched_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle\nother\n" * 20)
    for ranges in ([(1, 9), (5, 20)], [(5, 20), (1, 5)], [(1, 20), (900, 910)], [(-40, -21)]):
        pages = pages_of(Reader(), tmp_path / "a.txt", {"find": "needle", "ranges": ranges, "limit": 3})
        assert [hit for page in pages for hit in page.hits] == [*range(1, 21, 2)], ranges


def test_head_of_the_block_is_shown_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    body = "".join(f"    x{number} = {number}\n" for number in range(10))
    path.write_text(
        f"def one():\n{body}    needle = 1\n{body}    needle = 2\n\n\ndef two():\n    return needle\n"
    )
    page = anyread.read_sync(path, find="needle")
    assert [page.text.count(name) for name in ("def one", "def two")] == [1, 1]
    assert page.footer == "[3 hits · lines 1, 10-14, 21-27 of 27]"


def test_parts_of_a_long_line_are_hits_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(f'{{"a": "{"x" * 5_000}needle{"y" * 5_000}needle"}}')
    pages = pages_of(Reader(), path, {"find": "needle"})
    assert [("needle" in page.text, len(page.text) < 1_500) for page in pages] == [(True, True)] * 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("seed", range(5))
def test_long_lines_are_shown_around_their_hits(tmp_path: Path, encoding: str, seed: int) -> None:
    chance = random.Random(seed)
    lines = [
        "".join(chance.choices("aé𝒳 ", k=chance.choice([40, 400, 401, 900, 1_900])))
        + (" needle" + "z" * chance.choice([0, 30, 900]) if chance.random() < 0.2 else "")
        for _ in range(200)
    ]
    path = tmp_path / "a.log"
    path.write_text("\n".join(lines), encoding, newline="")
    has_room = chance.random() < 0.5
    reader = Reader(limits=Limits(max_bytes=100_000 if has_room else 3_000))
    pages = pages_of(reader, path, {"find": "needle"})
    assert [hit for page in pages for hit in page.hits] == [
        number for number, line in enumerate(lines, 1) if "needle" in line
    ]
    shown = {}
    for page in pages:
        for row in page.text.removesuffix(page.footer).rstrip("\n").split("\n"):
            number, _, text = row.partition("\t")
            before, _, rest = text.rpartition(" characters] … ")
            text, _, after = rest.partition(" … [")
            begin = int(before[1:].replace(",", "")) if before else 0
            line = lines[int(number) - 1]
            assert line[begin:].startswith(text)
            assert len(text) <= 400
            assert len(text) == len(line) - begin or f"column={begin + len(text) + 1}]" in after
            shown[int(number)] = text
        rests = [reader.read_sync(path, **rest).content.rstrip("\n") for rest in page.clipped]
        assert all(
            lines[rest["offset"] - 1].endswith(text) for rest, text in zip(page.clipped, rests, strict=True)
        )
    for number, line in enumerate(lines, 1):
        is_hit = "needle" in line
        assert not is_hit or "needle" in shown[number]
        near = [number + step for step in (-1, 1) if is_hit and has_room and 0 < number + step <= len(lines)]
        assert all(len(lines[each - 1]) > 400 or each in shown for each in near)
        assert is_hit or number not in shown or len(line) <= 400


def test_long_paragraphs_beside_a_hit_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    FORMATS["a.docx"][0](path, [["x" * 500], ["above"], ["the needle"], ["y" * 500], ["below"]])
    text = anyread.read_sync(path, find="needle").text
    assert [word in text for word in ("above", "needle", "xx", "yy", "below")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_cells_that_no_page_shows_together_are_searched(tmp_path: Path) -> None:
    """The core lays out as many cells as a page has room for."""
    written_notebook(tmp_path / "a.ipynb", [["x" * 1_000]] * 1_500 + [["needle"]])
    [page] = pages_of(Reader(), tmp_path / "a.ipynb", {"find": "needle"})
    assert page.hits == (1_501,)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(5))
def test_hits_in_long_texts_are_on_the_page(tmp_path: Path, name: str, seed: int) -> None:
    """They are far behind what a page shows of the line, the cell or the slide without a search."""
    chance = random.Random(f"{name} {seed}")
    words = ["x" * 3_000, *(f"word {number}" for number in range(300)), "y" * 20_000]
    for at in chance.sample(range(len(words)), 3):
        words[at] += " the needle lies here"
    written = [["other"]] * 3 + [words] + [["other"]] * 3
    FORMATS[name][0](tmp_path / name, written)
    pages = pages_of(Reader(limits=Limits(max_bytes=8_000)), tmp_path / name, {"find": "needle lies"})
    # Of a paragraph, the first hit is shown; a line of text has several if it is long.
    count = "".join(page.text for page in pages).count("needle lies here")
    assert count == 3 if FORMATS[name][1] == "\n" else count > 0
    assert sum(len(page.text) for page in pages) < 12_000


def test_file_that_has_not_changed_is_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("needle\n")
    version = anyread.read_sync(path).version
    assert isinstance(anyread.read_sync(path, find="needle", unless_version=version), anyread.TextPage)


def test_search_without_a_hit_says_what_was_looked_at(tmp_path: Path) -> None:
    for name, (write, _, _) in FORMATS.items():
        write(tmp_path / name, [["some", "words"], ["others"]])
        [page] = pages_of(Reader(), tmp_path / name, {"find": "needle"})
        assert re.fullmatch(r"\[no hits in \w+ 1-[234]\]", page.text), page.text
        assert page.hits == ()


@pytest.mark.parametrize(
    ("pattern", "said"),
    [("(?<=a)b", "look-around"), (r"(a)\1", "back-references"), ("a*", "empty text"), ("a\nb", "line")],
)
def test_pattern_that_cannot_be_used_is_refused(tmp_path: Path, pattern: str, said: str) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(BadArgumentError, match=said):
        anyread.read_sync(tmp_path / "a.txt", find=pattern)


def test_formats_without_text_refuse_a_search(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(PNG)
    with pytest.raises(WrongKindError):
        anyread.read_sync(tmp_path / "a.png", find="a")

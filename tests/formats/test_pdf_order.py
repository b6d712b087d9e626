"""The order of the lines of a PDF page: that of a reader, whatever the order in which they are drawn."""

from __future__ import annotations

import random
from itertools import product

import pytest

from anyread.decoding.child.pages import PdfFile, WantedPage
from helpers.media import one_page, text_at

DIRECTIONS = ["1 0 0 1", "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"]


def lines_of(data: bytes) -> list[str]:
    document = PdfFile(data, passwords=[])
    try:
        return document.page(WantedPage(1, 100_000, 50, None)).text.decode().splitlines()
    finally:
        document.close()


def placed(across: float, down: float, text: str, matrix: str = "1 0 0 1") -> bytes:
    """Draw a text in a direction, at a place on a page that is turned in this direction."""
    a, b = map(float, matrix.split()[:2])
    return text_at(300 + across * a + down * b, 400 + across * b - down * a, text, matrix=matrix)


@pytest.mark.parametrize(("rotate", "matrix"), [*product([0, 90, 180, 270, 450], DIRECTIONS)])
def test_turned_text_is_in_reading_order(rotate: int, matrix: str) -> None:
    """The lines of a sideways scan came from the last to the first."""
    lines = ["ALPHA first", "BRAVO second", "CHARLIE third"]
    content = b"".join(placed(0, 14 * number, line, matrix) for number, line in enumerate(lines))
    assert lines_of(one_page(content, page=b"/Rotate %d" % rotate)) == lines


@pytest.mark.parametrize(("rotate", "matrix"), [*product([0, 90, 270], DIRECTIONS)])
def test_turned_table_has_its_rows(rotate: int, matrix: str) -> None:
    """In a table set sideways, the last letters of a cell were joined with those of the next row."""
    rows = [
        ["Item", "Qty", "Price"],
        ["Apple pie", "3", "4.50"],
        ["Tea", "12", "21.00"],
        ["Honey", "1", "7.25"],
    ]
    content = b"".join(
        placed(100 * column, 16 * row, rows[row][column], matrix) for column in range(3) for row in range(4)
    )
    assert lines_of(one_page(content, page=b"/Rotate %d" % rotate)) == ["  ".join(row) for row in rows]


def test_numbers_of_axes_keep_their_gaps() -> None:
    """On a page without anything else, those of an axis were one number, `02468`."""
    numbers = ["0", "2", "4", "6", "8"]
    column = b"".join(text_at(72, 300 + 40 * at, number) for at, number in enumerate(numbers))
    row = b"".join(text_at(90 + 40 * at, 280, number) for at, number in enumerate(numbers))
    for content in (row + column, column + row):
        assert " ".join(lines_of(one_page(content))).count("02") == 0


def test_texts_of_several_directions_stay_apart() -> None:
    content = text_at(72, 700, "level") + text_at(200, 600, "turned", matrix="0 -1 1 0")
    assert sorted(lines_of(one_page(content + text_at(300, 500, "risen", matrix="0 1 -1 0")))) == [
        "level",
        "risen",
        "turned",
    ]


@pytest.mark.parametrize("seed", range(8))
def test_lines_of_one_column_are_sorted(seed: int) -> None:
    """A page whose file draws the title last began with the footer."""
    lines = ["THE TITLE", "first paragraph", "second paragraph", "third paragraph", "page 7 of 9"]
    # The number of the page is below nothing.
    places = [(72, 740), (72, 680), (72, 620), (72, 560), (500, 30)]
    content = [text_at(*place, line) for place, line in zip(places, lines, strict=True)]
    random.Random(seed).shuffle(content)
    assert lines_of(one_page(b"".join(content))) == lines


@pytest.mark.parametrize("before", [True, False])
def test_columns_stay_together(*, before: bool) -> None:
    """The lines of two columns are not mixed, wherever the file draws what is above and below both."""
    columns = [
        [f"{side} column, line {number} of its prose" for number in range(6)] for side in ("left", "right")
    ]
    body = b"".join(
        text_at(50 + 280 * index, 650 - 14 * number, line)
        for index, column in enumerate(columns)
        for number, line in enumerate(column)
    )
    title = text_at(50, 720, "A title over both of the columns, from the left edge to the right edge of it")
    note = text_at(
        50, 100, "A note below both of the columns, from the left edge to the right edge of it all"
    )
    shown = lines_of(one_page(note + body + title if before else body + note + title))
    assert [line[:4] for line in shown] == ["A ti", *["left"] * 6, *["righ"] * 6, "A no"]
    assert shown[1:-1] == columns[0] + columns[1]

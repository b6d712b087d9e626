"""Line numbers on every tenth line only, or on none."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread
from anyread import Gutter
from helpers.notebooks import code, stream, write


def expected(first: int, last: int, every: int, width: int = 0) -> list[str]:
    """Return the lines with their numbers, counted one by one."""
    numbers = {line: str(line) for line in range(first, last + 1) if line == 1 or line % every == 0}
    return [f"{numbers.get(line, ''):>{width}}\tline {line}" for line in range(first, last + 1)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 1_201)))
    return path


@pytest.mark.parametrize("width", [0, 6])
@pytest.mark.parametrize(("first", "last"), [(1, 9), (1, 1_200), (10, 10), (15, 33), (995, 1_005)])
def test_other_lines_have_blanks(path: Path, first: int, last: int, width: int) -> None:
    gutter = Gutter(width, every=10)
    page = anyread.read_sync(path, offset=first, limit=last - first + 1, gutter=gutter)
    assert page.kind == "text"
    lines = page.text.split("\n")[: last - first + 1]
    assert lines == expected(first, last, 10, width)
    assert page.content.count("\n") == last - first + 1


def test_pages_fit_their_budget_with_every_gutter(path: Path) -> None:
    for gutter in (Gutter.TENS, Gutter.NONE, Gutter(every=7), Gutter.PIPE):
        shown = 0
        for page in anyread.pages_sync(path, gutter=gutter, max_bytes=400, kind="text"):
            assert len(page.text.encode()) <= 400
            shown += page.content.count("\n")
        assert shown == 1_200


def test_lines_counted_from_the_end_and_ranges_have_the_same_numbers(path: Path) -> None:
    page = anyread.read_sync(path, offset=-21, gutter=Gutter.TENS)
    assert page.text.split("\n")[:21] == expected(1_180, 1_200, 10)
    page = anyread.read_sync(path, ranges=[(9, 11), (30, 31)], gutter=Gutter.TENS)
    assert page.text.split("\n")[:6] == [
        *expected(9, 11, 10),
        "[lines 12-29 not shown]",
        *expected(30, 31, 10),
    ]


def test_notebook_cells_have_the_same_gutter(tmp_path: Path) -> None:
    source = "\n".join(f"line {number}" for number in range(1, 13))
    path = write(tmp_path, code(source, stream("out")))
    text = anyread.read_sync(path, gutter=Gutter.TENS).text
    assert "\n".join(expected(1, 12, 10)) in text
    assert "\n\tout" in text

"""A statement needs no function: how a place is written decides what is shown around it."""

from __future__ import annotations

from pathlib import Path

import pytest

import anyread

CODE = "import a\n\n\ndef total():\n" + "".join(f"    step({n})\n" for n in range(60)) + "\n\nlast = 1\n"
BLOCK = (4, 64)
LINES = (20, 40)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.py:30", BLOCK),
        ("a.py#L30", BLOCK),
        ("a.py, line 30", BLOCK),
        ('File "a.py", line 30, in total', BLOCK),
        ("at total (a.py:30:5)", BLOCK),
        ("a.py:30:5", LINES),
        ("a.py(30,5): error TS2304: no name", LINES),
        ("a.py:30: error: no name", LINES),
        ("a.py:30: warning: unused", LINES),
        ("a.py:30-32", (30, 32)),
    ],
)
def test_a_place_shows_a_block_or_the_lines_around_a_statement(
    tmp_path: Path, place: str, expected: tuple[int, int]
) -> None:
    (tmp_path / "a.py").write_text(CODE)
    text = anyread.tool(cwd=tmp_path).call_sync({"places": [place]})["content"][0]["text"]
    numbers = [int(line.split("\t")[0]) for line in text.split("\n") if "\t" in line]
    assert (numbers[0], numbers[-1]) == expected


@pytest.mark.parametrize(
    ("text", "wants"),
    [
        ('  File "a.py", line 30, in total', "block"),
        ("a.py:30: AssertionError", "block"),
        ("a.py:30:    step(26)", "block"),
        ("    at total (/w/a.js:30:5)", "block"),
        ("a.py:30: error: Name is not defined  [name-defined]", "statement"),
        ("src/a.ts(30,5): error TS2304: Cannot find name 'b'.", "statement"),
        ("./a.go:30:5: undefined: b", "statement"),
        ("a.c:30:5: warning: unused variable", "statement"),
        ("a.py:30:5: F401 `a` imported but unused", "statement"),
        (" --> src/a.rs:30:5", "statement"),
        ("/w/a.ts\n  30:5  error  'b' is not defined  no-undef", "statement"),
        ('[{"filename": "a.py", "location": {"row": 30, "column": 5}, "message": "unused"}]', "statement"),
    ],
)
def test_what_a_text_says_decides_what_a_place_wants(text: str, wants: str) -> None:
    (place,) = anyread.places(text)
    assert (place.line, place.wants) == (30, wants)


def test_found_places_show_what_they_want(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE)
    reader = anyread.Reader(roots=[tmp_path])
    for text, expected in (("a.py:30: error: no", LINES), ('File "a.py", line 30', BLOCK)):
        (page,) = reader.read_many_sync(anyread.places(text))
        assert isinstance(page, anyread.TextPage)
        assert page.ranges == (expected,)


def test_of_a_clipped_line_the_text_around_a_column_is_shown(tmp_path: Path) -> None:
    line = ",".join(map(str, range(100_000)))
    (tmp_path / "a.json").write_text(f"[\n{line}\n]\n")
    at = line.index(",54321,") + 2
    tool = anyread.tool(cwd=tmp_path)
    output = tool.call_sync({"places": [f"a.json:2:{at}"]})
    text = output["content"][0]["text"]
    assert ",54321," in text
    assert len(text) < 700
    # What is before and after it is named.
    heading = text.split("\n")[0]
    first = at - 200
    assert f"from character {first:,}; before it: 2@{first - 2_000}" in heading
    before = tool.call_sync({"places": [f"a.json:2@{first - 2_000}"]})["content"][0]["text"]
    assert line[first - 2_001 : first] in before
    assert f"offset=2, column={first + 400}" in text
    # A column past the end of a line is ignored.
    assert "3\t]" in tool.call_sync({"places": ["a.json:3:9999"]})["content"][0]["text"]

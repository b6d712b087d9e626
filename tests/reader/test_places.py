"""Places: how they are written, what they choose, and what `read_many` makes of them."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import anyread
from anyread import Reader
from anyread.arguments.places import parsed
from anyread.reading.written_places import Place, places
from helpers.media import text_pdf


def lsp(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


@pytest.mark.parametrize(
    ("report", "place"),
    [
        (
            {"uri": "file:///p/my%20a.py", "range": {"start": lsp(4, 0), "end": lsp(6, 0)}},
            Place("/p/my a.py", 5, 6, 1),
        ),
        (
            {
                "params": {
                    "uri": "file:///a.py",
                    "diagnostics": [{"range": {"start": lsp(4, 2), "end": lsp(4, 9)}}],
                }
            },
            Place("/a.py", 5, None, 3),
        ),
        ({"files": {"/p/a.php": {"messages": [{"line": 3, "source": "A.B"}]}}}, Place("/p/a.php", 3)),
        ({"artifactLocation": {"uri": "my%20a.py"}, "region": {"startLine": 3}}, Place("my a.py", 3)),
    ],
)
def test_reports_in_json_are_understood(report: object, place: Place) -> None:
    line = json.dumps(report)
    assert places(line) == places(json.dumps(report, indent=2)) == [place]
    # Lines of JSON are beside others, and a server writes its headers without a line feed.
    assert places(f"{{}}\n{line}Content-Length: 7\nsrc/b.py:3: x") == [place, Place("src/b.py", 3)]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:80/a.py:3",
        "postgres://u:p@db.example.com:5432/x.sql:3",
        "127.0.0.1:8000",
        "http://[::1]:80/a.py:3",
        "12:30:45",
        "localhost:99",
        "db.example.com:5432",
        "git@example.com:22",
        "origin/main:3",
        "library/redis:7 pulled",
        "CartTest.adds:14 expected 1",
        "Error: 10",
        "",
        "    at node:internal/a.js:3:4",
        "<frozen importlib._bootstrap>:1331",
        "cart.get(1)",
        "expect(1).toBe(4);",
        "self.items[3]:",
        "src/a.py:0",
        "src/a.py:1234567890123456",
        f"/{'a' * 5_000}.py:3",
        "src/a.js\n12:30:45 done",
        "src/cart.js → stdout...\n1: x",
        "either/or choose one:\n1: x",
        "docker/compose:\n8080:80",
        "2026/11/26 report\n10:15 x",
        "--- a/x.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-b.py:3: x\n-c.py:4: x",
        '{"file": "a.py", "lines": 3}',
        "[" * 20_000,
    ],
)
def test_addresses_times_and_text_of_a_diff_are_no_places(text: str) -> None:
    assert places(text) == []


@pytest.mark.parametrize(
    ("written", "candidates"),
    [
        ("my dir/a.py:3: x", ("my dir/a.py", "dir/a.py")),
        ("(see my dir/a.py:3)", ("see my dir/a.py", "my dir/a.py", "dir/a.py")),
        ("/p/my dir/v1.2 old/a.py:3", ("/p/my dir/v1.2 old/a.py", "dir/v1.2 old/a.py", "old/a.py")),
        (
            "at C:\\Program Files (x86)\\a.cs(3,4): error",
            ("C:\\Program Files (x86)\\a.cs", "Files (x86)\\a.cs", "(x86)\\a.cs", "\\a.cs"),
        ),
        ("notes (1).txt:3: x", ("notes (1).txt", "(1).txt")),
        (
            "a b c d e f g h/i.py:3",
            ("a b c d e f g h/i.py", *("b c d e f g h/i.py"[n:] for n in range(0, 14, 2))),
        ),
        ("dir:name/f.txt:1:match", ("dir:name/f.txt", "name/f.txt")),
        ("ERROR:root:src/a.py:3", ("ERROR:root:src/a.py", "root:src/a.py", "src/a.py")),
        ("/p/my run:1/b.py:3", ("/p/my run:1/b.py", "run:1/b.py", "1/b.py")),
        ("12:30:45 src/a.py:3", ()),
        ("x  src/a.py:3", ()),
        ("error: src/a.py:3", ()),
    ],
)
def test_longer_names_with_spaces_are_candidates(written: str, candidates: tuple[str, ...]) -> None:
    (place,) = places(written)
    assert place.candidates == candidates
    assert place == dataclasses.replace(place, candidates=())
    assert "candidates" not in repr(place)


NAMES = (
    "run:1",
    "dir:name",
    "2026-11-28T10:00:00",
    "T10:15:00Z",
    "2025-04-28T11:03:09+02:00",
    "12:30",
    "my dir",
    "v1.2:x",
    "a",
)
PRINTED = (
    "{}:7:5: error: x", "{}:7: text", "{}:7:see b/c.py", "    at f ({}:7:5)", "{}(7,5): error TS1",
    '  File "{}", line 7, in f', '"{}":7: m', "'{}': line 7, column 3",
)  # fmt: skip


def test_colons_in_names_show_no_other_file() -> None:
    """`dir:name/f.txt:1` of grep showed `name/f.txt` without a notice, and `/p/run:1/a.py` was `/p/run`."""
    random = Random(5)
    for _ in range(3_000):
        names = random.choices(NAMES, k=random.randint(1, 3))
        path = random.choice(("/p/", "./", "../", "~/", "", "/srv/my app/")) + "/".join([*names, "a.py"])
        [place] = places(random.choice(PRINTED).format(path))
        assert (path in (place.candidates or (place.path,)), place.line) == (True, 7), (path, place)
    # What follows a line is another text.
    found = places("a.py:3:see b/c.py:7\na.py:4:b/c.py:8: x")
    assert [str(place) for place in found] == ["a.py:3", "b/c.py:7", "a.py:4", "b/c.py:8"]


FORMS = """\
a.py:10                       | a.py:10
a.py:10-20                    | a.py:10-20
a.py:10-20,80-90              | a.py:10-20,80-90
a.py:10-20, 80                | a.py:10-20,80
a.py:10-20 80                 | a.py:10-20,80
a.py:10-20;80                 | a.py:10-20,80
a.py:10-20 and 80             | a.py:10-20,80
a.py:10, 20, and 30           | a.py:10,20,30
a.py:10-20 & 80               | a.py:10-20,80
a.py:10–20                    | a.py:10-20
a.py:10—20                    | a.py:10-20
a.py:10--20                   | a.py:10-20
a.py:10..20                   | a.py:10-20
a.py:10...20                  | a.py:10-20
a.py:10 - 20                  | a.py:10-20
a.py:10 to 20                 | a.py:10-20
a.py:10 through 20            | a.py:10-20
a.py:10-                      | a.py:10-
a.py:10-end                   | a.py:10-
a.py:10-$                     | a.py:10-
a.py:10 to EOF                | a.py:10-
a.py:-50                      | a.py:-50-
a.py:-50-                     | a.py:-50-
a.py:-50--10                  | a.py:-50--10
a.py:1,001-1,200              | a.py:1001-1200
a.py:400,000                  | a.py:400000
a.py:12,345-12,400            | a.py:12345-12400
a.py:320-330,138              | a.py:320-330,138
a.py:270,117                  | a.py:270,117
a.py:169,206-246,320-330,179  | a.py:169,206-246,320-330,179
a.py:207,223-263,214-         | a.py:207,223-263,214-
a.py:53,223-263,105           | a.py:53,223-263,105
a.py:90,129-135,134,150       | a.py:90,129-135,134,150
a.py:200,105-201,104          | a.py:200105-201104
a.py:200, 105-201, 104        | a.py:200, 105-201, 104
a.py:499,501-501,500          | a.py:499501-501500
data.json#2/text:4-5, 1-2     | data.json#2/text:4-5,1-2
a.py:145@4001-160,200-210     | a.py:145@4001-160,200-210
a.py:145@4001-                | a.py:145@4001-
a.py:145@4001                 | a.py:145@4001-145
a.py:L10-L20                  | a.py:10-20
a.py:L10-20                   | a.py:10-20
a.py: 10-20                   | a.py:10-20
a.py : 10                     | a.py:10
a.py:line 10                  | a.py:10
a.py:lines 10-20              | a.py:10-20
a.py: lines 10 to 20          | a.py:10-20
a.py#L10                      | a.py:10
a.py#L10-L20                  | a.py:10-20
a.py#L10-20                   | a.py:10-20
a.py#L10C3-L20C5              | a.py:10-20
a.py#10                       | a.py:10
a.py (lines 10-20)            | a.py:10-20
a.py (lines 10-20, 80)        | a.py:10-20,80
a.py (10-20)                  | a.py:10-20
a.py [10-20]                  | a.py:10-20
a.py(12)                      | a.py:12
a.py(12,5)                    | a.py:12
a.py(12,5,14,9): error        | a.py:12-14
a.py lines 10-20              | a.py:10-20
a.py, lines 10-20 and 30      | a.py:10-20,30
a.py, line 12                 | a.py:12
a.py, line 12, column 5       | a.py:12
a.py on line 12               | a.py:12
a.py at line 12.              | a.py:12
a.py line 12:                 | a.py:12
a.py l. 12                    | a.py:12
lines 10-20 of a.py           | a.py:10-20
line 10 in my dir/a.py        | my dir/a.py:10
report.pdf pages 3-5          | report.pdf:3-5
pump.ipynb, cell 2            | pump.ipynb:2
data.csv rows 10-20           | data.csv:10-20
a.py:10:5                     | a.py:10
a.py:10:5-9                   | a.py:10
a.py:10.5                     | a.py:10
a.py:10:                      | a.py:10
a.py:10,                      | a.py:10
a.py:10.                      | a.py:10
a.py:10:5: error: bad syntax  | a.py:10
a.py:10: in total             | a.py:10
File "a.py", line 10, in f    | a.py:10
File "my dir/a.py", line 10   | my dir/a.py:10
at total (a.js:3:4)           | a.js:3
at a.js:3:4                   | a.js:3
in src/a.py, line 12          | src/a.py:12
see src/a.py:12               | src/a.py:12
--> src/a.rs:2:5              | src/a.rs:2
- a.py:3                      | a.py:3
* a.py:3                      | a.py:3
`a.py:3`                      | a.py:3
`a.py`:3                      | a.py:3
`a.py` lines 3-4              | a.py:3-4
**src/a.py:42**               | src/a.py:42
**src/a.py**:42               | src/a.py:42
"my dir/a.py:3-4"             | my dir/a.py:3-4
'my dir/a.py':3-4             | my dir/a.py:3-4
“src/a.py:12”                 | src/a.py:12
«src/a.py:12»                 | src/a.py:12
「src/a.py:12」               | src/a.py:12
<src/a.py:12>                 | src/a.py:12
(src/a.py:12)                 | src/a.py:12
[src/a.py:12]                 | src/a.py:12
##[error]src/a.ts(12,5)       | src/a.ts:12
@src/a.py:12                  | src/a.py:12
@babel/core/a.js:12           | @babel/core/a.js:12
file:///p/my%20dir/a.py:3     | /p/my dir/a.py:3
file:///C:/p/a.py:3           | C:/p/a.py:3
vscode://file/p/a.py:12:5     | /p/a.py:12
C:\\p\\a.py:10                | C:\\p\\a.py:10
my dir/a.py:10                | my dir/a.py:10
a.py:3 copy.txt:5             | a.py:3 copy.txt:5
app/(group)/[id]/page.tsx:3   | app/(group)/[id]/page.tsx:3
12:30                         | 12:30
"my notes.txt"                | my notes.txt
file:///p/my%20dir/a.py       | /p/my dir/a.py
a.py                          | path
my notes.txt                  | path
C:\\dir\\a.py                 | path
app/[id]                      | path
__init__.py                   | path
baseline 10                   | path
a.py:                         | path
a.py:x                        | path
a.py:1-x                      | refused
a.py:1-2-3                    | refused
a.py:10-20 or 30              | refused
a.py:10-20 (slow)             | refused
a.py@10-20                    | refused
a.py[10:20]                   | refused
a.py (10, 20)                 | refused
a.py, line 12 of 30           | refused
12:30:45.log                  | refused
a.py:1234567890123456         | refused
a.py:1@1234567890123456       | refused
a.py#L1234567890123456        | refused
a.py:3@0                      | refused
"""


@pytest.mark.parametrize("row", FORMS.replace("\\\\", "\\").splitlines())
def test_places_as_arguments_are_understood_or_refused(row: str) -> None:
    written, meant = (column.strip() for column in row.split(" | "))
    if meant == "refused":
        with pytest.raises(anyread.BadArgumentError) as caught:
            parsed(written)
        assert "a.py:10-20" in str(caught.value) or "1 to 999,999,999,999,999" in str(caught.value)
        return
    found = parsed(written)
    assert str(found) == meant if meant != "path" else found is None
    if found is not None and found.spans:
        assert parsed(str(found)) == found


@pytest.mark.posix("names of files without lone surrogates")
@pytest.mark.parametrize(
    "written", ["a.py:" + "1" * 4_091, "a.py:3" + " " * 5_000, "\ud800.py:3", "a.py:" + "1," * 500 + "1"]
)
def test_long_places_and_half_surrogates_are_refused(written: str) -> None:
    with pytest.raises(anyread.BadArgumentError) as caught:
        parsed(written)
    assert len(str(caught.value)) < 500


def test_documented_forms_are_found() -> None:
    page = (Path(__file__).parents[2] / "docs/places.md").read_text(encoding="utf-8")
    section = page.partition("### What is found")[2].partition("\n## ")[0]
    rows = [
        line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ") and "| `" in line
    ]
    for _, text, named in rows:
        written = text[1:-1].replace("\\|", "|")
        written = re.sub(" ?⏎ ", "\n", written)
        assert [f"`{place}`" for place in places(written)] == re.findall("`[^`]+`", named), written
    assert len(rows) > 35


@pytest.mark.posix("a fine clock of processor time")
def test_time_is_linear_in_the_length() -> None:
    """The characters are those of the forms; once, `()/()/…` took a time that grew with the square."""
    words = ["1", "12", "L", "l", "C:", "//", "file://", "http://", "line ", "lines 1", "a", "b.py", " to "]
    words += [" and ", "of ", "at ", "()/", "x ()/", "{line,", '{"a":', "[[", "@@ -1,4 +1,4 @@\n"]
    pieces = [*":()[]{}#|,;&=@/\\.-–*\t\n\r \"'`“”<>┆", *words, "+++ b/x\n", "\x1b]8;", "  ", "(1:2)"]
    random = Random(7)
    repeated = [
        "10:10/",
        "T10:1",
        '"a":1',
        "x:y/z:1 ",
        "a.py:1 ",
        "of a:b/",
        "()/",
        "x ()/",
        "a:1 ()/",
        "file://",
        "((",
        "a(1",
        "1:2",
        "1, ",
        "L1-",
        ": ",
        "[1\n",
        "{\n",
    ]
    repeated += ["".join(random.choices(pieces, k=random.randint(1, 6))) for _ in range(30)]

    def seconds(function: Callable[[str], object], text: str) -> float:
        taken = []
        for _ in range(3):
            started = time.process_time()
            with suppress(anyread.BadArgumentError):
                function(text)
            taken.append(time.process_time() - started)
        return min(taken)

    for piece in repeated:
        for function, size in ((places, 2_000), (parsed, 500)):
            text = f"a:1 {piece * (8 * size // len(piece))}"
            # Below a tenth of a millisecond, the clock and the call itself are measured.
            assert seconds(function, text) <= 16 * max(seconds(function, text[:size]), 1e-4), (
                function,
                piece,
            )
    assert seconds(places, f"{'a:1 ' + '()/' * 5_000}\n" * 20) < 2


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("".join(f"{name} line {n}\n" for n in range(1, 401)))
    (tmp_path / "a.py:3").write_text("a file with a strange name\n")
    (tmp_path / "a.pdf").write_bytes(text_pdf(12))
    cells = [{"cell_type": "markdown", "source": f"cell {n} " * 20, "metadata": {}} for n in range(1, 21)]
    (tmp_path / "n.ipynb").write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    return Reader(roots=[tmp_path], model=anyread.Model.text_only())


@pytest.mark.parametrize(
    ("places", "first", "lines"),
    [
        (["a.py:10@4-12", "a.py:12-14"], "y line 10", [*range(10, 15)]),
        (["a.py:12-14", "a.py:10@4-12"], "y line 10", [*range(10, 15)]),
        (["a.py:10@4-12", "a.py:10@4-12"], "y line 10", [10, 11, 12]),
        (["a.py:10@4-12", "a.py:12"], "a.py line 2", [*range(2, 23)]),
        (["a.py:10@4-12", "a.py:8-10"], "a.py line 8", [*range(8, 13)]),
        (["a.py:5@4-7", "a.py:5-6"], "a.py line 5", [5, 6, 7]),
        (["a.py:1@4-2", "a.py:1"], "a.py line 1", [*range(1, 12)]),
        (["a.py:10@4-12", "a.py:-395--390"], "a.py line 6", [*range(6, 13)]),
        (["a.py:5@4-7,1-2"], "a.py line 1", [1, 2, 5, 6, 7]),
        (["a.py:10@4-12", "a.py"], "a.py line 1", [*range(1, 401)]),
    ],
)
def test_column_is_that_of_the_line_with_which_it_was_written(
    reader: Reader, places: list[str], first: str, lines: list[int]
) -> None:
    """Whatever line came first was shown from there, or the file was refused if that line was shorter."""
    (page,) = reader.read_many_sync(places)
    assert isinstance(page, anyread.TextPage)
    shown = page.content.splitlines()
    assert shown == [first, *(f"a.py line {n}" for n in lines[1:])]


def test_longest_name_of_a_text_that_exists_is_read(reader: Reader, tmp_path: Path) -> None:
    """A cut name once showed another file."""
    for name in ("my dir", "dir"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.py").write_text(f"{name}\n")
    cut, whole = reader.read_many_sync(places("my dir/c.py:1: x\nin our dir/c.py:1"))
    assert isinstance(cut, anyread.TextPage)
    assert isinstance(whole, anyread.TextPage)
    assert (cut.content, whole.content) == ("my dir\n", "dir\n")


@pytest.mark.parametrize(
    ("link", "local"),
    [
        ("https://github.com/o/r/blob/main/src/a.py#L10-L20", "src/a.py:10-20"),
        ("https://github.com/o/r/blob/main/src/a.py#L10C2-L20C5", "src/a.py:10-20"),
        ("https://gitlab.com/g/h/r/-/blob/main/my%20a.py?ref_type=heads#L10-20", "my a.py:10-20"),
        ("https://gitlab.com/g/r/-/blob/main/a.py#L7", "a.py:7"),
        ("https://github.com/o/r/blob/main/README.md?plain=1", "README.md"),
    ],
)
def test_error_about_a_link_has_the_place_in_the_repository(link: str, local: str) -> None:
    hint = f"if its repository is on this machine, read `{local}` in it"
    for call in (lambda: anyread.read_sync(link), lambda: anyread.info_sync(link)):
        with pytest.raises(anyread.errors.NotFoundError, match="is a URL") as caught:
            call()
        assert caught.value.hint == hint
    for arguments in ({"path": link}, {"places": [link]}):
        assert anyread.tool().call_sync(arguments)["hint"] == hint

"""Places: how they are written, what they choose, and what `read_many` makes of them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import anyread
from anyread import Failed, Reader
from anyread.place_arguments import parsed
from anyread.written_places import Place, places
from media import text_pdf


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ('  File "/a b/x.py", line 10, in f', Place("/a b/x.py", 10)),
        ("    at fn (/path with space/a.js:1:2)", Place("/path with space/a.js", 1, None, 2)),
        ("    at file:///srv/x/a.mjs:3:7", Place("/srv/x/a.mjs", 3, None, 7)),
        ("\tat com.foo.Bar.baz(Bar.java:10)", Place("Bar.java", 10)),
        ("src/a.ts(10,5): error TS1005: ';' expected.", Place("src/a.ts", 10, None, 5)),
        (" --> src/main.rs:2:5", Place("src/main.rs", 2, None, 5)),
        ("/srv/x/main.go:10 +0x1d", Place("/srv/x/main.go", 10)),
        ("thread 'main' panicked at src/main.rs:2:5:", Place("src/main.rs", 2, None, 5)),
        ("PHP Fatal error: x in /path/a.php on line 10", Place("/path/a.php", 10)),
        ("died at a.pl line 10.", Place("a.pl", 10)),
        ("./a.sh: line 10: foo: command not found", Place("./a.sh", 10)),
        ("In file included from a.h:3,", Place("a.h", 3)),
        ("stopped in src/a.ts(10,5)", Place("src/a.ts", 10, None, 5)),
        ("see src/a.py#L10-L20", Place("src/a.py", 10, 20)),
        ("[docs](docs/b.md#L3)", Place("docs/b.md", 3)),
        ("C:\\x\\a.py:10:4", Place("C:\\x\\a.py", 10, None, 4)),
        ("app/(group)/[id]/page.tsx:3:4", Place("app/(group)/[id]/page.tsx", 3, None, 4)),
        ("Makefile:12: *** missing separator", Place("Makefile", 12)),
        ("\x1b[1msrc/a.py\x1b[0m:10: error", Place("src/a.py", 10)),
        ("src/a.py:10-20", Place("src/a.py", 10, 20)),
        ("   at Shop.Cart.Total() in /x/Cart.cs:line 10", Place("/x/Cart.cs", 10)),
        ("[ERROR] /x/A.java:[10,5] cannot find symbol", Place("/x/A.java", 10)),
        ("::error file=src/a.py,line=10,col=5,endLine=10::unused", Place("src/a.py", 10)),
        ('File "lib/a.ml", lines 3-5, characters 4-9:', Place("lib/a.ml", 3, 5, 4)),
        ("a.sh: 3: foo: not found", Place("a.sh", 3)),
        ("jq: error (at a.json:3): no", Place("a.json", 3)),
        ("/x/my app/main file.js:3:4", Place("/x/my app/main file.js", 3, None, 4)),
        ("/x/a.js fails as b.js:3:4 does", Place("b.js", 3, None, 4)),
        ("// as in b.js:3", Place("b.js", 3)),
        ("/x/a.js\n  3:4  error  Missing semicolon", Place("/x/a.js", 3, None, 4)),
        ("\x1b[35msrc/a.js\x1b[0m\n\x1b[32m3\x1b[0m:text of line", Place("src/a.js", 3)),
        ("src/a.js\n--\n3-before\n4:text\n\n5:4 of another kind", Place("src/a.js", 4)),
    ],
)
def test_places_are_found_as_tools_print_them(written: str, place: Place) -> None:
    assert [found[:4] for found in places(written)] == [place[:4]]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.com:80/a.py:3",
        "127.0.0.1:8000",
        "12:30:45",
        "localhost:99",
        "Error: 10",
        "",
        "    at node:internal/a.js:3:4",
        "cart.get(1)",
        "expect(1).toBe(4);",
        "self.items[3]:",
        "src/a.js\n12:30:45 done",
    ],
)
def test_addresses_and_times_are_no_places(text: str) -> None:
    assert places(text) == []


@pytest.mark.parametrize(
    ("written", "path", "spans"),
    [
        ("src/a.py:10-20,80-90", "src/a.py", ((10, 20), (80, 90))),
        ("src/b.py:200", "src/b.py", (200,)),
        ("report.pdf:3-5", "report.pdf", ((3, 5),)),
        ("with space/c.txt:7:3", "with space/c.txt", (7,)),
        ("LICENCE.old#L10-L20", "LICENCE.old", ((10, 20),)),
        ('File "q.py", line 3', "q.py", (3,)),
        ("--> p.rs:1:2", "p.rs", (1,)),
        ("C:\\a.py:10", "C:\\a.py", (10,)),
        ("app.log:500-", "app.log", ((500, -1),)),
        ("at f (z.js:3:4)", "z.js", (3,)),
        ("a.ts(10,5)", "a.ts", (10,)),
    ],
)
def test_one_place_names_a_file_and_its_lines(written: str, path: str, spans: object) -> None:
    assert parsed(written) == (path, spans, 1)


def test_long_texts_take_linear_time() -> None:
    for piece in ("a", "a:", "a(1", "(", "a.b/", "\x1b]8;", "a#L", "1:", "://a", 'File "'):
        started = time.process_time()
        places(piece * 300_000)
        places(f"{piece * 1_000}\n" * 300)
        assert time.process_time() - started < 6, piece


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


def test_places_of_one_file_are_one_result_where_the_first_was_named(reader: Reader) -> None:
    first, failed, second = reader.read_many_sync(["a.py:10-12,80", "gone.py:5", "b.py#L5-L6", "a.py:12-14"])
    assert isinstance(first, anyread.TextPage)
    assert first.ranges == ((10, 14), (70, 90))
    assert isinstance(failed, Failed)
    assert failed.path == "gone.py"
    assert isinstance(second, anyread.TextPage)
    assert second.text.startswith("5\tb.py line 5\n6\tb.py line 6\n[")


def test_file_whose_name_looks_like_a_place_is_read(reader: Reader) -> None:
    named, rest = reader.read_many_sync(["a.py:3", "a.py:10-11"])
    assert isinstance(named, anyread.TextPage)
    assert named.content == "a file with a strange name\n"
    assert isinstance(rest, anyread.TextPage)
    assert rest.ranges == ((10, 11),)


def test_kind_of_the_file_decides_what_the_numbers_are(reader: Reader) -> None:
    pdf, notebook = reader.read_many_sync(["a.pdf:3,7-8", "n.ipynb:2"])
    assert isinstance(pdf, anyread.PdfPages)
    assert [page.number for page in pdf.pages] == [3, 7, 8]
    assert "\n\n[pages 4-6 not shown]\n[page 7 of 12]\n" in pdf.text
    assert isinstance(notebook, anyread.NotebookPage)
    assert [cell.number for cell in notebook.cells] == [2]


@pytest.mark.parametrize("name", ["a.pdf", "n.ipynb"])
def test_following_next_shows_all_pages_and_cells_within_the_budget(reader: Reader, name: str) -> None:
    small = Reader(roots=reader.roots, limits=anyread.Limits(max_bytes=700), model=anyread.Model.text_only())
    arguments: dict[str, object] = {"ranges": [(2, 6), (-2, -1), 9]}
    seen: list[int] = []
    calls = 0
    while arguments:
        page = small.read_sync(name, **arguments)  # type: ignore[call-overload] # as in `next`
        assert len(page.text.encode()) <= 700
        parts = page.pages if isinstance(page, anyread.PdfPages) else page.cells
        seen += [part.number for part in parts]
        arguments = dict(page.next.arguments) if page.next is not None else {}
        calls += 1
    assert seen == ([2, 3, 4, 5, 6, 9, 11, 12] if name == "a.pdf" else [2, 3, 4, 5, 6, 9, 19, 20])
    assert calls > 1


def test_budget_is_used_in_the_order_of_the_places(reader: Reader) -> None:
    results = [*reader.read_many_sync(["a.py:1-50", "b.py:1-300", "a.pdf:1-9"], budget_bytes=2_500)]
    kinds = [type(result) for result in results]
    assert kinds == [anyread.TextPage, anyread.TextPage, anyread.PdfPages]
    assert results[1].next is not None
    assert results[1].next.arguments["ranges"][-1][1] == 300
    assert sum(len(result.text.encode()) for result in results) <= 2_500

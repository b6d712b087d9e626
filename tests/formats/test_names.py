"""Parts of files by the names that people, tools and links give them."""

from __future__ import annotations

import json
import random
import re
import time
from pathlib import Path
from typing import Any

import docx
import nbformat
import openpyxl
import pptx
import pytest

import anyread
from anyread import errors
from anyread._native import count_tokens

# Pages of any kind.
read_sync: Any = anyread.read_sync
read_many_sync: Any = anyread.read_many_sync
# It has no types.
notebooks: Any = nbformat.v4
write_notebook: Any = nbformat.write
TODOS = {"todos": [{"status": "open", "a.b": 1, "it's": 2}], "a": [1, 2, 3, {"name": "x", "b c": 4}]}
MARKDOWN = """\
---
title: none
# none
---
# Pump

intro

## Install

```sh
# none
```

### On [Linux](https://example.org)

text

## 3.1 Usage `flow` & more

first

## Usage

second

Café Setext
-----------

third

## Usage

last
"""
RST = """\
====
Pump
====

Install
=======
text

Linux
-----
more

Usage
=====
last
"""
ASCIIDOC = """\
= Pump

== Install

----
== none
----

=== Linux

text

== Usage
last
"""
PYTHON = '''\
"""Mentions discount() and class Cart."""
from price import discount


@cached
def total(cart):
    discount(cart)
    return discount(cart)


class TestCart(Base):
    """Tests."""

    def test_discount(self):
        """Doc."""
        assert discount(1)

    async def other(self):
        pass


class Other:
    def test_discount(self):
        return 1


def discount(
    price,
):
    return price * 2
'''
OTHER_LANGUAGES = {
    "a.go": ("Pump.Flow", "func Flow() {\n}\n\nfunc (p *Pump) Flow() int {\n\treturn Flow()\n}\n", 4, 6),
    "b.go": ("Pump", "var p Pump\n\ntype Pump struct {\n\tflow int\n}\n", 3, 5),
    "a.rs": (
        "Pump::flow",
        "fn flow() {\n}\n\nimpl Pump {\n    pub fn flow(&self) -> u8 {\n        1\n    }\n}\n",
        5,
        7,
    ),
    "a.ts": (
        "flow",
        "flow(1);\nreturn flow(2)\nexport const flow = async (a: number) => {\n  a;\n};\n",
        3,
        5,
    ),
    "b.ts": ("Pump.flow", "class Pump {\n  flow(a) {\n    flow(a);\n  }\n}\nfunction flow() {\n}\n", 2, 4),
    "A.java": (
        "Pump.flow",
        "class Pump {\n    public int flow(int a) {\n        return flow(a);\n    }\n}\n",
        2,
        4,
    ),
    "a.c": ("flow", "int flow(int a);\n\nstatic int flow(int a)\n{\n    return flow(a);\n}\n", 3, 6),
    "a.cpp": ("Pump::flow", "int flow() {\n}\n\nint Pump::flow() const\n{\n    return 1;\n}\n", 4, 7),
    "a.rb": ("Pump#flow", "class Pump\n  def flow\n    1\n  end\nend\n", 2, 4),
}


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lines(page: Any) -> list[int]:
    return [int(line.partition("\t")[0]) for line in page.text.split("\n") if line[:1].isdigit()]


def span(page: Any) -> tuple[int, int]:
    numbers = lines(page)
    return numbers[0], numbers[-1]


@pytest.mark.parametrize(
    ("at", "address"),
    [
        ("$.todos[0].status", "/todos/0/status"),
        ("$['todos'][0][\"status\"]", "/todos/0/status"),
        ("$.todos[0]['a.b']", "/todos/0/a.b"),
        ('$.todos[0]["it\'s"]', "/todos/0/it's"),
        (".a[3].name", "/a/3/name"),
        ('.a[3]."b c"', "/a/3/b c"),
        ("a[3].name", "/a/3/name"),
        ("todos.0.status", "/todos/0/status"),
        ("todos/0/status", "/todos/0/status"),
        ("todos", "/todos"),
        ("1.todos", "1/todos"),
    ],
)
def test_path_of_another_form_is_an_address(at: str, address: str) -> None:
    """They were refused, with a hint about the first record."""
    Path("a.json").write_text(json.dumps(TODOS))
    found, right = read_sync("a.json", at=at), read_sync("a.json", at=address)
    assert found.text == right.text
    [notice] = found.notices
    assert (notice.code, notice.data) == ("translated_address", {"at": address})
    if "/" not in at:
        [page] = read_many_sync([f"a.json#{at}"])
        assert page.text == right.text


def test_number_that_begins_a_path_is_a_record_or_an_item() -> None:
    records = [{"output": f"o{number}"} for number in range(5)]
    Path("a.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    Path("a.json").write_text(json.dumps(records))
    for at in ("2.output", "[2].output"):
        assert read_sync("a.jsonl", at=at).text == "1\to1"
    assert read_sync("a.json", at="2.output").text == "1\to1"
    assert read_sync("a.json", at="[2].output").text == read_sync("a.json", at="$[2].output").text == "1\to2"


@pytest.mark.parametrize(
    ("at", "begin"),
    [
        ("$.todos[*].status", "/todos"),
        ("$..status", ""),
        ("a[1:3]", "/a"),
        (".a[]", "/a"),
        ("a[?(@.x)].y", "/a"),
    ],
)
def test_path_to_several_values_is_refused(at: str, begin: str) -> None:
    Path("a.json").write_text(json.dumps(TODOS))
    with pytest.raises(errors.NotOneValueError) as caught:
        read_sync("a.json", at=at)
    assert caught.value.begin == begin
    if begin:
        assert read_sync("a.json", at=begin).text
        assert caught.value.hint.startswith(f'pass at="{begin}"')


def test_misspelt_key_is_answered_with_the_nearest() -> None:
    """`outptu` suggested the first key of the record."""
    keys = [f"key{number}" for number in range(500)]
    Path("a.jsonl").write_text(json.dumps({"id": 1, **dict.fromkeys(keys, 0), "output": 2}))
    with pytest.raises(errors.NoSuchPartError, match='such as at="1/output"'):
        read_sync("a.jsonl", at="1/outptu")


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("install", 9, 17),
        ("Install", 9, 17),
        ("on-linux", 15, 17),
        ("On Linux", 15, 17),
        ("31-usage-flow--more", 19, 21),
        ("usage-flow-more", 19, 21),
        ("3.1", 19, 21),
        ("§3.1", 19, 21),
        ("section 3.1", 19, 21),
        ("café-setext", 27, 30),
        ("caf%C3%A9-setext", 27, 30),
        ("usage-1", 32, 34),
        ("pump", 5, 34),
    ],
)
def test_heading_of_markdown_is_its_section(name: str, first: int, last: int) -> None:
    Path("README.md").write_text(MARKDOWN)
    assert span(read_sync("README.md", at=name)) == (first, last)
    place = f"README.md, {name}" if name[0] in "§s" else f"README.md#{name}"
    assert span(read_sync(place)) == (first, last)
    [page] = read_many_sync([place])
    assert span(page) == (first, last)
    text = anyread.tool().call_sync({"places": [place]})["content"][0]["text"]
    assert text.startswith(f"==> README.md · lines {first}-{last} of ")


def test_same_heading_twice_is_both_sections() -> None:
    Path("README.md").write_text(MARKDOWN)
    assert lines(read_sync("README.md#usage")) == [*range(23, 26), *range(32, 35)]


@pytest.mark.parametrize(("file", "text"), [("a.rst", RST), ("a.adoc", ASCIIDOC)])
def test_headings_of_other_markup(file: str, text: str) -> None:
    Path(file).write_text(text)
    written = text.split("\n")
    install, linux, usage = (
        next(number for number, line in enumerate(written, 1) if line.strip("= ") == name)
        for name in ("Install", "Linux", "Usage")
    )
    assert span(read_sync(file, at="install")) == (install, usage - 2)
    assert span(read_sync(file, at="Linux")) == (linux, usage - 2)
    assert span(read_sync(file, at="1.1")) == (linux, usage - 2)
    with pytest.raises(errors.NoSuchNameError):
        read_sync(file, at="none")


def test_heading_that_does_not_exist_is_an_error_with_the_nearest() -> None:
    """`#1.2` was line 1, column 2."""
    Path("README.md").write_text(MARKDOWN)
    with pytest.raises(errors.NoSuchNameError) as caught:
        read_sync("README.md", at="instal")
    assert caught.value.near[0] == "Install"
    with pytest.raises(errors.NoSuchNameError):
        read_sync("README.md#1.2")
    with pytest.raises(errors.BadArgumentError):
        read_sync("README.md", at="install", ranges=[1])


def test_long_section_says_where_it_goes_on() -> None:
    Path("a.md").write_text("# a\n" + "text\n" * 300 + "# b\n")
    page = read_sync("a.md", at="a")
    assert span(page) == (1, 200)
    [notice] = page.notices
    assert notice.message.endswith("the next are offset=201, limit=101")
    assert span(read_sync("a.md", at="a", offset=250, limit=20)) == (250, 269)


def test_heading_of_a_document(tmp_path: Path) -> None:
    made = docx.Document()
    for part in range(1, 41):
        made.add_heading(f"{part} Part {part}", 1)
        for sub in range(1, 4):
            made.add_heading(f"{part}.{sub} Results of {part}", 2)
            made.add_paragraph(f"The result is {part}.{sub}.")
    made.save("manual.docx")
    for name in ("23.2", "§23.2", "section 23.2", "232-results-of-23", "23.2 Results of 23"):
        page = read_sync("manual.docx", at=name)
        assert [line.text for line in page.lines if line.text] == [
            "## 23.2 Results of 23",
            "The result is 23.2.",
        ]
    assert read_sync("manual.docx#23.2").text == read_sync("manual.docx", at="23.2").text
    # A number alone is a line, as everywhere.
    assert read_sync("manual.docx", at="23").text == read_sync("manual.docx", ranges=[23]).text
    with pytest.raises(errors.NoSuchNameError, match="Part 39"):
        read_sync("manual.docx", at="part 93")
    # It was line 3.
    for place in ("manual.docx, page 3", "manual.docx (pages 3-4)", "manual.docx#page=3"):
        with pytest.raises(errors.NoSuchNameError, match="Part 1"):
            read_sync(place)


def test_line_of_a_document_is_shown_with_its_section() -> None:
    """It was shown alone, although the same line of a Markdown file was not."""
    made = docx.Document()
    made.add_paragraph("before")
    for part in range(1, 4):
        made.add_heading(f"Part {part}", 1)
        for number in range(300 if part == 3 else 3):
            made.add_paragraph(f"text {number}")
    made.save("manual.docx")
    assert (
        span(read_sync("manual.docx", ranges=[13])) == span(read_sync("manual.docx", around=13)) == (11, 17)
    )
    assert span(read_sync("manual.docx", ranges=[1])) == (1, 11)
    assert span(read_sync("manual.docx", ranges=[300])) == (200, 399)
    assert span(read_sync("manual.docx", ranges=[(13, 13)])) == (13, 13)
    assert span(anyread.Reader(context="lines").read_sync("manual.docx", ranges=[30])) == (20, 40)
    [page] = read_many_sync(["manual.docx:30:5"])
    assert span(page) == (20, 40)
    with pytest.raises(errors.OffsetPastEndError):
        read_sync("manual.docx", ranges=[9_999])


def test_first_page_names_what_follows() -> None:
    """A long document was read page after page to find a section."""
    document, deck = docx.Document(), pptx.Presentation()
    for part in range(1, 161):
        document.add_heading(f"Part {part}", 1)
        for sub in range(3):
            document.add_heading(f"Results {sub}", 2)
            document.add_paragraph("text " * 200)
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = f"Title {part}", "words " * 200
    document.save("a.docx")
    deck.save("a.pptx")
    for file, name, word in (("a.docx", "headings", "Part"), ("a.pptx", "titles", "Title")):
        page = read_sync(file, max_tokens=8_000)
        *_, outline, footer = page.text.split("\n")
        assert page.footer == footer
        assert outline.startswith(f"[{name} that follow, with their ")
        assert count_tokens(outline, None) <= 300
        first = re.search(rf"{word} (\d+) \(([\d,]+)\)", outline)
        assert first is not None
        line = int(first[2].replace(",", ""))
        there = read_sync(file, ranges=[(line, line)])
        assert there.text.find(f"{word} {first[1]}") > 0
        assert page.next is not None
        assert "that follow" not in read_sync(file, **page.next).text.split("\n")[-2]
        assert "that follow" not in read_sync(file, max_tokens=1_000).text
        assert f"{word} 1 (1), {word} 2 (" in anyread.info_sync(file).facts[name]  # type: ignore[index]


@pytest.mark.parametrize("line", ["fn  " * 240 + "totals", ".sub " * 190 + "totals"])
def test_search_for_a_name_ends_with_its_time(line: str) -> None:
    """Lines that look like declarations took up to 40 ms each, and the thread went on after its time."""
    Path("a.py").write_text(f"{line}\n" * 6_000)
    reader = anyread.Reader(limits=anyread.Limits(timeout_s=0.3))
    with pytest.raises((errors.ReadTimeoutError, errors.NoSuchNameError)):
        reader.read_sync("a.py", at="total")
    time.sleep(0.2)
    started = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - started < 0.25


def test_nearest_names_are_found_among_many_in_little_time() -> None:
    """To compare a thousand names of the same letters took seconds."""
    rng = random.Random(1)
    names = ["".join(rng.choices("ab", k=190)) for _ in range(900)]
    Path("a.json").write_text(json.dumps(dict.fromkeys([*names, "message"], 1)))
    Path("a.md").write_text("\n".join(f"# {name}" for name in [*names, "message"]))
    started = time.process_time()
    for file, at in (("a.json", f"/{names[0]}a"), ("a.md", f"{names[0]}a")):
        with pytest.raises(errors.BadArgumentError):
            read_sync(file, at=at)
    assert time.process_time() - started < 5
    for file, at in (("a.json", "/mesage"), ("a.md", "mesage")):
        with pytest.raises((errors.NoSuchPartError, errors.NoSuchNameError)) as refused:
            read_sync(file, at=at)
        near: Any = refused.value
        assert near.near[0] == "message"


@pytest.mark.parametrize("has_heading", [True, False])
def test_line_after_long_ones_is_shown_with_its_section_in_a_small_page(has_heading: bool) -> None:
    """The lines before it that fit on the page did not reach it, and it was shown alone."""
    document = docx.Document()
    if has_heading:
        document.add_heading("Long", 1)
    for number in range(40):
        document.add_paragraph(f"{number} " * 200)
    document.save("a.docx")
    call: dict[str, Any] = {"ranges": [21], "max_bytes": 3_000}
    shown: set[int] = set()
    while call:
        page = read_sync("a.docx", **call)
        shown |= {int(number) for number in re.findall(r"(?m)^(\d+)\t", page.text)}
        call = {**page.next, "max_bytes": 3_000} if page.next else {}
    assert shown == set(range(1, 82) if has_heading else range(11, 32))


def test_row_of_a_sheet_is_shown_with_ten_around() -> None:
    book = openpyxl.Workbook()
    book.active.title = "Orders"
    for row in range(1, 101):
        book.active.append([f"O{row}", row * 2, "two\nlines"])
    book.save("a.xlsx")
    [cell] = read_many_sync(["a.xlsx:Orders!B7"])
    for place in (
        "[a.xlsx]Orders!B7",
        "'[a.xlsx]Orders'!$B$7",
        "a.xlsx, sheet Orders, cell B7",
        'a.xlsx, sheet "Orders" cell B7',
        "a.xlsx!Orders!B7",
        "a.xlsx, cell B7",
    ):
        [page] = read_many_sync([place])
        assert page.text == cell.text == read_sync(place).text
    for place in ("a.xlsx:50", "a.xlsx:Orders:50"):
        [page] = read_many_sync([place])
        assert [row.number for row in page.rows] == [*range(40, 61)]
    assert [row.number for row in read_sync("a.xlsx", ranges=[105]).rows] == [*range(95, 101)]
    assert "the file has no row 105" in read_sync("a.xlsx", ranges=[105]).footer
    with pytest.raises(errors.OffsetPastEndError):
        read_sync("a.xlsx", ranges=[999])
    assert "2\tlines" in read_sync("a.xlsx", at="C3", ranges=[2]).text
    assert "1\ttwo" not in read_sync("a.xlsx", at="C3", ranges=[2]).text


def test_cell_says_what_it_is() -> None:
    """It looked like line 1, and its header was another call."""
    book = openpyxl.Workbook()
    book.active.title = "Orders"
    book.active.append(["id", "price in euros, " * 10])
    book.active.append(["O2", 1.25])
    book.save("a.xlsx")
    label = f'Orders!B2 · column "{("price in euros, " * 10)[:40]}" · row "O2"'
    assert read_sync("a.xlsx", at="B2").text == f"1.25\n[{label}]"
    answer = anyread.tool().call_sync({"places": ["a.xlsx:Orders!B2"]})
    assert answer["content"][0]["text"] == f"==> a.xlsx · {label} <==\n1.25"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("TestCart::test_discount", (14, 16)),
        ("TestCart.test_discount", (14, 16)),
        ("TestCart::test_discount[euro-1/2]", (14, 16)),
        ("TestCart::test_discount - assert 1 == 2", (14, 16)),
        ("TestCart.other", (18, 19)),
        ("Other.test_discount", (23, 24)),
        ("TestCart", (11, 19)),
        ("total", (5, 8)),
        ("discount", (27, 30)),
    ],
)
def test_name_in_python_is_its_block(name: str, expected: tuple[int, int]) -> None:
    Path("tests").mkdir()
    Path("tests/test_price.py").write_text(PYTHON)
    assert span(read_sync("tests/test_price.py", at=name)) == expected
    if "/" not in name or "::" in name:
        assert span(read_sync(f"tests/test_price.py::{name}")) == expected
        [page] = read_many_sync([f"FAILED tests/test_price.py::{name}"])
        assert span(page) == expected
    if name.replace(".", "").isidentifier():
        assert span(read_sync(f"tests/test_price.py#{name}")) == expected
        assert span(read_sync(f"tests/test_price.py:{name}")) == expected


@pytest.mark.parametrize("file", OTHER_LANGUAGES)
def test_name_in_another_language_is_its_block(file: str) -> None:
    name, text, first, last = OTHER_LANGUAGES[file]
    Path(file).write_text(text)
    assert span(read_sync(file, at=name)) == (first, last)


def test_two_functions_of_a_name_are_both_shown() -> None:
    Path("a.py").write_text(PYTHON)
    assert lines(read_sync("a.py", at="test_discount")) == [14, 15, 16, 23, 24]
    with pytest.raises(errors.NoSuchNameError):
        read_sync("a.py", at="cart")


def test_name_after_a_colon_counts_only_alone() -> None:
    """`grep -r` prints `a.py:text`."""
    Path("a.py").write_text(PYTHON)
    [one] = read_many_sync(["a.py:discount"])
    assert span(one) == (27, 30)
    assert isinstance(read_many_sync(["a.py:discount", "a.py:total"]).__next__(), anyread.Failed)


def test_tests_of_a_report_are_places() -> None:
    Path("test_a.py").write_text("def test_x():\n    assert 0\n")
    report = "FAILED test_a.py::test_x[1] - assert 0\nstd::vector<int> http://a.py::x\n"
    found = anyread.places(report)
    assert [str(place) for place in found] == ["test_a.py::test_x"]
    [page] = read_many_sync(found)
    assert span(page) == (1, 2)
    # A traceback is more exact.
    assert [str(place) for place in anyread.places(f"{report}test_a.py:2: AssertionError")] == ["test_a.py:2"]


def test_execution_of_a_notebook_is_its_cell() -> None:
    cells = [notebooks.new_markdown_cell("# Pump")]
    cells += [notebooks.new_code_cell(f"{count} + 1", execution_count=count) for count in (5, 17, 3, 17)]
    write_notebook(notebooks.new_notebook(cells=cells), "nb.ipynb")
    places = [
        "nb.ipynb:In[3]",
        "nb.ipynb, Cell In[3], line 1",
        "nb.ipynb: Cell In[3], line 1",
        "nb.ipynb#In[3]",
    ]
    for place in places:
        [page] = read_many_sync([place])
        assert [cell.number for cell in page.cells] == [4]
    assert [cell.number for cell in read_sync("nb.ipynb", at="In[17]").cells] == [3, 5]
    assert [cell.number for cell in read_sync("nb.ipynb", at="2").cells] == [2]
    with pytest.raises(errors.NoSuchNameError, match=r"`In\[3\]`, `In\[5\]`, `In\[17\]`"):
        read_sync("nb.ipynb", at="In[4]")
    assert anyread.places("Cell In[17], line 3") == []
    trace = "Cell In[3], line 1, in f(x)\n  1 y\nFile a.py:7, in g(y)\n"
    for text, also in [
        (f"Error in nb.ipynb\n{trace}", ["a.py:7"]),
        ("see Cell In[3], line 1 of nb.ipynb", []),
        ("nb.ipynb:In[3] failed", []),
        ("error in `nb.ipynb`, Cell In[3], line 1", []),
    ]:
        found = anyread.places(text)
        assert [str(place) for place in found] == ["nb.ipynb:In[3]", *also], text
        page = next(iter(read_many_sync(found)))
        assert [cell.number for cell in page.cells] == [4]

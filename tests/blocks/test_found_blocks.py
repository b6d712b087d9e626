"""A line without a range is shown with the block around it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anyread
from anyread import Reader

MARK = "  <<"
"""Ends the line that is named; `|` begins the lines that are expected."""


def written(
    directory: Path, name: str, text: str, encoding: str = "utf-8", ending: str = "\n"
) -> tuple[Path, int, set[int]]:
    """Write a file; return it, the line that is named, and the lines that are expected."""
    lines = text.strip("\n").split("\n")
    named = next(number for number, line in enumerate(lines, 1) if line.endswith(MARK))
    expected = {number for number, line in enumerate(lines, 1) if line.startswith("|")}
    plain = [line[1:].removesuffix(MARK) for line in lines]
    path = directory / name
    path.write_bytes("".join(line + ending for line in plain).encode(encoding))
    return path, named, expected


def shown(path: Path, line: int, **settings: object) -> set[int]:
    page = Reader(**settings).read_sync(path, ranges=[line], kind="text")  # type: ignore[arg-type] # settings
    return {number for first, last in page.ranges for number in range(first, last + 1)}


PYTHON = '''
 import os


|@cache
|@wraps(
|    other,
|)
|async def total(
|    first: int,
|    second: int = 1,
|) -> int:
|    """Add.

 text at the left
|    """
|    if first:
|        return first + second  <<

|    # the end
|    return 0


 def other():
     pass
'''.replace("\n\n text", "\n|\n|text").replace("  <<\n\n", "  <<\n|\n")
SCRIPT = """
 const a = 1;

|/**
| * Adds.
| */
|export async function total({
|  first,
|  second,
|}) {
|  try {
|    return first + second;  <<
|  } catch (error) {
|    return 0;
|  }
|}

 const b = () => {
   return 2;
 };
"""
METHOD = """
 class A extends B {
   constructor(a) {
     super(a);
   }

|  @Input()
|  private async total<T>(first: T): Promise<T> {
|    for (const each of first) {
|      add(each);  <<
|    }
|  }

   other() {
     return 1;
   }
 }
"""
CALLBACK = """
 app.get('/', (request, response) => {
   before();
|  load(request.path, function (error, text) {
|    response.send(text);  <<
|  });
   after();
   after();
 });
"""
RUST = """
 use std::fmt;

|/// Adds.
|#[must_use]
|pub(crate) fn total<T>(first: T) -> T
|where
|    T: Add,
|{
|    match first {
|        Some(value) => {
|            value + 1  <<
|        }
|        None => 0,
|    }
|}

 fn other() {}
"""
GO = """
 package a

|// Total adds.
|func (t *Tree) Total(first int) int {
|\tif first > 0 {
|\t\treturn first  <<
|\t}
|\treturn 0
|}

 func other() {
 }
"""
C = """
 #include <a.h>

|static int
|total(int first)
|{
|#ifdef DEBUG
|    print(first);
|#endif
|    if (first)
|        goto end;  <<
|end:
|    return first;
|}

 int other(void)
 {
     return 1;
 }
"""
ALIGNED = """
 static int other(void)
 {
 \treturn 1;
 }

|static int total(struct a *first,
|\t\t int second)
|{
|\tif (first)
|\t\tgoto end;  <<
|\treturn 0;
|end:
|\treturn second;
|}
"""
INITIALIZED = """
|Total::Total(const string &first,
|             size_t second)
|    : first(first),
|      second(second) {
|#ifdef DEBUG
|  print(first);  <<
|#endif
|end:
|  done();
|}

 int other = call(1,
                  2);
"""
AT_LABEL = """
|bool total(const string &first,
|           size_t second) {
|  if (second == 0)
|    goto end;
|  print(first);
|end:  <<
|  return true;
|}

 bool other(void) {
   return false;
 }
"""
AT_PREPROCESSOR = AT_LABEL.replace("end:  <<", "#ifdef DEBUG  <<").replace(
    "  return true", "#endif\n|  return true"
)
RUBY = """
 class A
   def other
     1
   end

|  def total(first)
|    first + 1  <<
|  rescue Error
|    0
|  end
 end
"""
CLASS = """
 def before():
     pass


|class A:
|    first = 1
|    second = 2  <<
|
|    def total(self):
|        return 1


 def after():
     pass
"""
ON_DECORATOR = """
 first = 1


|@app.route("/")  <<
|def total():
|    return 1


 second = 2
"""
JSON = """
 {
   "first": [
     {
       "id": 1,
       "names": ["a", "b"]
     },
|    {
|      "id": 2,
|      "filler 1": 1,
|      "filler 2": 1,
|      "filler 3": 1,
|      "filler 4": 1,
|      "filler 5": 1,
|      "filler 6": 1,
|      "filler 7": 1,
|      "filler 8": 1,
|      "filler 9": 1,
|      "filler 10": 1,
|      "filler 11": 1,
|      "filler 12": 1,
|      "names": ["c", "d"]  <<
|    }
   ],
   "second": 2,
   "third": {
     "a": 1
   }
 }
"""
INI = """
 [first]
 a = 1

|[second]
|# what it is
|b = 2  <<
|c = 3

 [third]
 d = 4
"""
MARKDOWN = """
 # Title

 Text.

|## First
|
|A paragraph.
|
|    code():  <<
|
|More.

 ## Second

 Text.
"""
CASES = {
    "a.py": PYTHON,
    "a.js": SCRIPT,
    "a.ts": METHOD,
    "b.js": CALLBACK,
    "a.rs": RUST,
    "a.go": GO,
    "a.c": C,
    "aligned.c": ALIGNED,
    "initialized.cpp": INITIALIZED,
    "label.cpp": AT_LABEL,
    "preprocessor.cpp": AT_PREPROCESSOR,
    "a.rb": RUBY,
    "class.py": CLASS,
    "decorator.py": ON_DECORATOR,
    "a.json": JSON,
    "a.ini": INI,
    "a.md": MARKDOWN,
}


CASES |= {
    "private.js": """
 class A {
|  #write (m) {
|    if (m) {
|      this.n = m;  <<
|    }
|  }
 }
""",
    "attributes.cs": """
|    [Theory]
|    [InlineData(
|        1)]
|    public void Total(int first)
|    {
|        Check(first);  <<
|    }
""",
    "expression.cs": """
|    public int Total(
|        int first) =>
|        Add(first);  <<

     public int Other()
     {
         return 1;
     }
""",
    "arm.rs": """
|fn total(first: E) -> u8 {
|    match first {
|        E::A { x } | E::B { x, .. } => {
|            x + 1  <<
|        }
|    }
|}
""",
    "guard.swift": """
|func total(first: Int) -> Int {
|    guard check(first) else {
|        return 0  <<
|    }
|}
""",
    "initializer.cpp": """
|A::A(int first)
|    : first(first)
|{
|    if (first) {
|        add();  <<
|    }
|}
""",
    "qualified.cpp": """
 int first;

|int A::total() const noexcept
|{
|    return 1;  <<
|}
""",
    "label.c": """
|int total(int first)
|{
|    goto out_free;
|out_free:
|    close(first);  <<
|    return 0;
|}
""",
    "table.go": """
|func TestTotal(t *testing.T) {
|\ttests := []struct {
|\t\tname string
|\t}{{name: `
|first {
|}
|`}}
|\trun(tests)  <<
|}
""",
    "head.exs": """
   use Case

|  test "total", %{
|    conn: conn
|  } do
|    if conn do
|      conn
|    end
|  end  <<
""",
    "end.lua": """
   GET = 1,
|  POST = function(self)
|    return 2
|  end,  <<
""",
}


@pytest.mark.parametrize("name", CASES)
def test_the_block_around_a_line_is_shown(tmp_path: Path, name: str) -> None:
    path, line, expected = written(tmp_path, name, CASES[name])
    assert shown(path, line) == expected


@pytest.mark.parametrize(
    ("encoding", "ending"), [("utf-16", "\n"), ("utf-32", "\r\n"), ("cp1252", "\r"), ("utf-8-sig", "\r\n")]
)
def test_a_block_is_found_in_every_encoding(tmp_path: Path, encoding: str, ending: str) -> None:
    text = GO.replace("Total adds.", "Größe über alles, déjà vu.")
    path, line, expected = written(tmp_path, "a.go", text, encoding, ending)
    assert shown(path, line) == expected


@pytest.mark.parametrize("name", ["a.jsonl", "a.log"])
def test_a_line_of_json_lines_is_shown_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    records = [json.dumps({"i": number, "text": "f({" * (number % 3)}) for number in range(300)]
    records[7] = records[7][:9]
    path.write_text("\n".join(records) + "\n")
    assert [shown(path, line) for line in (1, 8, 150, 300)] == [{1}, {8}, {150}, {300}]


def test_an_element_of_a_list_is_shown_without_those_after_it(tmp_path: Path) -> None:
    elements = [{"i": number, "tags": ["a", "b"]} for number in range(100)]
    (path := tmp_path / "a.json").write_text(json.dumps(elements, indent=2))
    assert shown(path, 354) == set(range(352, 359))
    path.write_text("[\n" + ",\n".join(map(json.dumps, elements)) + "\n]\n")
    assert shown(path, 50) == {50}


@pytest.mark.parametrize("size", [0, 100_000, 3_000_000])
def test_a_block_is_found_in_a_file_of_any_size(tmp_path: Path, size: int) -> None:
    path, line, expected = written(tmp_path, "a.py", PYTHON)
    filler = "x = 1\n" * (size // 6)
    path.write_text(filler + path.read_text() + filler)
    before = filler.count("\n")
    assert shown(path, line + before) == {number + before for number in expected}


def test_lines_are_shown_if_that_is_the_context(tmp_path: Path) -> None:
    path, line, _ = written(tmp_path, "a.py", PYTHON)
    total = len(path.read_text().split("\n")) - 1
    assert shown(path, line, context="lines") == set(range(max(1, line - 10), min(total, line + 10) + 1))
    tool = anyread.tool(cwd=tmp_path, settings={"context": "lines"})
    text = tool.call_sync({"places": [f"a.py:{line}"]})["content"][0]["text"]
    assert f"{line - 10}\t" in text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.log", "".join(f"2026-11-26 INFO request {n} took {n % 7} ms\n" for n in range(400))),
        ("a.csv", "".join(f"{n},name {n},{n * 7}\n" for n in range(400))),
        (
            "a.txt",
            "".join(f"The words of line {n} go on and on.\n" + "\n" * (n % 5 == 0) for n in range(400)),
        ),
    ],
)
def test_what_has_no_blocks_is_shown_with_ten_lines(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert shown(path, 200) == set(range(190, 211))


def test_of_a_long_block_200_lines_are_shown_and_the_heading_names_it(tmp_path: Path) -> None:
    body = "".join(f"    step({n})\n" for n in range(1_900))
    path = tmp_path / "a.py"
    path.write_text("x = 1\n" * 202 + "def total():\n" + body + "\n\ny = 1\n")
    page = Reader().read_sync(path, ranges=[1_000], kind="text")
    assert page.ranges == ((900, 1_099),)
    assert page.footer == "[lines 900-1,099 of 2,106 · around line 1,000 · inside lines 203-2,103]"
    # Near its start, the block is shown from there.
    assert Reader().read_sync(path, ranges=[210], kind="text").ranges == ((203, 402),)


def test_blocks_that_touch_are_merged_and_the_named_lines_are_in_the_heading(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "x = 1\n" * 50
        + "def a():\n    one()\n    two()\ndef b():\n    three()\n    four()\n"
        + "x = 1\n" * 50
    )
    tool = anyread.tool(reader=Reader(roots=[tmp_path]))
    text = tool.call_sync({"places": ["a.py:52", "a.py:53", "a.py:55"]})["content"][0]["text"]
    heading, *lines = text.split("\n")
    assert heading == "==> a.py · lines 51-56 of 106 · around lines 52, 53, 55 <=="
    assert lines == [
        "51\tdef a():",
        "52\t    one()",
        "53\t    two()",
        "54\tdef b():",
        "55\t    three()",
        "56\t    four()",
    ]


def test_around_shows_the_block_and_with_a_limit_so_many_lines(tmp_path: Path) -> None:
    path, line, expected = written(tmp_path, "a.rs", RUST)
    page = Reader().read_sync(path, around=line, kind="text")
    assert {number for first, last in page.ranges for number in range(first, last + 1)} == expected
    page = Reader().read_sync(path, around=line, limit=3, kind="text")
    assert (page.start_line, page.end_line) == (line - 1, line + 1)
    page = Reader(context="lines").read_sync(path, around=line, kind="text")
    assert page.start_line == max(1, line - 10)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "{\n" * 100_000,
        "[" * 100_000 + "\n" + "]" * 100_000,
        "".join(" " * n + "if x:\n" for n in range(3_000)),
        "".join(("\t" if n % 2 else "        ") * (n % 50) + "call(function () {\n" for n in range(30_000)),
        "def f(\n" * 50_000,
        '"""\n' * 50_000,
        "@a(\n" * 50_000,
        "\n" * 300_000,
        "((" * 50_000 + "=>\n" + "  a\n" * 50_000,
    ],
    ids=lambda text: f"{text[:8]!r}",
)
def test_hostile_text_shows_at_most_200_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    total = max(1, text.count("\n") + (not text.endswith("\n")))
    for line in {1, total // 2 or 1, total}:
        lines = shown(path, line)
        assert line in lines
        assert len(lines) <= 200

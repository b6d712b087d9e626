"""Text in llm-gateway's `read`: examples, and a comparison with a slow reference reader."""

from __future__ import annotations

import random
from typing import Any

import pytest

import anyread
from anyread.tools.javascript import spelled


@pytest.fixture
def tool(tmp_path: Any) -> Any:
    return anyread.tool("llm-gateway", cwd=tmp_path)


@pytest.fixture
def read(tool: Any, tmp_path: Any) -> Any:
    """Write a file, read it, and return the context with the path replaced by `P`."""

    def call(data: bytes, *, name: str = "a.txt", **arguments: Any) -> str:
        path = tmp_path / name
        path.write_bytes(data)
        answer = tool.call_sync({"filePath": str(path), **arguments})
        assert list(answer) == ["context"]
        context: str = answer["context"]
        return context.replace(str(path), "P")

    return call


def frame(body: str, lines: str, total: int) -> str:
    return f'<file path="P" lines="{lines}" total="{total}">\n{body}\n</file>'


@pytest.mark.parametrize(
    ("data", "body", "lines", "total"),
    [
        (b"one\ntwo", "   1 | one\n   2 | two", "1-2", 2),
        (b"one\ntwo\n", "   1 | one\n   2 | two", "1-2", 2),
        (b"a\n\n", "   1 | a\n   2 | ", "1-2", 2),
        (b"\n", "   1 | ", "1-1", 1),
        (b"", "", "1-0", 0),
        (b"one\r\ntwo\r\n", "   1 | one\r\n   2 | two\r", "1-2", 2),
        (b"one\rtwo\rthree", "   1 | one\rtwo\rthree", "1-1", 1),
        (b"one\r\ntwo\nthr\ree", "   1 | one\r\n   2 | two\n   3 | thr\ree", "1-3", 3),
        (b"\xef\xbb\xbffirst\nsecond", "   1 | \ufefffirst\n   2 | second", "1-2", 2),
        (b"\xef\xbb\xbf", "   1 | \ufeff", "1-1", 1),
        (b"ok \xff\xfeA\nnext \xe2\x82\n", "   1 | ok \ufffd\ufffdA\n   2 | next \ufffd", "1-2", 2),
        ("a\u2028b\x0cc\x85d".encode(), "   1 | a\u2028b\x0cc\x85d", "1-1", 1),
        (b"\x01\x02\x03\x04", "   1 | \x01\x02\x03\x04", "1-1", 1),
        (b'{"cells":[]}', '   1 | {"cells":[]}', "1-1", 1),
        (b"PK\x03\x04 no archive", "   1 | PK\x03\x04 no archive", "1-1", 1),
    ],
)
def test_text_is_numbered_in_an_element(read: Any, data: Any, body: Any, lines: Any, total: Any) -> None:
    assert read(data) == frame(body, lines, total)


@pytest.mark.parametrize("name", ["a.svg", "a.ipynb", "a.bin", "noext", "a.BMP", ".png"])
def test_any_other_extension_is_text(read: Any, name: Any) -> None:
    assert read(b"text\n", name=name) == frame("   1 | text", "1-1", 1)


@pytest.mark.parametrize(
    ("arguments", "body", "lines"),
    [
        ({}, "   1 | one\n   2 | two\n   3 | three\n   4 | four", "1-4"),
        ({"offset": 2}, "   3 | three\n   4 | four", "3-4"),
        ({"offset": 1, "limit": 2}, "   2 | two\n   3 | three", "2-3"),
        ({"offset": 0, "limit": 2}, "   1 | one\n   2 | two", "1-2"),
        ({"offset": 0.0, "limit": 2.0}, "   1 | one\n   2 | two", "1-2"),
        ({"limit": 0}, "", "1-0"),
        ({"offset": 4}, "", "5-4"),
        ({"offset": 100}, "", "101-100"),
        ({"offset": 10**10}, "", "10000000001-10000000000"),
        ({"offset": 1e300}, "", "1e+300-1e+300"),
        ({"offset": -1}, "   0 | four", "0-0"),
        ({"offset": -3, "limit": 10}, "  -2 | two\n  -1 | three\n   0 | four", "-2-0"),
        ({"offset": -3, "limit": 2}, "  -2 | two\n  -1 | three", "-2--1"),
        ({"limit": -1}, "   1 | one\n   2 | two\n   3 | three", "1-3"),
        ({"offset": 1.5}, " 2.5 | two\n 3.5 | three\n 4.5 | four", "2.5-4.5"),
        ({"offset": 0, "limit": 1.9}, "   1 | one", "1-1"),
        ({"offset": 1.5, "limit": 1.5}, " 2.5 | two\n 3.5 | three", "2.5-3.5"),
        ({"offset": -9, "limit": 2}, "", "-8--9"),
        ({"offset": -9, "limit": 7}, "  -8 | one\n  -7 | two", "-8--7"),
        ({"offset": 2, "limit": -1}, "", "3-2"),
        # An overflow raised an exception.
        ({"offset": 1.7e308, "limit": 1.7e308}, "", "1.7e+308-1.7e+308"),
        ({"offset": -1.7e308, "limit": -1.7e308}, "", "-1.7e+308--1.7e+308"),
        # A negative offset loses its fraction.
        ({"offset": -2.5}, "  -1 | three\n   0 | four", "-1-0"),
    ],
)
def test_window_is_a_slice_counted_from_0(read: Any, arguments: Any, body: Any, lines: Any) -> None:
    assert read(b"one\ntwo\nthree\nfour", **arguments) == frame(body, lines, 4)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-1, "-1"),
        (10_001, "10001"),
        (2.5, "2.5"),
        (2.0, "2"),
        (-0.0, "0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (1e20, "100000000000000000000"),
        (10**21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-2.5e-8, "-2.5e-8"),
    ],
)
def test_number_is_written_as_in_javascript(value: Any, text: Any) -> None:
    assert spelled(value) == text


def test_numbers_over_four_digits_are_shown_in_full(read: Any) -> None:
    assert read(b"\n" * 10_000, offset=9998) == frame("9999 | \n10000 | ", "9999-10000", 10_000)


def test_default_limit_is_2000_lines_without_a_notice(read: Any) -> None:
    context = read(b"l\n" * 2005)
    assert context.startswith('<file path="P" lines="1-2000" total="2005">\n')
    assert context.endswith("\n2000 | l\n</file>")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + " [truncated]"),
        ("x" * 3000, "x" * 2000 + " [truncated]"),
        ("é" * 2001, "é" * 2000 + " [truncated]"),
        ("🚀" * 1000, "🚀" * 1000),
        ("a" + "🚀" * 1000, "a" + "🚀" * 999 + " [truncated]"),
        ("x" * 1999 + "\r", "x" * 1999 + "\r"),
        ("x" * 2000 + "\r", "x" * 2000 + " [truncated]"),
        ("x" * 5_000_000, "x" * 2000 + " [truncated]"),
        ("🚀" * 2500, "🚀" * 1000 + " [truncated]"),
    ],
)
def test_long_line_is_cut_after_2000_utf16_units(read: Any, line: Any, shown: Any) -> None:
    data = line.encode()
    assert read(data) == frame(f"   1 | {shown}", "1-1", 1)
    assert read(data + b"\nnext\n") == frame(f"   1 | {shown}\n   2 | next", "1-2", 2)
    assert read(b"first\n" + data) == frame(f"   1 | first\n   2 | {shown}", "1-2", 2)
    assert read(data + b"\nnext\n", limit=1) == frame(f"   1 | {shown}", "1-1", 2)


@pytest.mark.parametrize("returns", ["\r" * 2001, "x\r" * 5000])
def test_long_line_of_carriage_returns_alone_is_one_line(read: Any, returns: Any) -> None:
    assert read(returns.encode()) == frame(f"   1 | {returns[:2000]} [truncated]", "1-1", 1)
    assert read(returns.encode(), offset=1) == frame("", "2-1", 1)


@pytest.mark.parametrize("character", ["y", "é", "日"])
def test_output_ends_before_the_line_that_exceeds_50_kb(read: Any, character: Any) -> None:
    line = character * 93
    context = read((line + "\n").encode() * 600)
    assert context.startswith('<file path="P" lines="1-512" total="600">\n')
    notice = "\n[Output truncated at 50KB. Use offset/limit to read more.]"
    assert context.endswith(f"\n 512 | {line}\n</file>{notice}")
    assert read((line + "\n").encode() * 512).endswith(f"\n 512 | {line}\n</file>")
    rest = read((line + "\n").encode() * 600, offset=512)
    assert rest.startswith('<file path="P" lines="513-600" total="600">\n 513 | ')


def test_budget_counts_two_units_for_a_rocket(read: Any) -> None:
    context = read(("🚀" * 40 + "\n").encode() * 1000)
    assert context.startswith(f'<file path="P" lines="1-{51_200 // 87}" total="1000">')


@pytest.mark.parametrize("place", [0, 1, 8191])
def test_nul_in_the_first_8192_bytes_makes_a_file_binary(read: Any, place: Any) -> None:
    data = bytearray(b"a" * 9000)
    data[place] = 0
    assert read(bytes(data)) == "Cannot read binary file: P"
    assert read(bytes(data), offset=100) == "Cannot read binary file: P"


def test_bytes_with_nul_are_binary_as_in_upstreams_test(read: Any) -> None:
    assert "binary" in read(bytes([0x00, 0x01, 0x02, 0xFF, 0x00]), name="a.bin")


def test_nul_after_the_first_8192_bytes_is_text(read: Any) -> None:
    data = b"a" * 8191 + b"\n\0b\n"
    assert read(data, offset=1) == frame("   2 | \0b", "2-2", 2)


# The cases of upstream's own tests, as pairs of file and call.


def test_two_constants_are_numbered(read: Any) -> None:
    context = read(b"const a = 1;\nconst b = 2;\n", name="a.ts")
    assert "1 |" in context
    assert "const a = 1;" in context
    assert "const b = 2;" in context


def test_offset_1_limit_2_of_four_lines(read: Any) -> None:
    context = read(b"line1\nline2\nline3\nline4", offset=1, limit=2)
    assert "line2" in context
    assert "line3" in context
    assert "line1" not in context
    assert "line4" not in context


def test_offset_0_limit_2_of_five_lines(read: Any) -> None:
    context = read(b"a\nb\nc\nd\ne", offset=0, limit=2)
    assert "| a" in context
    assert "| b" in context
    assert "| c" not in context


def test_missing_file_is_not_found(tool: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "nope.txt")
    assert tool.call_sync({"filePath": path}) == {"context": f"File not found: {path}"}
    assert "not found" in tool.call_sync({"filePath": path})["context"]


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "../a.txt", "", "~/a.txt"])
def test_relative_path_is_refused_even_where_there_is_a_file(
    tool: Any, tmp_path: Any, monkeypatch: Any, path: Any
) -> None:
    (tmp_path / "a.txt").write_text("text")
    monkeypatch.chdir(tmp_path)
    assert tool.call_sync({"filePath": path}) == {"context": f"File not found: {path}"}


def test_path_is_not_escaped(read: Any, tmp_path: Any) -> None:
    assert read(b"q & <\n", name='a"q<.txt') == frame("   1 | q & <", "1-1", 1)


def test_directory_is_an_error_answer(tool: Any, tmp_path: Any) -> None:
    assert tool.call_sync({"filePath": str(tmp_path)})["context"].startswith(
        f"Cannot read file: {tmp_path}: "
    )


def test_file_outside_the_roots_is_refused(tmp_path: Any) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "denied.txt").write_text("secret")
    (inside / "a.txt").write_text("text")
    with_roots = anyread.tool("llm-gateway", reader=anyread.Reader(roots=[inside], deny=["**/denied.txt"]))
    for path in (tmp_path / "secret.txt", inside / "denied.txt"):
        answer = with_roots.call_sync({"filePath": str(path)})
        assert answer["context"].startswith("Cannot read file: ")
        assert "result" not in answer
    assert "text" in with_roots.call_sync({"filePath": str(inside / "a.txt")})["context"]


@pytest.mark.parametrize(
    ("arguments", "context"),
    [
        ({}, "filePath: Invalid input: expected string, received undefined"),
        (None, "filePath: Invalid input: expected string, received undefined"),
        ({"filePath": None}, "filePath: Invalid input: expected string, received null"),
        ({"filePath": 3}, "filePath: Invalid input: expected string, received number"),
        ({"filePath": ["/a"]}, "filePath: Invalid input: expected string, received array"),
        ({"filePath": "/a", "offset": "1"}, "offset: Invalid input: expected number, received string"),
        ({"filePath": "/a", "offset": True}, "offset: Invalid input: expected number, received boolean"),
        ({"filePath": "/a", "limit": None}, "limit: Invalid input: expected number, received null"),
        ({"filePath": "/a", "limit": {}}, "limit: Invalid input: expected number, received object"),
        ({"filePath": "/a", "limit": float("nan")}, "limit: Invalid input: expected number, received NaN"),
        ({"filePath": "/a", "limit": 10**400}, "limit: Invalid input: expected number, received Infinity"),
        (
            {"filePath": 1, "limit": ""},
            (
                "filePath: Invalid input: expected string, received number; "
                "limit: Invalid input: expected number, received string"
            ),
        ),
    ],
)
def test_arguments_that_break_the_schema_are_error_answers(tool: Any, arguments: Any, context: Any) -> None:
    answer = {"context": f"Invalid arguments: {context}"}
    assert tool.validate(arguments) == answer
    assert tool.call_sync(arguments) == answer


def test_unknown_argument_is_ignored(read: Any) -> None:
    assert read(b"a", color="red") == frame("   1 | a", "1-1", 1)


def test_large_file_keeps_its_exact_total(read: Any) -> None:
    data = b"some line of a log\n" * 200_000
    assert read(data, offset=150_000, limit=1) == frame(
        "150001 | some line of a log", "150001-150001", 200_000
    )
    assert read(data, offset=10**9) == frame("", "1000000001-1000000000", 200_000)
    # As in JavaScript: `slice(-1, 1999)` of a long list is empty.
    assert read(data, offset=-1) == frame("", "0--1", 200_000)
    assert read(data, offset=-1, limit=200_001) == frame("   0 | some line of a log", "0-0", 200_000)


# ------------------------------------------------------------------------------------------------------------
# The reference reader


def units(text: str) -> int:
    return sum(2 if character > "\uffff" else 1 for character in text)


def reference(data: bytes, offset: float, limit: float) -> str:
    lines = data.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    start, stop = int(offset), int(offset + limit)
    chosen = lines[start:stop]
    shown, used, is_over = [], 0, False
    for index, line in enumerate(chosen):
        cut = line
        if units(line) > 2000:
            cut = line[:2000]
            while units(cut) > 2000:
                cut = cut[:-1]
            cut += " [truncated]"
        whole = f"{spelled(offset + index + 1).rjust(4)} | {cut}"
        used += units(whole)
        if used > 51_200:
            is_over = True
            break
        shown.append(whole)
    numbers = f"{spelled(offset + 1)}-{spelled(offset + len(shown))}"
    notice = "\n[Output truncated at 50KB. Use offset/limit to read more.]" if is_over else ""
    return frame("\n".join(shown), numbers, len(lines)) + notice


PIECES = [
    b"",
    b"a",
    b"word " * 30,
    "é日".encode(),
    "🚀".encode(),
    b"\r",
    b"\xff",
    b"\xe2\x82",
    b"\xef\xbb\xbf",
]
PIECES += [b"x" * 1999, b"x" * 2001, "🚀".encode() * 1001, b"\t", "\u2028".encode(), b"\r\n", b"\n", b"\n\n"]


@pytest.mark.parametrize("seed", range(60))
def test_random_windows_agree_with_the_reference_reader(read: Any, seed: Any) -> None:
    rng = random.Random(seed)
    data = b"".join(
        rng.choice(PIECES) + (b"\n" if rng.random() < 0.5 else b"") for _ in range(rng.choice([3, 80]))
    )
    total = data.count(b"\n") + 1
    for _ in range(8):
        offset = rng.choice([0, 1, 0.5, rng.randint(-total - 2, total + 2)])
        limit = rng.choice([2000, 1, 0, -1, 2.5, rng.randint(-3, total + 3)])
        assert read(data, offset=offset, limit=limit) == reference(data, offset, limit)

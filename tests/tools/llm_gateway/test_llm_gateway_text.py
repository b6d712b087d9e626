"""Text in llm-gateway's `read`: examples, and a comparison with a slow reference reader."""

from __future__ import annotations

import random
from typing import Any

import pytest

import anyread
from anyread.tools.parts.javascript import spelled


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


def test_budget_counts_two_units_for_a_rocket(read: Any) -> None:
    context = read(("🚀" * 40 + "\n").encode() * 1000)
    assert context.startswith(f'<file path="P" lines="1-{51_200 // 87}" total="1000">')


@pytest.mark.parametrize("place", [0, 1, 8191])
def test_nul_in_the_first_8192_bytes_makes_a_file_binary(read: Any, place: Any) -> None:
    data = bytearray(b"a" * 9000)
    data[place] = 0
    assert read(bytes(data)) == "Cannot read binary file: P"
    assert read(bytes(data), offset=100) == "Cannot read binary file: P"


# The cases of upstream's own tests, as pairs of file and call.


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "../a.txt", "", "~/a.txt"])
def test_relative_path_is_refused_even_where_there_is_a_file(
    tool: Any, tmp_path: Any, monkeypatch: Any, path: Any
) -> None:
    (tmp_path / "a.txt").write_text("text")
    monkeypatch.chdir(tmp_path)
    assert tool.call_sync({"filePath": path}) == {"context": f"File not found: {path}"}


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


@pytest.mark.parametrize("seed", range(10))
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

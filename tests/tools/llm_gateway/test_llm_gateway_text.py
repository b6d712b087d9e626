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

"""The text of mycode's `Read`: bytes in, numbered lines out."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import anyread


class Numbered(NamedTuple):
    """The fields of an answer that describe its lines."""

    content: str
    line_count: int
    is_truncated: bool


@pytest.fixture
def numbered(tmp_path: Any) -> Any:
    """Write a file, read a window of it, and return the lines as shown."""

    def call(data: Any, offset: Any, limit: Any, *, max_line_units: Any = 2_000) -> Numbered:
        (tmp_path / "a.txt").write_bytes(data)
        settings = {"max_line_units": max_line_units}
        tool = anyread.tool("mycode", cwd=tmp_path, settings=settings)
        answer = tool.call_sync({"file_path": "a.txt", "offset": offset, "limit": limit})
        return Numbered(answer["content"], answer["lineCount"], answer["truncated"])

    return call


def oracle(data: bytes, offset: int, limit: int, units: int) -> tuple[str, int, bool]:
    """Return the expected content, line count and truncation, computed slowly."""
    lines = data.decode("utf-8", "replace").split("\n")
    shown = lines[offset - 1 : offset - 1 + limit]
    width = len(str(len(lines)))
    out, is_cut = [], False
    for number, line in enumerate(shown, offset):
        wide = line.encode("utf-16-le")
        text = line
        if len(wide) > units * 2:
            is_cut, text = True, wide[: units * 2].decode("utf-16-le", "ignore") + "... (truncated)"
        out.append(f"{number:{width}}\t{text}")
    return "\n".join(out), len(shown), is_cut or offset - 1 + limit < len(lines)


WORDS = {
    "plain": ["", "a", "bc", "x" * 3],
    "wide": ["", "é" * 3, "🚀" * 5, "x" * 11, "a"],
    "returns": ["", "a\r", "b\rc", "\r", "x" * 9],
    "broken": ["", "a", "\udcff\udcfe", "\udce2\udc82"],
    "mark": ["\ufeff", "a", "\ufeffb"],
}


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("size", [1, 2, 50, 9_999])
@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_windows_agree_with_the_oracle(numbered: Any, words: Any, size: Any, ending: Any) -> None:
    some = WORDS[words]
    text = "\n".join(some[(number * number) % len(some)] for number in range(size)) + ending
    data = text.encode("utf-8", "surrogateescape")
    for offset, limit in [
        (1, 2_000),
        (2, 1),
        (40, 3),
        (size, 3),
        (size + 1, 3),
        (size + 2, 1),
        (1, size),
        (1, size + 1),
    ]:
        for units in (4, 9, 2_000):
            expected = oracle(data, offset, limit, units)
            assert numbered(data, offset, limit, max_line_units=units) == expected, (offset, limit, units)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n", b"\r", b"a\rb\rc", b"a\rb\r\n"]
)
def test_unusual_files_agree_with_the_oracle(numbered: Any, data: Any) -> None:
    for offset, limit in [(1, 2_000), (1, 1), (2, 1), (3, 1)]:
        assert numbered(data, offset, limit) == oracle(data, offset, limit, 2_000)


@pytest.mark.parametrize("data", [b"a\rb" * 30_000, b"x" * 200_000, ("🚀" * 1_500 + "\n").encode() * 20])
def test_long_files_without_many_line_feeds_agree_with_the_oracle(numbered: Any, data: Any) -> None:
    assert numbered(data, 1, 2_000) == oracle(data, 1, 2_000, 2_000)


def test_proc_file_is_shown_like_a_regular_file() -> None:
    answer = anyread.tool("mycode", cwd="/proc").call_sync({"file_path": "/proc/self/status", "limit": 1})
    assert answer["content"].lstrip().startswith("1\tName:")
    assert answer["metadata"]["size"] == 0

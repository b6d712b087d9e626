"""The text of forge's `read`: ranges, cut lines, line numbers, the element."""

from __future__ import annotations

from typing import Any

import pytest

import anyread


@pytest.fixture
def show(tmp_path: Any) -> Any:
    """Write a file, read it, and return the lines as shown, with the number of lines in the file."""

    def call(
        data: Any, start: Any = 1, end: Any = 2_000, *, has_numbers: Any = True, max_line_bytes: Any = 2_000
    ) -> Any:
        (tmp_path / "a.txt").write_bytes(data)
        settings = {"max_line_bytes": max_line_bytes, "max_read_lines": 100_000}
        tool = anyread.tool("forge", cwd=tmp_path, settings=settings)
        arguments = {"path": "a.txt", "start_line": start, "end_line": end, "show_line_numbers": has_numbers}
        answer = tool.call_sync(arguments)
        body = answer["values"][0]["text"].partition("CDATA[")[2].removesuffix("]]>\n</file>")
        return body, answer["total_lines"]

    return call


def rust_lines(text: str) -> list[str]:
    """Split as Rust's `str::lines` does: at LF, with a CR before it; the last LF starts no further line."""
    *lines, last = text.split("\n")
    lines = [line.removesuffix("\r") for line in lines]
    return [*lines, last] if last else lines


def oracle(data: Any, start: Any, end: Any, has_numbers: Any, maximum: Any) -> Any:
    """Return the expected text and the number of lines, computed slowly."""
    lines = rust_lines(data.decode())
    total = len(lines)
    first, last = min(start - 1, max(0, total - 1)), min(end - 1, max(0, total - 1))
    out = []
    for line in lines[first : last + 1]:
        kept, size = "", 0
        for character in line:
            if size < maximum:
                kept += character
            size += len(character.encode())
        out.append(f"{kept}... [truncated, line exceeds {maximum} chars]" if size > maximum else line)
    text = "\n".join(out)
    if not has_numbers:
        return text, total
    shown = rust_lines(text)
    width = len(str(start + len(shown) - 1))
    return "\n".join(f"{number:{width}}:{line}" for number, line in enumerate(shown, start)), total


WORDS = {
    "plain": ["", "a", "bc", "x" * 3],
    "wide": ["", "é" * 3, "🚀" * 5, "x" * 14, "a"],
    "returns": ["", "a\r", "b\rc", "\r", "\r\r", "x" * 14],
    "mark": ["\ufeff", "a", "\ufeffb"],
}


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("size", [1, 2, 50, 9_999])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n"])
def test_windows_agree_with_the_oracle(show: Any, words: Any, size: Any, ending: Any) -> None:
    some = WORDS[words]
    data = ("\n".join(some[(number * number) % len(some)] for number in range(size)) + ending).encode()
    for start, end in [
        (1, 2_000),
        (2, 2),
        (40, 43),
        (size, size + 5),
        (size + 1, size + 1),
        (size + 99, size + 200),
    ]:
        for maximum in (5, 13, 2_000):
            for has_numbers in (True, False):
                shown = show(data, start, end, has_numbers=has_numbers, max_line_bytes=maximum)
                assert shown == oracle(data, start, end, has_numbers, maximum), (
                    start,
                    end,
                    maximum,
                    has_numbers,
                )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\r",
        b"\r\n",
        b"a\rb\rc",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\n",
        b"\n" * 10,
        b"a\n" * 9 + b"\n",
    ],
)
def test_unusual_files_agree_with_the_oracle(show: Any, data: Any) -> None:
    for start, end in [(1, 2_000), (1, 1), (2, 2), (9, 9), (10, 10), (5, 100)]:
        for has_numbers in (True, False):
            expected = oracle(data, start, end, has_numbers, 2_000)
            assert show(data, start, end, has_numbers=has_numbers) == expected


@pytest.mark.parametrize("data", [b"a\rb" * 30_000, b"x" * 200_000, ("🚀" * 600 + "\n").encode() * 50])
def test_long_files_without_many_line_feeds_agree_with_the_oracle(show: Any, data: Any) -> None:
    assert show(data) == oracle(data, 1, 2_000, True, 2_000)

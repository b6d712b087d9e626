"""Pages that one line can fill: reads with a `column`, and files of a single line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from helpers.texts import TextReader, read_text


def write(directory: Path, name: str, text: str) -> Path:
    path = directory / name
    path.write_text(text)
    return path


def test_rest_of_a_clipped_line_fills_the_page(tmp_path: Path) -> None:
    """Each call with a `column` returned 2,000 characters, although a page may have 25,000 tokens."""
    long = "word " * 4_000
    path = write(tmp_path, "x.txt", f"one\n{long}\nthree\n")
    (tail,) = read_text(path).clipped
    page = read_text(path, **tail.arguments)
    assert (page.content, page.clipped) == (long[2_000:] + "\n", ())
    assert page.next is not None
    assert page.next.arguments["offset"] == 3
    assert "column" not in page.next.arguments
    # Other lines may follow the rest of the line; they are clipped as usual.
    path = write(tmp_path, "y.txt", f"one\n{long}\nthree\n{long}\nfive\n")
    page = read_text(path, offset=2, column=2_001)
    assert page.content == long[2_000:] + "\nthree\n" + long[:2_000] + "\nfive\n"
    assert [clip.arguments["offset"] for clip in page.clipped] == [4]


@pytest.mark.parametrize("tokenizer", [None, "o200k_base", len])
def test_page_of_one_line_uses_its_whole_budget(tmp_path: Path, tokenizer: Any) -> None:
    path = write(tmp_path, "x.json", ",".join(map(str, range(9_000))))
    limits = anyread.Limits(max_tokens=3_000, tokenizer=tokenizer)
    reader = TextReader(limits=limits)
    page = reader.text(path, column=5)
    # At most 48 tokens each are reserved for the footer and the marker.
    assert 2_850 < page.token_estimate <= 3_000
    assert page.next is not None
    assert page.next.arguments["column"] == 5 + len(page.content)


def test_over_budget_error_still_lets_a_long_line_be_paged(tmp_path: Path) -> None:
    path = write(tmp_path, "x.txt", "word " * 60_000)
    reader = TextReader(limits=anyread.Limits(over_budget="error"))
    page = reader.text(path)
    assert page.content == ("word " * 60_000)[:2_000]
    page = reader.text(path, **page.clipped[0].arguments)
    assert len(page.content) > 50_000
    assert page.next is not None
    assert page.next.arguments["limit"] == 1


@pytest.mark.parametrize("count_bytes", [1 << 20, 256 << 20])
def test_column_in_a_line_that_was_rewritten_is_counted_again(tmp_path: Path, count_bytes: int) -> None:
    """A larger file with the same first bytes counted as one that has grown, and kept old counts."""
    head, block = '{"k":"' + "h" * 8192, "0123456789abcdef" * (3 << 16)
    path, column = tmp_path / "x.json", 2 << 20
    limits = anyread.Limits(count_bytes=count_bytes)
    for text in (
        head + block,
        head + "é" * 5_000 + block + "more",
        head + "日" * 5_000 + block + "more still",
    ):
        with path.open("r+b" if path.exists() else "wb") as file:
            file.write(text.encode())
        page = TextReader(limits=limits).text(path, offset=1, column=column)
        assert page.content == text[column - 1 :][: len(page.content)]
        assert page.content


def test_four_gib_without_a_line_feed_take_little_memory(tmp_path: Path) -> None:
    path = write(tmp_path, "endless", "x" * 65_536)
    os.truncate(path, 4 << 30)
    before = peak_memory()
    page = read_text(path, limit=1)
    shown = len(page.content)
    assert page.content == ("x" * 65_536).ljust(shown, "\0")[:shown]
    assert page.next is not None
    assert (page.next.arguments["offset"], page.next.arguments["column"]) == (1, shown + 1)
    assert min(shown, len(read_text(path, **page.next.arguments).content)) > 10_000
    assert peak_memory() - before < 64 << 20


def peak_memory() -> int:
    """Return this process's peak of resident memory in bytes."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM:"))

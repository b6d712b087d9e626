"""Rows of docs/catalogue.md about large files and long lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from helpers.texts import TextReader, read_text

MIB = 1024 * 1024


def write(directory: Path, name: str, data: bytes | str) -> Path:
    path = directory / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def codes(page: Any) -> set[str]:
    """Return the codes of a result's notices."""
    return {notice.code for notice in page.notices}


def test_range_over_the_budget_is_paged(tmp_path: Path) -> None:
    line = "the quick brown fox jumps over the lazy dog, %d times\n"
    path = write(tmp_path, "f.txt", "".join(line % n for n in range(4_000)))
    page = read_text(path, offset=1, limit=10_000)
    assert page.token_estimate <= 25_000
    assert page.next is not None
    assert page.next.arguments["offset"] == page.end_line + 1
    assert page.next.arguments["limit"] == 10_000 - page.end_line


@pytest.mark.slow
def test_window_in_the_middle_of_21_mb_is_exact(tmp_path: Path) -> None:
    path = write(tmp_path, "big.txt", "".join(f"line {n} {'.' * 90}\n" for n in range(1, 210_001)))
    assert path.stat().st_size > 20_000_000
    page = read_text(path, offset=500, limit=20)
    assert page.content == "".join(f"line {n} {'.' * 90}\n" for n in range(500, 520))
    assert page.total_lines == 210_000


@pytest.fixture
def ten_gb(tmp_path: Path) -> Path:
    """Return a log of 10 GiB, sparse between its first and its last lines."""
    path = tmp_path / "ten.log"
    with path.open("wb") as file:
        file.write(b"".join(b"head %d\n" % n for n in range(20_000)))
        file.seek(10 * 1024 * MIB)
        file.write(b"\n" + b"".join(b"tail %d\n" % n for n in range(1, 1_001)))
    return path


def test_last_100_lines_of_10_gib(ten_gb: Path) -> None:
    page = read_text(ten_gb, offset=-100)
    assert page.content == "".join(f"tail {n}\n" for n in range(901, 1_001))
    assert page.text.startswith("-100\ttail 901\n-99\ttail 902\n")
    assert page.footer.startswith("[lines -100 to -1 of about ")
    assert page.footer.endswith(" (10.7 GB)]")


def test_first_page_of_10_gib(ten_gb: Path) -> None:
    page = read_text(ten_gb, limit=3)
    assert page.content == "head 0\nhead 1\nhead 2\n"
    assert page.footer.endswith("(10.7 GB) · next: offset=4]")


def test_sparse_nuls_after_one_line_are_binary(tmp_path: Path) -> None:
    path = write(tmp_path, "sparse.log", b"only line\n")
    os.truncate(path, 128 * MIB)
    with pytest.raises(errors.BinaryFileError):
        read_text(path, limit=1)
    page = read_text(path, limit=1, kind="text")
    assert page.content == "only line\n"
    assert page.next is not None


def test_four_gib_without_newline_continues_by_column(tmp_path: Path) -> None:
    path = write(tmp_path, "endless", "x" * (64 * 1024))
    os.truncate(path, 4 * 1024 * MIB)
    before = peak_memory()
    page = read_text(path, limit=1)
    shown = len(page.content)
    assert page.content == ("x" * 65_536).ljust(shown, "\0")[:shown]
    assert shown > 10_000
    assert page.next is not None
    assert (page.next.arguments["offset"], page.next.arguments["column"]) == (1, shown + 1)
    assert len(read_text(path, **page.next.arguments).content) > 10_000
    assert peak_memory() - before < 64 * MIB


def peak_memory() -> int:
    """Return this process's peak of resident memory in bytes."""
    text = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("VmHWM:"))


def test_json_on_one_line_is_shown(tmp_path: Path) -> None:
    path = write(tmp_path, "one.json", "{" + ",".join(f'"key{n}":{n}' for n in range(2_500)) + "}")
    page = read_text(path)
    assert page.content == path.read_text()
    assert not page.truncated
    reader = TextReader(limits=anyread.Limits(fill_one_line=False))
    page = reader.text(path)
    assert page.content == path.read_text()[:2_000]
    assert page.truncated
    assert page.text.startswith('1\t{"key0":0,')


@pytest.mark.slow
def test_minified_bundle_can_be_followed_to_its_end(tmp_path: Path) -> None:
    line = "".join(f"function f{n}(a,b){{return a+b*{n}}}" for n in range(60_000))
    path = write(tmp_path, "bundle.js", line)
    page = read_text(path)
    assert line.startswith(page.content)
    parts = [page.content]
    while page.truncated:
        assert 24_000 < page.token_estimate <= 25_000
        assert page.next is not None
        assert page.next.arguments["offset"] == 1
        page = read_text(path, **page.next.arguments)
        parts.append(page.content)
    assert "".join(parts) == line
    # With 2,000 characters per page this took about a thousand calls.
    assert len(parts) < 60


def test_only_the_long_record_is_clipped(tmp_path: Path) -> None:
    short = '{"id": 1}\n'
    path = write(tmp_path, "r.jsonl", short * 3 + '{"x": "' + "y" * 1_700_000 + '"}\n' + short * 3)
    page = read_text(path)
    assert page.end_line == page.total_lines == 7
    assert page.truncated
    assert page.content == short * 3 + ('{"x": "' + "y" * 1_993) + "\n" + short * 3
    (tail,) = page.clipped
    assert (tail.arguments["offset"], tail.arguments["column"]) == (4, 2_001)
    assert " … [1,698,009 more bytes: offset=4, column=2001]" in page.text
    assert page.footer == "[lines 1-7 of 7 · 1 line clipped]"

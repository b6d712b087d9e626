"""Searches in large files: what they share, and patterns in texts of Python."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anyread import Reader
from anyread._native import Pattern, clear_caches

MIB = 1 << 20


@pytest.mark.posix("versions")
def test_lines_that_a_search_counted_are_not_counted_again(tmp_path: Path) -> None:
    clear_caches()
    path = tmp_path / "a"
    path.write_bytes(b"line\n" * (4 * MIB) + b"needle\n")
    # What is counted while a write may still be copying is counted again.
    rests_ns = path.stat().st_ctime_ns + 20_000_000 + 20 * path.stat().st_size
    while time.time_ns() < rests_ns:
        time.sleep(0.01)
    reader = Reader()
    page = reader.read_sync(path, find="needle")
    assert page.hits == (4 * MIB + 1,)
    before = reader.stats()["indexed"]
    assert "\tneedle" in reader.read_sync(path, offset=page.hits[0], limit=1).text
    assert reader.stats()["indexed"] == before + 1


def test_threads_share_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"caf\xc3\xa9 line\nother\n" * MIB)
    reader = Reader()

    def count(_: int) -> str:
        return reader.read_sync(path, find=r"\bcafé\b", limit=1).text.split("[")[-1]

    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(count, range(8)))) == 1


@pytest.mark.parametrize(
    ("text", "code", "detail"),
    [
        ("a*", "empty", ""),
        ("a\nb", "line_end", ""),
        ("(?<=a)b", "look_around", "(?<="),
        (r"(a)\1", "back_reference", r"\1"),
        ("a" * 10_001, "too_long", "10001 of at most 10000 characters"),
        (r"\w{100}{100}", "too_large", ""),
    ],
)
def test_refused_pattern_has_a_code(text: str, code: str, detail: str) -> None:
    with pytest.raises(ValueError, match=code) as raised:
        Pattern(text)
    assert raised.value.args == (code, detail)


def test_match_in_a_text_is_in_characters() -> None:
    assert Pattern("wörld$").find("héllo wörld\r\n") == (6, 11)
    assert Pattern("Wörld").find("héllo wörld") is None
    literal = Pattern("f(x", literal=False)
    assert literal.is_literal
    assert literal.find("𝒳 = F(x)") == (4, 7)
    assert Pattern("a.c", literal=True).find("abc") is None

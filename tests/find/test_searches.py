"""Searches of opened files: what they may wait for, what they share, and patterns in texts of Python."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from anyread import Gutter, Limits
from anyread._native import Cancel, Engine, Layout, Opened, Pattern, clear_caches

LAYOUT = Layout(line_ends="detected", bom="drop")
MIB = 1 << 20


@pytest.fixture
def engine() -> Engine:
    return Engine(
        roots=[], deny=[], limits=Limits(), gutter=Gutter.TAB, mmap=True, blocks=True, formats=[],
        extensions=(), as_text=(), token_factor=1.0,
    )  # fmt: skip


def opened(engine: Engine, path: Path, text: bytes, whole: int = 0) -> Opened:
    path.write_bytes(text)
    return engine.open(os.fsencode(path), repair=False, whole=whole, may_wait=True)


def test_small_file_is_searched_without_waiting(engine: Engine, tmp_path: Path) -> None:
    file = opened(engine, tmp_path / "a", b"one\ntwo\n", whole=MIB)
    found = file.find(Pattern("t.o"), LAYOUT, limit=5, max_line_chars=2_000, exact=True)
    assert (found.hits, found.next, found.total, found.is_exact) == ([(2, 1)], None, 1, True)
    assert (found.looked_to_line, found.at_end) == (2, True)


def test_large_file_is_not_searched_without_waiting(engine: Engine, tmp_path: Path) -> None:
    file = opened(engine, tmp_path / "a", b"line\n" * MIB)
    with pytest.raises(BlockingIOError):
        file.find(Pattern("needle"), LAYOUT, limit=5, max_line_chars=2_000, exact=True)


def test_cancelled_search_ends(engine: Engine, tmp_path: Path) -> None:
    file = opened(engine, tmp_path / "a", b"line\n" * (4 * MIB))
    cancel = Cancel()
    cancel.cancel()
    with pytest.raises(InterruptedError):
        file.find(Pattern("x"), LAYOUT, limit=5, max_line_chars=9, exact=True, cancel=cancel, may_wait=True)


def test_lines_that_a_search_counted_are_not_counted_again(engine: Engine, tmp_path: Path) -> None:
    clear_caches()
    path = tmp_path / "a"
    path.write_bytes(b"line\n" * (4 * MIB) + b"needle\n")
    # What is counted while a write may still be copying is counted again.
    rests_ns = path.stat().st_ctime_ns + 20_000_000 + 20 * path.stat().st_size
    while time.time_ns() < rests_ns:
        time.sleep(0.01)
    file = engine.open(os.fsencode(path), repair=False, whole=0, may_wait=True)
    found = file.find(Pattern("needle"), LAYOUT, limit=5, max_line_chars=2_000, exact=True, may_wait=True)
    assert found.hits == [(4 * MIB + 1, 1)]
    assert engine.stats()["indexed"] == 0
    window = file.window(found.hits[0][0], 1, LAYOUT, may_wait=True)
    assert window.text.startswith("needle")
    assert engine.stats()["indexed"] == 1


def test_appended_lines_are_not_searched(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "a"
    file = opened(engine, path, b"needle\n" * MIB)
    with path.open("ab") as appending:
        appending.write(b"needle\n")
    found = file.find(Pattern("needle"), LAYOUT, limit=0, max_line_chars=2_000, exact=True, may_wait=True)
    assert found.total == MIB


def test_threads_share_a_pattern(engine: Engine, tmp_path: Path) -> None:
    file = opened(engine, tmp_path / "a", b"caf\xc3\xa9 line\nother\n" * MIB)
    pattern = Pattern(r"\bcafé\b")

    def count(_: int) -> int:
        return file.find(pattern, LAYOUT, limit=1, max_line_chars=2_000, exact=True, may_wait=True).total

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(count, range(8))) == {MIB}


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

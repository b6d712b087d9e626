"""Every mode returns the same: inline, by a hop, synchronous, with a deadline, and portable.

`tests/torture/test_s02_paths.py` judges paths in the modes.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anyread
from anyread import Limits, errors

Reader = anyread.Reader

# A file that was rewritten within this time could go unnoticed, so its page has no version yet.
TICK_S = 0.022


def observed(result: Any) -> dict[str, Any]:
    """Return everything that a caller can see of a result or an error."""
    if isinstance(result, BaseException):
        seen = {name: getattr(result, name, None) for name in ("code", "path", "hint", "args", "errno")}
        return {"type": type(result), "text": str(result), **seen, **vars(result)}
    return {"type": type(result), **result.to_dict()}


@dataclass
class Modes:
    """A reader for each mode, and a loop for the asynchronous ones."""

    inline: Any
    hop: Any
    portable: Any
    runner: asyncio.Runner

    def outcomes(self, path: Any, **arguments: Any) -> dict[str, dict[str, Any]]:
        """Read in every mode; return what a caller sees, by mode."""
        reads: dict[str, Callable[[], Any]] = {
            "inline": lambda: self.runner.run(self.inline.read(path, **arguments)),
            "hop": lambda: self.runner.run(self.hop.read(path, **arguments)),
            "portable": lambda: self.runner.run(self.portable.read(path, **arguments)),
            "sync": lambda: self.inline.read_sync(path, **arguments),
            # With a deadline, the read runs in a thread.
            "watched": lambda: self.hop.read_sync(path, **arguments),
        }
        found = {}
        for mode, read in reads.items():
            try:
                found[mode] = observed(read())
            except errors.ReadError as error:
                found[mode] = observed(error)
        return found


@pytest.fixture
def modes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Modes]:
    monkeypatch.setenv("ANYREAD_PORTABLE", "1")
    portable = Reader()
    monkeypatch.delenv("ANYREAD_PORTABLE")
    with asyncio.Runner() as runner:
        hop = Reader(limits=Limits(inline_bytes=1, timeout_s=60))
        yield Modes(Reader(), hop, portable, runner)


def assert_same(outcomes: dict[str, dict[str, Any]]) -> None:
    expected = outcomes.pop("portable")
    for mode, outcome in outcomes.items():
        assert outcome == expected, mode


PIECES = (
    "",
    "a",
    "word ",
    "\t",
    "é",
    "漢字",
    "😀",
    "e\u0301",
    "\u200b",
    "\ufeff",
    "\x00",
    "\x1b[0m",
    "x" * 300,
)
ENDINGS = ("\n", "\r\n", "\r", "\n\n", "\u2028", "")
CODECS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp1252", "shift_jis", "gb18030")


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    """Generate the content of a small file: text in some encoding, or arbitrary bytes."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=400))
    line = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
    lines = draw(st.lists(st.tuples(line, st.sampled_from(ENDINGS)), max_size=30))
    text = "".join(itertools.chain.from_iterable(lines))
    return text.encode(draw(st.sampled_from(CODECS)), errors="replace")


WINDOWS = st.fixed_dictionaries(
    {},
    optional={
        "offset": st.integers(-40, 40),
        "limit": st.integers(1, 40),
        "column": st.integers(0, 320),
        "encoding": st.sampled_from(["utf-8", "latin-1", "utf-16-le", "no-such"]),
        "kind": st.sampled_from(["text", "image"]),
        "gutter": st.sampled_from([anyread.Gutter.NONE, anyread.Gutter.CAT_N]),
    },
)


@pytest.mark.slow
@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(content=contents(), windows=st.lists(WINDOWS, min_size=1, max_size=5))
def test_generated_files(modes: Modes, tmp_path: Path, content: bytes, windows: list[dict[str, Any]]) -> None:
    path = tmp_path / "generated.txt"
    path.write_bytes(content)
    time.sleep(TICK_S)
    for window in windows:
        outcomes = modes.outcomes(path, **window)
        version = outcomes["hop"].get("version")
        assert_same(outcomes)
        if version:
            outcomes = modes.outcomes(path, unless_version=version)
            assert outcomes["hop"]["type"] is anyread.Unchanged
            assert_same(outcomes)


@pytest.mark.parametrize("size", [0, 1, 63 << 10, 65 << 10, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_files_around_the_limits_read_the_same(modes: Modes, tmp_path: Path, size: int) -> None:
    path = tmp_path / "log"
    path.write_bytes((b"0123456789" * 5 + b"\n") * (size // 51) + b"x" * (size % 51))
    time.sleep(TICK_S)
    last = max(1, size // 51)
    for window in ({}, {"offset": last // 2 + 1, "limit": 3}, {"offset": -4}, {"offset": last + 2}):
        # Without an index, then with the one that the first read has made.
        anyread.clear_caches()
        for _ in range(2):
            assert_same(modes.outcomes(path, **window))

"""Windows of opened files match their lines, for files of every size class."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import pytest

from anyread import _native
from anyread.errors import BadArgumentError
from helpers.numbered_lines import SIZES, numbered

LINES = _native.Layout(line_ends="detected", bom="drop")

Open = Callable[[Path], _native.Opened]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_windows_match_the_lines_of_the_file(size: int, tmp_path: Path, opened: Open) -> None:
    data = numbered(size)
    path = tmp_path / "a.log"
    path.write_bytes(data)
    lines = data.split(b"\n")[:-1]
    file, total = opened(path), len(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for first, limit in [(1, 1), (1, 40), (7, 3), (total // 2, 100), (total - 5, 6), (total, 9), (-3, 2)]:
        start = first - 1 if first > 0 else total + first
        shown = lines[start : start + limit]
        window = file.window(first, limit, LINES, may_wait=True)
        assert window.text == b"\n".join(shown).decode()
        assert (window.first_line, window.last_line) == (start + 1, start + len(shown))
        assert (window.start_byte, window.end_byte) == (starts[start], starts[start + len(shown)])
        assert window.total_lines == total
        assert window.next == (None if start + len(shown) == total else (start + len(shown) + 1, 1))
        assert (window.clipped, window.is_over_budget, window.lossy) == ((), False, False)
        assert window.final_newline
        # The window is cached now, but not every system has nonblocking reads.
        with contextlib.suppress(BlockingIOError):
            assert file.window(first, limit, LINES).text == window.text


def test_unknown_encoding_raises_bad_argument(tmp_path: Path, opened: Open) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"text\n")
    for may_wait in (False, True):
        with pytest.raises(BadArgumentError, match="utf-9"):
            opened(path).window(1, 1, LINES, encoding="utf-9", may_wait=may_wait)


def test_window_that_shows_nothing_of_a_long_line_goes_on_after_it(tmp_path: Path, opened: Open) -> None:
    """If the end of the line was far away, the next window was the same one again."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * (3 << 20) + b"\nlast\n")
    window = opened(path).window(
        1, 1, _native.Layout(clip_length=0, clip_marker="…", total="never"), may_wait=True
    )
    assert (window.text, window.next, window.end_byte) == ("…", (2, 1), (3 << 20) + 1)


def test_window_ends_before_a_clipped_line_that_does_not_fit(tmp_path: Path, opened: Open) -> None:
    """`end_byte` was the offset after the part of that line that is left out."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n" + b"x" * 5_000 + b"\nthree\n")
    layout = _native.Layout(clip_length=50, clip_marker="…", budget=20, over_budget="stop")
    window = opened(path).window(1, 9, layout, may_wait=True)
    assert (window.text, window.next, window.end_byte) == ("one", (2, 1), 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("line_ends", "cr"),
        ("final_newline", "both"),
        ("width", "widest"),
        ("clip_unit", "words"),
        ("clip_round", "off"),
        ("budget_unit", "lines"),
        ("budget_of", "page"),
        ("over_budget", "cut"),
        ("tokenizer", "p50k_base"),
        ("cr", "error"),
        ("bom", "error"),
        ("nul", "symbol"),
        ("total", "maybe"),
    ],
)
def test_layout_refuses_an_unknown_value(name: str, value: str) -> None:
    # A width may also be a number, so that the type is wrong.
    error, said = (TypeError, name) if name == "width" else (ValueError, value)
    with pytest.raises(error, match=said):
        _native.Layout(**{"clip_length": 1, "budget": 1, name: value})  # type: ignore[arg-type]

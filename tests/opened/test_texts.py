"""Windows of text in memory, in the layouts that files have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anyread import OverBudgetError, _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = [
    b"",
    b"\n",
    b"one",
    b"one\r\ntwo\n",
    b"a\r\rb\r",
    "é\u2028€\n\n😀".encode(),
    b"\xff\xe2\x82\nx\n" * 300,
]
LAYOUTS: list[dict[str, Any]] = [
    {},
    {"separator": "|", "final_newline": "starts"},
    {"separator": ":", "width": "last", "line_ends": "splitlines"},
    {"line_ends": "lf", "clip_length": 2, "clip_marker": "…", "cr": "show"},
]


@pytest.mark.parametrize("text", TEXTS)
def test_window_of_a_text_equals_that_of_a_file(
    tmp_path: Path, opened: Callable[[Path], _native.Opened], text: bytes
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(text)
    file = opened(path)
    for layout in (_native.Layout(**values) for values in LAYOUTS):
        for offset, limit in [(1, 1_000), (2, 1), (99_999, 5), (-2, 5), (1, 0)]:
            in_memory = layout.window(text, offset, limit)
            in_file = file.window(offset, limit, layout, encoding="utf-8", may_wait=True)
            for name in ("text", "first_line", "last_line", "total_lines", "next", "clipped"):
                assert getattr(in_memory, name) == getattr(in_file, name), name
            assert in_memory.final_newline == in_file.final_newline


@pytest.mark.parametrize("more", [{}, {"budget": 50, "budget_unit": "tokens"}, {"budget": 400}])
def test_max_bytes_applies_in_addition_to_the_budget(more: dict[str, Any]) -> None:
    window = _native.Layout(max_bytes=29, **more).window(b"123456789\n" * 100, 1, 100)
    assert (window.text, window.is_over_budget) == ("123456789\n123456789\n123456789", True)
    with pytest.raises(OverBudgetError):
        _native.Layout(max_bytes=28, over_budget="error", **more).window(b"123456789\n" * 100, 1, 3)


def test_error_of_a_host_tokenizer_is_raised(
    tmp_path: Path, opened: Callable[[Path], _native.Opened]
) -> None:
    def fail(_: str) -> int:
        raise LookupError("no vocabulary")

    path = tmp_path / "a.txt"
    path.write_text("one\n")
    layout = _native.Layout(budget=5, budget_unit="tokens", tokenizer=fail)
    with pytest.raises(LookupError, match="no vocabulary"):
        layout.window(b"one\n", 1, 1)
    with pytest.raises(LookupError, match="no vocabulary"):
        opened(path).window(1, 1, layout, may_wait=True)

"""Each parameter of a layout reaches the core under its name; `layouts.rs` judges their combinations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from anyread import OverBudgetError, _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = "\ufeffa\0\r\nlonger\rb😀\u2028c\n".encode()

LAYOUTS: list[tuple[dict[str, Any], str]] = [
    ({}, "\ufeffa\0\nlonger\rb😀\u2028c"),
    ({"line_ends": "lf"}, "\ufeffa\0\r\nlonger\rb😀\u2028c"),
    ({"line_ends": "lf+crlf+cr"}, "\ufeffa\0\nlonger\nb😀\u2028c"),
    ({"line_ends": "splitlines"}, "\ufeffa\0\nlonger\nb😀\nc"),
    ({"final_newline": "starts"}, "\ufeffa\0\nlonger\rb😀\u2028c\n"),
    ({"before": "L", "separator": ":", "width": 3}, "L  1:\ufeffa\0\nL  2:longer\rb😀\u2028c"),
    ({"bom": "drop", "cr": "drop", "nul": "drop"}, "a\nlongerb😀\u2028c"),
    ({"bom": "show", "cr": "show", "nul": "show"}, "<U+FEFF>a␀\nlonger␍b😀\u2028c"),
    ({"clip_length": 9, "clip_keep": 2, "clip_marker": "…"}, "\ufeffa\0\nlo…"),
    ({"clip_length": 10, "clip_unit": "utf16"}, "\ufeffa\0\nlonger\rb😀"),
    ({"clip_length": 9, "clip_unit": "bytes"}, "\ufeffa\0\nlonger\rb"),
    ({"clip_length": 9, "clip_unit": "bytes", "clip_round": "up"}, "\ufeffa\0\nlonger\rb😀"),
    ({"budget": 3, "budget_unit": "chars"}, "\ufeffa\0"),
    ({"budget": 5}, "\ufeffa\0"),
    ({"budget": 4}, ""),
    ({"budget": 4, "budget_unit": "utf16", "over_budget": "after"}, "\ufeffa\0\nlonger\rb😀\u2028c"),
    ({"budget": 16, "budget_unit": "utf16", "separator": ":"}, "1:\ufeffa\0"),
    ({"budget": 15, "budget_unit": "utf16", "budget_of": "lines"}, "\ufeffa\0\nlonger\rb😀\u2028c"),
    (
        {"budget": 16, "budget_unit": "utf16", "budget_of": "text", "separator": ":"},
        "1:\ufeffa\0\n2:longer\rb😀\u2028c",
    ),
]


@pytest.mark.parametrize(("parameters", "text"), LAYOUTS)
def test_layout_is_that_of_its_parameters(
    opened: Callable[[Path], _native.Opened], tmp_path: Path, parameters: dict[str, Any], text: str
) -> None:
    (tmp_path / "text").write_bytes(DATA)
    window = opened(tmp_path / "text").window(
        1, 9, _native.Layout(**parameters), encoding="utf-8", may_wait=True
    )
    assert window.text == text


@pytest.mark.parametrize(("total", "lines"), [("always", 2), ("known", 2), ("never", None)])
def test_total_is_counted_as_the_layout_says(
    opened: Callable[[Path], _native.Opened], tmp_path: Path, total: Any, lines: int | None
) -> None:
    (tmp_path / "text").write_bytes(b"a\nb\n")
    layout = _native.Layout(total=total, over_budget="error", budget=1)
    file = opened(tmp_path / "text")
    window = file.window(1, 1, layout, encoding="utf-8", may_wait=True)
    assert (window.text, window.total_lines) == ("a", lines)
    with pytest.raises(OverBudgetError):
        file.window(1, 2, layout, encoding="utf-8", may_wait=True)

"""The element of llm-gateway as a specification: what goes in, what comes out."""

from __future__ import annotations

from typing import Any

import pytest

from anyread.tools.llm_gateway.element import (
    clipped,
    element,
    formatted,
    sliced,
    spelled,
    units,
    within_budget,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-1, "-1"),
        (10_001, "10001"),
        (2.5, "2.5"),
        (2.0, "2"),
        (-0.0, "0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, "9007199254740992"),
        (1e20, "100000000000000000000"),
        (10**21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (0.000001, "0.000001"),
        (1e-7, "1e-7"),
        (-2.5e-8, "-2.5e-8"),
    ],
)
def test_number_is_spelled_as_javascript_does(value: Any, text: Any) -> None:
    assert spelled(value) == text


@pytest.mark.parametrize(
    ("offset", "limit", "total", "indexes"),
    [
        (0, 2000, 4, [0, 1, 2, 3]),
        (2, 2000, 4, [2, 3]),
        (1, 2, 4, [1, 2]),
        (0, 0, 4, []),
        (100, 2000, 4, []),
        (0, 2000, 0, []),
        (-1, 2000, 4, [3]),
        (-3, 10, 4, [1, 2, 3]),
        (-3, 2, 4, [1, 2]),
        (-9, 2, 4, []),
        (-9, 7, 4, [0, 1]),
        (0, -1, 4, [0, 1, 2]),
        (2, -1, 4, []),
        (1.5, 2000, 4, [1, 2, 3]),
        (1.5, 1.5, 4, [1, 2]),
        (-0.5, 2, 4, [0]),
        (1e300, 1e300, 4, []),
    ],
)
def test_window_is_a_slice_of_javascript(offset: Any, limit: Any, total: Any, indexes: Any) -> None:
    assert list(sliced(offset, limit, total)) == indexes


@pytest.mark.parametrize(("text", "count"), [("", 0), ("abc", 3), ("é日", 2), ("🚀", 2), ("a🚀é", 4)])
def test_length_counts_utf16_units(text: Any, count: Any) -> None:
    assert units(text) == count


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("x" * 2000, "x" * 2000),
        ("x" * 2001, "x" * 2000 + " [truncated]"),
        ("é" * 2000, "é" * 2000),
        ("é" * 2001, "é" * 2000 + " [truncated]"),
        ("🚀" * 1000, "🚀" * 1000),
        ("🚀" * 1001, "🚀" * 1000 + " [truncated]"),
        ("a" + "🚀" * 1000, "a" + "🚀" * 999 + " [truncated]"),
        ("x" * 3000, "x" * 2000 + " [truncated]"),
    ],
)
def test_line_is_cut_after_2000_units_and_never_inside_a_character(line: Any, shown: Any) -> None:
    assert clipped(line) == shown


def test_numbers_are_four_wide_and_grow_to_the_left() -> None:
    assert formatted(["a", ""], 0) == ["   1 | a", "   2 | "]
    assert formatted(["a", "b"], 9998) == ["9999 | a", "10000 | b"]
    assert formatted(["four"], -1) == ["   0 | four"]
    assert formatted(["a", "b"], 1.5) == [" 2.5 | a", " 3.5 | b"]


def test_exactly_50_kb_are_kept_and_the_line_that_goes_over_is_dropped() -> None:
    lines = ["y" * 100] * 512
    assert within_budget("\n".join(lines)) == ("\n".join(lines), 512)
    assert within_budget("\n".join([*lines, "z"])) == ("\n".join(lines), 512)
    assert within_budget("\n".join(["y" * 99, *lines])) == ("\n".join(["y" * 99, *lines[1:]]), 512)


def test_budget_counts_units_and_not_bytes() -> None:
    lines = ["é" * 100] * 512
    assert within_budget("\n".join([*lines, "é"]))[1] == 512
    astral = ["🚀" * 50] * 513
    assert within_budget("\n".join(astral))[1] == 512


def test_element_names_lines_and_total() -> None:
    body = "   1 | a\n   2 | b"
    assert (
        element("/x", body, offset=0, total=4) == f'<file path="/x" lines="1-2" total="4">\n{body}\n</file>'
    )


def test_element_of_no_line_has_an_empty_body() -> None:
    assert element("/x", None, offset=0, total=0) == '<file path="/x" lines="1-0" total="0">\n\n</file>'
    assert element("/x", None, offset=100, total=4) == '<file path="/x" lines="101-100" total="4">\n\n</file>'


def test_element_cut_by_the_budget_says_so_behind_its_end() -> None:
    body = "\n".join(["y" * 100] * 600)
    text = element("/x", body, offset=0, total=600)
    assert text.startswith('<file path="/x" lines="1-512" total="600">\n')
    assert text.endswith("y\n</file>\n[Output truncated at 50KB. Use offset/limit to read more.]")

"""Windows in every layout, compared with a slow and simple renderer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from anyread import OverBudgetError, _native

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MOST = 1_000_000

TEXTS = st.lists(
    st.one_of(
        st.text("abc \t", max_size=12),
        st.text("äß€語😀¨", max_size=9),
        st.sampled_from(["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\0", "\ufeff"]),
        st.sampled_from([b"\xe2\x80", b"\xa8", b"\xc2", b"\xf0\x9f"]),
        st.just("\n"),
    ).map(lambda piece: piece if isinstance(piece, bytes) else piece.encode()),
    max_size=30,
).map(b"".join)
UNITS = st.sampled_from(["chars", "utf16", "bytes"])
SHOWN = st.sampled_from(["keep", "drop", "show"])
LENGTHS = st.none() | st.integers(0, 12)

PARAMETERS = st.fixed_dictionaries(
    {
        "line_ends": st.sampled_from(["lf", "lf+crlf", "lf+crlf+cr", "splitlines"]),
        "final_newline": st.sampled_from(["ends", "starts"]),
        "before": st.sampled_from(["", "L", "«"]),
        "separator": st.sampled_from([None, "\t", " │ "]),
        "width": st.integers(0, 5) | st.sampled_from(["last", "total"]),
        "clip_unit": UNITS,
        "clip_length": LENGTHS,
        "clip_keep": LENGTHS,
        "clip_round": st.sampled_from(["down", "up"]),
        "clip_marker": st.sampled_from(["", "… cut"]),
        "budget": st.none() | st.integers(0, 60),
        "budget_unit": UNITS,
        "budget_of": st.sampled_from(["text", "lines", "answer"]),
        "over_budget": st.sampled_from(["stop", "after", "error"]),
        "cr": SHOWN,
        "bom": SHOWN,
        "nul": SHOWN,
        "total": st.sampled_from(["always", "known", "never"]),
    }
)
"""All parameters except those for tokens; in the contracts `clip_keep` is at most `clip_length`."""


@dataclass(frozen=True)
class Rendered:
    """The fields of a window that the renderer computes."""

    text: str
    first_line: int
    last_line: int
    total_lines: int | None
    next: tuple[int, int] | None
    clipped: tuple[int, ...]
    final_newline: bool
    is_over_budget: bool


def split(text: str, line_ends: str) -> list[str]:
    """Split a text into lines; the last is what follows the last ending."""
    match line_ends:
        case "lf":
            return text.split("\n")
        case "lf+crlf":
            return text.replace("\r\n", "\n").split("\n")
        case "lf+crlf+cr":
            return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    *lines, last = (text + "x").splitlines()
    return [*lines, last.removesuffix("x")]


def lines_of(text: str, p: dict[str, Any]) -> tuple[list[str], bool]:
    """Return the lines of a text, and whether it ends with a line ending."""
    if p["bom"] == "drop":
        text = text.removeprefix("\ufeff")
    lines = split(text, p["line_ends"])
    final_newline = len(lines) > 1 and not lines[-1]
    if p["final_newline"] == "ends" and not lines[-1]:
        lines.pop()
    return lines, final_newline


def length(text: str, unit: str) -> int:
    """Return the length of a text in `unit`."""
    match unit:
        case "chars":
            return len(text)
        case "utf16":
            return len(text.encode("utf-16-le")) // 2
    return len(text.encode())


def clipped(line: str, p: dict[str, Any]) -> tuple[str, bool]:
    """Clip a line that is too long, without a marker; also return whether it was clipped."""
    unit, most = p["clip_unit"], p["clip_length"]
    if most is None or length(line, unit) <= most:
        return line, False
    keep = most if p["clip_keep"] is None else p["clip_keep"]
    for end in range(len(line) + 1):
        if p["clip_round"] == "up" and length(line[:end], unit) >= keep:
            return line[:end], True
        if p["clip_round"] == "down" and length(line[: end + 1], unit) > keep:
            return line[:end], True
    return line, True


def shown(line: str, p: dict[str, Any], *, is_first_of_file: bool) -> tuple[str, bool]:
    """Return a line as it is shown without its number, and whether it was clipped."""
    kept, is_cut = clipped(line, p)
    for name, character, symbol in (("nul", "\0", "␀"), ("cr", "\r", "␍")):
        if p[name] != "keep":
            kept = kept.replace(character, symbol if p[name] == "show" else "")
    if is_first_of_file and p["bom"] == "show" and kept.startswith("\ufeff"):
        kept = "<U+FEFF>" + kept.removeprefix("\ufeff")
    return kept + (p["clip_marker"] if is_cut else ""), is_cut


def cost(body: str, gutter: str, p: dict[str, Any], *, is_first: bool) -> int:
    """Return how much of the budget a line uses."""
    units = length(body, p["budget_unit"])
    if p["budget_of"] != "text":
        units += length(gutter, p["budget_unit"])
    if p["budget_of"] != "lines" and not is_first:
        units += 1
    return units


def rendered(
    data: bytes, offset: int, limit: int, first_number: int | None, p: dict[str, Any]
) -> Rendered | None:
    """Render a window; return `None` if its lines do not fit, which must be an error."""
    lines, final_newline = lines_of(data.decode("utf-8", "replace"), p)
    total = len(lines)
    known = None if p["total"] == "never" else total
    first = max(offset, 1) if offset >= 0 else max(total + offset, 0) + 1
    if not total or first > total:
        first = first if total else 1
        return Rendered("", first, first - 1, known, None, (), final_newline, False)
    last = min(total, first - 1 + limit)

    def number(line: int) -> int:
        return line if first_number is None else first_number + line - first

    def gutter(line: int, last: int) -> str:
        if p["separator"] is None:
            return ""
        widths = {"last": len(str(number(max(first, last)))), "total": len(str(total))}
        columns = widths.get(p["width"], p["width"])
        return f"{p['before']}{str(number(line)).rjust(columns)}{p['separator']}"

    bodies: list[str] = []
    cut: list[int] = []
    spent, is_over = 0, False
    for line in range(first, last + 1):
        body, is_cut = shown(lines[line - 1], p, is_first_of_file=line == 1)
        if p["budget"] is not None:
            spent += cost(body, gutter(line, last), p, is_first=not bodies)
            is_over = spent > max(p["budget"] - (p["over_budget"] == "after"), 0)
        if is_over and p["over_budget"] == "error":
            return None
        if is_over and p["over_budget"] == "stop":
            break
        bodies.append(body)
        cut += [line] * is_cut
        if is_over:
            break
    end = first - 1 + len(bodies)
    return Rendered(
        "\n".join(gutter(line, end) + body for line, body in enumerate(bodies, first)),
        first,
        end,
        known,
        (end + 1, 1) if end < total else None,
        tuple(cut),
        final_newline,
        is_over and end < total,
    )


def seen(window: _native.Window) -> Rendered:
    """Return the fields of a window that the renderer computes."""
    return Rendered(**{name: getattr(window, name) for name in Rendered.__dataclass_fields__})


DEFAULTS: dict[str, Any] = {
    "line_ends": "lf+crlf",
    "final_newline": "ends",
    "before": "",
    "separator": None,
    "width": 0,
    "clip_unit": "chars",
    "clip_length": None,
    "clip_keep": None,
    "clip_round": "down",
    "clip_marker": "",
    "budget": None,
    "budget_unit": "bytes",
    "budget_of": "answer",
    "over_budget": "stop",
    "cr": "keep",
    "bom": "keep",
    "nul": "keep",
    "total": "always",
}


@pytest.mark.slow
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, st.integers(-8, 16), st.integers(0, 6) | st.just(MOST), st.none() | st.just(95), PARAMETERS)
@example(b"a\r\nb\r\nc\rd\n", 1, MOST, None, {**DEFAULTS, "cr": "show", "separator": "\t"})
@example(b"a\r\nb\r\n" * 9, 4, 9, None, {**DEFAULTS, "width": "last", "separator": ":", "budget": 12})
def test_window_in_every_layout_matches_the_renderer(
    opened: Callable[[Path], _native.Opened],
    tmp_path: Path,
    data: bytes,
    offset: int,
    limit: int,
    first_number: int | None,
    parameters: dict[str, Any],
) -> None:
    """All layout parameters in all combinations, with all kinds of lines."""
    # Without a line count, lines from the end have negative numbers.
    offset = offset if parameters["total"] == "always" else abs(offset)
    if parameters["clip_length"] is not None and parameters["clip_keep"] is not None:
        parameters = {**parameters, "clip_keep": min(parameters["clip_keep"], parameters["clip_length"])}
    path = tmp_path / "text"
    path.write_bytes(data)
    layout = _native.Layout(**parameters)
    expected = rendered(data, offset, limit, first_number, parameters)
    file = opened(path)
    read = partial(file.window, offset, limit, layout, encoding="utf-8", first_number=first_number)
    for may_wait in (False, True):
        if expected is None:
            with pytest.raises(OverBudgetError):
                read(may_wait=may_wait)
        else:
            window = read(may_wait=may_wait)
            assert seen(window) == expected


@pytest.mark.parametrize("name", DEFAULTS)
def test_default_of_a_parameter_is_as_documented(
    opened: Callable[[Path], _native.Opened], tmp_path: Path, name: str
) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffa\0\r\nlonger line\r\rb\n\n".encode() * 12)
    window = opened(path).window(
        3, 30, _native.Layout(**{name: DEFAULTS[name]}), encoding="utf-8", may_wait=True
    )
    assert seen(window) == rendered(path.read_bytes(), 3, 30, None, DEFAULTS)

"""The images of `docs/performance.md`: bars for each question, and growth with the size of a log.

They are SVG with a transparent background and the colors of the reader's scheme; on a telephone their text is
still legible, because an image is only as wide as a column of text.
"""

from __future__ import annotations

from html import escape
from math import log10
from typing import TYPE_CHECKING

from benches import questions
from benches.words import bytes_label, comparison_label, seconds_label

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.comparison import Comparison, Entry

Panel = tuple[str, str, list["Entry"]]
"""File name, title and entries of an image with bars."""

_WIDTH = 480
_STYLE = """
text { font: 14px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 } .quiet { fill: #59636e } .ours { font-weight: 600 }
.bar { fill: #8c959f } .bar.ours, circle.ours { fill: #0969da }
path { fill: none; stroke: #8c959f; stroke-width: 1.5 } path.ours { stroke: #0969da; stroke-width: 3 }
path.grid { stroke: #8c959f; stroke-width: .5; opacity: .5 } circle { fill: #8c959f }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .quiet { fill: #9da7b3 } .bar.ours, circle.ours { fill: #4493f8 }
path.ours { stroke: #4493f8 } }
"""
_GROWTH = (
    "anyread",
    "anyread, file seen before",
    "Python: line by line",
    "Python: linecache",
    "sed -n",
    "deepagents",
)
"""The rivals in images of growth; the tables have all of them."""
_TICKS_S = (1e-4, 1e-3, 1e-2, 1e-1, 1, 10)
_TICKS_BYTES = (2**20, 10 * 2**20, 100 * 2**20, 2**30)
_LEAST_BYTES = 100 * 2**10
"""Less memory is drawn as this much, because the measurement itself uses it."""


def draw_all(comparison: Comparison, panels: Sequence[Panel], directory: Path) -> None:
    """Draw each image."""
    directory.mkdir(parents=True, exist_ok=True)
    images = {name: _bars(title, entries) for name, title, entries in panels}
    deep = questions.DEEP.title
    images["growth-time"] = _growth(comparison, f"Time of {deep}", _seconds, seconds_label, _TICKS_S)
    images["growth-memory"] = _growth(comparison, f"Memory of {deep}", _memory, bytes_label, _TICKS_BYTES)
    for name, (height, body) in images.items():
        (directory / f"{name}.svg").write_text(_image(height, body, comparison.source), "utf-8")


def costs(rows: Sequence[tuple[str, float]], source: str) -> str:
    """Return an image with a bar per reader: how many times the tokens of the answer a task takes."""
    lines = [
        _text(0, 16, "Tokens of a task by those of its answer", "title"),
        _text(0, 36, "a mean over the tasks about lines and pages; shorter is better", "quiet"),
    ]
    most = max(cost for _, cost in rows)
    for row, (reader, cost) in enumerate(rows):
        y, kind = 62 + 36 * row, "ours" if reader == "anyread" else ""
        width = _WIDTH * cost / most
        lines.append(f'<rect y="{y + 6}" width="{width:.0f}" height="9" rx="2" class="bar {kind}"/>')
        lines += [_text(0, y, reader, kind), _text(_WIDTH, y, f"{cost:.2f} ×", kind, "end")]
    return _image(50 + 36 * len(rows), "\n".join(lines), source)


def _image(height: int, body: str, source: str) -> str:
    about = f"<metadata>{escape(source)}</metadata><style>{_STYLE}</style>"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" viewBox="0 0 {_WIDTH} {height}">'
    return f"{head}{about}\n{body}\n</svg>\n"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _kind(entry: Entry) -> str:
    return "ours" if entry.kind == "anyread" else ""


def _bars(title: str, entries: Sequence[Entry]) -> tuple[int, str]:
    """Return height and content of an image with a bar per rival, on a logarithmic scale."""
    timed = [entry.seconds for entry in entries if entry.seconds]
    ours = next((entry.seconds for entry in entries if entry.rival == "anyread"), None)
    least, most = log10(min(timed)) - 0.3, log10(max(timed))
    lines = [
        _text(0, 16, title, "title"),
        _text(0, 36, "time on a logarithmic scale; shorter is better", "quiet"),
    ]
    for row, entry in enumerate(entries):
        y = 62 + 36 * row
        label = {"memory": "over 4 GiB of memory", "timeout": "over 60 s"}.get(entry.state, entry.state)
        if entry.seconds:
            width = _WIDTH * (log10(entry.seconds) - least) / (most - least)
            lines.append(
                f'<rect y="{y + 6}" width="{width:.0f}" height="9" rx="2" class="bar {_kind(entry)}"/>'
            )
            label = seconds_label(entry.seconds)
            if ours and entry.rival != "anyread":
                label += f", {comparison_label(entry.seconds / ours)}"
        lines += [_text(0, y, entry.rival, _kind(entry)), _text(_WIDTH, y, label, _kind(entry), "end")]
    return 50 + 36 * len(entries), "\n".join(lines)


def _seconds(entry: Entry) -> float:
    return entry.seconds or 0.0


def _memory(entry: Entry) -> float:
    return max(entry.anonymous_bytes, _LEAST_BYTES)


def _growth(
    comparison: Comparison,
    title: str,
    value: Callable[[Entry], float],
    label: Callable[[float], str],
    ticks: Sequence[float],
) -> tuple[int, str]:
    """Return height and content of an image with a line per rival, on logarithmic scales."""
    series = {
        rival: timed
        for rival, entries in comparison.series(questions.DEEP).items()
        if rival in _GROWTH and (timed := [entry for entry in entries if entry.seconds])
    }
    points = [(log10(entry.place), log10(value(entry))) for entries in series.values() for entry in entries]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)

    def at(x: float, y: float) -> tuple[float, float]:
        return 70 + 220 * (log10(x) - left) / (right - left), 310 - 260 * (log10(y) - low) / (high - low)

    lines = [_text(0, 16, title, "title")]
    for tick in ticks:
        if low <= log10(tick) <= high:
            y = at(10**left, tick)[1]
            lines.append(f'<path class="grid" d="M70 {y:.0f}H290"/>')
            lines.append(_text(62, y + 5, label(tick), "quiet", "end"))
    sizes = sorted({entry.place for entries in series.values() for entry in entries})[::2]
    lines += [_text(at(size, 10**low)[0], 336, bytes_label(size), "quiet", "middle") for size in sizes]
    free = 0.0
    for rival, entries in sorted(series.items(), key=lambda each: -value(each[1][-1])):
        kind = _kind(entries[0])
        places = [at(entry.place, value(entry)) for entry in entries]
        lines.append(f'<path class="{kind}" d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in places)}"/>')
        lines += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
        free = max(free + 19, places[-1][1] + 5)
        lines.append(_text(302, free, rival.removeprefix("anyread, "), kind))
    return 350, "\n".join(lines)

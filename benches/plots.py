"""The images of `docs/performance.md`: bars against rivals, and growth with size and concurrency.

Colors are from the palette of Okabe and Ito for color-blind readers; lines also differ in their markers.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("agg")

from benches import questions
from benches.contest import MEMORY_BYTES, SECONDS
from benches.inputs import MIB
from benches.words import bytes_label, ratio_label, seconds_label
from matplotlib import pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benches.comparison import Comparison, Entry

_COLORS = {"anyread": "#0072B2", "python": "#E69F00", "command": "#555555", "tool": "#009E73"}
_KINDS = {
    "anyread": "anyread",
    "python": "Python and its libraries",
    "command": "command",
    "tool": "read tool of an agent framework",
}
_LINE_COLORS = {
    "anyread": ("#0072B2", "#56B4E9", "#004060"),
    "python": ("#E69F00", "#D55E00", "#B8860B", "#8B4513", "#F0B060", "#A0522D"),
    "command": ("#222222", "#777777", "#AAAAAA"),
    "tool": ("#009E73", "#CC79A7", "#66C2A5", "#882255"),
}
_MARKERS = {"anyread": "ooo", "python": "sDv^<>", "command": "+x1", "tool": "Pp*h"}
_LIMIT_COLOR = "#882222"
_FAILURE: dict[str, Any] = {"va": "center", "color": _LIMIT_COLOR, "fontsize": 9, "style": "italic"}
_STOPS = {
    "memory": "over 4 GiB",
    "timeout": "over 60 s",
    "refused": "refuses",
    "wrong": "wrong",
    "failed": "fails",
    "not installed": "not installed",
}
_MEMORY_TICKS = [100 * 2**10, *(number * MIB for number in (1, 10, 100, 1_024, 10_240))]
_LEAST_MEMORY = 0.1 * MIB
"""Smaller values are drawn as this one, because the measurement itself uses that much."""
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    # Keep text as text, and write the same file for the same figures.
    "svg.fonttype": "none",
    "svg.hashsalt": "anyread",
}


Panels = list[tuple[str, list["Entry"]]]
"""Title and entries of each panel of bars."""


def draw_all(comparison: Comparison, panels: Panels, directory: Path) -> None:
    """Draw each image as PNG and SVG."""
    directory.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(_STYLE):
        images = {"bars": _bars(panels), "growth-tasks": _growth_with_tasks(comparison)}
        for question in questions.OF_LOG:
            images[f"growth-{question.name}"] = _growth_with_size(comparison, question)
        for name, figure in images.items():
            source = {"Source": comparison.source}
            figure.savefig(directory / f"{name}.svg", metadata=source | {"Date": None, "Creator": None})
            figure.savefig(directory / f"{name}.png", dpi=120, metadata=source | {"Software": None})
            plt.close(figure)


# ---------------------------------------------------------------------------------------------------------
# Bars


def _bars(panels: Panels) -> Any:
    pairs = zip(panels[::2], panels[1::2], strict=True)
    heights = [max(len(left[1]), len(right[1])) + 2.2 for left, right in pairs]
    figure, axes = plt.subplots(
        len(heights), 2, figsize=(13, 0.33 * sum(heights)), height_ratios=heights, layout="constrained"
    )
    for axis, (title, entries) in zip(axes.flat, panels, strict=True):
        _bar_panel(axis, title, entries)
    for left, right in axes:  # the same bar width in both panels of a row
        floor = 0.3 - max(left.get_ylim()[1], right.get_ylim()[1])
        for axis in (left, right):
            axis.set_ylim(axis.get_ylim()[1] + floor, axis.get_ylim()[1])
    handles = [plt.Rectangle((0, 0), 1, 1, color=color) for color in _COLORS.values()]
    figure.legend(handles, _KINDS.values(), loc="outside lower center", ncols=len(handles))
    return figure


def _bar_panel(axis: Any, title: str, entries: Sequence[Entry]) -> None:
    axis.set_title(title, loc="left", fontsize=10.5, fontweight="bold")
    timed = [entry.seconds for entry in entries if entry.seconds]
    ours = next((entry.seconds for entry in entries if entry.rival == "anyread"), None)
    least = min(timed, default=1e-3) / 3
    places = range(len(entries), 0, -1)
    for place, entry in zip(places, entries, strict=True):
        if entry.seconds is None:
            axis.text(least * 1.15, place, entry.failure, **_FAILURE)
            continue
        axis.barh(place, entry.seconds - least, left=least, color=_COLORS[entry.kind], height=0.72)
        ratio = f"  {ratio_label(entry.seconds / ours)}" if ours and entry.rival != "anyread" else ""
        label = f"{seconds_label(entry.seconds)}{ratio}"
        axis.text(entry.seconds * 1.12, place, label, va="center", fontsize=9)
    axis.set_yticks(list(places), [entry.rival for entry in entries])
    for label in axis.get_yticklabels():
        label.set_fontweight("bold" if label.get_text().startswith("anyread") else "normal")
    axis.set_xscale("log")
    axis.set_xlim(least, max(timed, default=1) * 60)
    axis.set_ylim(0.3, len(entries) + 0.7)
    axis.xaxis.set_major_locator(LogLocator(10, numticks=9))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: seconds_label(value)))
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)


# ---------------------------------------------------------------------------------------------------------
# Growth


def _growth_with_size(comparison: Comparison, question: questions.Question) -> Any:
    figure, (times, memory) = _growth(comparison.series(question), question.title, bytes_label)
    for axis, limit in ((times, SECONDS), (memory, MEMORY_BYTES)):
        axis.axhline(limit, color=_LIMIT_COLOR, linewidth=0.8)
        axis.set_xlabel("size of the log")
    return figure


def _growth_with_tasks(comparison: Comparison) -> Any:
    many = questions.MANY
    figure, axes = _growth(comparison.series(many), many.title, lambda tasks: f"{tasks:,.0f}")
    for axis in axes:
        axis.set_xlabel("tasks at once")
    return figure


def _growth(
    series: dict[str, list[Entry]], title: str, place_label: Callable[[float], str]
) -> tuple[Any, Any]:
    figure, axes = plt.subplots(1, 2, figsize=(13, 5.8), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    seen: Counter[str] = Counter()
    for rival, entries in series.items():
        kind = entries[0].kind
        style: dict[str, Any] = {
            "color": _LINE_COLORS[kind][seen[kind]],
            "marker": _MARKERS[kind][seen[kind]],
            "linewidth": 2.6 if kind == "anyread" else 1.3,
            "linestyle": ("-", "--", "-.")[seen[kind]] if kind == "anyread" else "-",
            "zorder": 3 if kind == "anyread" else 2,
        }
        seen[kind] += 1
        stop = next((entry for entry in entries if entry.seconds is None), None)
        label = rival
        if stop is not None:
            place = "" if stop is entries[0] else f" from {place_label(stop.place)}"
            label = f"{rival} ({_STOPS[stop.state]}{place})"
        _curves(axes, entries, style | {"label": label})
    memory = "peak memory of its own (dotted: with pages of mapped files)"
    ticks = sorted({entry.place for entries in series.values() for entry in entries})
    for axis, name, locator, label_of in (
        (axes[0], "time, median", LogLocator(10, numticks=12), seconds_label),
        (axes[1], memory, FixedLocator(_MEMORY_TICKS), bytes_label),
    ):
        axis.set_title(name, loc="left", fontsize=10.5)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(ticks, [place_label(tick) for tick in ticks])
        axis.yaxis.set_major_locator(locator)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _, label_of=label_of: label_of(value)))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.yaxis.set_minor_locator(NullLocator())
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=3, fontsize=9, handlelength=3)
    return figure, axes


def _curves(axes: Any, entries: list[Entry], style: dict[str, Any]) -> None:
    """Draw the time and memory of one rival, with a cross where it stops before the largest input."""
    timed = [entry for entry in entries if entry.seconds is not None]
    places = [entry.place for entry in timed]
    times = [entry.seconds or 0.0 for entry in timed]
    own: list[float] = [max(entry.anonymous_bytes, _LEAST_MEMORY) for entry in timed]
    with_mapped = [max(entry.resident_bytes, _LEAST_MEMORY) for entry in timed]
    for axis, values in zip(axes, (times, own), strict=True):
        axis.plot(places, values, **style)
        if timed and len(timed) < len(entries):
            axis.plot(places[-1], values[-1], "X", color=_LIMIT_COLOR, markersize=7, zorder=4)
    dotted = {"linestyle": ":", "linewidth": 1.0, "marker": "", "zorder": 1}
    axes[1].plot(places, with_mapped, **style | dotted)

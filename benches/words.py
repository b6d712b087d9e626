"""Labels of quantities in plots and tables, the tables themselves, and the inputs that the bars show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benches.inputs import MIB

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR_BYTES = 100 * MIB
"""Size of the log in the bars: the largest that most rivals can read."""
BAR_TASKS = 64
"""Number of tasks in the bars of many small files."""


def ratio_label(ratio: float) -> str:
    """Return a time as a multiple of anyread's time, or how many times as fast it is if it is shorter."""
    if 1 / ratio >= 1.05:
        return f"{_multiple(1 / ratio)}× faster"
    return f"{_multiple(max(ratio, 1))}×"


def comparison_label(ratio: float) -> str:
    """Return a time in comparison with anyread's in words."""
    if 1 / 1.05 < ratio < 1.05:
        return "as fast"
    times, word = (ratio, "slower") if ratio > 1 else (1 / ratio, "faster")
    return f"{_multiple(times)} times {word}"


def _multiple(times: float) -> str:
    return f"{times:,.0f}" if times >= 9.95 else f"{times:.2g}"


def seconds_label(seconds: float) -> str:
    """Return a time with three digits."""
    unit, size = next((pair for pair in (("s", 1.0), ("ms", 1e-3)) if seconds >= pair[1]), ("µs", 1e-6))
    number = seconds / size
    return f"{number:,.0f} {unit}" if number >= 99.95 else f"{number:.3g} {unit}"


def bytes_label(size_bytes: float) -> str:
    """Return a size with three digits."""
    units = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
    unit, size = next((pair for pair in units if size_bytes >= pair[1]), ("bytes", 1))
    number = size_bytes / size
    return f"{number:,.0f} {unit}" if number >= 99.95 else f"{number:.3g} {unit}"


def table(head: Sequence[str], lines: Sequence[Sequence[str]], numbers: range) -> str:
    """Return a Markdown table; the columns in `numbers` are aligned to the right."""
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines))

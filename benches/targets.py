"""What each measurement must reach; the one place that has these numbers.

`floor` is what this version promises, `must` and `aim` are the project's targets.
A unit of "×" is a ratio against the rival of the same run, where more is better; else less is better.
"""

from __future__ import annotations

from dataclasses import dataclass

from benches.inputs import BIG_LOG_BYTES, LOG_BYTES


@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table; `None` among the numbers: only reported.

    `row` and `what` together name it in the record.
    "Cold" is a file that the reader has not seen, "warm" one that it has; both are in the page cache.
    """

    row: str
    what: str
    unit: str
    floor: float | None = None
    must: float | None = None
    aim: float | None = None
    needs_bytes: int = 0

    def met(self, figure: float) -> str:
        """Return the highest of aim, must and floor that a figure reaches, "no", or "–" if none is set."""
        goals = (("aim", self.aim), ("must", self.must), ("floor", self.floor))
        for name, goal in goals:
            if goal is not None and (figure >= goal if self.unit == "×" else figure <= goal):
                return name
        return "–" if all(goal is None for _, goal in goals) else "no"


TARGETS = {
    "count": Target("P1", "exact line count and first page, 4 GiB log", "×", 1.5, 2.0, 3.0, LOG_BYTES),
    "first-100": Target("P2", "first 100 lines, 10 GB log, warm", "µs", None, 200, 60, BIG_LOG_BYTES),
    "first-100-cold": Target("P2", "first 100 lines, cold", "µs", None, 200, 60, BIG_LOG_BYTES),
    "first-page": Target("P2", "first default page, 10 GB log, warm", "µs", 1000, 500, 250, BIG_LOG_BYTES),
    "first-page-cold": Target("P2", "first default page, cold", "µs", 1000, 500, 250, BIG_LOG_BYTES),
    "first-2000": Target(
        "P2", "first 2,000 lines, no token budget, warm", "µs", None, 1000, 400, BIG_LOG_BYTES
    ),
    "first-2000-cold": Target(
        "P2", "first 2,000 lines, no token budget, cold", "µs", None, 1000, 400, BIG_LOG_BYTES
    ),
    "deep-cold": Target("P3", "100 lines at 90 % of a 4 GiB log, cold", "×", 4.0, 5.0, 10.0, LOG_BYTES),
    "deep-warm": Target("P3", "100 lines at 90 %, warm", "µs", 100, 50, 30, LOG_BYTES),
    "tail": Target("P4", "last 100 lines, 4 GiB log, warm", "µs", 500, 200, 80, LOG_BYTES),
    "tail-cold": Target("P4", "last 100 lines, cold", "µs", 500, 200, 80, LOG_BYTES),
    "small": Target("P6", "8 KiB file, whole and numbered", "×", 4.0, 7.0, 12.0),
    "small-bare": Target("P6", "the same against the least that Python can do", "×"),
    "small-busy": Target("P6", "8 KiB file, beside one busy Python thread", "×", None, 50.0, 200.0),
    "grown": Target(
        "P8", "first 100 lines and exact total, 1 MiB appended to 10 GB", "µs", 2000, 2000, 500, BIG_LOG_BYTES
    ),
    "grown-tail": Target(
        "P8", "last 100 lines and exact total, 1 MiB appended", "µs", 2000, 2000, 500, BIG_LOG_BYTES
    ),
    "memory-first": Target("P9", "anonymous memory: first page, 10 GB log", "MiB", 32, 32, 8, BIG_LOG_BYTES),
    "memory-tail": Target("P9", "anonymous memory: last 100 lines", "MiB", 32, 32, 8, BIG_LOG_BYTES),
    "memory-deep": Target("P9", "anonymous memory: 100 lines at 90 %, cold", "MiB", 32, 32, 8, BIG_LOG_BYTES),
    "memory-column": Target(
        "P9", "anonymous memory: column 2,000,000,001 of one line", "MiB", 32, 32, 8, LOG_BYTES
    ),
    "index-size": Target("P9", "line index, share of a 10 GB log", "%", 0.02, 0.02, None, BIG_LOG_BYTES),
    "import": Target("P10", "import beyond asyncio and dataclasses", "ms", 25, 25, 12),
    "line-first": Target("line", "limit=1 of one 4 GiB line, cold", "ms", 100, 100, None, LOG_BYTES),
    "line-column-cold": Target(
        "line", "column 2,000,000,001, cold, to counting the lines", "×", 0.5, 0.5, None, LOG_BYTES
    ),
    "line-column-warm": Target("line", "column 2,000,000,001, warm", "ms", 1, 1, None, LOG_BYTES),
}

"""The rows of the scoreboard in docs/security.md, and the lines that a full run records for them.

`make torture` sets `ANYREAD_TORTURE=1` for the full size of each test, and `ANYREAD_TORTURE_LINES` to the
directory of the lines. Each process appends to its own file there, so tests may run side by side.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

IS_FULL = os.environ.get("ANYREAD_TORTURE") == "1"
"""Whether tests run at their full size; `make test` runs them at a small one."""
LINES = Path(os.environ.get("ANYREAD_TORTURE_LINES", "target/torture"))
"""The directory to which a full run writes its lines."""
TIMES = frozenset({"s", "ms", "µs", "×"})
"""Units of times and of their ratios, which depend on the machine and are never asserted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One promise and what it takes to keep it."""

    promise: str
    must: str
    """The bound, as it is shown."""
    at_least: int = 1
    """The smallest number of cases that counts as a full run."""
    in_each_part: bool = False
    """Whether each part needs that many cases, instead of all parts together."""


def short(first: Any, *others: Any) -> list[Any]:
    """Return the values of a parameter, of which `make test` runs only the first."""
    several = (each if isinstance(each, tuple) else (each,) for each in others)
    return [first, *(pytest.param(*each, marks=pytest.mark.torture) for each in several)]


ROWS = {
    "S1": Row(
        "No read leaves its roots while another process swaps directories and links",
        "0 of 1,000,000 in each mode",
        1_000_000,
        in_each_part=True,
    ),
    "S2": Row("Each path of the tables is opened or refused as listed, in each mode", "0 differences"),
    "S3": Row("Each real file ends in a result or a typed error", "0 crashes, hangs, untyped errors"),
    "S4": Row("Each bomb ends in time, and the next read works", "0 crashes, hangs, untyped errors"),
    "S5": Row("Mutants of real files never end the host", "0 of 50,000", 50_000),
    "S6": Row("What is not a regular file is refused with a typed error within 10 ms", "0 exceptions"),
    "S7": Row(
        "Reads beside writers and truncation raise no signal and return only written lines",
        "0 of 100,000",
        100_000,
    ),
    "S8": Row("Each line that the index finds is the line that `sed` prints", "0 of 10,000", 10_000),
    "S9": Row("Each system call that fails once gives a typed error, and the next read works", "0 others"),
    "S10": Row("Too little memory gives a typed error or `MemoryError`", "0 others; aborts are listed"),
    "S11": Row("Cancelled reads leave no descriptor, thread, process or memory", "0 of 1,000", 1_000),
    "S12": Row("Normal reads are at most twice as slow beside 1 % hostile files (p99)", "2×"),
    "S13": Row("Ten minutes of mixed load leave nothing behind", "1 MB, nothing else"),
    "S14": Row("Text is the same wherever a window splits it", "0 of 1,000,000", 1_000_000),
    "S15": Row("Each name, text and error can be sent and printed", "0 failures"),
    "S16": Row(
        "Following `next` shows everything once, within each budget; unseen files do not count as read",
        "0 of 20,000",
        20_000,
    ),
    "S17": Row(
        "Mutants of JSON files and of XML packages, which the host reads itself, never end it",
        "0 of 100,000",
        100_000,
    ),
    "S18": Row(
        "Memory of a read is bounded in bytes, whatever a document, notebook, JSON, ignore or gzip file has",
        "64 MiB; eight reads at once 128 MiB; honest files 8 MiB",
    ),
    "host life": Row(
        "Forks, signals, event loops and exits at any moment leave a working host", "0 failures"
    ),
    "changes": Row("A file that changed is never reported as unchanged", "0 missed changes"),
}
"""All rows by key, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """What one test recorded about a part of a row.

    A count has `failures` and `of`, a figure has `value` and `bound`, and a test that did not run to its end
    has only the reason, in `detail`.
    """

    row: str
    part: str
    unit: str
    failures: int | None = None
    of: int | None = None
    value: float | None = None
    bound: float | None = None
    detail: str = ""

    @property
    def result(self) -> str:
        """The numerator and the denominator, or the figure, with the unit."""
        if self.value is not None:
            number = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.3g}"
            return f"{number}{self.unit}" if self.unit == "×" else f"{number} {self.unit}"
        return "–" if self.of is None else f"{self.failures:,} of {self.of:,} {self.unit}"

    @property
    def is_met(self) -> bool:
        """Whether it was measured and is within its bound."""
        if self.value is not None and self.bound is not None:
            return self.value <= self.bound
        return self.failures == 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """That a test of a row began, or how it ended."""

    row: str
    test: str
    state: str
    """"began", "passed", "failed" or "skipped"."""
    detail: str = ""


def write(entry: Line | Outcome) -> None:
    """Append an entry to the file of this process."""
    LINES.mkdir(parents=True, exist_ok=True)
    kind = type(entry).__name__.lower()
    with (LINES / f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"entry": kind, **asdict(entry)}) + "\n")


def collect(directory: Path) -> list[Line]:
    """Return the lines of a run in the order of the rows, and one for each test that did not pass.

    Counts of the same part are added up.
    """
    lines: dict[tuple[str, str], Line] = {}
    ended: dict[tuple[str, str], Outcome] = {}
    for path in sorted(directory.glob("*.jsonl")):
        for text in path.read_text("utf-8").splitlines():
            fields = json.loads(text)
            if fields.pop("entry") == "line":
                line = Line(**fields)
                lines[line.row, line.part] = _sum(lines.get((line.row, line.part)), line)
            else:
                outcome = Outcome(**fields)
                ended[outcome.row, outcome.test] = outcome
    failing = {line.row for line in lines.values() if not line.is_met}
    for outcome in ended.values():
        # A test that failed because of its count has a line that says so.
        if outcome.state == "passed" or (outcome.state == "failed" and outcome.row in failing):
            continue
        count = None if outcome.state == "skipped" else 1
        state = "did not end" if outcome.state == "began" else outcome.state
        detail = f"{state}: {outcome.detail}" if outcome.detail else state
        part = f"`{outcome.test}`"
        lines[outcome.row, part] = Line(outcome.row, part, "tests", count, count, detail=detail)
    order = list(ROWS)
    return sorted(lines.values(), key=lambda line: (order.index(line.row), line.part))


def _sum(first: Line | None, second: Line) -> Line:
    if first is None:
        return second
    if first.unit != second.unit or None in (first.of, first.failures, second.of, second.failures):
        raise ValueError(f"two results for the part `{second.part}` of {second.row} cannot be added")
    details = dict.fromkeys(filter(None, (*first.detail.split("; "), *second.detail.split("; "))))
    return Line(
        first.row,
        first.part,
        first.unit,
        (first.failures or 0) + (second.failures or 0),
        (first.of or 0) + (second.of or 0),
        detail="; ".join(details),
    )


def verdict(key: str, lines: list[Line]) -> str:
    """Return "yes", "no" or "not run" for a row and its lines."""
    row = ROWS[key]
    counts = [line.of for line in lines if line.of is not None and line.unit != "tests"]
    if not lines:
        return "not run"
    if any(not line.is_met and line.result != "–" for line in lines):
        return "no"
    is_complete = all(line.result != "–" for line in lines)
    cases = min(counts, default=1) if row.in_each_part else sum(counts) or 1
    return "yes" if is_complete and cases >= row.at_least else "in part"


class Score:
    """Records the results of tests, and fails the test if they are out of bounds; the fixture `score`."""

    def __call__(self, row: str, part: str, *, failures: int, of: int, unit: str, detail: str = "") -> None:
        """Record how many of the cases of a row failed; the test fails if any did, or if there were none."""
        self._record(Line(row, part, unit, failures, of, detail=detail))
        assert of > 0, f"{row}, {part}: no {unit} were counted"
        assert failures == 0, f"{row}, {part}: {failures:,} of {of:,} {unit} failed. {detail}"

    def figure(self, row: str, part: str, value: float, unit: str, *, must: float, detail: str = "") -> None:
        """Record a measured figure and the most that it may be; the test fails unless it is a time."""
        line = Line(row, part, unit, value=value, bound=must, detail=detail)
        self._record(line)
        assert unit in TIMES or line.is_met, f"{row}, {part}: {line.result}, at most {must:g}. {detail}"

    def _record(self, line: Line) -> None:
        if line.row not in ROWS:
            raise KeyError(f"the scoreboard has no row `{line.row}`")
        if IS_FULL:
            write(line)


class Scale:
    """Returns the size of a test in this run; the fixture `scale`."""

    def __call__(self, short: int = 2_000, full: int = 1_000_000) -> int:
        """Return `full` in `make torture`, and `short` otherwise."""
        return full if IS_FULL else short

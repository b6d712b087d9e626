"""Compare all rivals on all questions and sizes, and record the results: `python -m benches.compare`.

A point is one rival, one question and one input: its answer is checked first, and timed only if correct.
"""

from __future__ import annotations

import csv
import statistics
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benches import inputs, machine, questions, series
from benches.contest import SECONDS, Driver, Reply
from benches.rivals import RIVALS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benches.questions import Case
    from benches.rivals import Rival

TASKS = (1, 4, 16, 64, 256, 1_024)
TURNS = 3
"""How often each rival is timed at a point of small files; the rivals take turns."""
_LOG_ROUNDS, _LOG_SECONDS = 30, 1.5
_SMALL_ROUNDS, _SMALL_SECONDS = 300, 0.5
_LONG_SECONDS = 5.0
"""A question whose answer took longer is not repeated: the time of the first answer counts."""
_COLUMNS = (
    *machine.COLUMNS,
    "question", "rival", "kind", "version", "size_bytes", "tasks", "state", "detail", "rounds", "median_ns",
    "least_ns", "anonymous_bytes", "resident_bytes", "cached_share",
)  # fmt: skip


@dataclass(slots=True)
class Point:
    """The result of one rival for one case."""

    case: Case
    rival: Rival
    version: str
    state: str
    """`ok`, `wrong`, or another state of `Reply.state`."""
    detail: str
    answer: Reply
    """The first answer, whose memory is recorded."""
    ns: list[int]
    """Nanoseconds of the timed rounds."""
    cached_share: float | None = None
    """The share of the log that was still in the page cache after this rival read it."""

    def line(self) -> dict[str, str]:
        """Return the line of the record."""
        timed = self.state == "ok"
        return {
            "question": self.case.question.name,
            "rival": self.rival.name,
            "kind": self.rival.kind,
            "version": self.version,
            "size_bytes": str(self.case.size_bytes or ""),
            "tasks": str(self.case.tasks or ""),
            "state": self.state,
            "detail": self.detail,
            "rounds": str(len(self.ns)) if timed else "",
            "median_ns": f"{statistics.median(self.ns):.0f}" if timed else "",
            "least_ns": str(min(self.ns)) if timed else "",
            "anonymous_bytes": str(self.answer.anonymous_bytes) if timed else "",
            "resident_bytes": str(self.answer.resident_bytes) if timed else "",
            "cached_share": "" if self.cached_share is None else f"{self.cached_share:.4f}",
        }


# ---------------------------------------------------------------------------------------------------------
# Logs: one rival after the other, each in a fresh process for each size


def compare_logs() -> list[Point]:
    """Ask all questions about the log at each size."""
    points: list[Point] = []
    timed_out: set[tuple[str, str]] = set()
    for size_bytes in series.SIZES:
        if not series.runs_here(size_bytes):
            _log(f"{size_bytes:,} bytes: not run, ANYREAD_BENCH_GB allows less")
            continue
        with series.log_of(size_bytes) as log:
            cases = [questions.of_log(question, log, size_bytes) for question in questions.OF_LOG]
            for rival in RIVALS:
                if inputs.cached_share(log.path) != 1:
                    inputs.warm(log.path)
                found = _points_of_log(rival, cases, timed_out)
                share = inputs.cached_share(log.path)
                for point in found:
                    point.cached_share = share
                points += found
        slow = [point for point in points if point.state == "timeout"]
        timed_out |= {(point.case.question.name, point.rival.name) for point in slow}
    return points


def _points_of_log(rival: Rival, cases: list[Case], timed_out: set[tuple[str, str]]) -> list[Point]:
    points: list[Point] = []
    with Driver(rival) as driver:
        for case in cases:
            if case.question.request not in rival.questions:
                continue
            if (case.question.name, rival.name) in timed_out:
                answer = Reply("timeout", f"{SECONDS:.0f} s were not enough for a smaller size")
                point = Point(case, rival, driver.version, answer.state, answer.detail, answer, [])
            else:
                point = _point(driver, case)
            points.append(_logged(point))
    return points


def _point(driver: Driver, case: Case) -> Point:
    """Check the answer and time it if it is correct, all within `SECONDS`."""
    started = time.monotonic()
    point = _first_answer(driver, case)
    took = point.answer.seconds
    if point.state == "ok" and took < _LONG_SECONDS:
        left = SECONDS - (time.monotonic() - started)
        timed = driver.ask(
            case.question.request, case.arguments, rounds=_LOG_ROUNDS, seconds=_LOG_SECONDS, limit_s=left
        )
        point.state, point.ns = timed.state, timed.ns
        point.detail = point.detail if timed.state == "ok" else timed.detail
    return point


def _first_answer(driver: Driver, case: Case) -> Point:
    arguments = case.arguments | ({"digests": True} if case.question is questions.MANY else {})
    answer = driver.ask(case.question.request, arguments)
    state, detail = case.judge(answer) if answer.state == "ok" else (answer.state, answer.detail)
    return Point(case, driver.rival, driver.version, state, detail, answer, answer.ns)


# ---------------------------------------------------------------------------------------------------------
# Small files: all rivals run at the same time and take turns


def compare_small_files() -> list[Point]:
    """Ask for one small file, and for many files with an increasing number of tasks."""
    points: list[Point] = []
    for case in (questions.of_small_file(), *(questions.of_many_files(tasks) for tasks in TASKS)):
        with ExitStack() as stack:
            drivers = [
                stack.enter_context(Driver(rival))
                for rival in RIVALS
                if case.question.request in rival.questions
            ]
            found = [_first_answer(driver, case) for driver in drivers]
            for point in found:
                if point.answer.seconds < _LONG_SECONDS:
                    point.ns = []
            for _ in range(TURNS):
                for point, driver in zip(found, drivers, strict=True):
                    _take_turn(point, driver)
            points += [_logged(point) for point in found]
    return points


def _take_turn(point: Point, driver: Driver) -> None:
    if point.state != "ok" or point.answer.seconds >= _LONG_SECONDS:
        return
    case = point.case
    rounds = 1 if case.question is questions.MANY else _SMALL_ROUNDS
    timed = driver.ask(case.question.request, case.arguments, rounds=rounds, seconds=_SMALL_SECONDS)
    if timed.state == "ok":
        point.ns += timed.ns
    else:
        point.state, point.detail = timed.state, timed.detail


# ---------------------------------------------------------------------------------------------------------
# The record


def save(points: Iterable[Point]) -> Path:
    """Write today's record of this machine."""
    path = machine.record_path("comparison")
    common = machine.facts()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(common | point.line() for point in points)
    return path.relative_to(machine.ROOT)


def _logged(point: Point) -> Point:
    case = point.case
    is_log = case.question in questions.OF_LOG
    where = f"{case.size_bytes or 0:,} bytes" if is_log else f"{case.tasks} tasks"
    timed = point.state == "ok"
    took = f"{statistics.median(point.ns) / 1e6:,.3f} ms" if timed else point.state
    memory = f"{point.answer.anonymous_bytes / 2**20:,.1f} MiB" if timed else ""
    _log(f"{case.question.name:6} {where:>20}  {point.rival.name:28} {took:>15} {memory:>12}  {point.detail}")
    return point


def _log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Compare all installed rivals, and write the record."""
    started = time.monotonic()
    for rival in RIVALS:
        if not rival.installed:
            _log(f"{rival.name}: not installed: make bench-rivals")
    points = compare_small_files() + compare_logs()
    _log(f"recorded in {save(points)}, after {(time.monotonic() - started) / 60:.1f} minutes")


if __name__ == "__main__":
    main()

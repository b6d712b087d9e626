"""The tables of reference tools in the documents, made from the newest record."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benches.reference_tools.tasks import TASKS, Task
from benches.reference_tools.tools import TOOLS, ReferenceTool
from benches.words import bytes_label, ratio_label, seconds_label, table

if TYPE_CHECKING:
    from pathlib import Path

_WITHOUT_TIME = "–"
_TIMED = tuple(task for task in TASKS if task.is_timed)
_UNUSUAL = tuple(task for task in TASKS if not task.is_timed)


@dataclass(frozen=True, slots=True)
class Side:
    """What one side did with one task."""

    state: str
    verdict: str
    version: str
    seconds: float | None
    """The least time without an earlier read of the file; `None` if there is no answer."""
    seen_seconds: float | None
    """The median with the index of an earlier read; only of anyread."""
    anonymous_bytes: int
    answer_bytes: int
    same: str
    """Of anyread: "yes", or what differs from the reference's answer; empty if one of them has none."""

    @classmethod
    def of(cls, line: dict[str, str]) -> Self:
        """Parse a line of the record."""

        def number(name: str) -> float | None:
            return float(line[name]) if line[name] else None

        has_answer = line["state"] in {"ok", "refused"}
        least, seen = number("least_ns"), number("seen_ns")
        return cls(
            line["state"],
            line["verdict"],
            line["version"],
            least / 1e9 if least and has_answer else None,
            seen / 1e9 if seen and has_answer else None,
            int(line["anonymous_bytes"] or 0),
            int(line["answer_bytes"] or 0),
            line["same"],
        )


@dataclass(frozen=True, slots=True)
class Pair:
    """A task with the reference tool and with anyread."""

    theirs: Side
    ours: Side

    def ratio(self, *, seen: bool = False) -> float | None:
        """Return the reference's time divided by anyread's; `None` unless both answered."""
        theirs, ours = self.theirs.seconds, self.ours.seen_seconds if seen else self.ours.seconds
        if theirs is None or ours is None or "refused" in {self.theirs.state, self.ours.state}:
            return None
        return theirs / ours


class ReferenceRecord:
    """The newest record of reference tools."""

    def __init__(self, path: Path) -> None:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.machine = lines[0]
        """The machine of the measurement."""
        self._sides = {(line["tool"], line["side"], line["task"]): Side.of(line) for line in lines}
        self.tools = [tool for tool in TOOLS if any(tool.name == line["tool"] for line in lines)]
        """The tools that were measured, in the order of tables."""

    def pair(self, tool: ReferenceTool, task: Task) -> Pair | None:
        """Return both sides of a task; `None` if it was not measured."""
        theirs, ours = (self._sides.get((tool.name, side, task.name)) for side in ("reference", "anyread"))
        return None if theirs is None or ours is None else Pair(theirs, ours)

    def version(self, tool: ReferenceTool) -> str:
        """Return the version of a reference tool."""
        pairs = (self.pair(tool, task) for task in TASKS)
        return next((pair.theirs.version for pair in pairs if pair and pair.theirs.version), "")


def times(record: ReferenceRecord) -> str:
    """Return a table for each task whose time is compared."""
    return "\n\n".join(_times(record, task) for task in _TIMED)


def _times(record: ReferenceRecord, task: Task) -> str:
    lines = []
    for tool in record.tools:
        pair = record.pair(tool, task)
        if pair is None:
            continue
        ratio, seen = pair.ratio(), pair.ratio(seen=True)
        lines.append(
            (
                tool.name,
                _time(pair.theirs, pair.theirs.seconds),
                _time(pair.ours, pair.ours.seconds),
                _time(pair.ours, pair.ours.seen_seconds),
                _WITHOUT_TIME if ratio is None else ratio_label(ratio),
                _WITHOUT_TIME if seen is None else ratio_label(seen),
                _memory(pair.theirs),
                _memory(pair.ours),
                _answer(pair),
            )
        )
    head = (
        "tool", "reference", "anyread", "seen before", "ratio", "ratio, seen before",
        "memory: reference", "memory: anyread", "answer",
    )  # fmt: skip
    return f"**{task.title[0].upper()}{task.title[1:]}**\n\n{table(head, lines, range(1, 8))}"


def _time(side: Side, seconds: float | None) -> str:
    if side.state == "refused":
        return "refused"
    if side.state != "ok":
        return side.verdict
    return _WITHOUT_TIME if seconds is None else seconds_label(seconds)


def _memory(side: Side) -> str:
    return _WITHOUT_TIME if side.state != "ok" else bytes_label(side.anonymous_bytes)


def _answer(pair: Pair) -> str:
    if pair.theirs.state != "ok" or pair.ours.state != "ok":
        return _WITHOUT_TIME
    size = bytes_label(pair.theirs.answer_bytes)
    return f"{size}, equal" if pair.ours.same == "yes" else f"{size}, differs"


def ratios(record: ReferenceRecord) -> str:
    """Return how much faster anyread is, by tool and task, on files that it has not read before."""
    lines = []
    for tool in record.tools:
        cells = [_ratio(record.pair(tool, task)) for task in _TIMED]
        lines.append((tool.name, record.version(tool), tool.note, *cells))
    head = ("tool", "version", "what was called", *(task.title for task in _TIMED))
    return table(head, lines, range(3, len(head)))


def _ratio(pair: Pair | None) -> str:
    if pair is None:
        return _WITHOUT_TIME
    ratio = pair.ratio()
    if ratio is not None:
        return ratio_label(ratio)
    if "refused" in {pair.theirs.state, pair.ours.state}:
        both = "both refuse" if pair.theirs.state == pair.ours.state else None
        return both or ("refused" if pair.theirs.state == "refused" else "anyread refuses")
    return pair.theirs.verdict if pair.theirs.state != "ok" else _WITHOUT_TIME


def answers(record: ReferenceRecord) -> str:
    """Return what each tool and anyread do with unusual files."""
    lines = []
    for tool in record.tools:
        pairs = [record.pair(tool, task) for task in _UNUSUAL]
        lines.append((tool.name, *map(_both, pairs)))
    return table(("tool", *(task.title for task in _UNUSUAL)), lines, range(0))


def _both(pair: Pair | None) -> str:
    if pair is None:
        return _WITHOUT_TIME
    theirs, ours = pair.theirs.verdict, pair.ours.verdict
    return f"both: {ours}" if theirs == ours else f"**{theirs}**; anyread: {ours}"

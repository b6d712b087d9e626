"""The figures of a run: a table to look at, and a dated CSV in `benches/record` to compare with later."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benches import inputs, machine
from benches.targets import TARGETS, Target
from benches.words import seconds_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


SECONDS = {"ms": 1e-3, "µs": 1e-6}
"""What a unit of time is."""
_COLUMNS = (
    *machine.COLUMNS, "input_gb",
    "row", "what", "figure", "unit", "rival", "rival_figure", "ratio", "must", "aim", "met",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement and its target; there is no figure if it could not run at this input size.

    The rival's figure has the same unit; if the target is not a ratio, it is shown for comparison only.
    """

    target: Target
    figure: float | None = None
    unit: str = ""
    rival: str = ""
    rival_figure: float | None = None

    @classmethod
    def of(cls, line: dict[str, str]) -> Self | None:
        """Read a line of a record; none for a measurement that exists no longer."""
        target = next((target for target in TARGETS.values() if target.names(line)), None)
        if target is None:
            return None
        figure, rival_figure = (
            float(line[name]) if line[name] else None for name in ("figure", "rival_figure")
        )
        return cls(target, figure, line["unit"], line["rival"], rival_figure)

    @property
    def judged(self) -> str:
        """What is compared with the goals, with its unit."""
        unit = self.target.unit
        return quantity(self.ratio if unit == "×" else self.figure, unit)

    @property
    def goals(self) -> tuple[str, str]:
        """What it must reach, and what it tries to."""
        return quantity(self.target.must, self.target.unit), quantity(self.target.aim, self.target.unit)

    @property
    def ratio(self) -> float | None:
        """How many times the rival's time ours fits into."""
        if self.target.unit != "×" or self.figure is None or self.rival_figure is None:
            return None
        return self.rival_figure / self.figure

    @property
    def compared_with(self) -> str:
        """The times behind a ratio, or what else was measured; or why nothing was."""
        if self.rival_figure is None:
            return self.rival
        theirs = f"{self.rival}: {quantity(self.rival_figure, self.unit)}"
        return f"{quantity(self.figure, self.unit)}, {theirs}" if self.target.unit == "×" else theirs

    @property
    def met(self) -> str:
        """The higher goal reached (aim, must), else "no"; "–" without goals; or "not run"."""
        judged = self.ratio if self.target.unit == "×" else self.figure
        return "not run" if judged is None else self.target.met(judged)


def comparison_table(rows: Sequence[Row]) -> str:
    """Lay the rows out in columns; the judged figure first, the times behind a ratio last."""
    cells: list[tuple[str, ...]] = [("row", "what", "figure", "must", "aim", "met", "compared with")]
    cells += [
        (row.target.row, row.target.what, row.judged, *row.goals, row.met, row.compared_with) for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if 2 <= index <= 4 else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def save(rows: Iterable[Row]) -> Path:
    """Write the rows into today's file of this machine and return its path; they replace their like in it."""
    path = machine.record_path("targets")
    kept: dict[tuple[str, str], dict[str, str]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = {(line["row"], line["what"]): line for line in csv.DictReader(file)}
    common = machine.facts() | {"input_gb": f"{inputs.budget_bytes() / inputs.GB:.1f}"}
    for row in rows:
        target = row.target
        kept[target.row, target.what] = common | {
            "row": target.row,
            "what": target.what,
            "figure": plain(row.figure),
            "unit": row.unit,
            "rival": row.rival,
            "rival_figure": plain(row.rival_figure),
            "ratio": plain(row.ratio),
            "must": row.goals[0],
            "aim": row.goals[1],
            "met": row.met,
        }
    names = [(target.row, target.what) for target in TARGETS.values()]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[name] for name in names if name in kept)
    return path.relative_to(machine.ROOT)


def load(path: Path) -> tuple[dict[str, Row], dict[str, str]]:
    """Return the rows of a record by the keys of their targets, and what they were measured on."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    keys = {(target.row, target.what): key for key, target in TARGETS.items()}
    read = [row for line in lines if (row := Row.of(line)) is not None]
    return {keys[row.target.row, row.target.what]: row for row in read}, lines[-1]


def quantity(number: float | None, unit: str) -> str:
    """Write a figure with its unit for people: three digits, or all before the point."""
    if number is None:
        return "–"
    if unit in SECONDS:
        return seconds_label(number * SECONDS[unit])
    digits = f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"
    return f"{digits}{unit}" if unit == "×" else f"{digits} {unit}"


def plain(number: float | None) -> str:
    """Write a figure for a record."""
    return "" if number is None else f"{number:.5g}"

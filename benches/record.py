"""The figures of a run: a table for the terminal, and a dated CSV in `benches/record`."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benches import inputs, machine
from benches.targets import TARGETS, TIMES_FASTER, Target
from benches.words import seconds_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


SECONDS = {"ms": 1e-3, "µs": 1e-6}
"""The length of each unit of time."""
_COLUMNS = (
    *machine.COLUMNS, "input_gb",
    "row", "what", "figure", "unit", "rival", "rival_figure", "ratio", "must", "aim", "met",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement and its target; `figure` is `None` if it could not run.

    The rival's figure has the same unit; if the target is not a ratio, it is shown for comparison only.
    """

    target: Target
    figure: float | None = None
    unit: str = ""
    rival: str = ""
    rival_figure: float | None = None

    @classmethod
    def of(cls, line: dict[str, str]) -> Self | None:
        """Parse a line of a record; return `None` if the measurement no longer exists."""
        target = next((target for target in TARGETS.values() if target.names(line)), None)
        if target is None:
            return None
        figure, rival_figure = (
            float(line[name]) if line[name] else None for name in ("figure", "rival_figure")
        )
        return cls(target, figure, line["unit"], line["rival"], rival_figure)

    @property
    def judged(self) -> str:
        """The figure that is compared with the goals, with its unit."""
        return quantity(self._number, self.target.unit)

    @property
    def goals(self) -> tuple[str, str]:
        """The goals `must` and `aim`, with their unit."""
        return quantity(self.target.must, self.target.unit), quantity(self.target.aim, self.target.unit)

    @property
    def ratio(self) -> float | None:
        """The rival's time divided by anyread's, or the other way round, as the target's unit says."""
        if not self.target.is_ratio or self.figure is None or self.rival_figure is None:
            return None
        ratio = self.rival_figure / self.figure
        return ratio if self.target.unit == TIMES_FASTER else 1 / ratio

    @property
    def compared_with(self) -> str:
        """The two times of a ratio, another figure for comparison, or why there is none."""
        if self.rival_figure is None:
            return self.rival
        rival = f"{self.rival}: {quantity(self.rival_figure, self.unit)}"
        return f"{quantity(self.figure, self.unit)}, {rival}" if self.target.is_ratio else rival

    @property
    def met(self) -> str:
        """The higher goal that is reached (`aim` or `must`), "no", "–" without goals, or "not run"."""
        return "not run" if self._number is None else self.target.met(self._number)

    @property
    def _number(self) -> float | None:
        return self.ratio if self.target.is_ratio else self.figure


def comparison_table(rows: Sequence[Row]) -> str:
    """Return the rows as a table for the terminal."""
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


def save(rows: Sequence[Row]) -> str:
    """Write the rows into today's records of this machine, replacing older ones, and name the records."""
    parts = {part: [row for row in rows if row.target.part == part] for part in ("targets", "batch")}
    return ", ".join(str(_save(part, found)) for part, found in parts.items() if found)


def _save(part: str, rows: Iterable[Row]) -> Path:
    path = machine.record_path(part)
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
    """Return the rows of a record by the keys of their targets, and the machine of the measurement."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    keys = {(target.row, target.what): key for key, target in TARGETS.items()}
    read = [row for line in lines if (row := Row.of(line)) is not None]
    return {keys[row.target.row, row.target.what]: row for row in read}, lines[-1]


def quantity(number: float | None, unit: str) -> str:
    """Return a figure with its unit for display: three digits, or all before the decimal point."""
    if number is None:
        return "–"
    if unit in SECONDS:
        return seconds_label(number * SECONDS[unit])
    digits = f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"
    return f"{digits}{unit}" if unit.startswith(TIMES_FASTER) else f"{digits} {unit}"


def plain(number: float | None) -> str:
    """Return a figure for a record."""
    return "" if number is None else f"{number:.5g}"

"""The figures of a run: a table to look at, and a dated CSV in `benches/record` to compare with later."""

from __future__ import annotations

import csv
import datetime as dt
import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benches import inputs
from benches.targets import TARGETS, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


RECORD = Path(__file__).parent / "record"
_COLUMNS = (
    "date", "commit", "cpu", "cores", "memory_gb", "kernel", "file_system", "python", "input_gb",
    "row", "what", "figure", "unit", "rival", "rival_figure", "ratio", "must", "aim", "met",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement beside its target; without a figure it could not be run at this input size.

    The rival's figure has the same unit; where the target is no ratio, it is only there to compare with.
    """

    target: Target
    figure: float | None = None
    unit: str = ""
    rival: str = ""
    rival_figure: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the rival's time ours fits into."""
        if self.target.unit != "×" or self.figure is None or self.rival_figure is None:
            return None
        return self.rival_figure / self.figure

    @property
    def beside(self) -> str:
        """The times behind a ratio, or what else was measured; or why nothing was."""
        if self.rival_figure is None:
            return self.rival
        theirs = f"{self.rival}: {_quantity(self.rival_figure, self.unit)}"
        return f"{_quantity(self.figure, self.unit)}, {theirs}" if self.target.unit == "×" else theirs

    @property
    def met(self) -> str:
        """The higher goal reached (aim, must), else "no"; "–" without goals; or "not run"."""
        judged = self.ratio if self.target.unit == "×" else self.figure
        return "not run" if judged is None else self.target.met(judged)


def comparison_table(rows: Sequence[Row]) -> str:
    """Lay the rows out in columns; the judged figure first, the times behind a ratio last."""
    cells: list[tuple[str, ...]] = [("row", "what", "figure", "must", "aim", "met", "beside it")]
    for row in rows:
        unit = row.target.unit
        judged = row.ratio if unit == "×" else row.figure
        goals = (row.target.must, row.target.aim)
        cells.append(
            (
                row.target.row,
                row.target.what,
                _quantity(judged, unit),
                *(_quantity(goal, unit) for goal in goals),
                row.met,
                row.beside,
            )
        )
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
    machine = _machine()
    RECORD.mkdir(exist_ok=True)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    short = re.sub(
        r"[^a-z0-9]+", "-", re.sub(r"\((r|tm)\)|cpu|processor|@.*", "", machine["cpu"].lower())
    ).strip("-")
    path = RECORD / f"{today}-{short}-{machine['cores']}-cores.csv"
    kept: dict[tuple[str, str], dict[str, str]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = {(line["row"], line["what"]): line for line in csv.DictReader(file)}
    common = {
        "date": today,
        "commit": _commit(),
        **machine,
        "input_gb": f"{inputs.budget_bytes() / inputs.GB:.1f}",
    }
    for row in rows:
        target = row.target
        kept[target.row, target.what] = common | {
            "row": target.row,
            "what": target.what,
            "figure": _plain(row.figure),
            "unit": row.unit,
            "rival": row.rival,
            "rival_figure": _plain(row.rival_figure),
            "ratio": _plain(row.ratio),
            "must": _quantity(target.must, target.unit),
            "aim": _quantity(target.aim, target.unit),
            "met": row.met,
        }
    names = [(target.row, target.what) for target in TARGETS.values()]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, _COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[name] for name in names if name in kept)
    return path.relative_to(RECORD.parent.parent)


def _machine() -> dict[str, str]:
    models = re.findall(r"^model name\s*: (.*)$", _text("/proc/cpuinfo"), re.MULTILINE)
    memory_kb = re.findall(r"^MemTotal: *(\d+)", _text("/proc/meminfo"), re.MULTILINE)
    return {
        "cpu": models[0] if models else platform.processor() or platform.machine(),
        "cores": str(os.cpu_count()),
        "memory_gb": f"{int(memory_kb[0]) / 1e6:.0f}" if memory_kb else "",
        "kernel": platform.release(),
        "file_system": _file_system(inputs.DATA),
        "python": platform.python_version(),
    }


def _file_system(folder: Path) -> str:
    """Return the type of the mount with the longest path above the folder."""
    mounts = [line.split() for line in _text("/proc/mounts").splitlines()]
    above = [(len(mount[1]), mount[2]) for mount in mounts if folder.resolve().is_relative_to(mount[1])]
    return max(above)[1] if above else ""


def _commit() -> str:
    """Return the short commit, with a "+" where the tree has changes of its own."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments], cwd=RECORD.parent, capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", ":/", ":!/benches/record")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:  # no Linux
        return ""


def _quantity(number: float | None, unit: str) -> str:
    if number is None:
        return "–"
    digits = f"{number:,.0f}" if number >= 100 or number == int(number) else f"{number:.3g}"
    return f"{digits}{unit}" if unit == "×" else f"{digits} {unit}"


def _plain(number: float | None) -> str:
    return "" if number is None else f"{number:.5g}"

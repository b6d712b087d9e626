"""Scores: what the tasks cost with a reader, by family and as a whole, and what was wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conversation import Outcome

_LEAST_GOLD = 5
"""The tokens of a gold below which a ratio says little."""
NEW = ("docx", "find", "json", "notebook-run", "pptx", "xlsx")
"""How the names of the families begin that are not about lines of texts: documents, records and finding."""
BASES = (0, 20_000, 100_000)
"""The tokens that a conversation has before the task, for the table of what the result depends on."""
_WHOLE_FILES = 8
"""How many times the answer a reader shows, on average, that is named as one of whole files."""
CACHED = 0.1
"""The price of a token of the definition that the model's API has in its cache."""


@dataclass(slots=True)
class Run:
    """The outcomes of a reader."""

    reader: str
    definition_tokens: int
    outcomes: list[Outcome]
    window: int = 100
    is_original: bool = False
    """Whether its time and memory are those of the original."""
    families: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.families = list(dict.fromkeys(each.family for each in self.outcomes))

    def of(self, *, main: bool | None = None, family: str | None = None) -> list[Outcome]:
        """Return the outcomes of the main families, of the new ones, of one family, or all."""
        return [
            each for each in self.outcomes
            if (family is None or each.family == family) and (main is None or is_main(each.family) == main)
        ]  # fmt: skip


def is_main(family: str) -> bool:
    """Return whether a family is about lines of texts and named parts, as the first benchmark was."""
    return not family.startswith(NEW)


def mean(outcomes: Iterable[Outcome], *, serial: bool = False, base: int = 0, shell: bool = True) -> float:
    """Return the geometric mean of tokens times turns by the tokens of the gold.

    Args:
        outcomes: The outcomes.
        serial: Whether each call is a turn of its own.
        base: Tokens that every turn sends besides, at the price of cached ones.
        shell: Whether the calls of the shell count.
    """

    def cost(each: Outcome) -> float:
        turns = len(each.calls) if serial else each.rounds
        return max(1.0, each.cost(serial=serial, shell=shell) + CACHED * base * turns)

    return _mean((cost(each), each) for each in outcomes)


def _mean(costs: Iterable[tuple[float, Outcome]]) -> float:
    ratios = [log(cost / max(_LEAST_GOLD, each.gold_tokens)) for cost, each in costs]
    return exp(sum(ratios) / len(ratios)) if ratios else 0.0


def total(outcomes: Iterable[Outcome], *, serial: bool = False) -> int:
    """Return tokens times turns of all tasks."""
    return sum(each.cost(serial=serial) for each in outcomes)


def _excess(outcomes: Sequence[Outcome]) -> float:
    """Return how many tokens the reader shows for one of the answer, as a mean over tasks about lines."""
    lines = [each for each in outcomes if is_main(each.family)]
    shown = [sum(call.shown_tokens for call in each.calls if not call.by_shell) for each in lines]
    return _mean((tokens, each) for tokens, each in zip(shown, lines, strict=True) if tokens)


def definition(run: Run, *, cached: bool) -> int:
    """Return what the definition of the tool costs: with every turn of every task, and with the answer."""
    sent = sum(each.rounds + 1 for each in run.outcomes)
    return round(run.definition_tokens * sent * (CACHED if cached else 1))


def summary(run: Run) -> dict[str, Any]:
    """Return the scores of a reader as JSON has them."""
    outcomes = run.outcomes
    calls = [call for each in outcomes for call in each.calls]
    found: dict[str, Any] = {
        "reader": run.reader,
        "window": run.window,
        "tasks": len(outcomes),
        "calls": len(calls),
        "turns": sum(each.rounds for each in outcomes),
        "tokens": sum(call.asked_tokens + call.shown_tokens for call in calls),
        "parallel": total(outcomes),
        "serial": total(outcomes, serial=True),
        "main": mean(run.of(main=True)),
        "new": mean(run.of(main=False)),
        "main_serial": mean(run.of(main=True), serial=True),
        "new_serial": mean(run.of(main=False), serial=True),
        "excess": _excess(outcomes),
        "alone": sum(each.alone for each in outcomes),
        "unfinished": sum(each.missing > 0 for each in outcomes),
        "definition": run.definition_tokens,
        "definition_cached": definition(run, cached=True),
        "definition_uncached": definition(run, cached=False),
    }
    for name in ("wrong", "swallowed", "missing", "repeated", "refused", "late"):
        found[name] = sum(getattr(each, name) for each in outcomes)
    if run.is_original:
        found["seconds"] = round(sum(call.seconds for call in calls), 1)
        found["memory_mb"] = max((call.memory_bytes for call in calls), default=0) // 2**20
    main = run.of(main=True)
    found["main_by_base"] = {base: mean(main, base=base) for base in BASES}
    found["main_without_shell"] = mean(main, shell=False)
    found["families"] = {family: mean(run.of(family=family)) for family in run.families}
    return found


_COLUMNS = {
    "reader": "{reader}", "calls": "{calls:,}", "turns": "{turns:,}", "tokens × turns": "{parallel:,}",
    "serial": "{serial:,}", "main ÷ gold": "{main:.2f}", "new ÷ gold": "{new:.2f}",
    "alone": "{alone}/{tasks}", "wrong": "{wrong:,}", "missing": "{missing:,}",
}  # fmt: skip


def table(runs: Sequence[Run]) -> str:
    """Return a table of readers for people, and what is wrong with each."""
    rows = [summary(run) for run in runs]
    cells = [list(_COLUMNS), *([form.format(**row) for form in _COLUMNS.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in cells
    ]
    return "\n".join([*lines, *(f"{row['reader']}: {fault}" for row in rows for fault in faults(row))])


def faults(row: dict[str, Any]) -> list[str]:
    """Name what nobody should believe a reader for, in words."""
    found = []
    if row["wrong"]:
        found.append(f"shows {row['wrong']:,} lines that the files do not have at their numbers")
    if row["swallowed"]:
        found.append(f"leaves out {row['swallowed']:,} lines between others that it shows")
    if row["excess"] > _WHOLE_FILES:
        found.append(f"shows {row['excess']:.0f} times the answer, as readers of whole files do")
    if row["unfinished"]:
        found.append(
            f"leaves {row['unfinished']:,} of {row['tasks']:,} tasks unfinished, even with the shell"
        )
    if row["late"]:
        found.append(f"was late in {row['late']:,} calls, which were cut")
    return found

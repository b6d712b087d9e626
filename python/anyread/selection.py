"""The parts of a file that `ranges` choose: pages of a PDF or cells of a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .budget import FOOTER, footer_line, next_clause, text_bytes
from .errors import OffsetPastEndError

_Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Selection:
    """The parts that a call chooses with `ranges`, in the order of the file, as the core does for lines."""

    unit: str
    """"pages" or "cells"."""
    count: int
    """How many the file has."""
    ranges: _Ranges
    """What is chosen, as pairs of the first and the last; they neither overlap nor touch."""
    missing: Sequence[tuple[int, int]]
    """Ranges that were requested, in which the file has nothing."""

    @classmethod
    def of(cls, ranges: Iterable[int | tuple[int, int]], *, count: int, unit: str, path: str) -> Selection:
        """Return what some ranges choose of a file.

        Raises:
            OffsetPastEndError: They choose nothing.
        """
        found, missing = [], []
        for wanted in ranges:
            first, last = (wanted, wanted) if isinstance(wanted, int) else wanted
            begin, end = (number if number > 0 else count + 1 + number for number in (first, last))
            begin, end = max(1, begin), min(end, count)
            if begin <= end:
                found.append((begin, end))
            else:
                missing.append((first, last))
        if not found and missing:
            raise OffsetPastEndError(path, offset=missing[0][0], total_lines=count, unit=unit)
        merged: list[tuple[int, int]] = []
        for begin, end in sorted(found):
            if merged and begin <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((begin, end))
        return cls(unit, count, merged, missing)

    @property
    def numbers(self) -> list[int]:
        """The numbers of all parts that are chosen."""
        return [number for first, last in self.ranges for number in range(first, last + 1)]

    def after(self, number: int) -> list[tuple[int, int]]:
        """Return what is chosen after a part."""
        return [(max(first, number + 1), last) for first, last in self.ranges if last > number]

    def gap(self, before: int, number: int) -> str:
        """Return the line for what is left out between two parts; empty if nothing is."""
        return f"[{self._named([(before + 1, number - 1)])} not shown]\n" if number > before + 1 else ""

    def footer(self, shown: Sequence[int], more: Sequence[str] = ()) -> str:
        """Return the last line of a page that shows some parts; `more` are further clauses."""
        clauses = [f"{self._named(_pairs(shown))} of {self.count:,}"]
        if self.missing:
            clauses.append(f"the file has no {self._named(self.missing)}")
        rest = self.after(shown[-1])
        if rest:
            clauses.append(next_clause(f"ranges={[list(pair) for pair in rest]}"))
        footer = footer_line(*clauses, *more)
        if text_bytes(footer) <= FOOTER.bytes:
            return footer
        brief = f"{self._named([(shown[0], shown[-1])])} of {self.count:,}, in several ranges"
        following = [next_clause(f"the ranges from {rest[0][0]:,} on")] if rest else []
        return footer_line(brief, *following)

    def _named(self, pairs: _Ranges) -> str:
        unit = self.unit[:-1] if len(pairs) == 1 and pairs[0][0] == pairs[0][1] else self.unit
        numbers = (f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in pairs)
        return f"{unit} {', '.join(numbers)}"


def _pairs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for number in numbers:
        if pairs and number == pairs[-1][1] + 1:
            pairs[-1] = (pairs[-1][0], number)
        else:
            pairs.append((number, number))
    return pairs

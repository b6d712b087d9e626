"""The record of a comparison, loaded for plots and tables."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from benches import questions

if TYPE_CHECKING:
    from pathlib import Path

    from benches.questions import Question

_OF_LOG = {question.name for question in questions.OF_LOG}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the record."""

    question: str
    rival: str
    kind: str
    version: str
    size_bytes: int
    tasks: int
    state: str
    detail: str
    rounds: int
    seconds: float | None
    """The median; `None` if there was no correct answer."""
    anonymous_bytes: int
    resident_bytes: int
    cached_share: float
    """The share of the log that was still in the page cache afterwards; 1 for small files."""

    @classmethod
    def of(cls, line: dict[str, str]) -> Self:
        """Parse a line."""
        return cls(
            **{name: line[name] for name in ("question", "rival", "kind", "version", "state", "detail")},
            size_bytes=int(line["size_bytes"] or 0),
            tasks=int(line["tasks"] or 0),
            rounds=int(line["rounds"] or 0),
            seconds=float(line["median_ns"]) / 1e9 if line["median_ns"] else None,
            anonymous_bytes=int(line["anonymous_bytes"] or 0),
            resident_bytes=int(line["resident_bytes"] or 0),
            cached_share=float(line["cached_share"] or 1),
        )

    @property
    def place(self) -> int:
        """The position on the growth curve: bytes of the log, or tasks."""
        return self.size_bytes if self.question in _OF_LOG else self.tasks

    @property
    def failure(self) -> str:
        """Why there is no time, in a few words."""
        limits = {"memory": "over 4 GiB of memory", "timeout": "over 60 s"}
        words = limits.get(self.state) or f"{self.state}: {self.detail}".removesuffix(": ")
        return words if len(words) <= 68 else words[:65] + "…"


@dataclass(frozen=True, slots=True)
class Comparison:
    """All lines of one record."""

    source: str
    """Name and digest of the record, which each image contains to identify its record."""
    machine: dict[str, str]
    """The machine and the commit, which all lines share."""
    entries: tuple[Entry, ...]

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load a record."""
        content = path.read_bytes()
        lines = list(csv.DictReader(content.decode().splitlines()))
        source = f"{path.name} sha256:{hashlib.sha256(content).hexdigest()[:16]}"
        return cls(source, lines[0], tuple(Entry.of(line) for line in lines))

    def of(self, question: Question, place: int | None = None) -> list[Entry]:
        """Return the entries of a question, or those at one place, which are one per rival."""
        return [
            entry
            for entry in self.entries
            if entry.question == question.name and place in {None, entry.place}
        ]

    def series(self, question: Question) -> dict[str, list[Entry]]:
        """Return each rival's entries in the order of their places."""
        found: dict[str, list[Entry]] = {}
        for entry in self.of(question):
            found.setdefault(entry.rival, []).append(entry)
        return {rival: sorted(entries, key=lambda entry: entry.place) for rival, entries in found.items()}

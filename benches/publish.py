"""Write the images and tables of the documents from the newest records: `python -m benches.publish`.

The text between `<!-- figures: NAME -->` and `<!-- end of figures -->` is written only by this program.
With `--check` it writes nothing, names what does not match the newest records, and exits with 1 if any.
With `--ages` it only prints how old the figures are, a line for each block.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

from benches import machine, questions
from benches.comparison import Comparison, Entry
from benches.record import Row, load
from benches.reference_tools import tables
from benches.rivals import RIVALS
from benches.words import BAR_BYTES, BAR_TASKS, bytes_label, ratio_label, seconds_label, table

PERFORMANCE = machine.ROOT / "docs" / "performance.md"
BATCH = machine.ROOT / "docs" / "batch.md"
CONTRACTS = machine.ROOT / "docs" / "contracts" / "checks.md"
DOCUMENTS = (PERFORMANCE, BATCH, CONTRACTS)
WRITTEN_ELSEWHERE = {
    "docs/security.md, scoreboard": "*-torture.csv",
    "docs/conformance.md, verdicts": "*-conformance.json",
}
"""Figures that `make torture` and `make conformance` write, and the names of their records."""
PLOTS = machine.ROOT / "docs" / "plots"
IMAGES = (
    *(f"bars-{question.name}" for question in questions.ALL), "growth-time", "growth-memory",
)  # fmt: skip
BLOCK = re.compile(r"(<!-- figures: (?P<name>[\w-]+) -->\n).*?(<!-- end of figures -->\n)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Records:
    """The newest records, which are empty if nothing was recorded yet."""

    rows: dict[str, Row]
    """The rows of the targets by key."""
    measured_on: dict[str, str]
    """The date, commit and machine of the targets' measurement."""
    comparison: Comparison | None
    batch: tuple[list[Row], dict[str, str]]
    """The rows of data engines, and their machine."""
    reference_tools: tables.ReferenceRecord | None = None

    def date(self, name: str) -> str | None:
        """Return the day on which the figures of a block were measured, as YYYY-MM-DD."""
        if name.startswith("reference-"):
            source = self.reference_tools.machine if self.reference_tools else {}
        elif name in {"targets", "batch"}:
            source = self.measured_on if name == "targets" else self.batch[1]
        else:
            source = self.comparison.machine if self.comparison else {}
        return source.get("date")

    @classmethod
    def newest(cls) -> Records:
        """Load the newest records."""
        targets, comparison = (machine.newest_record(part) for part in ("targets", "comparison"))
        rows, measured_on = load(targets) if targets else ({}, {})
        reference_tools = machine.newest_record("reference-tools")
        return cls(
            rows,
            measured_on,
            Comparison.load(comparison) if comparison else None,
            _batch_rows(),
            tables.ReferenceRecord(reference_tools) if reference_tools else None,
        )


def _batch_rows() -> tuple[list[Row], dict[str, str]]:
    """Return the measured rows of the newest record of data engines, and its machine."""
    path = machine.newest_record("batch")
    rows, measured_on = load(path) if path else ({}, {})
    return [row for row in rows.values() if row.ratio is not None], measured_on


# ---------------------------------------------------------------------------------------------------------
# Tables


def _machine_line(facts: dict[str, str]) -> str:
    commands = f", {facts['commands'].replace('; ', ', ')}" if facts.get("commands") else ""
    return (
        f"Measured {facts['date']} at commit `{facts['commit']}`: {facts['cpu']}, {facts['cores']} cores, "
        f"{facts['memory_gb']} GB of memory, Linux {facts['kernel']}, {facts['file_system']}, "
        f"Python {facts['python']}{commands}."
    )


def _targets(records: Records) -> str:
    lines = [
        (row.target.row, row.target.what, row.compared_with, row.judged, *row.goals, row.met)
        for row in records.rows.values()
    ]
    head = ("row", "what", "compared with", "figure", "must", "aim", "met")
    return f"{_machine_line(records.measured_on)}\n\n{_folded('All rows', table(head, lines, range(3, 6)))}"


def _batch(records: Records) -> str:
    rows, measured_on = records.batch
    if not rows:
        raise LookupError
    lines = [
        (
            row.target.what,
            _per_second(row.figure),
            _per_second(row.rival_figure),
            row.judged,
            *row.goals,
            row.met,
        )
        for row in rows
    ]
    head = ("", "anyread, files/s", "the other, files/s", "ratio", "must", "aim", "met")
    return f"{_machine_line(measured_on)}\n\n{table(head, lines, range(1, 6))}"


def _per_second(microseconds: float | None) -> str:
    return "" if microseconds is None else f"{1e6 / microseconds:,.0f}"


def _versions(records: Records) -> str:
    comparison = _comparison(records)
    # The first entry of a rival wins, because a driver that failed to start later has no version.
    versions = {entry.rival: entry.version or entry.failure for entry in reversed(comparison.entries)}
    lines = [(rival.name, versions[rival.name]) for rival in RIVALS if rival.name in versions]
    shown = table(("rival", "version"), lines, range(0))
    return f"{_machine_line(comparison.machine)}\n{_uncached(comparison)}\n\n{_folded('Versions', shown)}"


def _uncached(comparison: Comparison) -> str:
    """Return a sentence that names the figures that include reads from the disk."""
    lost = {
        f"{entry.rival} at {bytes_label(entry.size_bytes)} ({entry.cached_share:.0%} cached)": None
        for entry in comparison.entries
        if entry.cached_share < 1
    }
    if not lost:
        return "Every log was completely in the page cache before and after each program read it."
    return f"**Part of the log left the page cache**, so these figures include the disk: {', '.join(lost)}."


def _question(question: questions.Question, records: Records) -> str:
    """Return the image of a question, and its tables in a part that is folded."""
    comparison = _comparison(records)
    name, title, entries = panel(question, comparison)
    ours = next((entry.seconds for entry in entries if entry.rival == "anyread"), None)
    lines = [
        (
            entry.rival,
            seconds_label(entry.seconds) if entry.seconds else entry.failure,
            ratio_label(entry.seconds / ours) if entry.seconds and ours else "",
            bytes_label(entry.anonymous_bytes) if entry.seconds else "",
            entry.detail if entry.seconds else "",
        )
        for entry in entries
    ]
    head = ("program", "time", "ratio", "memory", "remark")
    parts = [table(head, lines, range(1, 4))]
    series = comparison.series(question)
    places = sorted({entry.place for entries in series.values() for entry in entries})
    if len(places) > 1:
        label = bytes_label if question in questions.OF_LOG else _tasks_label
        growth = [(rival, *_cells(found, places)) for rival, found in series.items()]
        sizes = ("time, memory", *(label(place) for place in places))
        parts.append(table(sizes, growth, range(1, len(sizes))))
    return f"{_image(name, title)}\n\n{_folded(f'Figures: {title}', *parts)}"


def panel(question: questions.Question, comparison: Comparison) -> tuple[str, str, list[Entry]]:
    """Return name, title and entries of bars; the fastest first, those without an answer last."""
    title, place = question.title, None
    if question is questions.MANY:
        title, place = f"{title}, {BAR_TASKS} tasks", BAR_TASKS
    elif question in questions.OF_LOG:
        title, place = f"{title} of {bytes_label(BAR_BYTES)}", BAR_BYTES
    entries = sorted(comparison.of(question, place), key=lambda entry: entry.seconds or 1e9)
    return f"bars-{question.name}", f"{title[0].upper()}{title[1:]}", entries


def _growth(_: Records) -> str:
    return "\n\n".join(_image(f"growth-{of}", f"{of} of {questions.DEEP.title}") for of in ("time", "memory"))


def _tasks_label(tasks: int) -> str:
    return "1 task" if tasks == 1 else f"{tasks:,} tasks"


def _cells(entries: list[Entry], places: list[int]) -> list[str]:
    found = {entry.place: entry for entry in entries}
    return [
        entry.state
        if entry.seconds is None
        else f"{seconds_label(entry.seconds)}, {bytes_label(entry.anonymous_bytes)}"
        for entry in (found[place] for place in places)
    ]


def _image(name: str, alt: str) -> str:
    return f"![{alt}](plots/{name}.svg)"


def _folded(summary: str, *parts: str) -> str:
    body = "\n\n".join(parts)
    return f'<details markdown="1">\n<summary>{summary}</summary>\n\n{body}\n\n</details>'


def _comparison(records: Records) -> Comparison:
    if records.comparison is None:
        raise LookupError
    return records.comparison


def _reference_tools(tables_of: Callable[[tables.ReferenceRecord], str], records: Records) -> str:
    if records.reference_tools is None:
        raise LookupError
    return f"{_machine_line(records.reference_tools.machine)}\n\n{tables_of(records.reference_tools)}"


def _reference_times(records: Records) -> str:
    return _folded("Times, memory and answers", _reference_tools(tables.times, records))


BLOCKS: dict[str, Callable[[Records], str]] = {
    "targets": _targets,
    "batch": _batch,
    "versions": _versions,
    **{f"question-{question.name}": partial(_question, question) for question in questions.ALL},
    "growth": _growth,
    "reference-times": _reference_times,
    "reference-ratios": partial(_reference_tools, tables.ratios),
    "reference-answers": partial(_reference_tools, tables.answers),
}
NOT_RECORDED = "Nothing is recorded yet: `make bench-rivals bench` measures and writes it."


def block(name: str, records: Records) -> str:
    """Return the text between the markers of this name."""
    try:
        return BLOCKS[name](records) if records.rows or name != "targets" else NOT_RECORDED
    except LookupError:
        return NOT_RECORDED


def with_figures(document: str, records: Records) -> str:
    """Return a document with the newest figures between its markers."""
    return BLOCK.sub(lambda found: f"{found[1]}\n{block(found['name'], records)}\n\n{found[3]}", document)


# ---------------------------------------------------------------------------------------------------------
# Writing and checking


def stale(records: Records) -> list[str]:
    """Return the names of the documents and images that do not match the records."""
    found = [
        document.name
        for document in DOCUMENTS
        if (text := document.read_text("utf-8")) != with_figures(text, records)
    ]
    if records.comparison is not None:
        for name in IMAGES:
            image = PLOTS / f"{name}.svg"
            drawn_from = image.read_text("utf-8") if image.exists() else ""
            if records.comparison.source not in drawn_from:
                found.append(image.name)
    return found


def ages(records: Records, today: date) -> Iterator[str]:
    """Yield a line for each block of figures: where it is, when it was measured, and how many days ago."""
    for where, records_of_it in WRITTEN_ELSEWHERE.items():
        newest = max(machine.RECORD.glob(records_of_it)).name[: len("YYYY-MM-DD")]
        yield f"{where}: {_age(newest, today)}"
    for document in DOCUMENTS:
        for found in BLOCK.finditer(document.read_text("utf-8")):
            where = f"{document.relative_to(machine.ROOT).as_posix()}, {found['name']}"
            if NOT_RECORDED in found[0]:
                yield f"{where}: not recorded"
            elif measured := records.date(found["name"]):
                yield f"{where}: {_age(measured, today)}"


def _age(measured: str, today: date) -> str:
    return f"measured {measured}, {(today - date.fromisoformat(measured)).days} days ago"


def main() -> None:
    """Write the documents and images, or do what the option says."""
    records = Records.newest()
    if "--ages" in sys.argv[1:]:
        print(*ages(records, datetime.now(UTC).date()), sep="\n")
        return
    if "--check" in sys.argv[1:]:
        wrong = stale(records)
        if wrong:
            raise SystemExit(f"these do not match the newest records: {', '.join(wrong)}")
        return
    if records.comparison is not None:
        from benches import plots

        panels = [panel(question, records.comparison) for question in questions.ALL]
        plots.draw_all(records.comparison, panels, PLOTS)
    for document in DOCUMENTS:
        document.write_text(with_figures(document.read_text("utf-8"), records), "utf-8")
    names = ", ".join(document.name for document in DOCUMENTS)
    print(f"benches: wrote the figures of {names}", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Print, record and publish the scoreboard of a full run: `PYTHONPATH=tests python -m torture.publish`.

It reads the lines of `make torture`, prints the table, writes the dated record of this machine into
`benches/record`, and rewrites the table between the markers in docs/security.md.
"""

from __future__ import annotations

import csv
import re
from dataclasses import asdict, fields, replace
from pathlib import Path

from benches import machine

from torture.scoreboard import LINES, ROWS, Line, collect, verdict

DOCUMENT = machine.ROOT / "docs" / "security.md"
BLOCK = re.compile(r"(?<=<!-- scoreboard -->\n).*?(?=<!-- end of scoreboard -->\n)", re.DOTALL)
FACTS = tuple(name for name in machine.COLUMNS if name != "commands")
COLUMNS = (*FACTS, *(field.name for field in fields(Line)))
HEAD = ("row", "promise", "case", "result", "must", "met", "remark", "run")
NOT_RECORDED = "Nothing is recorded yet: `make torture` measures and writes it."


def cells(lines: list[Line], facts: list[dict[str, str]]) -> list[tuple[str, ...]]:
    """Return the cells of the table: a line for each part; those of a row follow one another."""
    dates = {line.row: fact["date"] for line, fact in zip(lines, facts, strict=True)}
    table: list[tuple[str, ...]] = []
    for key, row in ROWS.items():
        own = [line for line in lines if line.row == key]
        met = verdict(key, own)
        for number, line in enumerate(own or [Line(key, "", "")]):
            name = (key, row.promise) if number == 0 else ("", "")
            end = (row.must, met) if number == 0 else ("", "")
            date = dates.get(key, "") if number == 0 else ""
            table.append((*name, line.part, line.result, *end, line.detail, date))
    return table


def markdown(path: Path | None) -> str:
    """Return the scoreboard of a record as Markdown."""
    if path is None:
        return NOT_RECORDED
    lines, facts = load(path)
    table = [HEAD, tuple("---" for _ in HEAD), *cells(lines, facts)]
    rows = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table)
    return f"{measured_on(facts)}\n\n" + "\n".join(rows)


def measured_on(facts: list[dict[str, str]]) -> str:
    """Return a sentence with the dates, the commits and the machines of a record."""
    commits: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        machine_of = (
            f"{fact['cpu']}, {fact['cores']} cores, {fact['memory_gb']} GB of memory, Linux "
            f"{fact['kernel']}, {fact['file_system']}, Python {fact['python']}"
        )
        commits.setdefault((fact["date"], machine_of), []).append(f"`{fact['commit']}`")
    runs = (
        f"{date} at commit {', '.join(dict.fromkeys(named))} ({machine_of})"
        for (date, machine_of), named in sorted(commits.items())
    )
    return f"Measured with `make torture` {'; '.join(runs)}."


def load(path: Path) -> tuple[list[Line], list[dict[str, str]]]:
    """Return the lines of a record, and the date, commit and machine of each."""
    with path.open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    lines = [
        Line(
            record["row"],
            record["part"],
            record["unit"],
            int(record["failures"]) if record["failures"] else None,
            int(record["of"]) if record["of"] else None,
            float(record["value"]) if record["value"] else None,
            float(record["bound"]) if record["bound"] else None,
            record["detail"],
        )
        for record in records
        if record["row"] in ROWS
    ]
    return lines, [{name: record[name] for name in FACTS} for record in records]


def save(lines: list[Line], path: Path, newest: Path | None = None) -> None:
    """Write lines into a record; it keeps the rows that were not run, or else those of the newest record."""
    common = {name: machine.facts()[name] for name in FACTS}
    kept: list[tuple[dict[str, str], Line]] = []
    source = path if path.exists() else newest
    if source is not None:
        earlier, facts = load(source)
        again = {line.row for line in lines}
        kept = [(fact, line) for fact, line in zip(facts, earlier, strict=True) if line.row not in again]
    kept += [
        (common, replace(line, value=None if line.value is None else float(f"{line.value:.4g}")))
        for line in lines
    ]
    kept.sort(key=lambda pair: list(ROWS).index(pair[1].row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({**fact, **asdict(line)} for fact, line in kept)


def published(document: str, path: Path | None) -> str:
    """Return a document with the scoreboard of a record between its markers."""
    return BLOCK.sub(lambda _: f"{markdown(path)}\n\n", document)


def main() -> None:
    """Collect, print, record and publish."""
    lines = collect(LINES)
    if not lines:
        raise SystemExit(f"{LINES} has no lines: run the tests with ANYREAD_TORTURE=1 first")
    path = machine.record_path("torture")
    save(lines, path, machine.newest_record("torture"))
    print(markdown(path))
    DOCUMENT.write_text(published(DOCUMENT.read_text("utf-8"), path), "utf-8")
    unmet = [key for key in ROWS if verdict(key, [line for line in lines if line.row == key]) == "no"]
    if unmet:
        raise SystemExit(f"anyread: these rows of the scoreboard do not hold: {', '.join(unmet)}")


if __name__ == "__main__":
    main()

"""The table of docs/conformance.md, made from the newest record in `benches/record`."""

from __future__ import annotations

import datetime as dt
import json
import re
import shlex
from typing import Any, TypeAlias

from benches.conformance.rivals import READERS, ROOT

from anyread_conformance import all_rules

Records: TypeAlias = list[dict[str, Any]]

PAGE = ROOT / "docs" / "conformance.md"
_RECORD = ROOT / "benches" / "record"
_BLOCK = re.compile(
    r"(?<=<!-- verdicts, written by `make conformance` -->\n).*?(?=<!-- end of the verdicts -->)", re.DOTALL
)
_RULES = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- end of the rules -->)", re.DOTALL)
_SIGNS = {"passed": "✓", "failed": "✗", "not applicable": "–"}


def newest_record() -> Records:
    """Return the records of the latest date; an empty list if there is none."""
    path = max(_RECORD.glob("*-conformance.json"), default=None)
    records: Records = json.loads(path.read_text("utf-8")) if path is not None else []
    return records


def write_record(records: Records) -> None:
    """Write a record of today, with the readers in the order of `READERS`."""
    order = [reader.name for reader in READERS]
    known = sorted((one for one in records if one["name"] in order), key=lambda one: order.index(one["name"]))
    path = _RECORD / f"{dt.datetime.now(dt.UTC).date().isoformat()}-conformance.json"
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")


def write() -> None:
    """Put the verdicts of the newest record into the page."""
    PAGE.write_text(with_verdicts(PAGE.read_text("utf-8"), newest_record()), "utf-8")


def with_verdicts(text: str, records: Records) -> str:
    """Return the page with the rules, and with these verdicts."""
    text = _RULES.sub(lambda _: rules(), text)
    return _BLOCK.sub(lambda _: verdicts(records), text)


def rules() -> str:
    """Return the table of the rules, made from their docstrings."""
    lines = [
        "",
        "| rule | kind | statement | why | rows of the catalogue |",
        "| --- | --- | --- | --- | --- |",
    ]
    for rule in all_rules():
        rows = ", ".join(f"[{row}](catalogue.md)" for row in rule.rows)
        lines.append(f"| {rule.name} | {rule.kind} | {rule.statement} | {rule.reason} | {rows} |")
    return "\n".join([*lines, "", ""])


def verdicts(records: Records) -> str:
    """Return the list of readers, the table, and the failures of each reader."""
    parts = [_readers(records), _table(records), *map(_failures, records)]
    return "\n" + "\n\n".join(parts) + "\n\n"


def _readers(records: Records) -> str:
    notes = {reader.name: reader.note for reader in READERS}
    lines = ["| reader | version | checked on | what is checked | passed | failed | does not apply |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for record in records:
        counts = record["counts"]
        cells = [
            record["name"], record["version"] or "–", record["date"], notes[record["name"]],
            counts["passed"], counts["failed"], counts["not applicable"],
        ]  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _table(records: Records) -> str:
    lines = ["| rule | " + " | ".join(record["name"] for record in records) + " |"]
    lines.append("| --- |" + " :-: |" * len(records))
    kind = ""
    for rule in all_rules():
        if rule.kind != kind:
            kind = rule.kind
            lines.append(f"| **{kind}** |" + " |" * len(records))
        found_verdicts = (record["findings"].get(rule.name, {}).get("verdict", "") for record in records)
        lines.append(
            f"| {rule.name} | " + " | ".join(_SIGNS.get(verdict, "") for verdict in found_verdicts) + " |"
        )
    return "\n".join(lines)


def _failures(record: dict[str, Any]) -> str:
    words = next(reader.words for reader in READERS if reader.name == record["name"])
    options = (f" \\\n    {word}" if word.startswith("--") else f" {shlex.quote(word)}" for word in words)
    command = f"anyread-conformance{''.join(options)} \\\n    --rule RULE"
    failed = {name: found for name, found in record["findings"].items() if found["verdict"] == "failed"}
    lines = [
        '<details markdown="1">',
        f"<summary>{record['name']}: {len(failed)} failures, and the command that repeats one</summary>",
        "",
        "```sh",
        command,
        "```",
        "",
    ]
    if failed:
        lines += ["| rule | what happened |", "| --- | --- |"]
        lines += [f"| {name} | {_cell(found['why'])} |" for name, found in failed.items()] + [""]
    return "\n".join([*lines, "</details>"])


def _cell(text: str) -> str:
    """Return a reader's words so that Markdown shows them unchanged."""
    return re.sub(r"([\\`*_{}\[\]<>|#])", r"\\\1", text)

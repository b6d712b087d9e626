"""Reports: a table for people, and JSON for CI."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .checking import Finding


def table(findings: Sequence[Finding], command: str) -> str:
    """Return a table of the findings, and one command for each failure.

    Args:
        findings: What came of each rule.
        command: The command that ran, without `--rule` and `--json`.
    """
    width = max((len(finding.rule.name) for finding in findings), default=0)
    lines = []
    kind = ""
    for finding in findings:
        if finding.rule.kind != kind:
            kind = finding.rule.kind
            lines.append(f"{kind}:")
        row = f"  {finding.rule.name:{width}}  {finding.verdict:14}  {_one_line(finding.why)}"
        lines.append(row.rstrip())
    lines += ["", summary(findings)]
    failed = [finding for finding in findings if finding.verdict == "failed"]
    if failed:
        lines += ["", "Repeat a failure with:"]
        lines += [f"  {command} --rule {finding.rule.name}" for finding in failed]
    return "\n".join(lines)


def as_json(findings: Sequence[Finding], reader: str, command: str) -> str:
    """Return the findings as one JSON object; the arguments are those of `table`."""
    return json.dumps(
        {
            "reader": reader,
            "counts": counts(findings),
            "findings": [
                {
                    "rule": finding.rule.name,
                    "kind": finding.rule.kind,
                    "verdict": finding.verdict,
                    "why": _one_line(finding.why),
                    "statement": finding.rule.statement,
                    "catalogue": list(finding.rule.rows),
                    "repeat": f"{command} --rule {finding.rule.name}",
                }
                for finding in findings
            ],
        },
        indent=1,
        ensure_ascii=False,
    )


def counts(findings: Sequence[Finding]) -> dict[str, int]:
    """Return how often there is each verdict."""
    verdicts = [finding.verdict for finding in findings]
    return {name: verdicts.count(name) for name in ("passed", "failed", "not applicable")}


def summary(findings: Sequence[Finding]) -> str:
    """Return one line with the number of each verdict."""
    numbers = counts(findings)
    return ", ".join(f"{number} {verdict}" for verdict, number in numbers.items())


def _one_line(text: str) -> str:
    shown = " ".join(text.split())
    # A reader's words may contain what a terminal or a JSON parser does not accept.
    return shown.encode("utf-8", "backslashreplace").decode()

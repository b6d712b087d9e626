"""The page about what readers cost: `python -m benches.locate.publish [run | --check]`.

`run` measures all readers with both sets of tasks, in two processes, and writes the record first. Without it
the page and its plot are made from the record; `--check` only says whether they are those of the record.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benches import plots
from benches.words import table

from anyread_conformance.locate import policy, sources
from anyread_conformance.locate.known import KNOWN
from anyread_conformance.locate.scores import BASES, is_main
from anyread_conformance.locate.sources import TASKS

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "benches" / "record" / "proof.json"
PAGE = ROOT / "docs" / "proof.md"
PLOT = ROOT / "docs" / "plots" / "proof.svg"
SECOND = TASKS.with_name("tasks-2.jsonl.gz")
OURS = ("anyread", "anyread, brief", "anyread, tens")
WINDOWS = (20, 60, 100, 200, 400)
_WINDOWED = ("anyread", "shell", "deepagents")
_BARS = 9
"""How many readers the plot has, besides the last one."""
_MEASURED = ("seconds", "memory_mb")
"""What differs from run to run, and is only recorded for originals."""
_SETS = {"first": TASKS, "second": SECOND}
_COLUMNS = {
    "calls": "calls",
    "turns": "turns",
    "parallel": "tokens × turns",
    "serial": "one call a turn",
    "main": "main, ÷ gold",
    "main_serial": "serial",
    "new": "new, ÷ gold",
    "new_serial": "serial",
    "alone": "alone",
    "wrong": "wrong lines",
    "missing": "missing",
    "repeated": "repeated",
    "refused": "refused",
    "late": "late",
    "definition": "definition",
    "definition_cached": "sent, cached",
    "definition_uncached": "sent, uncached",
}
REASONS: dict[str, str] = json.loads((Path(__file__).parent / "reasons.json").read_text("utf-8"))
"""Why anyread is not first in a family."""


_DEPENDS = (
    "With one call a turn, without what the shell costs (which favors readers that leave much to it), and"
    " after conversations of other lengths, whose tokens are sent again every turn at a tenth of the price:"
)


# Measuring


def measure() -> None:
    """Run all readers with both sets, and five of them with other windows."""
    started = time.perf_counter()
    readers = ["shell", *KNOWN]
    record: dict[str, Any] = {"sets": {}, "windows": {}, "measured": {}}
    for name, tasks in _SETS.items():
        if tasks.exists():
            halves = [readers[::2], readers[1::2]]
            rows = _run([["--tasks", str(tasks), *_named(half)] for half in halves])
            for row in rows:
                found = {key: row.pop(key) for key in _MEASURED if key in row}
                if row["reader"] != "shell" and found:
                    record["measured"].setdefault(row["reader"], {})[name] = found
            record["sets"][name] = sorted(rows, key=lambda row: readers.index(row["reader"]))
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    families = [name for name in record["sets"]["first"][0]["families"] if is_main(name)]
    chosen = [word for name in families for word in ("--family", name)]
    for window in WINDOWS:
        words = ["--tasks", str(TASKS), "--window", str(window), *chosen]
        rows = _run([[*words, *_named(_WINDOWED[::2])], [*words, *_named(_WINDOWED[1::2])]])
        record["windows"][str(window)] = {row["reader"]: round(row["main"], 4) for row in rows}
    print(f"with windows: {time.perf_counter() - started:.0f} s", file=sys.stderr)
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _named(readers: Any) -> list[str]:
    return [word for name in readers for word in ("--reader", name)]


def _run(words: list[list[str]]) -> list[dict[str, Any]]:
    """Run commands at the same time, and return their rows."""
    command = [
        sys.executable,
        "-m",
        "anyread_conformance",
        "locate",
        "--json",
        *os.environ.get("LOCATE", "").split(),
    ]
    running = [subprocess.Popen([*command, *each], stdout=subprocess.PIPE) for each in words]
    rows: list[dict[str, Any]] = []
    for process in running:
        output, _ = process.communicate()
        if process.returncode == 2:
            sys.exit(2)
        rows += json.loads(output)
    return rows


# The page


def page(record: dict[str, Any]) -> str:
    """Return the page."""
    first = record["sets"]["first"]
    header, tasks = sources.load(TASKS)
    families = list(first[0]["families"])
    disputed = sum(header["dropped"].values())
    rules = (policy.first_place, policy.expressed, *policy.RULES)
    return (
        "\n\n".join(
            [
                (Path(__file__).parent / "proof.md").read_text("utf-8").strip(),
                "## Results",
                f"{len(tasks)} tasks in {len(families)} families; {disputed} more were dropped.",
                "![What each reader costs](plots/proof.svg)",
                _main(first),
                _originals(record),
                "## By family",
                "Tokens × turns by the tokens of the answer; bold where anyread is not first.",
                _families(first, tasks),
                "## Where anyread is not first",
                _losses(first),
                "## What the result depends on",
                _sensitivity(record),
                *_second(record),
                "## The rules of the policy",
                "\n".join(
                    f"{number}. {' '.join((rule.__doc__ or '').split())}"
                    for number, rule in enumerate(rules, 1)
                ),
            ]
        )
        + "\n"
    )


def _shown(row: dict[str, Any], name: str) -> str:
    value = row[name]
    if name == "alone":
        return f"{value}/{row['tasks']}"
    return f"{value:.2f}" if isinstance(value, float) else f"{value:,}"


def _main(rows: list[dict[str, Any]]) -> str:
    head = ("reader", *_COLUMNS.values())
    ordered = sorted(rows, key=lambda row: row["main"])
    return table(
        head,
        [(row["reader"], *(_shown(row, name) for name in _COLUMNS)) for row in ordered],
        range(1, len(head)),
    )


def _originals(record: dict[str, Any]) -> str:
    lines = [
        f"`{reader}` is an original: {found['first']['seconds']:.0f} s, {found['first']['memory_mb']} MB."
        for reader, found in record["measured"].items()
    ]
    contract = {row["reader"]: row for row in record["sets"]["first"]}
    if {"server-filesystem", "mcp-filesystem"} <= set(contract):
        a, b = contract["server-filesystem"], contract["mcp-filesystem"]
        calls, tokens = (b[name] - a[name] for name in ("calls", "tokens"))
        lines.append(f"Its contract needs {calls:+,} calls and {tokens:+,} tokens.")
    return " ".join(lines)


def best_other(rows: list[dict[str, Any]], family: str) -> tuple[str, float]:
    """Return the cheapest reader of a family that is not ours."""
    others = [(row["reader"], row["families"][family]) for row in rows if row["reader"] not in OURS]
    return min(others, key=lambda each: each[1])


def lost(rows: list[dict[str, Any]]) -> list[str]:
    """Return the families in which anyread is not first, as they are shown."""
    ours = next(row for row in rows if row["reader"] == "anyread")["families"]
    return [name for name, cost in ours.items() if round(cost, 2) > round(best_other(rows, name)[1], 2)]


def _families(rows: list[dict[str, Any]], tasks: list[dict[str, Any]]) -> str:
    ours = next(row for row in rows if row["reader"] == "anyread")["families"]
    shell = next(row for row in rows if row["reader"] == "shell")["families"]
    worse = set(lost(rows))
    lines = []
    for name, cost in ours.items():
        other, least = best_other(rows, name)
        count = sum(task["family"] == name for task in tasks)
        kind = "main" if is_main(name) else "new"
        shown = f"**{cost:.2f}**" if name in worse else f"{cost:.2f}"
        lines.append((name, kind, str(count), shown, f"{shell[name]:.2f}", f"{least:.2f}", other))
    return table(("family", "kind", "tasks", "anyread", "shell", "best other", "which"), lines, range(2, 6))


def _losses(rows: list[dict[str, Any]]) -> str:
    ours = next(row for row in rows if row["reader"] == "anyread")["families"]
    lines = []
    for name in lost(rows):
        other, least = best_other(rows, name)
        lines.append(f"- **{name}** ({ours[name]:.2f}, {other} {least:.2f}): {REASONS[name]}")
    return "\n".join(lines)


def _sensitivity(record: dict[str, Any]) -> str:
    rows = record["sets"]["first"]
    measured = [window for window in WINDOWS if str(window) in record["windows"]]
    windows = [
        (reader, *(f"{record['windows'][str(window)][reader]:.2f}" for window in measured))
        for reader in _WINDOWED
    ]
    other = [
        (
            row["reader"],
            f"{row['main']:.2f}",
            f"{row['main_serial']:.2f}",
            f"{row['main_without_shell']:.2f}",
            *(f"{row['main_by_base'][str(base)]:.1f}" for base in BASES[1:]),
        )
        for row in sorted(rows, key=lambda row: row["main"])
    ]
    head = (
        "reader",
        "parallel",
        "serial",
        "without the shell's calls",
        *(f"+ {base:,} tokens" for base in BASES[1:]),
    )
    return "\n\n".join(
        [
            "The main families with other windows around a place:",
            table(("reader", *(f"{each} lines" for each in measured)), windows, range(1, len(measured) + 1)),
            _DEPENDS,
            table(head, other, range(1, 6)),
        ]
    )


def _second(record: dict[str, Any]) -> list[str]:
    rows = record["sets"].get("second")
    if not rows:
        return []
    names = ("calls", "turns", "parallel", "main", "new", "alone", "wrong", "missing")
    head = ("reader", *(_COLUMNS[name] for name in names))
    ordered = sorted(rows, key=lambda row: row["main"])
    shown = table(
        head, [(row["reader"], *(_shown(row, name) for name in names)) for row in ordered], range(1, 9)
    )
    about = "Other tasks over the same sources, made after everything else was done, and run once:"
    return ["## The second seed", about, shown]


def made(record: dict[str, Any]) -> tuple[str, str]:
    """Return the page and its plot."""
    rows = sorted(record["sets"]["first"], key=lambda row: float(row["main"]))
    bars = [(row["reader"], row["main"]) for row in rows if row["reader"] not in OURS[1:]]
    return page(record), plots.costs([*bars[:_BARS], bars[-1]], RECORD.name)


def main() -> int:
    """Write the page, or check it."""
    if sys.argv[1:] == ["run"]:
        measure()
    texts = dict(zip((PAGE, PLOT), made(json.loads(RECORD.read_text("utf-8"))), strict=True))
    if sys.argv[1:] == ["--check"]:
        old = [path.name for path, text in texts.items() if path.read_text("utf-8") != text]
        print(*(f"{name} is not what the record says" for name in old), sep="\n")
        return int(bool(old))
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

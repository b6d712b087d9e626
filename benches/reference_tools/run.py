"""Call reference tools and anyread with the same arguments on the same files, and record what they take.

`python -m benches.reference_tools.run [TOOL …] [--tasks NAME,…]`; what is not named keeps its figures in
today's record. `make bench-tools` runs all of it.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from typing import TYPE_CHECKING, Any

from benches import machine
from benches.reference_tools import files
from benches.reference_tools.process import Process, Reply
from benches.reference_tools.tasks import TASKS, Task, verdict
from benches.reference_tools.tools import TOOLS, Call, ReferenceTool

import anyread

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = (
    *machine.COLUMNS,
    "tool", "side", "version", "task", "state", "verdict", "detail", "same", "rounds", "median_ns",
    "least_ns", "seen_ns", "anonymous_bytes", "answer_bytes",
)  # fmt: skip
REFERENCE, OURS = "reference", "anyread"
_ROUNDS = {"small": (300, 0.5)}
_LARGE_ROUNDS = (15, 3.0)
_SELF_TIMED_ROUNDS = (15, 12.0)
_LONG_SECONDS = 4.0
"""A call that took longer is not repeated: the time of the first counts."""


def measured(tool: ReferenceTool, task: Task) -> list[dict[str, str]]:
    """Make the call of a task with a tool and with anyread, and return the two lines of the record."""
    arguments = tool.arguments(task.call)
    # Both wait for the same pages of the file.
    if task.is_timed:
        files.warm(task.file)
    theirs, their_line = _called(tool, task, arguments, REFERENCE)
    ours, our_line = _called(tool, task, arguments, OURS)
    our_line["same"] = "" if theirs.state != "ok" or ours.state != "ok" else _same(theirs, ours)
    return [their_line, our_line]


def _called(
    tool: ReferenceTool, task: Task, arguments: dict[str, Any], side: str
) -> tuple[Reply, dict[str, str]]:
    own = side == OURS
    command = tool.own_command if own else tool.command
    measures_children = tool.measures_children and (not own or tool.contract == "mcp-filesystem")
    rounds, seconds = _ROUNDS.get(task.name, _LARGE_ROUNDS)
    if tool.times_itself and not own:
        rounds, seconds = _SELF_TIMED_ROUNDS
    seen: list[int] = []
    with Process(command, tool.arguments(Call("source.py")), measures_children=measures_children) as process:
        reply = process.call(arguments, task.limit_s, cold=own)
        version = anyread.__version__ if own else tool.version or process.version
        refused = reply.state == "ok" and _refused(tool, reply)
        first = reply.seconds
        if task.is_timed and first is not None and first < _LONG_SECONDS:
            reply.ns = process.times(arguments, rounds, seconds, task.limit_s, cold=own) or reply.ns
            if own:
                seen = process.times(arguments, rounds, seconds, task.limit_s)
    line = {
        "tool": tool.name,
        "side": side,
        "version": version,
        "task": task.name,
        "state": "refused" if refused else reply.state,
        "verdict": verdict(task, reply, is_refused=refused),
        "detail": _words(reply, refused=refused),
        "same": "",
        "rounds": str(len(reply.ns)),
        "median_ns": _median(reply.ns),
        "least_ns": str(min(reply.ns)) if reply.ns else "",
        "seen_ns": _median(seen),
        "anonymous_bytes": str(reply.anonymous_bytes),
        "answer_bytes": str(reply.characters) if reply.state == "ok" else "",
    }
    _log(line)
    return reply, line


def _median(ns: list[int]) -> str:
    seconds = Reply("ok", ns=ns).seconds
    return "" if seconds is None else f"{seconds * 1e9:.0f}"


def _refused(tool: ReferenceTool, reply: Reply) -> bool:
    """Return whether an answer is an error of the contract."""
    contract = anyread.tool(tool.contract, cwd=str(files.DIRECTORY), settings=tool.settings or None)
    return reply.answer is not None and contract.failed(reply.answer)


def _words(reply: Reply, *, refused: bool) -> str:
    text = reply.detail or (str(reply.answer) if refused else "")
    # Records must not name directories of this machine.
    for directory in (f"{files.DIRECTORY}/", f"{machine.ROOT}/"):
        text = text.replace(directory, "")
    return " ".join(text.replace(str(files.DIRECTORY), ".").split())[:300]


def _same(theirs: Reply, ours: Reply) -> str:
    """Return "yes", or the first value of the reference's answer that anyread's does not have."""
    different = [
        place for place, leaf in theirs.leaves.items() if list(leaf) != list(ours.leaves.get(place, ()))
    ]
    return f"no: {different[0]}" if different else "yes"


def _log(line: dict[str, str]) -> None:
    times = "  ".join(f"{int(line[name]) / 1e6:12,.3f} ms" for name in ("median_ns", "seen_ns") if line[name])
    memory = f"{int(line['anonymous_bytes']) / 2**20:8,.1f} MiB"
    words = (line["tool"], line["side"], line["task"], line["verdict"], memory, times, line["detail"][:80])
    print("{:18} {:10} {:13} {:22} {} {} {}".format(*words), file=sys.stderr, flush=True)


def save(lines: Iterable[dict[str, str]]) -> None:
    """Write lines into today's record of this machine, replacing those of the same tool and task."""
    path = machine.record_path("reference-tools")
    kept: dict[tuple[str, ...], dict[str, str]] = {}
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            kept = {_key(line): line for line in csv.DictReader(file)}
    common = machine.facts()
    kept |= {_key(line): common | line for line in lines}
    order = [(tool.name, side, task.name) for tool in TOOLS for task in TASKS for side in (REFERENCE, OURS)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept[key] for key in order if key in kept)


def _key(line: dict[str, str]) -> tuple[str, ...]:
    return (line["tool"], line["side"], line["task"])


def main() -> None:
    """Measure the named tools, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tools", nargs="*", metavar="TOOL", help=", ".join(tool.name for tool in TOOLS))
    parser.add_argument("--tasks", default="", help=", ".join(task.name for task in TASKS))
    options = parser.parse_args()
    tasks = [task for task in TASKS if not options.tasks or task.name in options.tasks.split(",")]
    files.make()
    # Programs of Node.js would otherwise look for a newer version of themselves.
    os.environ["NO_UPDATE_NOTIFIER"] = "1"
    for tool in TOOLS:
        if options.tools and tool.name not in options.tools:
            continue
        if not tool.installed_at.exists():
            print(f"{tool.name} is not installed: make bench-tools", file=sys.stderr)
            continue
        for task in tasks:
            save(measured(tool, task))


if __name__ == "__main__":
    main()

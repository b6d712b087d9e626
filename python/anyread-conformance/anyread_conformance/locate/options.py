"""The command line of `anyread-conformance locate`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyread_conformance.readers import ReaderStartError
from anyread_conformance.trial import UnusableReaderError

from . import running, scores
from .known import KNOWN
from .reader import Reader
from .shell import Shell
from .sources import TASKS, SourceError, default_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROGRAM = "anyread-conformance locate"
_EPILOG = """
exit status: 0 if the reader shows no wrong line and all tasks were finished, 1 if not, 2 if it cannot be run

examples:
  anyread-conformance locate --reader anyread --reader shell
  anyread-conformance locate --mcp 'my-server --root {root}'
  anyread-conformance locate --reader pi --explain py-traceback-3
"""


def main(words: Sequence[str]) -> int:
    """Run the command, and return its exit status."""
    parser = make_parser()
    options = parser.parse_args(words)
    if options.list:
        print("\n".join(["shell", *KNOWN]))
        return 0
    asked = [{"name": name} for name in options.reader]
    asked += [{"mcp": each} for each in options.mcp] + [
        {"command": each, "whole": options.whole_command} for each in options.command
    ]
    asked += [{"function": each} for each in options.callable]
    if not asked:
        parser.error(
            "name a reader: --reader, --mcp, --command or --callable; --list shows those known by name"
        )
    try:
        runs = _runs(asked, options)
    except (ReaderStartError, SourceError, UnusableReaderError, FileNotFoundError) as failure:
        parser.error(str(failure))
    if not options.explain:
        rows = [scores.summary(run) for run in runs]
        print(json.dumps(rows, indent=1, ensure_ascii=False) if options.json else scores.table(runs))
    return int(any(each.wrong or each.swallowed or each.missing for run in runs for each in run.outcomes))


def _runs(asked: list[dict[str, Any]], options: argparse.Namespace) -> list[scores.Run]:
    workspace = running.Workspace(options.tasks, options.cache)
    shell = Shell(workspace.root, workspace.truth.lines, options.python)
    missing = shell.missing()
    if missing:
        named = ", ".join(missing)
        raise SourceError(
            f"the shell needs what is not installed here: {named}; --python names an interpreter"
        )
    chosen = set(options.explain) | set(options.family)
    families = {task["family"] for task in workspace.tasks} | {task["id"] for task in workspace.tasks}
    if chosen - families:
        raise SourceError(f"there is no task or family `{min(chosen - families)}`")
    before = Path.cwd()
    runs = []
    for each in asked:
        os.chdir(workspace.root)  # the directory of every reader
        try:
            reader = running.opened(workspace, shell, **each, tool=options.tool, python=options.python)
            caller = reader.caller if isinstance(reader, Reader) else reader
            try:
                outcomes = running.run(
                    workspace,
                    reader,
                    shell,
                    window=options.window,
                    only=lambda task: not chosen or bool(chosen & {task["id"], task["family"]}),
                    show=print if options.explain else None,
                )
            finally:
                caller.close()
        finally:
            os.chdir(before)
        name = next(iter(each.values()))
        tokens = workspace.tokens.count(caller.definition)
        is_original = "contract" not in KNOWN.get(name, {})
        runs.append(scores.Run(name, tokens, outcomes, options.window, is_original))
    return runs


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Measure what a reader costs an agent that looks up what tools printed, without a model.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--reader", metavar="NAME", choices=["shell", *KNOWN], help="a known reader", **many)
    parser.add_argument(
        "--mcp", metavar="COMMAND", help="the command of an MCP server; {root} is the directory", **many
    )
    parser.add_argument(
        "--command", metavar="TEMPLATE", help="a command with {path}, {offset}, {limit} or {end}", **many
    )
    parser.add_argument("--whole-command", metavar="TEMPLATE", help="the command for a read without a range")
    parser.add_argument("--callable", metavar="MODULE:FUNCTION", help="a Python function", **many)
    parser.add_argument("--list", action="store_true", help="list the known readers")
    parser.add_argument(
        "--tool", metavar="NAME", help="the tool of the MCP server (default: by a usual name)"
    )
    parser.add_argument(
        "--python", metavar="PATH", help="an interpreter with anyread, openpyxl, python-docx and python-pptx"
    )
    parser.add_argument("--family", metavar="NAME", help="only this family or task (repeatable)", **many)
    parser.add_argument("--explain", metavar="TASK", help="print the exchange of a task (repeatable)", **many)
    parser.add_argument(
        "--window", metavar="N", type=int, default=100, help="lines around a place (default: 100)"
    )
    parser.add_argument(
        "--tasks",
        metavar="FILE",
        type=Path,
        default=TASKS,
        help="other tasks; commands are made of them, so take only those that you trust",
    )
    parser.add_argument(
        "--cache", metavar="DIR", type=Path, default=default_cache(), help="where sources are kept"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

"""The command line of `anyread-conformance`."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import TYPE_CHECKING

from .checking import all_rules, check
from .readers import CommandReader, ForeignReader, FunctionReader, McpReader, ReaderStartError
from .readers.calling import PARAMETERS
from .report import as_json, table
from .settings import Allowed
from .trial import UnusableReaderError

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROGRAM = "anyread-conformance"
_EPILOG = """
exit status: 0 if every rule passed or does not apply, 1 if one failed, 2 if the reader cannot be checked

examples:
  anyread-conformance --command 'sed -n {offset},{end}p {path}' --whole-command 'cat {path}'
  anyread-conformance --mcp 'anyread mcp --root /'
  anyread-conformance --callable mypackage.reading:read_file --rule fifo
  anyread-conformance locate --help                  what a reader costs an agent
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: The words after the command; by default those of this process.

    Returns:
        The exit status.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["locate"]:
        from .locate.options import main as locate

        return locate(words[1:])
    parser = make_parser()
    options = parser.parse_args(words)
    if options.list:
        for each in all_rules():
            print(f"{each.kind:9} {each.name:22} {each.statement}")
        return 0
    unknown = set(options.rule) - {each.name for each in all_rules()}
    if unknown:
        parser.error(f"there is no rule `{min(unknown)}`; --list shows all")
    command = f"{_PROGRAM} {shlex.join(_repeatable(words))}"
    try:
        reader = _reader(parser, options)
    except ReaderStartError as failure:
        parser.error(str(failure))
    try:
        findings = list(check(reader, options.rule, _allowed(options)))
    except UnusableReaderError as failure:
        parser.error(str(failure))
    finally:
        reader.close()
    print(as_json(findings, reader.name, command) if options.json else table(findings, command))
    return int(any(finding.verdict == "failed" for finding in findings))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    parser = argparse.ArgumentParser(
        prog=_PROGRAM,
        description="Check any reader of files with rules that hold for every read tool of an agent.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument(
        "--command", metavar="TEMPLATE", help="a command with {path}, {offset}, {limit} or {end}"
    )
    given.add_argument(
        "--mcp", metavar="COMMAND", help="the command of an MCP server on standard input and output"
    )
    given.add_argument("--callable", metavar="MODULE:FUNCTION", help="a Python function, sync or async")
    given.add_argument("--list", action="store_true", help="list the rules")
    parser.add_argument("--whole-command", metavar="TEMPLATE", help="the command for a read without a range")
    parser.add_argument(
        "--tool", metavar="NAME", help="the tool of the MCP server (default: by a usual name)"
    )
    parser.add_argument(
        "--argument-names",
        metavar="NAME=NAME,…",
        type=_names,
        help=f"the reader's names for {', '.join(PARAMETERS)} (default: the usual ones)",
    )
    parser.add_argument(
        "--arguments", metavar="JSON", type=_constants, help="further arguments of each call of the MCP tool"
    )
    parser.add_argument("--python", metavar="PATH", help="the interpreter that runs the function")
    parser.add_argument(
        "--rule", metavar="NAME", action="append", default=[], help="check this rule (repeatable)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    default = Allowed()
    numbers = {
        "--seconds": (default.hang_s, "seconds for an answer about what is not a file"),
        "--characters": (default.characters, "characters of an answer"),
        "--large-mb": (default.large_mb, "size of the large log in MB"),
        "--memory-mb": (default.memory_bytes // 2**20, "MiB of memory for a window of the large log"),
    }
    for name, (value, text) in numbers.items():
        parser.add_argument(
            name, metavar="N", type=type(value), default=value, help=f"{text} (default: {value:,})"
        )
    return parser


def _names(text: str) -> dict[str, str]:
    pairs = dict(pair.partition("=")[::2] for pair in text.split(","))
    if set(pairs) - set(PARAMETERS) or not all(pairs.values()):
        raise argparse.ArgumentTypeError(f"expected NAME=NAME with {', '.join(PARAMETERS)}, not `{text}`")
    return pairs


def _constants(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as failure:
        raise argparse.ArgumentTypeError(f"not JSON: {failure}") from failure
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("expected a JSON object")
    return value


def _reader(parser: argparse.ArgumentParser, options: argparse.Namespace) -> ForeignReader:
    misplaced = {
        "--whole-command": options.whole_command is not None and options.command is None,
        "--tool": options.tool is not None and options.mcp is None,
        "--arguments": options.arguments is not None and options.mcp is None,
        "--python": options.python is not None and options.callable is None,
        "--argument-names": options.argument_names is not None and options.command is not None,
    }
    for name, is_wrong in misplaced.items():
        if is_wrong:
            parser.error(f"{name} does not belong to this kind of reader")
    if options.command is not None:
        return CommandReader(options.command, options.whole_command)
    if options.mcp is not None:
        return McpReader(
            options.mcp, options.tool, options.argument_names, options.arguments, options.seconds
        )
    return FunctionReader(options.callable, options.argument_names, options.python)


def _allowed(options: argparse.Namespace) -> Allowed:
    return Allowed(
        hang_s=options.seconds,
        characters=options.characters,
        large_mb=options.large_mb,
        memory_bytes=options.memory_mb * 2**20,
    )


def _repeatable(words: Sequence[str]) -> list[str]:
    """Return the words without `--json` and without rules."""
    kept: list[str] = []
    skips = False
    for word in words:
        if skips:
            skips = False
        elif word == "--rule":
            skips = True
        elif word != "--json" and not word.startswith("--rule="):
            kept.append(word)
    return kept

"""The parser of the command line: its commands, and how it reports errors."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from anyread import __version__

from . import descriptions, options
from .colors import BOLD, ERROR, is_colored, painted, repainted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OF_ALL_COMMANDS = ("--color", "-q", "--quiet")
"""Options of `read` and `info` that may also precede the command."""


class Parser(argparse.ArgumentParser):
    """Report an error in two lines, because the complete usage would hide the reason."""

    brief = ""
    """The usage without the name of the command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # From Python 3.14 argparse colors the help, too, which `--color` would not control.
        self.color = False

    def error(self, message: str) -> NoReturn:
        """Report an error, and end the process with exit code 2."""
        from .terminal import escaped

        brief = f" {self.brief}" if self.brief else ""
        usage = f"usage: {self.prog}{brief} (see {self.prog} --help)"
        prefix = f"{self.prog}: error:"
        if is_colored("auto", sys.stderr):
            prefix = painted(prefix, ERROR)
        # A name in the message may come from a pattern such as `*`.
        self.exit(2, f"{usage}\n{prefix} {escaped(message)}\n")

    def print_help(self, file: Any = None) -> None:
        """Print the help, on a terminal with bold headings and options."""
        text = self.format_help()
        if file is None and is_colored("auto", sys.stdout):
            import re

            for pattern in (r"^[a-z][a-z ]+:", r"^ +(-\w, )?--[\w-]+"):
                text = repainted(text, re.compile(pattern, re.MULTILINE), BOLD)
        self._print_message(text, file or sys.stdout)

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stderr:
            super()._print_message(message, file)
            return
        # argparse itself ignores errors, so that help on a closed pipe or a full disk would be a success.
        if file is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        file.write(message)


class _CommandsFormatter(argparse.RawDescriptionHelpFormatter):
    """Leave enough space for the longest command; Python 3.11 does not count the indentation of commands."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = 4 + max(map(len, _COMMANDS))


def commands() -> dict[str, Parser]:
    """Return the parser of each command."""
    return {name: command(name) for name in _COMMANDS}


def command(name: str) -> Parser:
    """Return the parser of one command."""
    _, brief, description, epilog, add_options = _COMMANDS[name]
    parser = _parser(f"anyread {name}", brief, description, epilog)
    parser.set_defaults(command=name, color="auto", quiet=False)
    if add_options is not None:
        add_options(parser)
    return parser


def summary(name: str) -> str:
    """Return what a command does, in a few words."""
    return _COMMANDS[name][0]


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a command line; end the process if they are invalid or request help."""
    given = _with_command(argv)
    if not given:
        _overview().error("a FILE or a COMMAND is required")
    if given[0] not in _COMMANDS:
        # The only other first arguments are options that end the process.
        _overview().parse_args(given)
    name, *rest = given
    parser = command(name)
    from .spelling import misspelled_command, unknown_option

    unknown = unknown_option(rest, parser)
    if unknown is not None:
        parser.error(unknown)
    arguments = parser.parse_args(rest)
    if len(given) > len(argv):
        misspelled = misspelled_command(arguments, _COMMANDS)
        if misspelled is not None:
            _overview().error(misspelled)
    return arguments


def _overview() -> Parser:
    """Return the parser of a command line without a command."""
    parser = _parser("anyread", "[COMMAND] [OPTIONS] FILE ...", descriptions.DESCRIPTION, descriptions.EPILOG)
    parser.formatter_class = _CommandsFormatter
    parser.add_argument("--version", action="version", version=f"anyread {__version__}")
    listed = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in _COMMANDS:
        listed.add_parser(name, help=summary(name))
    return parser


def _parser(prog: str, brief: str, description: str, epilog: str) -> Parser:
    parser = Parser(
        prog=prog,
        usage=f"%(prog)s {brief}".rstrip(),
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.brief = brief
    return parser


def _with_command(argv: Sequence[str]) -> list[str]:
    """Return the arguments with the command first: `read` if there is none."""
    if not argv or argv[0] in {"-h", "--help", "--version", *_COMMANDS}:
        return list(argv)
    start = 0
    while start < len(argv) and argv[start].partition("=")[0] in _OF_ALL_COMMANDS:
        start += 2 if argv[start] == "--color" else 1
    if start < len(argv) and argv[start] in _COMMANDS:
        return [argv[start], *argv[:start], *argv[start + 1 :]]
    return ["read", *argv]


_COMMANDS: dict[str, tuple[str, str, str, str, Callable[[Parser], None] | None]] = {
    "read": (
        "show a window of each file; the word can be left out",
        "[OPTIONS] FILE ...",
        descriptions.READ_DESCRIPTION,
        descriptions.READ_EPILOG,
        options.add_read,
    ),
    "info": (
        "describe each file",
        "[OPTIONS] FILE ...",
        descriptions.INFO_DESCRIPTION,
        descriptions.INFO_EPILOG,
        options.add_info,
    ),
    "mcp": (
        "serve a read tool over the Model Context Protocol",
        "--root DIR [OPTIONS]",
        descriptions.MCP_DESCRIPTION,
        descriptions.MCP_EPILOG,
        options.add_mcp,
    ),
    "completion": (
        "print a script that completes commands and options in a shell",
        "SHELL",
        descriptions.COMPLETION_DESCRIPTION,
        descriptions.COMPLETION_EPILOG,
        options.add_completion,
    ),
    "man": (
        "print the manual page",
        "",
        descriptions.MAN_DESCRIPTION,
        descriptions.MAN_EPILOG,
        None,
    ),
}
"""The summary, usage, description, examples and options of each command."""

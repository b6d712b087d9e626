"""The command-line parser: its commands, and how it reports errors."""

from __future__ import annotations

import argparse
import errno
import os
import stat
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from . import descriptions, options
from .colors import BOLD, ERROR, is_colored, painted, repainted

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_OF_ALL_COMMANDS = ("--color", "-q", "--quiet")
"""Options of `read` and `info` that may also precede the command."""


_COMMANDS = {
    "read": (options.add_read, "show a window of each file; the word can be left out", "[OPTIONS] FILE ..."),
    "places": (options.add_places, "show the places in files that a text names", "[OPTIONS] FILE ..."),
    "info": (options.add_info, "describe each file", "[OPTIONS] FILE ..."),
    "mcp": (options.add_mcp, "serve a read tool over the Model Context Protocol", "--root DIR [OPTIONS]"),
    "doctor": (options.add_doctor, "describe versions, and what protects reads on this machine", "[OPTIONS]"),
    "completion": (options.add_completion, "print a shell's completion script", "SHELL"),
    "demo": (options.add_demo, "write the documentation's example files", "[OPTIONS] DIR"),
}
"""What adds the options of each command, its line in the help, and its usage."""


class Parser(argparse.ArgumentParser):
    """Report an error in two lines, because the complete usage would hide the reason."""

    def __init__(self, *, brief: str, **options: Any) -> None:
        """Make the parser of a command; `brief` is the usage without the name of the command."""
        super().__init__(
            usage=f"%(prog)s {brief}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **options,
        )
        self.brief = brief
        self.commands: dict[str, Parser] = {}
        # From Python 3.14 argparse colors the help, too, which `--color` would not control.
        self.color = False

    def error(self, message: str) -> NoReturn:
        """Report an error, and end the process with exit code 2."""
        from .terminal import escaped

        usage = f"usage: {self.prog} {self.brief} (see {self.prog} --help)"
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


def make_parser() -> Parser:
    """Return the parser of the command line; its `commands` are the parsers of the commands."""
    parser = Parser(
        prog="anyread",
        brief="[COMMAND] [OPTIONS] FILE ...",
        description=descriptions.DESCRIPTION,
        epilog=descriptions.EPILOG,
    )
    # The command answers this one before it makes a parser.
    parser.add_argument("-V", "--version", action="store_true", help="show the version of anyread")
    listed = parser.add_subparsers(title="commands", prog="anyread", metavar="COMMAND", required=True)
    for name, (add, about, brief) in _COMMANDS.items():
        description, epilog = descriptions.COMMANDS[name]
        add(listed.add_parser(name, help=about, brief=brief, description=description, epilog=epilog))
    parser.commands = listed.choices
    for name, command in parser.commands.items():
        command.set_defaults(command=name, color="auto", quiet=False)
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a command line; end the process if they are invalid or request help."""
    parser = make_parser()
    given = _with_command(argv, parser.commands) or (["read"] if _has_input() else [])
    if not given:
        parser.error("a FILE or a COMMAND is required")
    name, *rest = given
    if name not in parser.commands:
        # The only other first arguments are options that end the process.
        parser.parse_args(given)
    command = parser.commands[name]
    from .spelling import unknown_command, unknown_option

    unknown = unknown_option(rest, command)
    if unknown is not None:
        command.error(unknown)
    arguments = command.parse_args(rest)
    _complete(arguments, command)
    if argv and len(given) > len(argv):
        unknown = unknown_command(arguments, parser.commands)
        if unknown is not None:
            parser.error(unknown)
    if name == "read" and arguments.lines is not None:
        if arguments.limit is not None:
            command.error("argument -n/--limit: not allowed with argument --lines")
        (first, limit), arguments.lines = arguments.lines, None
        if arguments.find is None:
            arguments.offset, arguments.limit = first, limit
        else:
            # Of a search, the limit is the number of hits.
            last = "" if limit is None else first + limit - 1
            arguments.files = [f"{file}:{first}-{last}" for file in arguments.files]
    return arguments


def _complete(arguments: argparse.Namespace, command: Parser) -> None:
    """Take what the arguments lack from standard input and the environment."""
    if getattr(arguments, "files", None) == []:
        if not _has_input() or getattr(arguments, "follow", False):
            command.error("the following arguments are required: FILE")
        arguments.files = ["-"]
    if "root" in arguments:
        arguments.root = arguments.root or [
            os.path.expanduser(root)  # noqa: PTH111 - text, as from the option
            for root in os.environ.get("ANYREAD_ROOT", "").split(os.pathsep)
            if root
        ]
        if arguments.command == "mcp" and not arguments.root:
            command.error("the following arguments are required: --root (or set ANYREAD_ROOT)")
    if "model" in arguments:
        arguments.model = arguments.model or os.environ.get("ANYREAD_MODEL") or None


def _has_input() -> bool:
    """Return whether standard input is a pipe, a socket or a file, so that it can be what to read."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


def _with_command(argv: Sequence[str], commands: Collection[str]) -> list[str]:
    """Return the arguments with the command first: `read` if there is none."""
    if not argv or argv[0] in {"-h", "--help", *commands}:
        return list(argv)
    start = 0
    while start < len(argv) and argv[start].partition("=")[0] in _OF_ALL_COMMANDS:
        start += 2 if argv[start] == "--color" else 1
    if start < len(argv) and argv[start] in commands:
        return [argv[start], *argv[:start], *argv[start + 1 :]]
    return ["read", *argv]

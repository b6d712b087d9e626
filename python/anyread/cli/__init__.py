"""The command line: `anyread read`, `anyread info` and `anyread mcp`.

Text goes to standard output in UTF-8, messages about it to standard error.
Exit codes: 0; 1 if a file could not be read; 2 for an invalid command line; 130 after Ctrl-C; 141 if
the reader of a pipe has exited.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from .terminal import Terminal


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: The arguments; `None`: the arguments of the process.

    Returns:
        The exit code.

    Example:
        >>> anyread.cli.main(["read", "README.md", "--limit", "3"])
    """
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return 130


def _run(argv: Sequence[str] | None) -> int:
    # Imported here, so that Ctrl-C is handled during the imports too.
    from anyread.errors import ReadError

    from .parser import parse
    from .terminal import Terminal

    terminal = Terminal()
    try:
        try:
            arguments = parse(sys.argv[1:] if argv is None else argv)
        except SystemExit as exit_:
            # The parser has printed an error, or help.
            if exit_.code:
                return int(exit_.code)
            status = 0
        else:
            terminal = Terminal(color=arguments.color, is_quiet=arguments.quiet)
            status = _command(arguments)(arguments, terminal)
        terminal.flush()
    except BrokenPipeError:
        _abandon_output()
        return 141
    except ReadError as error:
        # Errors about files are reported when the file is read; this one is about an option such as `--root`.
        terminal.report(error)
        return 2
    except OSError as error:
        terminal.err(f"anyread: io_error: cannot write the output: {error.strerror}")
        _abandon_output()
        return 1
    return status


def _command(arguments: Namespace) -> Callable[[Namespace, Terminal], int]:
    name = "follow" if arguments.command == "read" and arguments.follow else arguments.command
    run: Callable[[Namespace, Terminal], int] = import_module(f".{name}", __name__).run
    return run


def _abandon_output() -> None:
    """Redirect standard output to nowhere, so that the interpreter's last flush does not fail again."""
    stdout: TextIO | None = sys.stdout
    if stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())

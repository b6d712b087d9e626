"""The command line: `anyread read`, `places`, `info`, `mcp`, `doctor`, `completion`, `demo`.

Text goes to standard output in UTF-8, messages about it to standard error.
Exit codes: 0; 1 if a file could not be read; 2 for an invalid command line; 130 after Ctrl-C; 141 if
the reader of a pipe has exited.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module

from anyread import __version__

TYPE_CHECKING = False
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
        return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        # Windows reports a pipe without a reader as an invalid argument.
        if isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL):
            _abandon_output()
            return 141
        from .terminal import Terminal

        Terminal().err(f"anyread: io_error: cannot write the output: {error.strerror}")
        _abandon_output()
        return 1


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] in {"-V", "--version"}:
        # What follows takes longer to load than Python takes to start.
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        print(f"anyread {__version__}", flush=True)
        return 0
    # Imported here, so that Ctrl-C is handled during the imports too.
    from anyread.errors import ReadError

    from .parser import parse
    from .terminal import Terminal

    try:
        arguments = parse(argv)
    except SystemExit as exit_:
        # The parser has printed an error, or help.
        if exit_.code:
            return int(exit_.code)
        Terminal().flush()
        return 0
    terminal = Terminal(color=arguments.color, is_quiet=arguments.quiet)
    try:
        status = _command(arguments)(arguments, terminal)
    except ReadError as error:
        # Errors about files are reported when the file is read; this one is about an option such as `--root`.
        terminal.report(error)
        return 2
    terminal.flush()
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

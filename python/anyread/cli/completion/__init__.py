"""`anyread completion`: scripts that complete commands, options and their values in a shell."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from anyread.cli.interface import interface

if TYPE_CHECKING:
    from argparse import Namespace

    from anyread.cli.terminal import Terminal


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Print the script for a shell."""
    shell = import_module(f".{arguments.shell}", __name__)
    terminal.out(shell.script(interface()))
    return 0

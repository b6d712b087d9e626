"""`anyread completion`: print a shell's completion script, which the wheel installs."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from .terminal import Terminal

_SCRIPTS = {
    "bash": "bash-completion/completions/anyread",
    "zsh": "zsh/site-functions/_anyread",
    "fish": "fish/vendor_completions.d/anyread.fish",
}
"""The end of the path of each shell's script."""


def run(arguments: Namespace, terminal: Terminal) -> int:
    """Print the script; return 1 if the package was installed without it."""
    for file in metadata.files("anyread") or []:
        if file.as_posix().endswith(_SCRIPTS[arguments.shell]):
            terminal.out(file.locate().read_text("utf-8"))  # type: ignore[attr-defined] # it is a path
            return 0
    terminal.err("anyread: this installation has no completion scripts")
    return 1

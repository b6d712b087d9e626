"""The manual page and the completion scripts of the wheel, which are files of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from anyread.cli.options import SHELLS
from command_line import run

SHARE = Path(__file__).parents[2] / "anyread.data/data/share"
"""What the wheel installs below the `share` of an environment."""
COMMANDS = {
    "man/man1/anyread.1": ("man",),
    "bash-completion/completions/anyread": ("completion", "bash"),
    "zsh/site-functions/_anyread": ("completion", "zsh"),
    "fish/vendor_completions.d/anyread.fish": ("completion", "fish"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_installed_file_is_what_the_command_prints(name: str) -> None:
    printed = run(*COMMANDS[name])
    assert (printed.returncode, printed.stderr) == (0, "")
    assert (SHARE / name).read_text("utf-8") == printed.stdout, "run `make manual`"


def test_every_installed_file_is_compared() -> None:
    files = (path for path in SHARE.parents[1].rglob("*") if path.is_file())
    assert {path.relative_to(SHARE).as_posix() for path in files} == set(COMMANDS)
    assert {command[-1] for command in COMMANDS.values()} == {"man", *SHELLS}

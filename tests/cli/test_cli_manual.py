"""The manual page, as man(1) shows it."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from website.manual import SHARE

import anyread
from anyread.cli.parser import make_parser
from helpers.command_line import environment


def rendered(width: int = 100) -> str:
    """Return the page as man(1) shows it, without formatting."""
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("man is not installed")
    result = subprocess.run(
        ["man", "--warnings", "-l", SHARE / "man" / "man1" / "anyread.1"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=environment(MANWIDTH=str(width), LC_ALL="C.UTF-8", MANPAGER="cat", GROFF_NO_SGR="1"),
        timeout=60,
    )
    assert result.stderr == ""
    return re.sub(".\b", "", result.stdout)


def test_manual_has_every_command_and_option() -> None:
    page = rendered()
    for name, command in make_parser().commands.items():
        section = re.split(r"(?m)^   anyread |^EXIT", page.partition(f"\n   anyread {name}\n")[2])[0]
        shown = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", section))
        options = {option for action in command._actions for option in action.option_strings}
        assert options - {"-h", "--help"} <= shown, name
        assert {option for option in shown if option.startswith("--")} <= options, name


def test_manual_states_version_exit_codes_and_environment() -> None:
    page = rendered()
    assert anyread.__version__ in page
    for code in (0, 1, 2, 130, 141):
        assert re.search(rf"^ +{code} +\w", page, re.MULTILINE)
    assert all(name in page for name in ("NO_COLOR", "FORCE_COLOR", "TERM"))

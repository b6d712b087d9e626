"""The completion scripts of the wheel, in the shells themselves."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from website.manual import SHARE

from helpers.command_line import environment

SCRIPTS = {
    "bash": SHARE / "bash-completion/completions/anyread",
    "fish": SHARE / "fish/vendor_completions.d/anyread.fish",
    "zsh": SHARE / "zsh/site-functions/_anyread",
}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the command, and files to complete."""
    directory = tmp_path_factory.mktemp("shell")
    home = directory / "home"
    (home / "some place").mkdir(parents=True)
    (home / "a poem.txt").touch()
    command = directory / "anyread"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m anyread "$@"\n')
    command.chmod(0o755)
    return directory


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def user_environment(directory: Path) -> dict[str, str]:
    path = f"{directory}{os.pathsep}{os.environ['PATH']}"
    home = str(directory / "home")
    return environment(PATH=path, HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home, TERM="xterm")


CASES = [
    (["anyread", "inf"], {"info"}),
    (["anyread", "read", "--gut"], {"--gutter"}),
    (["anyread", "--gut"], {"--gutter"}),
    (["anyread", "a.txt", "--tai"], {"--tail"}),
    (["anyread", "doctor", "--js"], {"--json"}),
    (["anyread", "mcp", "--too"], {"--tool"}),
    (["anyread", "mcp", "--tail"], set()),
    (["anyread", "read", "--gutter", "c"], {"cat-n", "colon"}),
    (["anyread", "--gutter", "c"], {"cat-n", "colon"}),
    (["anyread", "--for", "gem"], {"gemini"}),
    (["anyread", "--tool", "cl"], {"claude-code", "cline"}),
    (["anyread", "--deny", "sec"], {"secrets"}),
    (["anyread", "info", "--color", "n"], {"never"}),
]


def bash_completions(directory: Path, words: list[str]) -> set[str]:
    script = f"""
source {SCRIPTS["bash"]}
COMP_WORDS=("$@")
COMP_CWORD=$(( $# - 1 ))
_shtab_anyread
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    result = subprocess.run(
        [shell("bash"), "--norc", "--noprofile", "-c", script, "bash", *words],
        capture_output=True,
        check=True,
        encoding="utf-8",
        cwd=directory / "home",
        env=user_environment(directory),
        timeout=60,
    )
    assert result.stderr == ""
    return {line.rstrip() for line in result.stdout.splitlines() if line}


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_bash_completes(directory: Path, words: list[str], expected: set[str]) -> None:
    assert bash_completions(directory, words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["anyread", "--root", ""], {"some place"}),
        (["anyread", "--limit", ""], set()),
        (["anyread", "read", "a"], {"a poem.txt"}),
        # Without completions of its own, bash completes file names.
        (["anyread", "a"], set()),
        (["anyread", "a.txt", "a"], set()),
    ],
)
def test_bash_completes_values_and_directories(directory: Path, words: list[str], expected: set[str]) -> None:
    assert bash_completions(directory, words) == expected

"""What people type first: standard input without a name, completion, and settings in the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from website.manual import SHARE

from helpers.command_line import environment, run


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], "1\ta\n2\tb\n"),
        (["--tail", "1"], "2\tb\n"),
        (["read", "--quiet"], "1\ta\n2\tb\n"),
        (["--gutter", "none"], "a\nb\n"),
    ],
)
def test_pipe_without_a_name_is_read(arguments: list[str], shown: str) -> None:
    assert run(*arguments, input="a\nb\n").stdout == shown


def test_info_and_places_read_a_pipe_too(tmp_path: Path) -> None:
    assert "lines:       2" in run("info", input="a\nb\n").stdout
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run("places", "--list", input="a.py:1: error\n", cwd=tmp_path).stdout == "a.py:1\n"


def test_nothing_to_read_is_an_error() -> None:
    for arguments, error in (
        ([], "a FILE or a COMMAND is required"),
        (["read"], "the following arguments are required: FILE"),
        (["--follow"], "the following arguments are required: FILE"),
    ):
        result = subprocess.run(
            [sys.executable, "-m", "anyread", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 2
        assert error in result.stderr


@pytest.mark.parametrize(
    ("shell", "script"),
    [
        ("bash", "bash-completion/completions/anyread"),
        ("zsh", "zsh/site-functions/_anyread"),
        ("fish", "fish/vendor_completions.d/anyread.fish"),
    ],
)
def test_completion_prints_the_script_of_the_package(shell: str, script: str) -> None:
    result = run("completion", shell)
    assert result.returncode == 0
    # The installed scripts may be older than those of the checkout.
    assert result.stdout.splitlines()[:3] == (SHARE / script).read_text("utf-8").splitlines()[:3]


def test_environment_has_the_root_and_the_model(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("inside\n")
    (tmp_path / "b").mkdir()
    variables = environment(ANYREAD_ROOT=f"{tmp_path / 'b'}{os.pathsep}{tmp_path}", ANYREAD_MODEL="hal")

    def started(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "anyread", *arguments]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, cwd="/")

    assert "unknown model 'hal'" in started(str(tmp_path / "a.txt")).stderr
    assert started(str(tmp_path / "a.txt"), "--model", "any").stdout == "1\tinside\n"
    outside = started("/etc/hostname", "--model", "any")
    assert (outside.returncode, outside.stdout) == (1, "")
    assert "outside_root" in outside.stderr
    # An option replaces the variable.
    assert started("a.txt", "--root", str(tmp_path), "--model", "any").stdout == "1\tinside\n"

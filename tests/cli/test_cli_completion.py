"""`anyread completion`, in the shells themselves."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anyread.cli.interface import _FURTHER_VALUES, interface
from anyread.cli.options import SHELLS
from command_line import environment, run


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the scripts, the command, and files to complete."""
    directory = tmp_path_factory.mktemp("shell")
    for shell in SHELLS:
        result = run("completion", shell)
        assert (result.returncode, result.stderr) == (0, "")
        (directory / f"script.{shell}").write_text(result.stdout)
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
    (["anyread", "com"], {"completion"}),
    (["anyread", "read", "--gut"], {"--gutter"}),
    (["anyread", "--gut"], {"--gutter"}),
    (["anyread", "a.txt", "--tai"], {"--tail"}),
    (["anyread", "info", "--sand"], {"--sandbox"}),
    (["anyread", "mcp", "--too"], {"--tool"}),
    (["anyread", "mcp", "--tail"], set()),
    (["anyread", "read", "--gutter", "c"], {"cat-n", "colon"}),
    (["anyread", "--gutter", "c"], {"cat-n", "colon"}),
    (["anyread", "--for", "gem"], {"gemini"}),
    (["anyread", "--tool", "cl"], {"claude-code"}),
    (["anyread", "--deny", "sec"], {"secrets"}),
    (["anyread", "info", "--color", "n"], {"never"}),
    (["anyread", "completion", "z"], {"zsh"}),
    (["anyread", "completion", ""], {"bash", "fish", "zsh"}),
]


def bash_completions(directory: Path, words: list[str]) -> set[str]:
    script = f"""
source {directory}/script.bash
COMP_WORDS=("$@")
COMP_CWORD=$(( $# - 1 ))
_anyread
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
        # bash splits an option with its value into three words.
        (["anyread", "--gutter", "=", "c"], {"cat-n", "colon"}),
        (["anyread", "--gutter", "="], {"tab", "cat-n", "arrow", "colon", "pipe", "bar", "none"}),
        (["anyread", "--root", ""], {"some place"}),
        (["anyread", "--limit", ""], set()),
        # Without completions of its own, bash completes file names.
        (["anyread", "read", "a"], set()),
        (["anyread", "read", "--", "--gut"], set()),
    ],
)
def test_bash_completes_values_and_directories(directory: Path, words: list[str], expected: set[str]) -> None:
    assert bash_completions(directory, words) == expected


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_fish_completes(directory: Path, words: list[str], expected: set[str]) -> None:
    line = " ".join(words)
    result = subprocess.run(
        [shell("fish"), "--no-config", "-c", f"source {directory}/script.fish; complete -C '{line}'"],
        capture_output=True,
        check=True,
        encoding="utf-8",
        cwd=directory / "home",
        env=user_environment(directory),
        timeout=60,
    )
    assert {each.partition("\t")[0] for each in result.stdout.splitlines()} == expected
    assert result.stderr == ""


def test_fish_completes_files_and_directories(directory: Path) -> None:
    script = f"source {directory}/script.fish; complete -C 'anyread a'; complete -C 'anyread --root '"
    result = subprocess.run(
        [shell("fish"), "--no-config", "-c", script],
        capture_output=True,
        check=True,
        encoding="utf-8",
        cwd=directory / "home",
        env=user_environment(directory),
        timeout=60,
    )
    shown = [each.partition("\t")[0] for each in result.stdout.splitlines()]
    assert "a poem.txt" in shown
    assert "some place/" in shown


@pytest.mark.slow
@pytest.mark.parametrize("installation", ["source", "fpath"])
def test_zsh_completes(directory: Path, tmp_path: Path, installation: str) -> None:
    """Type lines and TAB in an interactive zsh, which then writes each line to a file."""
    program = shell("zsh")
    if installation == "fpath":
        (tmp_path / "functions").mkdir()
        shutil.copy(directory / "script.zsh", tmp_path / "functions" / "_anyread")
        setup = f"fpath=({tmp_path}/functions $fpath); autoload -Uz compinit; compinit -u -D"
    else:
        setup = f"autoload -Uz compinit; compinit -u -D; source {directory}/script.zsh"
    (tmp_path / ".zshrc").write_text(f"""
PS1=; PS2=; unsetopt beep zle_bracketed_paste; setopt no_list_beep
{setup}
write_line() {{ print -r -- "$BUFFER" >> {tmp_path}/lines; BUFFER=; }}
zle -N write_line
bindkey '^G' write_line
print ready > {tmp_path}/ready
""")
    typed = {
        "anyread com\t": "anyread completion ",
        "anyread read --gut\t": "anyread read --gutter=",
        "anyread a.txt --ta\t": "anyread a.txt --tail=",
        "anyread info --sand\t": "anyread info --sandbox ",
        "anyread read --gutter ca\t": "anyread read --gutter cat-n ",
        "anyread --gutter=ca\t": "anyread --gutter=cat-n ",
        "anyread mcp --tool cla\t": "anyread mcp --tool claude-code ",
        "anyread completion z\t": "anyread completion zsh ",
        "anyread a\t": "anyread a\\ poem.txt ",
        "anyread read --root so\t": "anyread read --root some\\ place/",
        "anyread mcp --tai\t": "anyread mcp --tai",
    }
    primary, secondary = pty.openpty()
    with subprocess.Popen(
        [program, "-i"],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        cwd=directory / "home",
        env={**user_environment(directory), "ZDOTDIR": str(tmp_path)},
        start_new_session=True,
    ) as process:
        os.close(secondary)
        try:
            wait_for_lines(tmp_path / "ready", 1, primary)
            for number, keys in enumerate(typed, 1):
                os.write(primary, f"{keys}\x07".encode())
                wait_for_lines(tmp_path / "lines", number, primary)
        finally:
            process.kill()
            os.close(primary)
    lines = (tmp_path / "lines").read_text().split("\n")[:-1]
    assert dict(zip(typed, [line.rstrip() for line in lines], strict=True)) == {
        keys: line.rstrip() for keys, line in typed.items()
    }


def wait_for_lines(path: Path, count: int, terminal: int) -> None:
    """Wait until a file has a number of lines; a terminal that nobody reads would block the shell."""
    os.set_blocking(terminal, False)
    deadline = time.monotonic() + 30
    while not path.exists() or path.read_text().count("\n") < count:
        assert time.monotonic() < deadline, "the shell did not answer"
        try:
            os.read(terminal, 65_536)
        except BlockingIOError:
            time.sleep(0.01)


def test_values_are_those_of_the_modules_that_define_them() -> None:
    from anyread.cli.options import MODELS
    from anyread.mcp_server.hosts import HOSTS
    from anyread.model import PRESETS
    from anyread.tools import PROFILES

    assert _FURTHER_VALUES["tool"] == tuple(PROFILES)
    assert _FURTHER_VALUES["host"] == HOSTS
    assert tuple(PRESETS) == MODELS
    assert all("".encode(name) in {b"", b"\xff\xfe"} for name in _FURTHER_VALUES["encoding"])


@pytest.mark.parametrize("name", SHELLS)
def test_script_has_every_option(directory: Path, name: str) -> None:
    script = (directory / f"script.{name}").read_text()
    for command in interface():
        for option in command.options:
            expected = f"-l {option.long_name} " if name == "fish" else f"--{option.long_name}"
            assert expected in script

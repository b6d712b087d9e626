"""The completion scripts of the wheel, in the shells themselves."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from website.manual import SHARE, VALUES

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
    (["anyread", "--tool", "cl"], {"claude-code"}),
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


@pytest.mark.parametrize(("words", "expected"), CASES)
def test_fish_completes(directory: Path, words: list[str], expected: set[str]) -> None:
    line = " ".join(words)
    result = subprocess.run(
        [shell("fish"), "--no-config", "-c", f"source {SCRIPTS['fish']}; complete -C '{line}'"],
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
    script = f"source {SCRIPTS['fish']}; complete -C 'anyread a'; complete -C 'anyread --root '"
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
def test_zsh_completes(directory: Path, tmp_path: Path) -> None:
    """Type lines and TAB in an interactive zsh, which then writes each line to a file."""
    program = shell("zsh")
    (tmp_path / ".zshrc").write_text(f"""
PS1=; PS2=; unsetopt beep zle_bracketed_paste; setopt no_list_beep
fpath=({SCRIPTS["zsh"].parent} $fpath); autoload -Uz compinit; compinit -u -D
write_line() {{ print -r -- "$BUFFER" >> {tmp_path}/lines; BUFFER=; }}
zle -N write_line
bindkey '^G' write_line
print ready > {tmp_path}/ready
""")
    typed = {
        "anyread inf\t": "anyread info ",
        "anyread read --gut\t": "anyread read --gutter ",
        "anyread a.txt --ta\t": "anyread a.txt --tail ",
        "anyread doctor --js\t": "anyread doctor --json ",
        "anyread read --gutter ca\t": "anyread read --gutter cat-n ",
        "anyread --gutter ca\t": "anyread --gutter cat-n ",
        "anyread a.txt so\t": "anyread a.txt some\\ place/",
        "anyread a.txt b.txt so\t": "anyread a.txt b.txt some\\ place/",
        "anyread mcp --tool cla\t": "anyread mcp --tool claude-code ",
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


def test_encodings_are_known_to_python() -> None:
    assert all("".encode(name) in {b"", b"\xff\xfe"} for name in VALUES["encoding"])

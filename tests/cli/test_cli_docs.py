"""The examples of docs/command-line.md run, and it has every command, option, variable and exit code."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from anyread.cli.parser import make_parser
from helpers.command_line import environment
from helpers.readme import ROOT, check, create_files

pytestmark = pytest.mark.usefixtures("no_coverage_of_processes")

PAGE = (ROOT / "docs" / "command-line.md").read_text("utf-8")
CONSOLE = re.compile(r"^```console\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)

EXAMPLES = [
    (found["command"], found["output"])
    for session in CONSOLE.finditer(PAGE)
    for found in COMMAND.finditer(session[1])
]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("command-line")
    files = directory / "files"
    files.mkdir()
    create_files(files)
    (directory / "bin").mkdir()
    command = directory / "bin" / "anyread"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m anyread "$@"\n')
    command.chmod(0o755)
    return directory


@pytest.mark.slow
@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_command_prints_the_lines_below_it(directory: Path, command: str, output: str) -> None:
    path = f"{directory / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # A loaded machine needs more than two seconds to start the command.
    command = command.replace("timeout 2 ", "timeout 6 ")
    result = subprocess.run(
        ["bash", "--norc", "-c", command],
        cwd=directory / "files",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
        env=environment(PATH=path),
        timeout=60,
    )
    check(result.stdout, output)


def long_options(command: argparse.ArgumentParser) -> list[str]:
    """Return the long names of a command's options."""
    return [action.option_strings[-1] for action in command._actions if action.option_strings]


def test_page_has_every_command_and_option() -> None:
    sections = {"mcp": PAGE.partition("## `anyread mcp`")[2].partition("\n## ")[0]}
    sections["info"] = PAGE.partition("## `anyread info`")[2].partition("\n## ")[0]
    for name, command in make_parser().commands.items():
        assert f"`anyread {name}" in PAGE
        missing = [option for option in long_options(command) if f"`{option}" not in sections.get(name, PAGE)]
        assert set(missing) <= {"--help"}, name

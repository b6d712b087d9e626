"""`anyread man`: the manual page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import anyread
from anyread.cli.interface import interface
from command_line import environment, run


@pytest.fixture(scope="module")
def source() -> str:
    result = run("man")
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def rendered(source: str, directory: Path, width: int = 100) -> str:
    """Return the page as man(1) shows it, without formatting."""
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("man is not installed")
    (directory / "anyread.1").write_text(source)
    result = subprocess.run(
        ["man", "--warnings", "-l", "anyread.1"],
        cwd=directory,
        capture_output=True,
        check=True,
        encoding="utf-8",
        env=environment(MANWIDTH=str(width), LC_ALL="C.UTF-8", MANPAGER="cat", GROFF_NO_SGR="1"),
        timeout=60,
    )
    assert result.stderr == ""
    return re.sub(".\b", "", result.stdout)


def test_manual_has_every_command_and_option(source: str, tmp_path: Path) -> None:
    page = rendered(source, tmp_path)
    for command in interface():
        section = page.partition(f"\n   anyread {command.name}\n")[2].partition("\n   anyread ")[0]
        assert section, command.name
        for option in command.options:
            names = ", ".join(option.names)
            heading = names if option.metavar is None else f"{names} {option.metavar}"
            assert re.search(rf"^ +{re.escape(heading)}(?:$| )", section, re.MULTILINE), heading


def test_manual_has_no_other_options(source: str, tmp_path: Path) -> None:
    page = rendered(source, tmp_path)
    known = {name for command in interface() for option in command.options for name in option.names}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", page)) - {"--version"} <= known | {"--help"}


def test_examples_can_be_copied(source: str, tmp_path: Path) -> None:
    """A plain hyphen in the source is shown as a typographic one, which no shell understands."""
    page = rendered(source, tmp_path)
    assert "anyread read main.py --tool forge --arguments '{\"start_line\": 10}'" in page
    assert "anyread mcp --root ~/project" in page
    assert "\\x{202e}" in page


def test_manual_states_version_exit_codes_and_environment(source: str, tmp_path: Path) -> None:
    page = rendered(source, tmp_path)
    assert anyread.__version__ in page
    for code in (0, 1, 2, 130, 141):
        assert re.search(rf"^ +{code} +\w", page, re.MULTILINE)
    assert all(name in page for name in ("NO_COLOR", "FORCE_COLOR", "TERM"))


def test_manual_fits_a_narrow_terminal(source: str, tmp_path: Path) -> None:
    assert "ENVIRONMENT" in rendered(source, tmp_path, width=60)

"""Colors on a terminal, and exact bytes in a pipe."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.cli.colors import is_colored
from helpers.command_line import environment, run, run_on_terminal
from helpers.waiting import until

OWN = re.compile(r"\x1b\[(?:[0-9;]*)m")


class Stream(io.StringIO):
    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    wait_for_version(path)
    return path


def wait_for_version(path: Path) -> None:
    """Wait until a file has a version, so that two reads of it agree."""
    until(lambda: bool(anyread.info_sync(path).version))


@pytest.mark.parametrize(
    ("choice", "variables", "on_terminal", "in_pipe"),
    [
        ("auto", {"TERM": "xterm"}, True, False),
        ("auto", {"TERM": "dumb"}, False, False),
        ("auto", {}, False, False),
        ("auto", {"WT_SESSION": "1"}, True, False),
        ("auto", {"TERM": "xterm", "NO_COLOR": "1"}, False, False),
        ("auto", {"TERM": "xterm", "NO_COLOR": ""}, True, False),
        ("auto", {"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ("auto", {"TERM": "xterm", "FORCE_COLOR": "0"}, True, False),
        ("auto", {"TERM": "xterm", "FORCE_COLOR": ""}, True, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, True, True),
        ("never", {"FORCE_COLOR": "1", "TERM": "xterm"}, False, False),
    ],
)
def test_choice_and_environment_decide(
    monkeypatch: pytest.MonkeyPatch, choice: str, variables: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    for name in ("TERM", "WT_SESSION", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_colored(choice, Stream(is_terminal=True)) is on_terminal
    assert is_colored(choice, Stream(is_terminal=False)) is in_pipe
    assert is_colored(choice, None) is False


def test_numbers_and_footer_are_colored_on_a_terminal(poem: Path) -> None:
    shown, _ = run_on_terminal("read", poem, "--limit", "1")
    assert shown == (
        "\x1b[2m1\t\x1b[mTyger Tyger, burning bright,\n\x1b[36m[line 1 of 2 · next: --offset 2]\x1b[m\n"
    )


def test_headings_notices_and_errors_are_colored(poem: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    shown, code = run_on_terminal("read", poem, tmp_path / "empty", tmp_path / "absent")
    assert shown.startswith(f"\x1b[1m==> {poem} <==\x1b[m\n")
    assert "\x1b[33manyread: empty_file:\x1b[m the file is empty\n" in shown
    assert "\x1b[1;31manyread: not_found:\x1b[m `" in shown
    assert code == 1


@pytest.mark.parametrize("arguments", [["--json"], ["--for", "anthropic"], ["--tool", "codelet"]])
def test_output_for_programs_is_never_colored(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.txt").write_text("a\x1b[31m\u202e\n")
    wait_for_version(tmp_path / "a.txt")
    plain = run("read", tmp_path / "a.txt", *arguments, "--color", "never").stdout
    assert run("read", tmp_path / "a.txt", *arguments, "--color", "always").stdout == plain
    assert json.loads(plain)


@pytest.mark.parametrize("options", [["--color", "always"], ["--color", "auto"]])
def test_colors_in_a_pipe_come_with_escaped_text(tmp_path: Path, options: list[str]) -> None:
    """`less -R` passes escape sequences on to the terminal."""
    (tmp_path / "a.txt").write_text("\x1b]0;title\x07\x9b31m\u202ea\n", "utf-8")
    result = run("read", tmp_path / "a.txt", *options, env=environment(FORCE_COLOR="1"))
    assert result.stdout == "\x1b[2m1\t\x1b[m^[]0;title^G\\x{9b}31m\\x{202e}a\n"


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["read"], "auto"),
        (["read"], "always"),
        (["read"], "never"),
        (["info"], "auto"),
        (["read", "--json"], "auto"),
        (["read", "--tool", "codelet"], "auto"),
    ],
)
def test_terminal_gets_no_escape_sequence_from_a_file(
    tmp_path: Path, option: str, command: list[str]
) -> None:
    path = tmp_path / "a\x1b[31m\x9b31m\u202e.txt"
    path.write_text(
        "\x1b]0;title\x07 \x1b[31m \x9b31m \x1bP0;1q#0\x1b\\ \x1b_Gf=100;AAAA\x1b\\ \u202e\n", "utf-8"
    )
    shown, _ = run_on_terminal(*command, path, "--color", option, path)
    assert not set(OWN.sub("", shown)) & set("\x1b\x07\x9b\u202e")


def test_help_is_bold_on_a_terminal_only() -> None:
    shown, code = run_on_terminal("read", "--help")
    assert "\x1b[1mexamples:\x1b[m" in shown
    assert "\x1b[1m  -q, --quiet\x1b[m" in shown
    assert code == 0
    assert OWN.sub("", shown) == run("read", "--help", env=environment(COLUMNS="80")).stdout


def test_clipped_line_names_options_on_a_terminal(tmp_path: Path) -> None:
    """The marker named `offset=1, column=2001`, which the command line does not accept."""
    (tmp_path / "a.txt").write_text("a\n" + "x" * 9_000 + "\nb\n")
    shown, _ = run_on_terminal("read", tmp_path / "a.txt")
    marker = " … [7,000 more bytes: --offset 2 --column 2001]"
    assert shown.splitlines()[1].endswith(f"x\x1b[36m{marker}\x1b[m")
    piped: Any = run("read", tmp_path / "a.txt").stdout
    assert piped.splitlines()[1].endswith("x … [7,000 more bytes: offset=2, column=2001]")


# ---------------------------------------------------------------- --quiet


def test_quiet_leaves_out_footer_and_notices(tmp_path: Path, poem: Path) -> None:
    (tmp_path / "empty").touch()
    result = run("read", poem, tmp_path / "empty", "-q", "--limit", "1")
    assert "[line" in run("read", poem, "--limit", "1").stderr
    assert (result.stderr, result.returncode) == ("", 0)
    assert result.stdout.startswith(f"==> {poem} <==\n1\tTyger")
    shown, _ = run_on_terminal("read", poem, "--quiet", "--limit", "1", "--color", "never")
    assert shown == "1\tTyger Tyger, burning bright,\n"


def test_progress_bar_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar that was wider than the terminal wrapped, and each update added a line."""
    from anyread.cli import terminal

    errors = Stream(is_terminal=True)
    monkeypatch.setattr("sys.stderr", errors)
    for columns in (40, 20):
        monkeypatch.setattr(terminal, "_columns", lambda _, columns=columns: columns)
        draw = terminal.Terminal().progress(10**9)
        draw(5 * 10**8)
        drawn = errors.getvalue().rpartition("\r")[2].removesuffix("\x1b[K")
        assert len(drawn) == columns - 1

"""Messages of the command line: with its own options, on one line, and with the documented exit code."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import anyread
from anyread.cli.hints import footer_of
from anyread.results.pdf import PdfPages
from helpers.command_line import environment, run, run_on_terminal
from helpers.media import text_pdf

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_text("Tyger Tyger, burning bright,\nIn the forests of the night;\n")
    return path


@pytest.mark.parametrize("command", [["mcp"], ["read", "x"], ["info", "x"]])
def test_root_that_does_not_exist_is_reported_in_one_line(tmp_path: Path, command: list[str]) -> None:
    r"""`anyread mcp` showed the two lines of the Python error: a literal `\n`, then `roots=[…]`."""
    absent = tmp_path / "absent"
    result = run(*command, "--root", absent)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert "\\n" not in result.stderr
    assert result.stderr.endswith(f": `{absent}` (hint: name existing directories with --root DIR)\n")


@pytest.mark.parametrize("option", ["--root=~/code", "--root"])
def test_tilde_in_a_root_is_the_home_directory(poem: Path, option: str) -> None:
    """Shells do not expand the tilde of `--root=~/code`, nor do MCP hosts in their settings."""
    (poem.parent / "code").mkdir()
    poem.rename(poem.parent / "code" / "poem.txt")
    options = [option] if "=" in option else [option, "~/code"]
    home = environment(HOME=str(poem.parent))
    assert run("read", "poem.txt", *options, env=home).returncode == 0
    assert run("info", "poem.txt", *options, env=home).returncode == 0


def test_json_on_a_terminal_is_readable_in_any_script(tmp_path: Path) -> None:
    """All letters beyond ASCII were escaped, so a line in Cyrillic could not be read."""
    (tmp_path / "a.txt").write_text("Привет 日本 \u202e\x1b[31m\x85\U000e0041\n", "utf-8")
    shown = run_on_terminal("read", tmp_path / "a.txt", "--json")[0]
    assert "Привет 日本" in shown
    assert json.loads(shown)["content"] == "Привет 日本 \u202e\x1b[31m\x85\U000e0041\n"
    assert not set(shown) & set("\u202e\x1b\x85\U000e0041")


def test_footer_names_options_for_the_rest_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("offset=1, column=5001 " * 20_000)
    page = anyread.Reader(limits=anyread.Limits(max_tokens=200)).read_sync(tmp_path / "a.txt")
    assert isinstance(page, anyread.TextPage)
    assert re.search(r" · next: offset=1, column=(\d+)\]$", page.footer)
    assert re.search(r" · next: --offset 1 --column (\d+)\]$", footer_of(page))


def test_footer_of_a_pdf_names_options(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(text_pdf(3))
    page = anyread.Reader(limits=anyread.Limits(max_pdf_pages=2)).read_sync(tmp_path / "a.pdf")
    assert isinstance(page, PdfPages)
    assert page.footer == '[pages 1-2 of 3 · next: pages="3-"]'
    assert footer_of(page) == "[pages 1-2 of 3 · next: --pages 3-]"
    complete = anyread.read_sync(tmp_path / "a.pdf")
    assert isinstance(complete, PdfPages)
    assert footer_of(complete) == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--pages", "0"],
        ["--pages", "?"],
        ["--pages", "1-first"],
        ["--pages", "3-1"],
        ["--region", "0,0,0,5"],
        ["--offset", "99999999999999999999"],
        ["--encoding", "koi9-r"],
        ["--encoding", ""],
    ],
)
def test_option_that_is_invalid_for_every_file_is_exit_code_2(poem: Path, options: list[str]) -> None:
    """Such options ended with exit code 1, as if the file could not be read."""
    result = run("read", poem, *options)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("anyread: bad_argument: ")

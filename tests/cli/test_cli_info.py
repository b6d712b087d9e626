"""`anyread info`, and the progress bar."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from anyread import Info
from anyread.cli.info import _lines
from anyread.cli.terminal import Terminal, escaped, size
from helpers import command_line
from helpers.command_line import COMMAND
from helpers.media import drawing, encoded, text_pdf

if TYPE_CHECKING:
    from pathlib import Path

run = partial(command_line.run, "info")


@pytest.fixture
def poem(tmp_path: Path) -> Path:
    path = tmp_path / "poem.txt"
    path.write_bytes(b"Tyger Tyger, burning bright,\r\nIn the forests of the night;")
    return path


def test_info_describes_a_text(poem: Path) -> None:
    result = run(poem)
    assert (result.returncode, result.stderr) == (0, "")
    facts = dict(line.split(":", 1) for line in result.stdout.splitlines())
    assert {name: text.strip() for name, text in facts.items() if name != "version"} == {
        "kind": "text",
        "media type": "text/plain",
        "encoding": "utf-8 (confidence 1.00)",
        "line ending": "crlf, none at the end",
        "lines": "2",
        "size": "58 bytes",
    }


def test_info_counts_all_lines(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("x\n" * 123_456)
    assert "lines:       123,456\n" in run(tmp_path / "a.log").stdout
    assert "size:        246,912 bytes (246.9 kB)\n" in run(tmp_path / "a.log").stdout


def test_info_as_json(poem: Path) -> None:
    facts = json.loads(run(poem, "--json").stdout)
    assert (facts["kind"], facts["lines"], facts["size_bytes"]) == ("text", 2, 58)
    assert (facts["line_ending"], facts["final_newline"], facts["bom"]) == ("crlf", False, False)
    assert facts["path"] == str(poem)


@pytest.mark.parametrize(
    ("content", "ending"),
    [(b"", "none"), (b"one", "none"), (b"one\n", "lf"), (b"one\r\ntwo", "crlf, none at the end")],
)
def test_info_names_a_line_ending_only_if_there_is_one(tmp_path: Path, content: bytes, ending: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert f"line ending: {ending}\n" in run(tmp_path / "a.txt").stdout


def test_info_says_that_there_is_no_version_yet() -> None:
    info = Info(
        path="a",
        resolved_path="/a",
        kind="text",
        media_type="text/plain",
        size_bytes=2,
        modified_ns=0,
        version="",
    )
    assert _lines(info)[-1] == ("version", "not yet (the file changed a moment ago)")
    assert _lines(replace(info, version="fe.0"))[-1] == ("version", "fe.0")


def test_info_of_a_binary_file_is_its_type_and_size(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)) * 10)
    result = run(tmp_path / "data.bin")
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        "kind",
        "media type",
        "size",
        "version",
    ]
    assert "size:        2,560 bytes (2.6 kB)\n" in result.stdout


def test_info_of_several_files_has_headings(poem: Path, tmp_path: Path) -> None:
    result = run("poem.txt", "absent", "poem.txt", cwd=tmp_path)
    assert result.stdout.startswith("==> poem.txt <==\nkind:        text\n")
    assert "\n\n==> poem.txt <==\n" in result.stdout
    assert result.stderr.startswith("anyread: not_found: `absent` ")
    assert result.returncode == 1


def test_info_of_a_missing_file_as_json(tmp_path: Path) -> None:
    result = run(tmp_path / "absent", "--json")
    assert json.loads(result.stdout)["error"]["code"] == "not_found"
    assert result.returncode == 1


def test_info_looks_in_the_root(poem: Path, tmp_path: Path) -> None:
    assert run("poem.txt", "--root", tmp_path).returncode == 0
    assert run("/etc/passwd", "--root", tmp_path).stderr.startswith("anyread: outside_root: ")


# ---------------------------------------------------------------- progress


def test_no_progress_without_a_terminal(poem: Path) -> None:
    assert "\x1b" not in run(poem).stderr


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_and_removed(tmp_path: Path) -> None:
    with (tmp_path / "big.log").open("wb") as big:
        big.write(b"line\n" * 4_000)
        # A sparse file is scanned like any other, without waiting for a disk.
        big.truncate(2 << 30)
    primary, secondary = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "info", tmp_path / "big.log"], stdout=subprocess.PIPE, stderr=secondary, stdin=secondary
    )
    os.close(secondary)
    shown = b""
    while True:
        try:
            part = os.read(primary, 65_536)
        except OSError:
            # The other end is closed.
            break
        shown += part
    os.close(primary)
    assert process.stdout is not None
    result = process.stdout.read()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert b"lines:       4,001\n" in result
    assert b" of 2.1 GB  " in shown
    assert b"/s\x1b[K" in shown
    assert shown.endswith(b"\r\x1b[K")


def test_short_count_on_a_terminal_leaves_no_control_sequences(poem: Path) -> None:
    shown, code = command_line.run_on_terminal("info", poem, "--color", "never")
    assert ("\x1b" in shown, code) == (False, 0)


def test_bar_that_was_not_drawn_is_not_removed(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    terminal.progress(1_000)
    terminal.end_progress()
    assert capsys.readouterr().err == ""


def test_bar_fills_with_the_scan(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    draw = terminal.progress(1_000)
    draw(0)
    draw(500)
    draw(2_000)
    terminal.end_progress()
    first, half, full, last = capsys.readouterr().err.split("\r")[1:]
    assert first.startswith(f"[{'-' * 24}]   0%  0 B of 1.0 kB  ")
    assert half.startswith(f"[{'#' * 12}{'-' * 12}]  50%  500 B of 1.0 kB  ")
    assert full.startswith(f"[{'#' * 24}] 100%  ")
    assert last == "\x1b[K"


def test_bar_without_a_size_shows_bytes_and_rate(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().progress(None)(5_000_000)
    assert capsys.readouterr().err.startswith("\r5.0 MB  ")


@pytest.mark.parametrize(
    ("number_bytes", "text"),
    [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (10**10, "10.0 GB"), (5 * 10**15, "5,000.0 TB")],
)
def test_sizes_are_decimal_with_one_digit(number_bytes: int, text: str) -> None:
    assert size(number_bytes) == text


def test_every_control_character_but_tab_and_line_feed_is_escaped() -> None:
    controls = [chr(code) for code in (*range(32), *range(127, 160))]
    kept = {text for text in controls if escaped(text) == text}
    assert kept == {"\t", "\n"}
    assert all(escaped(text).isprintable() for text in controls if text not in kept)


def test_info_of_an_image_and_a_pdf(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(drawing(64, 48), "PNG"))
    (tmp_path / "a.pdf").write_bytes(text_pdf(3))
    assert "dimensions:  64 × 48 pixels\n" in run(tmp_path / "a.png").stdout
    assert "pages:       3\n" in run(tmp_path / "a.pdf").stdout
    facts = json.loads(run(tmp_path / "a.png", "--json").stdout)
    assert (facts["format"], facts["width"], facts["height"]) == ("PNG", 64, 48)
    assert "encoding" not in facts


def test_info_of_a_damaged_image_names_the_problem(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"nothing")
    result = run(tmp_path / "a.png")
    assert (result.returncode, result.stderr) == (0, "")
    assert "problem:     " in result.stdout
    assert json.loads(run(tmp_path / "a.png", "--json").stdout)["problem"]["error"]["code"] == "damaged"

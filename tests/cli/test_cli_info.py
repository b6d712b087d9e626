"""`anyread info`, and the progress bar."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from functools import partial
from typing import TYPE_CHECKING

import pytest

from anyread.cli.terminal import Terminal, escaped
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


# ---------------------------------------------------------------- progress


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

"""`anyread --follow`: what is appended, across rotation and truncation, until Ctrl-C."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from helpers.command_line import COMMAND, environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "app.log"
    path.write_text("".join(f"line {number}\n" for number in range(1, 21)))
    return path


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


class Following:
    """A running `anyread --follow`."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.shown = ""

    def wait_for(self, text: str, *, timeout_s: float = 30) -> None:
        """Read standard output until it contains a text."""
        assert self.process.stdout is not None
        deadline = time.monotonic() + timeout_s
        while text not in self.shown:
            ready, _, _ = select.select([self.process.stdout], [], [], deadline - time.monotonic())
            assert ready, f"{text!r} is not in {self.shown!r}"
            part = os.read(self.process.stdout.fileno(), 65_536)
            assert part, f"{text!r} is not in {self.shown!r}, which has ended"
            self.shown += part.decode()

    def interrupt(self) -> tuple[int, str]:
        """Press Ctrl-C; return the exit code and the rest of standard error."""
        self.process.send_signal(signal.SIGINT)
        output, errors = self.process.communicate(timeout=30)
        self.shown += output.decode()
        return self.process.returncode, errors.decode()


@contextmanager
def following(*arguments: str | Path) -> Iterator[Following]:
    with subprocess.Popen(
        [*COMMAND, "--follow", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        try:
            yield Following(process)
        finally:
            process.kill()


def test_last_lines_and_appended_lines_are_shown_until_ctrl_c(log: Path) -> None:
    with following(log) as tail:
        tail.wait_for("20\tline 20\n")
        append(log, "line 21\r\nline 22\n")
        tail.wait_for("22\tline 22\n")
        assert tail.interrupt() == (130, "")
    assert tail.shown == "".join(f"{number}\tline {number}\n" for number in range(11, 23))


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (["--tail", "1"], "20\tline 20\n"),
        (["--offset", "19"], "19\tline 19\n"),
        (["--offset", "-2", "--gutter", "arrow"], "    19→line 19\n"),
        (["--tail", "1", "--gutter", "none"], "line 20\n"),
    ],
)
def test_start_and_gutter_are_selected(log: Path, options: list[str], first: str) -> None:
    with following(log, *options) as tail:
        tail.wait_for("line 20\n")
        assert tail.shown.startswith(first)


def test_rotation_and_truncation_are_reported_and_followed(log: Path) -> None:
    with following(log, "--tail", "1") as tail:
        tail.wait_for("line 20\n")
        append(log, "last of the old file\n")
        log.rename(log.with_suffix(".1"))
        append(log.with_suffix(".1"), "written after the rename\n")
        append(log, "first of the new file\n")
        tail.wait_for("1\tfirst of the new file\n")
        log.write_text("cut\n")
        tail.wait_for("1\tcut\n")
        code, errors = tail.interrupt()
    assert "21\tlast of the old file\n22\twritten after the rename\n1\tfirst of the new file\n" in tail.shown
    rotated, truncated = errors.splitlines()
    assert rotated.startswith("anyread: rotated: the path leads to another file now")
    assert truncated.startswith("anyread: truncated: the file was truncated or rewritten")
    assert code == 130


def test_hole_of_a_truncation_is_reported(log: Path) -> None:
    with log.open("r+b", buffering=0) as writer, following(log, "--tail", "1") as tail:
        tail.wait_for("line 20\n")
        hole = writer.seek(0, os.SEEK_END)
        os.truncate(log, 0)
        writer.write(b"more\n")
        tail.wait_for("1\tmore\n")
        _, errors = tail.interrupt()
    assert f", without the {hole} NULs before its text: `{log}`" in errors
    # Another start finds the NULs, and needs to know that it is text.
    assert "(hint: pass --kind text " in run("--follow", log).stderr
    with following(log, "--kind", "text") as tail:
        tail.wait_for("more\n")


@pytest.mark.slow
def test_number_is_shown_once_for_a_line_that_arrives_in_parts(log: Path) -> None:
    with following(log, "--tail", "1") as tail:
        append(log, "unfinished")
        tail.wait_for("21\tunfinished")
        append(log, " and finished\nnext\n")
        tail.wait_for("22\tnext\n")
    assert "21\tunfinished and finished\n22\tnext\n" in tail.shown


def test_several_files_have_a_heading_when_the_file_changes(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.log"
    other.write_text("b\n")
    with following(log, other, "--tail", "1") as tail:
        tail.wait_for("1\tb\n")
        append(other, "c\n")
        tail.wait_for("2\tc\n")
        append(log, "d\n")
        tail.wait_for("21\td\n")
    assert tail.shown == (
        f"==> {log} <==\n20\tline 20\n\n==> {other} <==\n1\tb\n2\tc\n\n==> {log} <==\n21\td\n"
    )


def test_file_that_cannot_be_followed_is_reported_and_the_others_are_followed(
    log: Path, tmp_path: Path
) -> None:
    (tmp_path / "data.bin").write_bytes(bytes(range(256)))
    with following(tmp_path / "absent", tmp_path / "data.bin", log, "--tail", "1") as tail:
        tail.wait_for("20\tline 20\n")
        code, errors = tail.interrupt()
    absent, binary = errors.splitlines()
    assert absent.startswith("anyread: not_found: ")
    assert binary.startswith("anyread: binary: only text can be followed: ")
    assert code == 130


def test_nothing_to_follow_is_exit_code_1(tmp_path: Path) -> None:
    assert run("-f", tmp_path / "absent").returncode == 1
    result = run("-f", tmp_path / "absent", "--json")
    assert json.loads(result.stdout)["error"]["code"] == "not_found"


def test_deny_and_root_apply(log: Path) -> None:
    assert "anyread: denied: " in run("-f", log, "--deny", "*.log").stderr
    (log.parent / ".env").write_text("KEY=1\n")
    assert "anyread: denied: " in run("-f", log.parent / ".env", "--deny", "secrets").stderr
    (log.parent / "inside").mkdir()
    assert "anyread: outside_root: " in run("-f", log, "--root", log.parent / "inside").stderr


@pytest.mark.parametrize(
    "options",
    [
        ["--limit", "3"],
        ["--kind image"],
        ["--exact-total"],
        ["--save", "seen"],
    ],
)
def test_option_that_does_not_apply_is_exit_code_2(log: Path, options: list[str]) -> None:
    result = run("--follow", log, *" ".join(options).split())
    assert result.returncode == 2
    assert result.stderr == f"anyread: --follow cannot be combined with {options[0]}\n"


def test_follower_ends_when_its_reader_exits(log: Path) -> None:
    """Without growth nothing is written, so a broken pipe would be noticed only much later."""
    with following(log) as tail:
        tail.wait_for("line 20\n")
        assert tail.process.stdout is not None
        tail.process.stdout.close()
        assert tail.process.wait(timeout=30) == 141
        assert tail.process.stderr is not None
        assert tail.process.stderr.read() == b""

"""`-` and `/dev/stdin`: standard input as a file."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from anyread.cli import stdin
from anyread.errors import TooLargeError
from helpers.command_line import run_bytes as run
from helpers.command_line import run_process
from helpers.media import drawing, encoded

if TYPE_CHECKING:
    from pathlib import Path

POEM = b"Tyger Tyger, burning bright,\nIn the forests of the night;\n"


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_pipe_is_read_at_any_offset(name: str) -> None:
    """`-` was taken for a file name, and a pipe at /dev/stdin was refused as a FIFO."""
    result = run("read", name, "--offset", "2", input=POEM)
    assert (result.returncode, result.stdout) == (0, b"2\tIn the forests of the night;\n")
    assert result.stderr == b"[line 2 of 2]\n"


def test_redirected_file_is_read_from_its_current_position(tmp_path: Path) -> None:
    (tmp_path / "poem.txt").write_bytes(POEM)
    with (tmp_path / "poem.txt").open("rb") as poem:
        assert run_process("read", "-", stdin=poem).stdout == b"".join(
            b"%d\t%b" % (number, line) for number, line in enumerate(POEM.splitlines(keepends=True), 1)
        )
    with (tmp_path / "poem.txt").open("rb") as poem:
        poem.seek(POEM.index(b"In "), os.SEEK_SET)
        os.lseek(poem.fileno(), POEM.index(b"In "), os.SEEK_SET)
        assert run_process("read", "-", stdin=poem).stdout == b"1\tIn the forests of the night;\n"


def test_roots_do_not_apply_to_standard_input(tmp_path: Path) -> None:
    assert run("read", "-", "--root", tmp_path, input=POEM).returncode == 0


def test_json_does_not_name_the_temporary_copy() -> None:
    for command in ("read", "info"):
        found = json.loads(run(command, "-", "--json", input=POEM).stdout)
        assert (found["path"], found["resolved_path"]) == ("-", "-")
        assert (found["size_bytes"], found["encoding"]) == (len(POEM), "utf-8")


@pytest.mark.slow
def test_image_is_shown_and_saved(tmp_path: Path) -> None:
    image = encoded(drawing(40, 30), "PNG")
    result = run("read", "-", "--save", tmp_path, input=image)
    assert b"original:    40\xc3\x9730 pixels" in result.stdout
    assert (tmp_path / "stdin.png").read_bytes() == image
    described = run("info", "-", input=image).stdout
    assert b"kind:        image\n" in described


def test_temporary_copy_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for arguments in (["read", "-"], ["info", "-"], ["read", "-", "--offset", "9"]):
        run(*arguments, input=POEM)
    assert list(tmp_path.iterdir()) == []


def test_endless_input_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stdin, "_MAX_BYTES", 3 << 20)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    saved = os.dup(0)
    zeros = os.open("/dev/zero", os.O_RDONLY)
    os.dup2(zeros, 0)
    try:
        with stdin.StandardInput() as copied, pytest.raises(TooLargeError) as caught:
            copied.directory()
    finally:
        os.dup2(saved, 0)
        os.close(saved)
        os.close(zeros)
    assert caught.value.message.startswith("`-` exceeds the limit of 3,145,728 bytes: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.posix("/dev/fd")
@pytest.mark.parametrize(
    ("command", "shown"),
    [("read", b"1\tTyger Tyger, burning bright,\n"), ("info", b"size:        58 bytes\n")],
)
def test_process_substitution_is_read(command: str, shown: bytes) -> None:
    """A shell passes `<(command)` as the descriptor of a pipe, which was refused as a FIFO."""
    ours, theirs = os.pipe()
    try:
        os.write(theirs, POEM)
        os.close(theirs)
        result = run(command, f"/dev/fd/{ours}")
    finally:
        os.close(ours)
    assert (result.returncode, shown in result.stdout) == (0, True)

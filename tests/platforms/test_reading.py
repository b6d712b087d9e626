r"""What must hold on every system, with the names, devices and streams that Windows has.

Elsewhere, names such as `CON` and `..\a.txt` are names of files, which do not exist.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest

import anyread

WHOLE = "1\tfirst line\n2\tsecond"
OUTSIDE = "the content of another directory"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create files of all kinds, and a directory that serves as a root."""
    room = tmp_path_factory.mktemp("room")
    (room / "sub").mkdir()
    (room / "Secret").mkdir()
    for name, data in {
        "a.txt": b"first line\r\nsecond\r\n",
        "out.txt": OUTSIDE.encode(),
        "latin1.txt": "Müller à Genève, señor\n".encode("latin-1") * 20,
        "utf16.txt": "\ufeffZeile eins\r\nZeile zwei\r\n".encode("utf-16-le"),
        "sub/in.txt": b"inside\n",
        "x.key": b"the key\n",
        "Secret/s.txt": b"the secret\n",
        ".env": b"KEY=1\n",
        "Ünïcode 文件 😀.txt": "naïve ☕\n".encode(),
        "r.jsonl": b'{"a": 1}\r\n{"a": 2}\r\n',
        "c.py": b"def f():\r\n    return 1\r\n\r\n\r\ndef g():\r\n    return 2\r\n",
        "n.ipynb": json.dumps(
            {
                "cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}],
                "metadata": {},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        ).encode(),
    }.items():
        (room / name).write_bytes(data)
    book = openpyxl.Workbook()
    for number in range(300):
        book.active.append([number, f"name {number}", number * 1.5])
    book.save(room / "b.xlsx")
    document = docx.Document()
    document.add_heading("Head")
    document.add_paragraph("Body of it")
    document.save(str(room / "d.docx"))
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[0]).shapes.title.text = "Slide T"
    slides.save(str(room / "p.pptx"))
    return room


def text(path: Any, reader: anyread.Reader | None = None, **given: Any) -> str:
    page: Any = (reader or anyread.Reader()).read_sync(path, **given)
    found: str = page.text
    return found


SPELLINGS: dict[str, Callable[[Path], Any]] = {
    "a path": lambda path: path,
    "slashes": lambda path: str(path).replace("\\", "/"),
    "bytes": os.fsencode,
    "the other case of the drive": lambda path: str(path)[:1].swapcase() + str(path)[1:],
    "verbatim": lambda path: rf"\\?\{path}" if os.name == "nt" else path,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_text_is_read_by_each_spelling(spelling: str, room: Path) -> None:
    assert text(SPELLINGS[spelling](room / "a.txt")) == WHOLE
    if spelling != "verbatim":
        assert text(SPELLINGS[spelling](room / "a.txt"), anyread.Reader(roots=[room])) == WHOLE


def test_relative_paths_start_at_the_working_directory_or_the_root(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(room)
    assert text("a.txt") == WHOLE
    assert text("in.txt", anyread.Reader(roots=[room / "sub"])) == "1\tinside"


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        ("latin1.txt", {"limit": 1}, ["Müller à Genève"]),
        ("utf16.txt", {}, ["Zeile eins", "Zeile zwei"]),
        ("a.txt", {"offset": 2, "limit": 1}, ["2\tsecond"]),
        ("r.jsonl", {"offset": 2}, ['"a": 2']),
        ("n.ipynb", {}, ["Title"]),
        ("c.py", {"ranges": [6]}, ["def g"]),
        ("b.xlsx", {"offset": 250, "limit": 2}, ["name 2"]),
        ("d.docx", {}, ["Head", "Body of it"]),
        ("p.pptx", {}, ["Slide T"]),
        ("Ünïcode 文件 😀.txt", {}, ["naïve ☕"]),
    ],
)
def test_each_kind_is_read(name: str, given: dict[str, Any], shown: list[str], room: Path) -> None:
    found = text(room / name, **given)
    assert [each for each in shown if each not in found] == []


def test_images_and_pdfs_are_read_or_refused_with_one_error(room: Path) -> None:
    for name, data in {"i.png": b"\x89PNG\r\n\x1a\n" + bytes(60), "i.pdf": b"%PDF-1.7\n" + bytes(60)}.items():
        (room / name).write_bytes(data)
        with pytest.raises((anyread.DecoderUnavailableError, anyread.DamagedFileError)):
            anyread.read_sync(room / name)


@pytest.mark.parametrize(
    "name",
    [
        *(r"..\out.txt", "../out.txt", "sub2/../../out.txt", r"\\localhost\c$\windows\win.ini"),
        *(r"\\?\UNC\localhost\c$\x", r"\\.\C:\windows\win.ini", r"\\?\GLOBALROOT\Device\HarddiskVolume1\x"),
        *("C:out.txt", r"\windows\win.ini", "CON", "NUL", "in.txt:hidden", "in.txt::$DATA", "in.txt."),
        *("in.txt ", "IN~1.TXT", "//./pipe/x", r"\\.\PhysicalDrive0", "{room}"),
    ],
)
def test_nothing_leads_out_of_a_root(name: str, room: Path) -> None:
    try:
        shown = text(name.format(room=room / "out.txt"), anyread.Reader(roots=[room / "sub"]))
    except anyread.ReadError:
        return
    # Windows and the correction of paths ignore what is at the end of some names.
    assert shown == "1\tinside"


@pytest.mark.parametrize(
    "name",
    [
        *("NUL", "CON", "COM1", "a.txt::$DATA", "a.txt:x", r"\\.\pipe\none", r"\\.\C:", r"\\.\NUL", "CONIN$"),
        *("nul.txt", "aux", "a.txt/", "a.txt\\", "file://{room}/a.txt/", "x:/{room}/a.txt"),
    ],
)
def test_devices_and_streams_are_no_files(name: str, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room)
    with pytest.raises(anyread.ReadError), anyread.Reader().open_sync(name.format(room=room), repair=False):
        pass


@pytest.mark.parametrize("name", ["x.key", "X.KEY", r"{room}\x.key", "x.key.", "x.key ", "x.key::$DATA"])
def test_deny_rules_hold_for_each_spelling(name: str, room: Path) -> None:
    reader = anyread.Reader(roots=[room], deny=["**/*.KEY", "**/secret/**", "*.key"])
    with pytest.raises(anyread.ReadError):
        text(name.format(room=room), reader)


@pytest.mark.parametrize("name", ["secret/s.txt", r"SECRET\S.TXT", "Secret/s.txt", ".env", ".ENV"])
def test_denied_directories_and_secrets_are_not_read(name: str, room: Path) -> None:
    reader = anyread.Reader(roots=[room], deny=["**/Secret/**", "secrets"])
    with pytest.raises(anyread.ReadError):
        text(name, reader)


@pytest.mark.parametrize(
    "path", [r"\\host\share", "//host/share", r"\\?\UNC\host\share", r"\\host", "//host"]
)
def test_path_on_another_host_is_refused_before_a_lookup(path: str) -> None:
    """A lookup would send the user's credentials to a host that a model has named."""
    reader = anyread.Reader(directories="list")
    # Elsewhere, these are names of files.
    error = anyread.OutsideRootError if os.name == "nt" else anyread.ReadError
    for call in (
        lambda: reader.read_sync(path),
        lambda: reader.read_sync(rf"{path}\x.txt"),
        lambda: reader.info_sync(rf"{path}\x.txt"),
        lambda: reader.files(path),
    ):
        with pytest.raises(error):
            call()


def test_long_path_is_read(room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room)
    long = room.joinpath(*["d" * 40] * 12, "long.txt")
    on_disk = rf"\\?\{long}" if os.name == "nt" else str(long)
    os.makedirs(os.path.dirname(on_disk))  # noqa: PTH103, PTH120 - `Path` drops the prefix
    Path(on_disk).write_bytes(b"long path\n")
    assert text(long) == text(long, anyread.Reader(roots=[room])) == "1\tlong path"
    assert text(long.relative_to(room)) == "1\tlong path"


def test_directory_is_listed_with_slashes(room: Path) -> None:
    shown = text(room, anyread.Reader(directories="list"))
    assert "a.txt" in shown
    assert "sub/" in shown
    reader = anyread.Reader(roots=[room])
    assert reader.files("sub") == ["sub/in.txt"]
    assert reader.files("Secret", "*.txt") == ["Secret/s.txt"]


def test_file_stays_free_for_other_programs(room: Path) -> None:
    path = room / "busy.txt"
    path.write_bytes(b"first line\r\nsecond\r\n")
    with path.open("r+b"):
        assert text(path) == WHOLE
    with anyread.Reader().open_sync(path) as file:
        assert file.head(5) == b"first"
        path.rename(room / "moved.txt")
    assert text(room / "moved.txt") == WHOLE
    (room / "moved.txt").unlink()


def test_session_tells_whether_a_file_changed_since_its_last_read(room: Path) -> None:
    """On Windows, `st_ctime` is the time of creation, so each file that was edited counted as modified."""
    path = room / "edited.txt"
    path.write_bytes(b"one\n")
    tool = anyread.tool("llm-gateway")
    assert "one" in tool.call_sync({"filePath": str(path)})["context"]
    assert tool.session.check(path) == "fresh"
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert tool.session.check(path) == "modified"
    tool.call_sync({"filePath": str(path)})
    assert tool.session.check(path) == "fresh"
    path.unlink()


def test_any_window_of_a_large_file_is_read(room: Path) -> None:
    path, line, count = room / "big.log", b"2026-11-28T12:00:00 INFO request %09d served in 12 ms\n", 300_000
    path.write_bytes(b"".join(line % number for number in range(count)))
    for _ in range(2):
        assert f"request {count - 3001:09d}" in text(path, offset=count - 3000, limit=1)
    assert f"request {count - 1:09d}" in text(path, offset=-2)
    path.unlink()


MESSAGES: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"path": "a.txt"}}},
]


def test_server_answers_in_lines_that_end_with_lf(room: Path) -> None:
    command = [sys.executable, "-m", "anyread", "mcp", "--root", str(room)]
    answers = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in MESSAGES:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()
            if "id" in message:
                answers.append(server.stdout.readline())
        server.stdin.close()
        assert server.wait(30) == 0
    assert "first line" in str(json.loads(answers[-1])["result"]["content"])
    assert [answer.endswith(b"\r\n") for answer in answers] == [False] * len(answers)


@pytest.mark.parametrize(
    ("arguments", "given", "shown"),
    [
        (["read", "a.txt"], None, "first line"),
        (["c.py:6"], None, "def g"),
        (["read", "Ünïcode 文件 😀.txt"], None, "naïve ☕"),
        (["read", "-"], b"from stdin\r\n", "from stdin"),
        (["doctor"], None, "paths in roots:"),
    ],
)
def test_command_line_reads(arguments: list[str], given: bytes | None, shown: str, room: Path) -> None:
    command = [sys.executable, "-m", "anyread", *arguments]
    ran = subprocess.run(command, input=given, cwd=room, capture_output=True, check=True)
    assert shown in ran.stdout.decode()

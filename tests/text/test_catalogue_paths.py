"""Rows of docs/catalogue.md about paths and special files.

The last ones are about roots and deny rules; `tests/reader/test_reader_roots.py` has more of those.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import errors
from helpers.texts import TextReader, read_text


def write(directory: Path, name: str, data: bytes | str) -> Path:
    path = directory / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def codes(page: Any) -> set[str]:
    """Return the codes of a result's notices."""
    return {notice.code for notice in page.notices}


def refused_at_once(path: Path | str) -> errors.NotRegularFileError:
    """Return the error for a path that is not a regular file; it must be raised without delay."""
    started = time.monotonic()
    with pytest.raises(errors.NotRegularFileError) as caught:
        read_text(path)
    assert time.monotonic() - started < 5
    return caught.value


def test_fifo_without_a_writer_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused_at_once(tmp_path / "pipe").file_type == "FIFO"


def test_unix_socket_is_refused() -> None:
    # The path of a socket has at most 107 bytes.
    with socket.socket(socket.AF_UNIX) as listener, tempfile.TemporaryDirectory() as directory:
        listener.bind(f"{directory}/s")
        assert refused_at_once(f"{directory}/s").file_type == "socket"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/random", "/dev/null", "/dev/tty"])
def test_character_device_is_refused(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"needs {device}")
    assert refused_at_once(device).file_type == "character device"


def test_standard_input_from_a_pipe_is_refused() -> None:
    script = (
        "import anyread\n"
        "try:\n anyread.read_sync('/dev/stdin')\n"
        "except anyread.errors.NotRegularFileError as error:\n print(error.file_type)\n"
    )
    run = [sys.executable, "-c", script]
    with subprocess.Popen(run, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.read() == "FIFO\n"


def test_link_to_a_fifo_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "notes.txt").symlink_to("pipe")
    assert refused_at_once(tmp_path / "notes.txt").file_type == "FIFO"


def test_proc_files_of_size_zero_are_read() -> None:
    page = read_text("/proc/self/status")
    assert page.content.startswith("Name:\t")
    assert page.total_lines == page.content.count("\n")
    assert "empty_file" not in codes(page)


def test_sys_file_that_reports_4096_bytes_is_read() -> None:
    path = Path("/sys/devices/system/cpu/online")
    if not path.exists():
        pytest.skip("needs /sys")
    assert read_text(path).content == path.read_text()


@pytest.mark.parametrize("path", ["/proc/kmsg", "/proc/self/mem", "/proc/self/environ", "/proc/{}/environ"])
def test_secrets_of_proc_are_denied(path: str) -> None:
    path = path.format(os.getpid())
    if not Path(path).exists():
        pytest.skip(f"needs {path}")
    with pytest.raises(errors.DeniedError):
        read_text(path)


@pytest.mark.slow
def test_deadline_ends_a_long_read(tmp_path: Path) -> None:
    path = write(tmp_path, "slow.log", b"line\n" * 4_000)
    os.truncate(path, 1 << 40)
    reader = TextReader(limits=anyread.Limits(timeout_s=0.1))
    with pytest.raises(errors.ReadTimeoutError) as caught:
        reader.read_sync(path, offset=10**9)
    assert caught.value.timeout_s == 0.1


def test_directory_lists_its_entries(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        write(tmp_path, name, "x")
    with pytest.raises(errors.DirectoryError) as caught:
        read_text(tmp_path)
    assert caught.value.entries == ("a.txt", "b.txt")
    assert not caught.value.more


def test_link_loop_and_dangling_link_raise_errors(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(errors.FileSystemError) as caught:
        read_text(tmp_path / "a")
    assert "ELOOP" in str(caught.value)
    with pytest.raises(errors.NotFoundError) as missing:
        read_text(tmp_path / "dangling")
    assert missing.value.dangling_link == str(tmp_path / "dangling")


@pytest.fixture
def searchable() -> Iterator[Path]:
    """Yield a directory that every user may search; only the owner may search those of pytest."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


def as_nobody(read: Callable[[], object]) -> None:
    """Call `read`, without the privileges of root if this process has them."""
    if os.geteuid() != 0:
        read()
        return
    os.seteuid(65_534)
    try:
        read()
    finally:
        os.seteuid(0)


def test_file_without_permission_is_named(searchable: Path) -> None:
    path = write(searchable, "secret.txt", "x\n")
    path.chmod(0)
    with pytest.raises(errors.AccessError) as caught:
        as_nobody(lambda: read_text(path))
    assert caught.value.part == str(path)


def test_unsearchable_parent_is_named(searchable: Path) -> None:
    parent = searchable / "closed"
    parent.mkdir()
    path = write(parent, "x.txt", "x\n")
    parent.chmod(0)
    try:
        with pytest.raises(errors.AccessError) as caught:
            as_nobody(lambda: read_text(path))
        assert caught.value.part == str(parent)
    finally:
        parent.chmod(0o755)


@pytest.mark.parametrize(
    ("on_disk", "asked"),
    [
        pytest.param(
            "at 9.22.20\u202fPM.txt",
            "at 9.22.20 PM.txt",
            id="narrow_space",
        ),
        pytest.param("v\u00a013.05.05.txt", "v 13.05.05.txt", id="no_break_space"),
        pytest.param(
            unicodedata.normalize("NFD", "äñ.txt"),
            "äñ.txt",
            id="nfd_on_disk",
        ),
        pytest.param(
            "äñ.txt",
            unicodedata.normalize("NFD", "äñ.txt"),
            id="nfc_on_disk",
        ),
        pytest.param(
            unicodedata.normalize("NFD", "한글.txt"),
            "한글.txt",
            id="hangul",
        ),
    ],
)
def test_name_that_looks_the_same_is_found(tmp_path: Path, on_disk: str, asked: str) -> None:
    path = write(tmp_path, on_disk, "found\n")
    page = read_text(tmp_path / asked)
    assert page.content == "found\n"
    assert page.resolved_path == str(path)
    assert "path_repaired" in codes(page)


def test_exact_name_wins(tmp_path: Path) -> None:
    name = "at 9.22.20\u202fp.m..txt"
    write(tmp_path, name, "exact\n")
    write(tmp_path, name.replace("\u202f", " "), "other\n")
    page = read_text(tmp_path / name)
    assert page.content == "exact\n"
    assert "path_repaired" not in codes(page)


def test_name_in_two_unicode_forms_is_exact_or_ambiguous(tmp_path: Path) -> None:
    write(tmp_path, "ä b.txt", "nfc\n")
    write(tmp_path, unicodedata.normalize("NFD", "ä b.txt"), "nfd\n")
    assert read_text(tmp_path / "ä b.txt").content == "nfc\n"
    with pytest.raises(errors.AmbiguousPathError) as caught:
        read_text(tmp_path / "ä\u00a0b.txt")
    assert len(caught.value.candidates) == 2


def test_only_a_leading_tilde_and_slash_mean_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    write(home, "x.txt", "home\n")
    write(tmp_path, "~x", "tilde\n")
    write(tmp_path, "foo~", "backup\n")
    assert read_text("~/x.txt").content == "home\n"
    assert read_text("~x").content == "tilde\n"
    assert read_text("foo~").content == "backup\n"


def test_directory_named_tilde_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~").mkdir()
    write(tmp_path / "~", "x.txt", "exact\n")
    assert read_text("~/x.txt").content == "exact\n"


@pytest.mark.parametrize("form", ['"{}"', "'{}'", "`{}`", "{}\n", " {} ", "file://{}"])
def test_quotes_urls_and_spaces_are_stripped_if_no_file_matches(tmp_path: Path, form: str) -> None:
    path = write(tmp_path, "a.txt", "found\n")
    page = read_text(form.format(path))
    assert page.content == "found\n"
    assert page.resolved_path == str(path)


def test_quoted_name_that_exists_wins(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", "plain\n")
    write(tmp_path, "a.txt\n", "with newline\n")
    assert read_text(f"{tmp_path}/a.txt\n").content == "with newline\n"


@pytest.mark.parametrize("name", [b"new\nline.txt", b"bytes \xff\xfe.txt", b"caf\xe9"])
def test_odd_name_can_be_read_again_as_it_is_shown(tmp_path: Path, name: bytes) -> None:
    path = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(path)).write_bytes(b"odd\n")
    page = read_text(path)
    assert page.content == "odd\n"
    page.path.encode("utf-8")
    page.resolved_path.encode("utf-8")
    assert read_text(page.path).content == "odd\n"
    assert read_text(os.fsdecode(path)).content == "odd\n"


def test_path_of_5000_characters_is_refused(tmp_path: Path) -> None:
    with pytest.raises((errors.BadPathError, errors.FileSystemError)):
        read_text(str(tmp_path) + "/a" * 2_500)
    with pytest.raises((errors.BadPathError, errors.FileSystemError)):
        read_text(str(tmp_path / ("a" * 300)))


@pytest.mark.slow
def test_link_swapped_during_reads_never_escapes_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for directory, text in ((root / "in", "inside\n"), (outside, "outside\n")):
        directory.mkdir(parents=True)
        write(directory, "x.txt", text)
    swapper = subprocess.Popen([sys.executable, "-c", SWAPPER, root, outside])
    try:
        reader = TextReader(roots=[root])
        seen = set()
        deadline = time.monotonic() + 1.0
        while time.monotonic() < deadline:
            try:
                seen.add(reader.text("in/x.txt").content)
            except (errors.OutsideRootError, errors.NotFoundError) as error:
                seen.add(error.code)
    finally:
        swapper.kill()
        swapper.wait()
    assert "inside\n" in seen
    assert seen <= {"inside\n", "outside_root", "not_found"}


SWAPPER = """
import os, sys
root, outside = sys.argv[1:]
inside, parked, link = f"{root}/in", f"{root}/parked", f"{root}/link"
while True:
    os.symlink(outside, link)
    os.rename(inside, parked)
    os.rename(link, inside)
    os.unlink(inside)
    os.rename(parked, inside)
"""

"""Lines and their numbers, compared with `grep -n ''`, `sed -n`, `tail` and `wc -l`.

One file is over 20 MiB, so that windows come from the line index, cold and warm.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread import Gutter
from helpers.texts import TextReader

MIB = 1024 * 1024
PLENTY = 10**9

pytestmark = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in ("grep", "sed", "wc")), reason="needs grep, sed and wc"
)


def output_of(*command: str | Path) -> bytes:
    """Return the output of a tool in the C locale, where a byte is a character."""
    run = subprocess.run(command, env=os.environ | {"LC_ALL": "C"}, capture_output=True, check=False)
    assert run.stderr == b""
    return run.stdout


def wc_lines(path: Path) -> int:
    """Return the count of `wc -l`, plus one if the last line is unterminated."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return 0
        file.seek(-1, os.SEEK_END)
        unterminated = file.read(1) != b"\n"
    return int(output_of("wc", "-l", path).split()[0]) + unterminated


def sed_lines(path: Path, first: int, last: int) -> bytes:
    """Return lines `first` to `last` as `sed` prints them."""
    # Quitting at an unterminated last line would make sed add a newline to it.
    return output_of("sed", "-n", f"{first},{last}p;{last + 1}q", path)


@pytest.fixture
def unlimited() -> Any:
    """Return a reader that clips nothing, with the gutter of `grep -n`."""
    return TextReader(
        limits=anyread.Limits(max_lines=PLENTY, max_line_chars=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY),
        gutter=Gutter(separator=":"),
    )


FILES = {
    "plain": b"one\ntwo\nthree\n",
    "unterminated": b"one\ntwo\nthree",
    "one-newline": b"\n",
    "newlines": b"\n\n\n\n\n",
    "crlf": b"one\r\ntwo\r\n\r\nfour\r\n",
    "mixed": b"one\r\ntwo\nthree\r\n",
    "lone-cr": b"progress 1\rprogress 2\rdone\nnext\n",
    "no-line-ends": "one\ftwo\vthree\x1cfour\x1dfive\x1esix\u0085seven\u2028eight\u2029nine\nten\n".encode(),
    "wide": "漢字\n😀😀\n\ne\u0301\n".encode(),
    "looks-numbered": b"12:foo\n   12\tfoo\n1:\n",
    "trailing-space": b"one  \n \n\t\n",
    "long-line": b"x" * 70_000 + b"\n" + b"y\n",
}


@pytest.mark.parametrize("name", FILES)
def test_numbers_equal_grep(tmp_path: Path, unlimited: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    page = unlimited.read_sync(path)
    expected = output_of("grep", "-an", "", path).decode()
    # Shown lines have no line endings, and the CR of a CRLF belongs to the ending.
    assert page.text + "\n" == expected.replace("\r\n", "\n")
    assert page.total_lines == wc_lines(path)


@pytest.mark.parametrize("name", FILES)
def test_content_equals_sed(tmp_path: Path, unlimited: Any, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    total = wc_lines(path)
    for first in range(1, total + 1):
        for last in range(first, total + 1):
            page = unlimited.read_sync(path, offset=first, limit=last - first + 1)
            assert page.content.encode() == sed_lines(path, first, last)


def test_random_files_equal_grep_and_sed(tmp_path: Path, unlimited: Any) -> None:
    generator = random.Random(20_261_121)
    pieces = [b"", b"a", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\r", b"\r\n", b"\n", b" " * 50, b"\xe2\x80\xa8"]
    for number in range(60):
        path = tmp_path / f"random-{number}"
        data = b"".join(generator.choices(pieces, k=generator.randrange(1, 400)))
        # The newline that grep adds after a final CR would look like a CRLF of the file.
        path.write_bytes(b"first\n" + data + (b"." if data.endswith(b"\r") else b""))
        page = unlimited.read_sync(path)
        expected = output_of("grep", "-an", "", path).decode()
        assert page.text.encode() + b"\n" == expected.replace("\r\n", "\n").encode()
        total = wc_lines(path)
        assert page.total_lines == total
        first = generator.randint(1, total)
        last = generator.randint(first, total)
        window = unlimited.read_sync(path, offset=first, limit=last - first + 1)
        assert window.content.encode() == sed_lines(path, first, last)


# ---------------------------------------------------------------- a file large enough for the index


def write_log(path: Path, size: int, seed: int) -> None:
    """Write lines of very different lengths: most short, some empty, a few of 20 KB."""
    generator = random.Random(seed)
    with path.open("wb") as file:
        while file.tell() < size:
            block = bytearray()
            for number in range(2_000):
                length = generator.choice((0, 1, 30, 60, 61, 90, 200))
                block += b"%d %s\n" % (number, b"." * length)
            if generator.random() < 0.3:
                block += b"long " * 4_000 + "é\r\n".encode()
            file.write(block)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a log of more than 20 MiB that no test changes."""
    path = tmp_path_factory.mktemp("judges") / "big.log"
    write_log(path, 21 * MIB, seed=1)
    return path


@pytest.fixture
def copy(tmp_path: Path, log: Path) -> Iterator[Path]:
    """Return a copy of the log for a test to change."""
    path = tmp_path / "copy.log"
    shutil.copyfile(log, path)
    yield path
    path.unlink(missing_ok=True)


def assert_windows(reader: Any, path: Path, shares: tuple[float, ...] = (0.5, 0.97)) -> None:
    """Compare the total, some windows, and the first and the last lines with the tools."""
    total = wc_lines(path)
    for share in shares:
        first = int(total * share) + 1
        page = reader.text(path, offset=first, limit=20)
        assert page.content.encode() == sed_lines(path, first, min(first + 19, total))
        assert (page.start_line, page.total_lines) == (first, total)
    assert reader.text(path, limit=20).content.encode() == sed_lines(path, 1, 20)
    tail = reader.text(path, offset=-20)
    assert tail.content.encode() == output_of("tail", "-n", "20", path)
    assert (tail.start_line, tail.end_line, tail.total_lines) == (total - 19, total, total)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, 0.2, 0.6, 0.9, 0.9999])
def test_window_cold_and_warm_equals_sed(log: Path, unlimited: Any, share: float) -> None:
    total = wc_lines(log)
    first = int(total * share) + 1
    expected = sed_lines(log, first, first + 49)
    anyread.clear_caches()
    for _ in ("cold", "warm", "warm"):
        page = unlimited.read_sync(log, offset=first, limit=50)
        assert page.content.encode() == expected
        assert (page.start_line, page.total_lines) == (first, total)


@pytest.mark.slow
def test_tail_cold_and_warm_equals_tail(log: Path, unlimited: Any) -> None:
    total = wc_lines(log)
    for lines in (1, 2, 100, 5_000):
        expected = output_of("tail", "-n", str(lines), log)
        anyread.clear_caches()
        for _ in ("cold", "warm"):
            page = unlimited.read_sync(log, offset=-lines)
            assert page.content.encode() == expected
            assert (page.start_line, page.end_line) == (total - lines + 1, total)


@pytest.mark.slow
def test_every_line_number_equals_grep(log: Path, unlimited: Any) -> None:
    page = unlimited.read_sync(log)
    assert page.text.encode() + b"\n" == output_of("grep", "-an", "", log).replace(b"\r\n", b"\n")


@pytest.mark.slow
def test_growth_by_append_is_noticed(copy: Path, unlimited: Any) -> None:
    assert_windows(unlimited, copy)
    for appended in (b"one more\n", b"begun", b" and ended\r\n", b"x" * 300_000, b"\n" * 40_000):
        with copy.open("ab") as file:
            file.write(appended)
        assert_windows(unlimited, copy)


@pytest.mark.slow
def test_replacement_by_rename_is_noticed(tmp_path: Path, copy: Path, unlimited: Any) -> None:
    assert_windows(unlimited, copy)
    other = tmp_path / "other.log"
    write_log(other, copy.stat().st_size + MIB, seed=2)
    other.rename(copy)
    assert_windows(unlimited, copy)


@pytest.mark.slow
def test_same_size_rewrite_is_noticed(copy: Path, unlimited: Any) -> None:
    assert_windows(unlimited, copy)
    data = copy.read_bytes()
    half = len(data) // 2
    # The same bytes in another order: the size is equal, but the lines of every window differ.
    with copy.open("r+b") as file:
        file.write(data[half:] + data[:half])
    assert_windows(unlimited, copy)


@pytest.mark.slow
def test_same_size_rewrite_with_the_old_mtime_is_noticed(copy: Path, unlimited: Any) -> None:
    assert_windows(unlimited, copy)
    stat = copy.stat()
    data = copy.read_bytes()
    with copy.open("r+b") as file:
        file.write(data.replace(b"\n0 ", b"0\n ", 5_000).replace(b".\n", b"\n.", 9_000))
    os.utime(copy, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert copy.stat().st_size == stat.st_size
    assert_windows(unlimited, copy)


@pytest.mark.slow
def test_truncation_and_regrowth_is_noticed(copy: Path, unlimited: Any) -> None:
    assert_windows(unlimited, copy)
    data = copy.read_bytes()
    with copy.open("r+b") as file:
        file.truncate(0)
        file.write(data.replace(b"\n1 ", b"1\n ") + b"tail\n" * 50_000)
    assert_windows(unlimited, copy)


@pytest.mark.slow
def test_growth_without_trust_append_rebuilds_the_index(copy: Path) -> None:
    limits = anyread.Limits(trust_append=False, max_line_chars=PLENTY, max_tokens=PLENTY, max_bytes=PLENTY)
    reader = TextReader(limits=limits)
    assert_windows(reader, copy)
    data = copy.read_bytes()
    # An edit in the middle that also grows the file, which `trust_append=True` may miss.
    middle = data.index(b"\n", len(data) // 2)
    with copy.open("r+b") as file:
        file.seek(middle)
        file.write(b"\n\n\n\n\n")
        file.seek(0, os.SEEK_END)
        file.write(b"grown\n")
    assert_windows(reader, copy)

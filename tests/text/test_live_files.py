"""Files that change under the reads: every line returned is a line that was written, in order.

A writer in its own process appends lines whose text follows from their number, and truncates, replaces
or deletes the file; the readers here know what each line must be.
"""

from __future__ import annotations

import inspect
import random
import re
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import anyread
from anyread import Gutter, errors

# A declared result is any kind of page; these tests know that theirs are text.
from texts import TextReader, read_text

MIB = 1024 * 1024
PLENTY = 10**9


def line(number: int) -> str:
    """Return the line that the writer writes under this number."""
    body = f"{number:010d} {'x' * (number * 7919 % 180)}"
    return f"{body} {zlib.crc32(body.encode()):08x}\n"


# Run by a process that knows nothing of anyread.
WRITER = f"""
import os, sys, zlib
{inspect.getsource(line)}
"""
WRITER += """
path, mode, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
def fresh():
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
file, number, written = fresh(), 1, 0
while True:
    batch = "".join(line(n) for n in range(number, number + 40)).encode()
    os.write(file, batch)
    number, written = number + 40, written + len(batch)
    if number == 41:
        print("begun", flush=True)
    if written < size:
        continue
    written = 0
    if mode == "truncate":
        os.ftruncate(file, 0)
    elif mode == "replace":
        os.close(file)
        other = os.open(path + ".new", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(other, line(number).encode())
        os.rename(path + ".new", path)
        file, number = other, number + 1
    elif mode == "delete":
        os.close(file)
        os.unlink(path)
        file = fresh()
    else:
        sys.stdin.read()
"""


@contextmanager
def writer(path: Path, mode: str, size: int) -> Iterator[None]:
    """Let a process write until the end of the block."""
    command = [sys.executable, "-c", WRITER, str(path), mode, str(size)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        yield
        assert process.poll() is None, "the writer died"
    finally:
        process.kill()
        process.communicate()


def assert_written(content: str) -> int | None:
    """Check that a page holds consecutive lines that were written; return the first one's number.

    The snapshot may end inside a line: then, and only at the end, part of a line stands.
    """
    lines = content.splitlines(keepends=True)
    first = None
    for index, shown in enumerate(lines):
        if first is None:
            match = re.match(r"\d{10} ", shown)
            if match is None:
                assert index == len(lines) - 1, f"a line that was never written: {shown!r}"
                assert re.fullmatch(r"\d{0,10}", shown)
                return None
            first = int(match[0])
        expected = line(first + index)
        if index == len(lines) - 1 and not shown.endswith("\n"):
            assert expected.startswith(shown)
        else:
            assert shown == expected
    return first


def read_live(path: Path, mode: str, seconds: float) -> Counter[str]:
    """Read windows of a live file for some seconds; return how often each thing happened."""
    chance = random.Random(mode)
    reader = TextReader(
        limits=anyread.Limits(max_tokens=PLENTY, max_bytes=PLENTY, exact_total=True), gutter=Gutter.NONE
    )
    seen: Counter[str] = Counter()
    deadline = time.monotonic() + seconds
    total = 1
    while time.monotonic() < deadline:
        offset = chance.choice((1, -1, -200, chance.randint(1, total), chance.randint(1, total)))
        try:
            page = reader.text(path, offset=offset, limit=chance.choice((1, 20, 300)))
        except (errors.FileChangedError, errors.OffsetPastEndError, errors.NotFoundError) as error:
            seen[error.code] += 1
            total = getattr(error, "total_lines", total) or 1
            continue
        assert page.total_lines is not None
        total = max(1, page.total_lines)
        first = assert_written(page.content)
        seen["read"] += 1
        if mode == "grow" and first is not None:
            # Nothing was ever removed, so line N of the file is line N of the writer.
            assert first == page.start_line
            shown = len(page.content.splitlines())
            assert page.end_line == page.start_line + shown - 1 <= total
    return seen


@pytest.mark.catalogue(row=128)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "size"), [("grow", 48 * MIB), ("truncate", 3 * MIB), ("replace", 2 * MIB), ("delete", 2 * MIB)]
)
def test_live_file_every_line_was_written_in_order(tmp_path: Path, mode: str, size: int) -> None:
    path = tmp_path / "live.log"
    with writer(path, mode, size):
        seen = read_live(path, mode, seconds=1.5)
    assert seen["read"] >= 30, seen
    if mode == "grow":
        assert set(seen) == {"read"}, "a file that only grows is always consistent"
    elif mode != "delete":
        assert seen["not_found"] == 0, "the path never stopped existing"


@pytest.mark.torture
@pytest.mark.parametrize(
    ("mode", "size"),
    [("grow", 4_096 * MIB), ("truncate", 1 * MIB), ("truncate", 20 * MIB), ("replace", MIB), ("delete", MIB)],
)
def test_live_file_for_a_minute(tmp_path: Path, mode: str, size: int) -> None:
    path = tmp_path / "live.log"
    with writer(path, mode, size):
        seen = read_live(path, mode, seconds=60)
    assert seen["read"] >= 10_000, seen


@pytest.mark.catalogue(row=53)
@pytest.mark.slow
def test_live_file_pages_follow_a_growing_log(tmp_path: Path) -> None:
    path = tmp_path / "live.log"
    with writer(path, "grow", 8 * MIB):
        content = ""
        arguments: anyread.ReadArguments = {"offset": 1, "limit": 500}
        while len(content) < 2 * MIB:
            try:
                page = read_text(path, **arguments)
            except errors.OffsetPastEndError:
                continue
            # A page may end inside a line that is still being written: it is read again from its start.
            complete = page.content[: page.content.rfind("\n") + 1]
            content += complete
            arguments["offset"] += complete.count("\n")
    assert assert_written(content) == 1

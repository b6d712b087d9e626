"""S8: each line that the index finds is the line that `sed` prints, and each tail is the one of `tail`."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import anyread
from anyread import Gutter
from helpers.texts import TextReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from torture.scoreboard import Scale, Score

MIB = 1024 * 1024
PLENTY = 10**12
BATCH = 100
"""Lines that are compared between two changes of a file; one `sed` prints all of them."""


class Shape(NamedTuple):
    """A kind of file, and how the judges read it."""

    make: Callable[[random.Random, int], bytes]
    """Makes about so many bytes of its lines."""
    encoding: str = "utf-8"
    convert: str = "cat"
    """A shell command that turns the file into lines that end with LF, in UTF-8."""
    kind: str | None = None
    """The kind as which it is read, if it would not be text otherwise."""


def lines(ending: bytes, *extra: bytes) -> Callable[[random.Random, int], bytes]:
    """Return a function that makes lines of very different lengths."""

    def make(generator: random.Random, size: int) -> bytes:
        pieces: list[bytes] = []
        while size > 0:
            length = generator.choice((0, 1, 7, 30, 61, 90, 200))
            piece = (
                b"%d " % generator.randrange(10**9) + generator.choice((b"x", "é".encode(), *extra)) * length
            )
            if generator.random() < 0.0005:
                # Longer than a block of the index.
                piece += b"long " * 8_000
            pieces.append(piece + ending)
            size -= len(pieces[-1])
        return b"".join(pieces)

    return make


def utf_16(codec: str) -> Callable[[random.Random, int], bytes]:
    """Return a function that makes lines in UTF-16; the byte of LF is also part of other characters."""
    make = lines(b"\n", "\u0a0a".encode(), "\u010a".encode(), "😀".encode())
    return lambda generator, size: make(generator, size // 2).decode().encode(codec)


SHAPES = {
    "LF": Shape(lines(b"\n")),
    "CRLF": Shape(lines(b"\r\n")),
    "CR": Shape(lines(b"\r"), convert=r"tr '\r' '\n'"),
    "NULs": Shape(lines(b"\n", b"\0", b"\0\0a"), kind="text"),
    "UTF-16LE": Shape(utf_16("utf-16-le"), encoding="utf-16-le", convert="iconv -f UTF-16LE -t UTF-8"),
    "UTF-16BE": Shape(utf_16("utf-16-be"), encoding="utf-16-be", convert="iconv -f UTF-16BE -t UTF-8"),
}


def output_of(command: str, path: Path) -> bytes:
    """Return what a shell command writes about a file, in the C locale."""
    run = subprocess.run(
        ["sh", "-c", command, "sh", str(path)],
        env=os.environ | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert run.stderr == b"", run.stderr
    return run.stdout


def reader_of(shape: Shape, *, trust_append: bool = True) -> Callable[..., bytes]:
    """Return a function that reads a window as the judges' bytes."""
    limits = anyread.Limits(
        max_lines=PLENTY,
        max_line_chars=PLENTY,
        max_bytes=PLENTY,
        max_tokens=PLENTY,
        trust_append=trust_append,
    )
    reader = TextReader(limits=limits, gutter=Gutter.NONE)
    encoding = None if shape.encoding == "utf-8" else shape.encoding

    def read(path: Path, offset: int, limit: int) -> bytes:
        page = reader.text(path, offset=offset, limit=limit, encoding=encoding, kind=shape.kind)
        content = page.content.replace("\r", "\n") if "\\r" in shape.convert else page.content
        return content.encode()

    return read


def compare(
    path: Path, shape: Shape, read: Callable[..., bytes], generator: random.Random
) -> tuple[int, int]:
    """Compare random lines and tails; return how many differ, and how many were compared."""
    total = int(output_of(f'{shape.convert} < "$1" | sed -n "$="', path))
    numbers = sorted(generator.sample(range(1, total + 1), min(BATCH, total)))
    wanted = output_of(
        f'{shape.convert} < "$1" | sed -n "{";".join(f"{number}p" for number in numbers)}"', path
    )
    expected = dict(zip(numbers, wanted.split(b"\n"), strict=False))
    generator.shuffle(numbers)
    failures = 0
    for number in numbers:
        found = read(path, number, 1)
        # Only the last line of a file may have no line ending.
        failures += found.removesuffix(b"\n") != expected[number] or (
            not found.endswith(b"\n") and number != total
        )
    tails = [generator.choice((1, 2, 10, generator.randint(1, total))) for _ in range(BATCH // 10)]
    for tail in tails:
        limit = generator.choice((1, 5, PLENTY))
        expected_tail = output_of(f'{shape.convert} < "$1" | tail -n {tail} | head -n {limit}', path)
        failures += read(path, -tail, limit) != expected_tail
    return failures, len(numbers) + len(tails)


@pytest.mark.parametrize("name", SHAPES)
def test_line_by_index_is_the_line_of_sed(tmp_path: Path, scale: Scale, score: Score, name: str) -> None:
    """The file grows between batches, from lines with and without an ending, and is replaced at times."""
    shape, path = SHAPES[name], tmp_path / "lines.txt"
    generator = random.Random(name)
    read = reader_of(shape)
    failures = count = 0
    wanted = scale(BATCH, 1_800)
    while count < wanted:
        if not path.exists() or generator.random() < 0.2:
            path.write_bytes(shape.make(generator, generator.choice((scale(5, 8), scale(6, 20))) * MIB // 4))
        if generator.random() < 0.5:
            # The last line has no ending; the next growth continues it.
            unterminated = "no ending".encode(shape.encoding)
            with path.open("ab") as file:
                file.write(unterminated)
        found = compare(path, shape, read, generator)
        failures, count = failures + found[0], count + found[1]
        with path.open("ab") as file:
            file.write(shape.make(generator, generator.choice((200, 40_000, MIB))))
    score("S8", name, failures=failures, of=count, unit="lines and tails")


def test_line_by_index_is_the_line_of_sed_behind_a_hole(tmp_path: Path, scale: Scale, score: Score) -> None:
    """Between its lines, the file has holes of NULs, together more than 4 GiB in a full run."""
    shape, path = SHAPES["NULs"], tmp_path / "sparse.txt"
    generator = random.Random("sparse")
    read = reader_of(shape)
    hole = scale(16, 900) * MIB
    islands: list[tuple[int, int]] = []
    with path.open("wb") as file:
        for _ in range(5):
            start = file.tell()
            file.write(shape.make(generator, MIB))
            islands.append((start, file.tell()))
            file.seek(hole, os.SEEK_CUR)
        start = file.tell()
        file.write(shape.make(generator, MIB))
        islands.append((start, file.tell()))
    failures = count = base = 0
    for start, end in islands:
        # `sed` would hold the hole in memory as a part of one line, so it gets what is between two holes.
        part = f'tail -c +{start + 1} "$1" | head -c {end - start}'
        total = int(output_of(f"{part} | wc -l", path))
        # The first line of an island continues the hole.
        numbers = sorted(generator.sample(range(2, total + 1), scale(10, BATCH)))
        wanted = output_of(f'{part} | sed -n "{";".join(f"{number}p" for number in numbers)}"', path)
        for number, expected in zip(numbers, wanted.split(b"\n"), strict=False):
            failures += read(path, base + number, 1) != expected + b"\n"
            count += 1
        base += total
    assert int(output_of('wc -l < "$1"', path)) == base
    for tail in (1, 10, 1_000):
        with path.open("ab") as file:
            file.write(shape.make(generator, 20_000))
        failures += read(path, -tail, PLENTY) != output_of(f'tail -n {tail} "$1"', path)
        count += 1
    score(
        "S8",
        "sparse",
        failures=failures,
        of=count,
        unit="lines and tails",
        detail=f"{path.stat().st_size:,} bytes",
    )

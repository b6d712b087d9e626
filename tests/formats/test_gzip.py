"""The text in gzip files, judged by the pages of the same text in a plain file, and by zlib."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import threading
import zlib
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import anyread
from anyread.errors import DamagedFileError, ReadError, UnsupportedFormatError
from anyread.sources import Commands
from helpers.gzip_files import EMPTY, HEADER, WRITERS, member, mutated
from torture.scoreboard import IS_FULL

WINDOWS, MUTANTS = (2_000, 10_000) if IS_FULL else (24, 300)
OF_FILE = {"path", "resolved_path", "size_bytes", "modified_ns", "version"}
OF_GZIP = {"compression", "text_bytes", "verified"}
FIELDS = [field.name for field in fields(anyread.TextPage) if field.name not in OF_FILE | OF_GZIP]
READER, GZIP_READER = anyread.Reader(), anyread.Reader(decompress=True)
WHOLE_LINES = anyread.Reader(
    decompress=True,
    limits=anyread.Limits(max_line_chars=1 << 30, max_bytes=1 << 30, max_tokens=1 << 30),
)
WORDS = ("error", "café", "naïve", "日本語", "retry", "timeout=30", "\t", "x" * 60)


def page_of(path: Path, **arguments: Any) -> anyread.TextPage:
    """Return a page of the text in a gzip file."""
    page = GZIP_READER.read_sync(path, **arguments)
    assert isinstance(page, anyread.TextPage)
    return page


def text_of(rng: Random, lines: int, end: str = "\n") -> str:
    """Return lines of a log, some of them long."""
    found = []
    for number in range(lines):
        words = rng.choices(WORDS, k=rng.randrange(12) if rng.random() < 0.999 else 9_000)
        found.append(f"{number} {' '.join(words)} {rng.random()}")
    return end.join(found) + rng.choice((end, ""))


@cache
def texts() -> list[tuple[str, bytes]]:
    """Return texts of several sizes, encodings and line ends, each with the ending of its name."""
    rng = Random(0)
    return [
        ("log", text_of(rng, 20_000).encode()),
        ("log", text_of(rng, 9_000, "\r\n").encode("utf-16")),
        ("txt", text_of(rng, 8_000, "\r").encode()),
        ("csv", text_of(rng, 300).encode("latin-1", "replace")),
        ("py", b"class A:\n" + b"    def f(self):\n        return 1\n\n" * 30_000),
        ("jsonl", b'{"id": 1, "text": "caf\xc3\xa9 error"}\n' * 40_000),
        ("md", b"# One\n\ntext error\n\n## Two\n\n" * 9),
        ("txt", b"one line without an end " * 90_000),
        ("txt", b""),
    ]


def arguments_of(rng: Random, total: int) -> dict[str, Any]:
    """Return the arguments of a read of a file with that many lines."""

    def line() -> int:
        return rng.randrange(1, total + 1) if total else 1

    several = sorted({line() for _ in range(rng.randrange(1, 9))})
    choices: list[dict[str, Any]] = [
        {"offset": -rng.randrange(1, total + 2), "limit": rng.randrange(1, 300)},
        {"ranges": [(first, first + rng.randrange(40)) for first in several]},
        {"ranges": [line(), (-rng.randrange(1, 40), -1)]},
        {"around": line()},
        {"find": rng.choice(("error.*retry", "caf", "0.123", "zzzq")), "offset": line()},
        {"offset": line(), "column": rng.randrange(1, 9_000), "limit": rng.randrange(1, 9)},
        {"ranges": [line()]},
        {"offset": rng.randrange(1, total + 100), "max_tokens": rng.randrange(50, 900)},
        {"offset": line(), "limit": rng.randrange(1, 3_000)},
    ]
    return rng.choice(choices)


def shown(reader: anyread.Reader, path: Path, arguments: dict[str, Any]) -> Any:
    """Return all of a page but what differs between the file and its gzip file, or the type of the error."""
    try:
        page = reader.read_sync(path, **arguments)
    except ReadError as error:
        return type(error), error.message.replace(".gz`", "`")
    found = {name: getattr(page, name) for name in FIELDS}
    for name in ("next", "clipped"):
        several = found[name] if name == "clipped" else [found[name]] * (found[name] is not None)
        found[name] = [{**each.arguments, "since_version": ""} for each in several]
    return found


@pytest.mark.timeout(1_800 if IS_FULL else 120)
@pytest.mark.parametrize("writer", WRITERS)
def test_pages_are_those_of_the_plain_file(tmp_path: Path, writer: str) -> None:
    rng = Random(writer)
    several = texts() if IS_FULL else rng.sample(texts(), 3)
    for number, (suffix, text) in enumerate(several):
        plain, packed = tmp_path / f"{number}.{suffix}", tmp_path / f"{number}.{suffix}.gz"
        plain.write_bytes(text)
        packed.write_bytes(WRITERS[writer](text, rng))
        info = READER.info_sync(plain)
        of_gzip = GZIP_READER.info_sync(packed)
        assert (of_gzip.lines, of_gzip.encoding, of_gzip.kind) == (info.lines, info.encoding, info.kind)
        size = info.size_bytes
        assert (of_gzip.text_bytes, of_gzip.verified, of_gzip.compression) == (size, True, "gzip")
        assert of_gzip.size_bytes == packed.stat().st_size
        for _ in range(WINDOWS // len(several) + 1):
            arguments = arguments_of(rng, info.lines or 0)
            expected, found = (
                shown(reader, path, arguments) for reader, path in ((READER, plain), (GZIP_READER, packed))
            )
            if isinstance(found, dict) and "find" in arguments:
                # A search tells the number of lines only if it is known.
                assert {found.pop("total_lines"), expected.pop("total_lines")} <= {None, info.lines}
            assert found == expected, (number, arguments)


def read(path: Path) -> tuple[bytes, bool]:
    """Return the text of a gzip file, page by page, and whether all of it was verified."""
    pages = list(WHOLE_LINES.pages_sync(path, encoding="latin-1", kind="text"))
    is_verified = all(page.verified for page in pages)
    assert is_verified or all(any(n.code == "gzip_damaged" for n in page.notices) for page in pages)
    return "".join(page.content for page in pages).encode("latin-1"), is_verified


def test_wrong_text_is_never_verified(tmp_path: Path) -> None:
    rng, path, ends = Random(54), tmp_path / "a.gz", {"whole": 0, "part": 0, "error": 0}
    names = [name for name in WRITERS if name not in {"zopfli", "empty members"}]
    for number in range(MUTANTS):
        text = text_of(rng, rng.randrange(1, 60)).encode()
        path.write_bytes(mutated(WRITERS[names[number % len(names)]](text, rng), rng))
        try:
            found, is_verified = read(path)
        except (DamagedFileError, anyread.errors.OffsetPastEndError):
            ends["error"] += 1
            continue
        assert not is_verified or found == text, number
        ends["whole" if is_verified else "part"] += 1
        # What is before damage is what zlib returns; a program that fails returns less of it.
        if not is_verified and path.read_bytes().startswith(HEADER):
            inflated = zlib.decompressobj(31)
            try:
                expected = inflated.decompress(path.read_bytes())
            except zlib.error:
                continue
            assert found.startswith(expected), number
    print(ends)
    assert all(ends.values())


def test_every_member_is_shown(tmp_path: Path) -> None:
    """Only the first of two members was shown, without a mark."""
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    page = page_of(path)
    assert page.text == "1\tone\n2\ttwo"
    assert (page.text_bytes, page.verified, page.notices) == (8, True, ())


@pytest.mark.parametrize(
    "inside", [gzip.compress(b"text\n", mtime=0), b"\x89PNG\r\n\x1a\n" + bytes(99), bytes(range(256))]
)
def test_what_is_not_text_inside_is_refused(tmp_path: Path, inside: bytes) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(inside))
    with pytest.raises(UnsupportedFormatError, match="in gzip") as refused:
        GZIP_READER.read_sync(path)
    assert "gzip -dc" in refused.value.hint
    assert GZIP_READER.info_sync(path).kind in {"binary", "image"}


def test_readers_and_contracts_that_do_not_decompress_refuse_it(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\n"))
    with pytest.raises(anyread.errors.BinaryFileError, match="or read it with decompress=True"):
        READER.read_sync(path)
    refused = [
        anyread.tool("claude-code", reader=reader).call_sync({"file_path": str(path)})
        for reader in (GZIP_READER, READER)
    ]
    assert refused[0] == refused[1]
    assert refused[0]["is_error"]
    own = anyread.tool(reader=GZIP_READER).call_sync({"path": str(path)})
    assert (own["compression"], own["content"][0]["text"]) == ("gzip", "1\tone")


def test_following_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\n"))
    with pytest.raises(UnsupportedFormatError, match="cannot be followed"):
        GZIP_READER.follow_sync(path).poll_sync()


def test_rules_for_the_text_apply_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for name in ("a.key.gz", "b.key.GZ", "c.log.gz"):
        (tmp_path / "real" / name).write_bytes(gzip.compress(b"one\n"))
    for rule in ("**/*.key", f"{tmp_path}/link/a.key", "real/*.key", "secrets"):
        reader = anyread.Reader(roots=[tmp_path], deny=[rule], decompress=True)
        with pytest.raises(anyread.errors.DeniedError):
            reader.read_sync("real/a.key.gz")
        assert reader.read_sync("real/c.log.gz").text == "1\tone"


def test_text_of_a_growing_file_is_that_before_its_end(tmp_path: Path) -> None:
    path, compressor = tmp_path / "a.log.gz", zlib.compressobj(wbits=31)
    written = b""
    with path.open("wb") as file:
        for number in range(12):
            text = f"line {number}\n".encode() * 50_000
            file.write(compressor.compress(text) + compressor.flush(zlib.Z_SYNC_FLUSH))
            file.flush()
            written += text
            page = page_of(path, offset=-1)
            assert (page.text_bytes, page.verified) == (len(written), False)
            assert page.total_lines == 50_000 * (number + 1)
        file.write(compressor.flush())
    assert page_of(path, offset=-1).verified


def test_records_are_read_inside(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    plain.write_bytes(b"".join(b'{"id": %d, "list": [1, {"a": "b"}]}\n' % number for number in range(90_000)))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for arguments in (
        {"at": "80001/list/1"},
        {"kind": "records", "offset": 70_000},
        {"at": "2", "find": "b"},
    ):
        expected, found = READER.read_sync(plain, **arguments), GZIP_READER.read_sync(packed, **arguments)
        assert (found.text, found.kind) == (expected.text, "records")


@pytest.mark.posix("a path that is also one of a sandbox")
def test_file_of_a_mount_is_fetched_completely(tmp_path: Path) -> None:
    def run(argv: list[str]) -> tuple[int, bytes]:
        done = subprocess.run(argv, capture_output=True, check=False)
        return done.returncode, done.stdout

    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(text_of(Random(1), 40_000).encode()))
    reader = anyread.Reader(mounts={str(tmp_path): Commands(run)}, decompress=True)
    for arguments in ({"offset": 30_000, "limit": 9}, {"offset": -9}):
        assert shown(reader, path, arguments) == shown(GZIP_READER, path, arguments)


def test_text_over_the_limit_is_refused_whether_it_is_known_or_not(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"line\n" * 600_000))
    reader = anyread.Reader(decompress=True, limits=anyread.Limits(max_gzip_bytes=1_000_000))
    for _ in range(2):
        with pytest.raises(anyread.errors.TooLargeError, match="bytes of text"):
            reader.read_sync(path)
        os.utime(path, (1, 1))
        assert page_of(path).total_lines == 600_000


ZEROS = member(bytes(1 << 20), header=b"", flush=zlib.Z_FULL_FLUSH, every=1 << 20)[:-10]
"""A MiB of zeros inside a member."""
HOSTILE: dict[str, Callable[[int], bytes]] = {
    "empty members": lambda size: EMPTY * (size // len(EMPTY)),
    "zeros": lambda size: EMPTY + bytes(size),
    "a name": lambda size: HEADER[:3] + b"\x08" + HEADER[4:] + b"n" * size,
    "a bomb": lambda size: HEADER + ZEROS * (size >> 14),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_is_cancelled_at_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(HOSTILE[name](1 << 30 if IS_FULL else 40 << 20))
    reader = anyread.Reader(decompress=True, limits=anyread.Limits(timeout_s=0.05))
    ends = anyread.errors.ReadTimeoutError, DamagedFileError, UnsupportedFormatError
    shown = ""
    with contextlib.suppress(*ends):
        shown = reader.read_sync(path).text
    # As for `gzip`, zeros after a member are no part of the file.
    assert shown in {"", "[the file is empty]"}
    assert not shown or name == "zeros"
    assert threading.active_count() < 60

"""Files that a test changes in one of many ways, and what the library answers before and after."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, Any

import anyread
from anyread import Gutter, Unchanged
from anyread.session import Session, Stamp
from helpers.texts import TextReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WIDTH = 32
"""Bytes of each line."""
ROWS = {"small": 200, "large": 36_000}
"""Lines of a file that is read completely and recorded with its hash, and of one that has an index."""
REUSES = 40
"""How often a file is created again until it has the same inode number."""


def content(rows: int, seed: int) -> bytes:
    """Return lines of the same width with random digits."""
    digits = random.Random(seed).randbytes(11 * rows).hex().encode()
    return b"".join(b"%08d %b\n" % (row, digits[22 * row - 22 : 22 * row]) for row in range(1, rows + 1))


def put(path: Path, data: bytes, mode: str = "wb", position: int = 0) -> None:
    """Write to a file; "r+b" keeps what is not overwritten."""
    with path.open(mode, buffering=0) as file:
        file.seek(position, os.SEEK_END if mode == "ab" else os.SEEK_SET)
        file.write(data)


def append(path: Path, rows: int, seed: int) -> None:
    put(path, content(7, seed), "ab")


def copytruncate(path: Path, rows: int, seed: int) -> None:
    """Copy the file away, truncate it, and fill it again: less, as much, or more than before."""
    os.truncate(path, 0)
    put(path, content(rows + (-9, 0, 9)[seed % 3], seed), "r+b")


def rotation(path: Path, rows: int, seed: int) -> None:
    """Rename the file and create a new one of the same size."""
    path.rename(path.with_suffix(".1"))
    put(path, content(rows, seed))


def replacement(path: Path, rows: int, seed: int) -> None:
    """Rename a new file of the same size and modification time over the file."""
    new, before = path.with_suffix(".new"), path.stat()
    put(new, content(rows, seed))
    os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
    new.rename(path)


def rewriting(path: Path, rows: int, seed: int) -> None:
    """Write other lines over the file, which keeps its size."""
    put(path, content(rows, seed), "r+b")


def edit(path: Path, rows: int, seed: int) -> None:
    """Overwrite a line in place by as many line endings, which renumbers the lines after it."""
    put(path, b"\n" * WIDTH, "r+b", seed % (rows // 2) * WIDTH)


def restored_time(path: Path, rows: int, seed: int) -> None:
    """Edit a line in place and restore the modification time."""
    before = path.stat()
    edit(path, rows, seed)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def inode_reuse(path: Path, rows: int, seed: int) -> None:
    """Delete the file and create it until its inode number is the same; restore its size and time."""
    before = path.stat()
    for _ in range(REUSES):
        path.unlink()
        put(path, b"")
        if path.stat().st_ino == before.st_ino:
            break
    put(path, content(rows, seed), "r+b")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def edit_and_growth(path: Path, rows: int, seed: int) -> None:
    """Edit a line in place and append others."""
    edit(path, rows, seed)
    append(path, rows, seed)


def head_edit_and_growth(path: Path, rows: int, seed: int) -> None:
    """Edit one of the first lines in place and append others."""
    edit(path, rows, seed % 100)
    append(path, rows, seed)


CHANGES: dict[str, Callable[[Path, int, int], None]] = {
    change.__name__: change
    for change in (
        append,
        copytruncate,
        rotation,
        replacement,
        rewriting,
        edit,
        restored_time,
        inode_reuse,
        edit_and_growth,
        head_edit_and_growth,
    )
}
"""All changes: functions of the path, the number of lines in the file, and a seed."""


class Readers:
    """What reads the files: readers with an index, a session, and a tool that answers with stubs."""

    def __init__(self) -> None:
        limits = anyread.Limits(exact_total=True)
        self.reader = TextReader(limits=limits, gutter=Gutter.NONE)
        self.strict = TextReader(
            limits=anyread.Limits(exact_total=True, trust_append=False), gutter=Gutter.NONE
        )
        self.session = Session()
        self.recorded = anyread.Reader(session=self.session)
        self.tool = anyread.tool("claude-code", settings={"stub_unchanged": True})


class Observed:
    """A file as it was read before a change, and the answers after it.

    Args:
        readers: What reads it.
        path: The file.
        rows: The number of its lines.
    """

    def __init__(self, readers: Readers, path: Path, rows: int) -> None:
        self.readers, self.path, self.rows = readers, path, rows
        self.row = rows * 2 // 3

    def before(self) -> None:
        """Read the file in each way."""
        readers = self.readers
        self.version = readers.reader.text(self.path, offset=self.row, limit=1).version
        # A small file is read completely, so that its hash is recorded.
        readers.recorded.read_sync(self.path, limit=None if self.rows == ROWS["small"] else 1)
        record = readers.session.snapshot(self.path)
        assert record is not None
        self.is_hashed = record.content_hash is not None
        self.window = {"file_path": str(self.path), "offset": self.row, "limit": 1}
        assert readers.tool.call_sync(self.window)["type"] == "text"
        self.stamp = Stamp.of(self.path.stat())

    def change(self, name: str, seed: int) -> None:
        """Change the file."""
        CHANGES[name](self.path, self.rows, seed)
        self.is_strict = name == "edit_and_growth"

    def after(self) -> dict[str, bool]:
        """Return by way of reading whether its answer fits the file as it is now.

        Where a change left the same stat, there must not have been a version. A session then compares the
        hash of the whole file, and has no answer to check if it was not recorded.
        """
        readers, lines = self.readers, self.path.read_bytes().split(b"\n")
        shown, total = lines[self.row - 1].decode() + "\n", len(lines) - 1
        is_visible = Stamp.of(self.path.stat()) != self.stamp
        answers = {"version": is_visible or not self.version}
        if self.version:
            again = readers.reader.read_sync(self.path, offset=self.row, limit=1, unless_version=self.version)
            answers["unless_version"] = not isinstance(again, Unchanged)
            later = readers.reader.text(self.path, offset=self.row, limit=1, since_version=self.version)
            answers["since_version"] = "changed_since" in [notice.code for notice in later.notices]
        if is_visible or self.is_hashed:
            answers["session"] = readers.session.check(self.path) == "modified"
        output: Any = readers.tool.call_sync(self.window)
        answers["tool"] = output["type"] == "text"
        # After an edit and growth, the index is rebuilt for certain only if growth is not trusted.
        reader = readers.strict if self.is_strict else readers.reader
        page = reader.text(self.path, offset=self.row, limit=1)
        answers["index"] = (page.content, page.total_lines) == (shown, total)
        if not self.is_strict:
            answers["tool"] &= output.get("file", {}).get("content") == shown.removesuffix("\n")
            answers["info"] = anyread.info_sync(self.path).lines == total
        return answers

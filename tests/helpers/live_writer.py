"""A process that writes a live file, and the lines that it writes.

Each line has the number of the line among all that were ever written, its row in the file, and a checksum.
The width of a line depends only on its row, so that a file can be rewritten in place with the same size.

It is run as a script, and imports nothing of anyread.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

CHANGES = ("append", "copytruncate", "rename", "rewrite")
"""What a writer does with its file once it is full; "append" goes on forever."""
BATCH = 40
"""The most lines that are written at once."""


def line(number: int, row: int) -> str:
    """Return the line that is written as line `number` of all, and as row `row` of its file."""
    body = f"{number:010d} {row:07d} {'x' * (row * 7919 % 180)}"
    return f"{body} {zlib.crc32(body.encode()):08x}\n"


class Writer:
    """Writes lines to a file, and changes the file in turn in each of some ways."""

    def __init__(self, path: str, rows: int, batch: int, pause_s: float) -> None:
        self.path, self.old, self.new = Path(path), Path(path + ".1"), Path(path + ".new")
        self.rows, self.batch, self.pause_s = rows, batch, pause_s
        self.number = 1
        self.file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)

    def run(self, changes: tuple[str, ...]) -> None:
        """Change the file until the process is killed."""
        self.fill(1)
        print("begun", flush=True)
        for turn in count():
            change: Callable[[int], None] = getattr(self, changes[turn % len(changes)])
            change(turn // len(changes))
            time.sleep(self.pause_s * (1 + turn * 37 % 5))

    def text(self, row: int) -> bytes:
        """Return the lines of a batch that begins with a row."""
        rows = range(row, min(row + self.batch, self.rows + 1))
        text = "".join(line(self.number + index, row) for index, row in enumerate(rows))
        self.number += len(rows)
        return text.encode()

    def fill(self, row: int) -> None:
        """Append all rows from `row`, in batches."""
        for start in range(row, self.rows + 1, self.batch):
            os.write(self.file, self.text(start))

    def append(self, _turn: int = 0) -> None:
        """Append one batch after the other."""
        for _ in count():
            first, self.rows = self.rows + 1, self.rows + self.batch
            self.fill(first)
            time.sleep(self.pause_s)

    def copytruncate(self, turn: int) -> None:
        """Truncate the file after it was copied, as logrotate does, and fill it again."""
        if turn % 2:
            shutil.copyfile(self.path, self.old)
        os.ftruncate(self.file, 0)
        self.fill(1)

    def rename(self, turn: int) -> None:
        """Replace the file by a new one: by renaming the old one first, or the new one when it has a line."""
        os.close(self.file)
        if turn % 2:
            self.path.rename(self.old)
            self.file = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            self.fill(1)
            return
        self.file = os.open(self.new, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o644)
        os.write(self.file, line(self.number, 1).encode())
        self.number += 1
        self.new.rename(self.path)
        self.fill(2)

    def rewrite(self, turn: int) -> None:
        """Write all rows again: over the old ones, which keeps the size, or after `O_TRUNC`."""
        with self.path.open("wb" if turn % 2 else "r+b", buffering=0) as file:
            file.writelines(self.text(start) for start in range(1, self.rows + 1, self.batch))


@contextmanager
def writing(
    path: Path, *changes: str, rows: int, batch: int = BATCH, pause_s: float = 0.001
) -> Iterator[None]:
    """Run a writer until the end of the block.

    Args:
        path: The file.
        changes: What it does in turn, from `CHANGES`; "append" must be the only one.
        rows: The number of lines that the file has before each change.
        batch: The number of lines that are written at once.
        pause_s: The least time between two changes, or between two batches that are appended.
    """
    command = [sys.executable, __file__, str(path), str(rows), str(batch), str(pause_s), *changes]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        yield
        assert process.poll() is None, "the writer died"
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    path, rows, batch, pause_s, *changes = sys.argv[1:]
    Writer(path, int(rows), int(batch), float(pause_s)).run(tuple(changes))

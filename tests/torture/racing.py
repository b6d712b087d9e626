"""A process that reads paths in a tree that `swapping` attacks.

`python -m torture.racing BASE MODE KIND=COUNT …` prints what became of its reads, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path

import anyread
from torture import opening_modes
from torture.swapping import INSIDE, STRANGER

SWAPPED = [
    "directory/file",
    "./directory/./file",
    "directory/../directory/file",
    "directory//file",
    "plain",
    "link",
    "absolute",
    "through",
    "again",
    "regular",
    "directory-out/file",
    "directory-out/../file",
    "a/b/c/../../../plain",
    "{root}/directory/file",
    "{root}/a/../directory/file",
    "{root}/link",
]
"""Paths that lead to a file inside at some moments, and to nothing or to something outside at others."""
MOVED = ["a/b/c/file", "a/b/c/../c/file", "a/b/../directory/file", "a/b/../../file", "{root}/a/b/../../file"]
"""Paths that lead to a file inside, unless `..` is looked up while `b` is outside."""
OUTSIDERS = [
    "directory",
    "directory-out",
    "directory/../../outside/file",
    "a/b/c/../../../../file",
    "../outside/file",
]
"""Paths that never lead to a file inside."""
DENIED = ["shown/file", "hidden/file", "a/../shown/file", "{root}/hidden/file"]
"""Paths that lead to `public/file`, or to `secrets/file`, which a deny rule protects."""


@dataclass
class Tally:
    """What became of reads."""

    inside: Counter[str] = field(default_factory=Counter)
    """The number of reads of a file inside, per path."""
    refused: Counter[str] = field(default_factory=Counter)
    """The number of refusals, per path."""
    codes: Counter[str] = field(default_factory=Counter)
    """The number of refusals, per code of the error."""
    escapes: list[str] = field(default_factory=list)
    """Reads of something outside, and errors that are not typed or that name something outside."""
    inline: int = 0
    """The number of reads that did not leave the event loop's thread."""

    @property
    def opens(self) -> int:
        return self.inside.total() + self.refused.total() + len(self.escapes)

    def add(self, path: str, content: str) -> None:
        if content == INSIDE:
            self.inside[path] += 1
        else:
            self.escapes.append(f"`{path}` has the content {content!r}")

    def add_error(self, path: str, error: Exception) -> None:
        if not isinstance(error, anyread.ReadError):
            self.escapes.append(f"`{path}` raises {error!r}")
        elif STRANGER in f"{error} {getattr(error, 'entries', '')} {getattr(error, 'near', '')}":
            self.escapes.append(f"the error for `{path}` names something outside: {error}")
        else:
            self.refused[path] += 1
            self.codes[error.code] += 1

    def is_effective(self) -> bool:
        """Whether the reads met the tree in both states: each is at least a tenth of them."""
        return min(self.inside.total(), self.refused.total()) * 10 >= self.opens


def plan(tally: Tally, paths: list[str], count: int) -> Iterator[str]:
    """Yield at least `count` paths, and more until the attack was effective, for at most a minute."""
    yield from islice(cycle(paths), count)
    deadline = time.monotonic() + 60
    while not tally.is_effective() and time.monotonic() < deadline:
        yield from paths


def read_all(reader: anyread.Reader, tally: Tally, paths: Iterator[str]) -> None:
    """Read by blocking."""
    for path in paths:
        try:
            content = reader.read_sync(path, kind="text").content
        except Exception as error:  # noqa: BLE001 - anything but a `ReadError` is a failure, which is reported
            tally.add_error(path, error)
        else:
            tally.add(path, content)


async def read_all_inline(reader: anyread.Reader, tally: Tally, paths: Iterator[str]) -> None:
    """Read in an event loop, where files are opened by other code if that cannot block."""
    for path in paths:
        try:
            content = (await reader.read(path, kind="text")).content
        except Exception as error:  # noqa: BLE001 - anything but a `ReadError` is a failure, which is reported
            tally.add_error(path, error)
        else:
            tally.add(path, content)
    tally.inline = reader.stats()["inline"]


def read_kinds(base: Path, mode: str, counts: dict[str, int]) -> list[Tally]:
    """Read paths of a tree that another process attacks, so many for each kind of reader in `main`."""
    opening_modes.enter(mode)
    root = base / "root"
    readers = {
        kind: anyread.Reader(roots=[root], deny=["secrets/**"] if kind == "denied" else []) for kind in counts
    }
    # The root of a reader is the directory that has its name when the reader is created.
    print("ready", flush=True)
    sys.stdin.readline()
    tallies = []
    for kind, reader in readers.items():
        tally = Tally()
        paths = [
            path.format(root=root)
            for path in (DENIED if kind == "denied" else [*SWAPPED, *MOVED, *OUTSIDERS])
        ]
        planned = plan(tally, paths, counts[kind])
        if kind == "inline":
            asyncio.run(read_all_inline(reader, tally, planned))
        else:
            read_all(reader, tally, planned)
        tallies.append(tally)
    return tallies


def main(base: str, mode: str, *kinds: str) -> None:
    """Read with the kinds "sync", "inline" or "denied" (with a deny rule)."""
    counts = {kind: int(count) for kind, _, count in (argument.partition("=") for argument in kinds)}
    print(json.dumps([vars(tally) for tally in read_kinds(Path(base), mode, counts)]))


if __name__ == "__main__":
    main(*sys.argv[1:])

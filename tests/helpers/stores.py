"""Stores of local files: some that fail, are slow, answer short, change and lie, and one behind a shell."""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anyread.errors import FileChangedError, NotFoundError
from anyread.sources import BLOCK, Blocks, Fetched


class Files:
    """A store of files in memory, which counts what it is asked for.

    Args:
        files: The files, by path.
        fault: How it behaves: "honest", "failing", "short", "slow", "changing".
        counts: Whether it counts line feeds.
        settled: Whether its versions tell any change.
    """

    root = "/"

    def __init__(
        self, files: dict[str, bytes], fault: str = "honest", *, counts: bool = True, settled: bool = True
    ) -> None:
        self.files, self.fault, self.settled = files, fault, settled
        self.random = random.Random(fault)
        self.version = 1
        self.asked: list[tuple[str, Any]] = []
        if counts:
            self.count = self._count

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        self.asked.append(("get", tuple(wanted)))
        await self._behave()
        data = self._data(path, version)
        pieces = []
        for first, length in wanted:
            start = max(-(-len(data) // BLOCK) - length, 0) if first is None else first
            if self.fault == "short":
                length = self.random.randint(1, length)
            pieces.append((start * BLOCK, data[start * BLOCK : (start + length) * BLOCK]))
        counted = data.count(b"\n") if wanted and version is None and hasattr(self, "count") else None
        return Fetched(
            len(data), str(self.version), pieces, is_settled=self.settled, line_feeds=counted, real_path=path
        )

    async def _count(self, path: str, start: int, step: int, steps: int, version: str) -> list[int]:
        self.asked.append(("count", (start, step, steps)))
        await self._behave()
        data = self._data(path, version)
        return [data.count(b"\n", at, at + step) for at in range(start, start + steps * step, step)]

    async def _behave(self) -> None:
        if self.fault == "slow":
            await asyncio.sleep(0.0005)
        if self.fault == "failing" and self.random.random() < 1 / 13:
            raise ConnectionError("reset by peer")
        if self.fault == "changing" and self.random.random() < 1 / 13:
            self.version += 1

    def _data(self, path: str, version: str | None) -> bytes:
        if path not in self.files:
            raise NotFoundError(path)
        if version not in {None, str(self.version)}:
            raise FileChangedError(path, change="rewritten")
        return self.files[path]


class Shell:
    """Runs commands in a shell that has only some programs, and counts them and what they write.

    Args:
        shell: Its argument list.
        path: The directories of the programs.
        later_s: How much later it is there, so that a new file looks settled.
    """

    def __init__(self, *shell: str, path: str = "/usr/bin:/bin", later_s: int = 0) -> None:
        self._shell, self._path, self._later_s = shell, path, later_s
        self.commands = self.received = 0

    def __call__(self, argv: list[str]) -> tuple[int, bytes]:
        done = subprocess.run(
            [*self._shell, *argv[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": self._path, "HOME": "/"},
            check=False,
        )
        self.commands += 1
        self.received += len(done.stdout)
        output = re.sub(rb"(?<= now )\d+", lambda now: b"%d" % (int(now[0]) + self._later_s), done.stdout)
        return done.returncode, b"welcome to the sandbox\n" + output


def aged(path: Path) -> Path:
    """Return a file whose last change looks long ago."""
    os.utime(path, (1_700_000_000, 1_700_000_000))
    return path

"""Instructions for models that are in the directories of a project, such as AGENTS.md."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread.errors import ReadError
from anyread.running.calls import at_end, work

from .files import target_of
from .paths import is_in, relative_path, resolved, with_slashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.reader import Reader

_MAX_BYTES: Final = 1024 * 1024


class InstructionFile(NamedTuple):
    """A file with instructions, and its text."""

    path: str
    text: str


class InstructionFinder:
    """Finds the instructions between a file and a directory above it, each once.

    Args:
        reader: The reader whose roots and deny rules apply.
        root: The directory above which, and in which, nothing is searched.
        names: The names of such files; the first one that a directory has is used.
    """

    def __init__(self, reader: Reader, root: str, names: Sequence[str]) -> None:
        self._reader = reader
        self._root = root
        self._names = tuple(names)
        # Adding to a set is atomic; a lock could stay locked in a forked process.
        self._found: set[str] = set()

    def find(self, path: str) -> list[InstructionFile]:
        """Return the instructions for a file that were not returned before, the nearest first."""
        directories = self._directories(path)
        if not directories:
            return []
        found: list[InstructionFile] = []
        for candidate in work(lambda _: _existing(directories, self._names), target_of(self._reader, path)):
            if candidate == path or candidate in self._found:
                continue
            try:
                file = self._reader.open_sync(candidate, repair=False)
                data = file.read(_MAX_BYTES)
            except ReadError:
                continue
            if data:
                found.append(InstructionFile(candidate, data.decode("utf-8", "replace")))
        # The call may start again in another thread.
        at_end(lambda: self._found.update(file.path for file in found))
        return found

    def _directories(self, path: str) -> list[str]:
        """Return the directories from that of the file up to below the root."""
        if not is_in(path, self._root):
            return []
        names = with_slashes(relative_path(self._root, path)).split("/")
        return [resolved(self._root, "/".join(names[:count])) for count in range(len(names) - 1, 0, -1)]


def _existing(directories: Sequence[str], names: Sequence[str]) -> list[str]:
    of_each = ([resolved(directory, name) for name in names] for directory in directories)
    return [path for paths in of_each for path in islice(filter(os.path.isfile, paths), 1)]

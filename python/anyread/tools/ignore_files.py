"""The files that a project asks tools to ignore: which `.gitignore`, and files like it, apply to a path."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Final

from anyread._native import IgnoreFile, is_ignored
from anyread.running.calls import work

from .files import target_of
from .javascript import relative_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread.reader import Reader

_MAX_BYTES: Final = 1024 * 1024
_GITIGNORE: Final = ".gitignore"


class IgnoreRules:
    """The rules of `.gitignore` in a repository, and of another file in the project; each is read once.

    Args:
        reader: The reader of the tool.
        root: The directory of the project.
        own: The name of the other file, whose rules come last.
    """

    def __init__(self, reader: Reader, root: str, own: str) -> None:
        self._reader = reader
        self._root = root
        self._own = own
        # Assignments to a dictionary are atomic; a lock could stay locked in a forked process.
        self._files: dict[str, IgnoreFile] = {}

    def ignores(self, path: str) -> bool:
        """Return whether an absolute path is ignored; paths outside of the project never are."""
        relative = relative_path(self._root, path)
        if not relative or relative.startswith("../"):
            return False
        below = [relative[: end + 1] for end, letter in enumerate(relative) if letter == "/"]
        names = [_GITIGNORE, *(directory + _GITIGNORE for directory in below), self._own]
        if not self._files.keys() >= set(names):
            load = partial(self._load, names)
            work(lambda _: load(), target_of(self._reader, self._root))
        return is_ignored(relative, [self._files[name] for name in names])

    def _load(self, names: Iterable[str]) -> None:
        is_repository = self._is_repository()
        for name in names:
            if name in self._files:
                continue
            text = self._text(name) if is_repository or name == self._own else ""
            if name == _GITIGNORE and is_repository:
                text = f".git\n{self._text('.git/info/exclude')}\n{text}"
            self._files[name] = IgnoreFile(text, os.path.dirname(name))  # noqa: PTH120 - text

    def _is_repository(self) -> bool:
        directory = self._root
        while not os.path.exists(f"{directory}/.git"):  # noqa: PTH110 - text
            if directory in {"/", ""}:
                return False
            directory = os.path.dirname(directory)  # noqa: PTH120 - text
        return True

    def _text(self, name: str) -> str:
        path = f"{self._root}/{name}"
        if not os.path.isfile(path):  # noqa: PTH113 - text
            return ""
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - text
                return file.read(_MAX_BYTES).decode("utf-8-sig", "replace")
        except OSError:
            return ""

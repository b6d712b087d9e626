"""The files that a project asks tools to ignore: which `.gitignore`, and files like it, apply to a path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from anyread._native import IgnoreFile, is_ignored
from anyread.listing.ignore_rules import are_compiled, text_of, with_file
from anyread.running.calls import INLINE_BYTES, work

from .files import target_of
from .paths import is_in, relative_path, with_slashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.reader import Reader

_GITIGNORE: Final = ".gitignore"
_MAX_KEPT_CHARS: Final = 1024 * 1024


class IgnoreRules:
    """The rules of `.gitignore` in a repository, and of another file in the project; each is read once.

    Args:
        reader: The reader of the tool.
        root: The directory of the project.
        own: The name of the other file, whose rules come last.
        only_own: Whether `.gitignore` does not matter.
    """

    def __init__(self, reader: Reader, root: str, own: str, *, only_own: bool = False) -> None:
        self._only_own = only_own
        self._reader = reader
        self._root = with_slashes(root)
        self._own = own
        # Operations of dictionaries are atomic; a lock could stay locked in a forked process.
        self._texts: dict[str, str] = {}

    def ignores(self, path: str) -> bool:
        """Return whether an absolute path is ignored; paths outside of the project never are."""
        relative = with_slashes(relative_path(self._root, path))
        if not relative or not is_in(path, self._root):
            return False
        below = [relative[: end + 1] for end, letter in enumerate(relative) if letter == "/"]
        of_git = [] if self._only_own else [directory + _GITIGNORE for directory in ("", *below)]
        names = [*of_git, self._own]
        texts = [self._texts.get(name) for name in names]
        known = [text for text in texts if text is not None]
        # Each directory of the path is compared with each rule.
        comparisons = sum(map(len, known)) * len(names)
        if len(known) == len(names) and comparisons <= INLINE_BYTES and are_compiled(known, as_git=False):
            return is_ignored(relative, self._rules(names))
        return work(lambda _: is_ignored(relative, self._rules(names)), target_of(self._reader, self._root))

    def _rules(self, names: Sequence[str]) -> list[IgnoreFile]:
        rules: list[IgnoreFile] = []
        for name in names:
            text = self._texts.get(name)
            if text is None:
                text = self._read(name)
            directory, path = name.rpartition("/")[0], f"{self._root}/{name}"
            rules = with_file(rules, text, directory, path=path, as_git=False, left_out=[])
        return rules

    def _read(self, name: str) -> str:
        is_repository = name != self._own and self._is_repository()
        text = self._text(name) if is_repository or name == self._own else ""
        if name == _GITIGNORE and is_repository:
            text = f".git\n{self._text('.git/info/exclude')}\n{text}"
        # A project may have any number of directories.
        if sum(len(each) + len(kept) for each, kept in tuple(self._texts.items())) > _MAX_KEPT_CHARS:
            self._texts.clear()
        self._texts[name] = text
        return text

    def _is_repository(self) -> bool:
        root = Path(self._root)
        return any(os.path.exists(each / ".git") for each in (root, *root.parents))  # noqa: PTH110 - never fails

    def _text(self, name: str) -> str:
        return text_of(self._reader.engine, f"{self._root}/{name}")

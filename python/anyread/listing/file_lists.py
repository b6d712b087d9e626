"""The files below a directory that its project does not ignore, for `read_many` and `batch`.

The core lists each directory, so that nothing is opened past the roots and deny rules of a reader, and the
matcher of the crate `ignore` decides about each entry.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from anyread._native import IgnoreFile, ignored_names, is_ignored
from anyread.errors import BadArgumentError, DirectoryError, OutsideRootError, ReadError, TooLargeError
from anyread.errors.base import one_line

from .ignore_rules import text_of, with_file

if TYPE_CHECKING:
    from anyread._native import Cancel
    from anyread.engine import ReaderEngine

MAX_ENTRIES = 1_000_000
"""Entries of one directory, all of which are in memory at once."""

_Rules: TypeAlias = list[IgnoreFile]


def list_files(
    engine: ReaderEngine, directory: str, globs: Iterable[str], *, gitignore: bool, cancel: Cancel | None
) -> list[str]:
    """List the files below a directory; this may block.

    Args:
        engine: The engine whose roots and deny rules apply.
        directory: The absolute path of the directory.
        globs: Patterns as in `.gitignore`; files that they match are listed.
        gitignore: Whether files that the project ignores are left out.
        cancel: Once it is set, `InterruptedError` is raised.

    Returns:
        The paths below the directory, sorted by their bytes.

    Raises:
        ReadError: The directory does not exist, is denied, is outside of the roots, …
        TooLargeError: It, or one in it, has more than `MAX_ENTRIES` entries.
        BadArgumentError: A pattern is over 4 KiB.
    """
    globs = [*globs]
    wanted = [IgnoreFile("\n".join(globs), "", as_git=True)]
    if not wanted[0].is_complete:
        longest = one_line(max(globs, key=len))
        raise BadArgumentError(directory, argument="glob", value=longest, reason="at most 4 KiB a pattern")
    return sorted(_Walk(engine, directory, cancel).files(wanted, gitignore=gitignore), key=os.fsencode)


def rules_in(engine: ReaderEngine, directory: str, cancel: Cancel | None) -> tuple[str, _Rules, list[str]]:
    """Return the path of a directory in its project, with a slash, and the rules for its entries.

    The third value has the paths of ignore files that are too large. This may block. No rules apply in a
    directory that is ignored itself, or is a part of `.git`, because whoever names it wants to see it.

    Args:
        engine: The engine whose roots and deny rules apply.
        directory: The absolute path of the directory.
        cancel: Once it is set, `InterruptedError` is raised.
    """
    walk = _Walk(engine, directory, cancel)
    prefix, rules = walk.rules_above()
    if "/.git/" in f"/{prefix}" or is_ignored(prefix, rules):
        return prefix, [], []
    return prefix, walk.with_own(rules, directory, prefix, {".git", ".gitignore"}), walk.left_out


class _Walk:
    def __init__(self, engine: ReaderEngine, directory: str, cancel: Cancel | None) -> None:
        self._engine = engine
        self._directory = directory
        self._cancel = cancel
        self.left_out: list[str] = []
        """The ignore files that are too large."""

    def files(self, wanted: _Rules, *, gitignore: bool) -> Iterator[str]:
        """Yield the paths of the files below the directory that `wanted` matches, in no order."""
        prefix, rules = self.rules_above() if gitignore else ("", [])
        mount = self._remote_mount(self._directory)
        pending = [("", rules)]
        while pending:
            below, rules = pending.pop()
            try:
                entries = self._entries(f"{self._directory}/{below}")
            except TooLargeError:
                raise
            except ReadError:
                # One below may not be listed, or was removed a moment ago.
                if below:
                    continue
                raise
            if gitignore:
                rules = self.with_own(rules, f"{self._directory}/{below}", prefix + below, entries)
            files = [name for name, (kind, _) in entries.items() if kind == "file" and name != ".git"]
            files = self._matched(prefix + below, files, rules, ignored=False)
            yield from (below + name for name in self._matched(below, files, wanted, ignored=True))
            # A link to a directory may lead in circles, and a mount may hang.
            inner = [
                f"{name}/"
                for name, (kind, is_link) in entries.items()
                if kind == "directory" and not is_link and name != ".git"
            ]
            pending += [
                (below + name, rules)
                for name in self._matched(prefix + below, inner, rules, ignored=False)
                if self._remote_mount(f"{self._directory}/{below}{name[:-1]}") in {None, mount}
            ]

    def _matched(self, directory: str, names: list[str], rules: _Rules, *, ignored: bool) -> list[str]:
        """Return those of the names in a directory that rules ignore, or the others."""
        found = ignored_names(directory, names, rules, self._cancel)
        self._stop_if_cancelled()
        return [name for name, is_ignored in zip(names, found, strict=True) if is_ignored == ignored]

    def _stop_if_cancelled(self) -> None:
        if self._cancel is not None and self._cancel.cancelled:
            raise InterruptedError

    def _entries(self, directory: str) -> dict[str, tuple[str, bool]]:
        """Return the names in a directory, each with its kind and whether it is a link."""
        self._stop_if_cancelled()
        found, is_complete = self._engine.list_directory(os.fsencode(directory), maximum=MAX_ENTRIES)
        if not is_complete:
            raise TooLargeError(directory, size=MAX_ENTRIES + 1, maximum=MAX_ENTRIES, unit="entries")
        return {os.fsdecode(name): (kind, is_link) for name, kind, is_link, _ in found}

    def rules_above(self) -> tuple[str, _Rules]:
        """Return the path of the directory in its project, with a slash, and the rules from above it.

        The top of the project, to which rules are relative, is the closest directory above it with a
        repository, or else a root of the reader. If there is neither, it is the directory itself.
        """
        directory, names = self._directory, list[str]()
        while not self._is_repository(directory):
            parent, name = os.path.split(directory)
            if not name:
                return "", []
            if self._is_outside(parent):
                break
            directory, names = parent, [name, *names]
        prefix, rules = "", _Rules()
        for name in names:
            rules = self.with_own(rules, directory, prefix, {".git", ".gitignore"})
            directory, prefix = os.path.join(directory, name), f"{prefix}{name}/"  # noqa: PTH118 - text
        return prefix, rules

    def with_own(self, rules: _Rules, directory: str, prefix: str, names: Container[str]) -> _Rules:
        """Return rules with those of a directory, which come last; those above a repository do not apply.

        Args:
            rules: The rules that apply in the directory above.
            directory: The directory.
            prefix: Its path in the project, with a slash.
            names: What may be in it.
        """
        names_of_rules = []
        if ".git" in names:
            if self._is_repository(directory):
                rules = []
            names_of_rules.append(".git/info/exclude")
        if ".gitignore" in names:
            names_of_rules.append(".gitignore")
        for name in names_of_rules:
            path = os.path.join(directory, name)  # noqa: PTH118 - text
            text, below = text_of(self._engine, path), prefix.rstrip("/")
            rules = with_file(rules, text, below, path=path, as_git=True, left_out=self.left_out)
        return rules

    def _is_repository(self, directory: str) -> bool:
        try:
            self._engine.head(os.fsencode(f"{directory}/.git"), 0)
        except DirectoryError:
            return True
        except ReadError:
            return False
        # That of a submodule is a file.
        return True

    def _is_outside(self, directory: str) -> bool:
        """Return whether a directory is above the roots of the reader."""
        try:
            self._engine.list_directory(os.fsencode(directory), maximum=0)
        except OutsideRootError:
            return True
        except ReadError:
            return False
        return False

    def _remote_mount(self, directory: str) -> int | None:
        return self._engine.target(os.fsencode(directory)).remote_mount()

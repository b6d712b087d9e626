"""The files that a project asks tools to ignore: the rules of `.gitignore`, and of further files like it."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread.running.calls import work

from .files import target_of
from .javascript import relative_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anyread.reader import Reader

_MAX_BYTES: Final = 1024 * 1024


class IgnoreRule(NamedTuple):
    """A line of an ignore file."""

    names: tuple[re.Pattern[str] | None, ...]
    """What the names of a path must match; `None` means any number of names."""
    is_negated: bool
    needs_directory: bool


_MAX_ANSWERS: Final = 10_000
"""The paths of which it is remembered whether they are ignored."""


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
        self._files: dict[str, list[IgnoreRule]] = {}
        self._answers: dict[str, bool] = {}

    def ignores(self, path: str) -> bool:
        """Return whether an absolute path is ignored; paths outside of the project never are."""
        relative = relative_path(self._root, path)
        if not relative or relative.startswith("../"):
            return False
        found = self._answers.get(relative)
        if found is None:
            found = self._answer(relative)
            if len(self._answers) >= _MAX_ANSWERS:
                self._answers.clear()
            # Rules are loaded once, so an answer stays right.
            self._answers[relative] = found
        return found

    def _answer(self, relative: str) -> bool:
        names = relative.split("/")
        directories = ["/".join(names[:length]) for length in range(len(names))]
        if not self._files.keys() >= set(directories):
            load = partial(self._load, directories)
            work(lambda _: load(), target_of(self._reader, self._root))
        rules = [rule for directory in directories for rule in self._files[directory]]
        rules += self._files[self._own]
        return is_ignored(relative, rules)

    def _load(self, directories: Iterable[str]) -> None:
        is_repository = self._is_repository()
        if self._own not in self._files:
            self._files[self._own] = parsed(self._text(self._own), "")
        for directory in directories:
            if directory in self._files:
                continue
            rules = []
            if is_repository:
                if not directory:
                    rules = [*parsed(".git", ""), *parsed(self._text(".git/info/exclude"), "")]
                rules += parsed(self._text(os.path.join(directory, ".gitignore")), directory)  # noqa: PTH118 - text
            self._files[directory] = rules

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
                return file.read(_MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""


def parsed(text: str, directory: str) -> list[IgnoreRule]:
    """Return the rules of an ignore file in a directory of the project."""
    rules = []
    for line in re.split("\r\n|\n|\r", text):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        is_negated = pattern.startswith("!")
        pattern = pattern.removeprefix("!")
        needs_directory = pattern.endswith("/")
        pattern = pattern.rstrip("/")
        is_anchored = "/" in pattern
        pattern = pattern.removeprefix("/")
        if not pattern:
            continue
        prefix = [_compiled(re.escape(name)) for name in directory.split("/")] if directory else []
        names = _names(pattern) if is_anchored else [None, _name(pattern)]
        rules.append(IgnoreRule((*prefix, *names), is_negated, needs_directory))
    return rules


def is_ignored(path: str, rules: Sequence[IgnoreRule]) -> bool:
    """Return whether a file, or a directory that holds it, is ignored; the last rule that matches decides."""
    names = path.split("/")
    matches = [(rule, set(_matching_lengths(rule.names, names))) for rule in reversed(rules)]
    for length in range(1, len(names) + 1):
        for rule, lengths in matches:
            if length in lengths and not (rule.needs_directory and length == len(names)):
                if rule.is_negated:
                    break
                return True
    return False


def _matching_lengths(pattern: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> Iterator[int]:
    """Yield how many of the first names match, in a time that no pattern can make exponential."""
    states = _with_skipped(pattern, [0])
    for length, name in enumerate(names, 1):
        reached = []
        for state in states:
            expected = pattern[state] if state < len(pattern) else _NOTHING
            if expected is None:
                reached.append(state)
            elif expected.fullmatch(name):
                reached.append(state + 1)
        if not reached:
            return
        states = _with_skipped(pattern, reached)
        if len(pattern) in states:
            yield length


def _with_skipped(pattern: Sequence[re.Pattern[str] | None], states: Iterable[int]) -> set[int]:
    """Add the states after `**`, which may match no names."""
    found = set()
    for given in states:
        state = given
        found.add(state)
        while state < len(pattern) and pattern[state] is None:
            state += 1
            found.add(state)
    return found


def _names(pattern: str) -> list[re.Pattern[str] | None]:
    """Return a pattern for each name of a path; `None` means any number of names."""
    *names, last = pattern.split("/")
    found = [None if name == "**" else _name(name) for name in names]
    # At the end, `**` matches at least one name.
    return [*found, _name("*"), None] if last == "**" else [*found, _name(last)]


def _name(pattern: str) -> re.Pattern[str]:
    pieces = re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|\\.|.", pattern, re.DOTALL)
    parts = [""]
    for piece in pieces:
        if piece[0] == "*":
            parts.append("")
        else:
            parts[-1] += _translated(piece)
    if len(parts) == 1:
        return _compiled(parts[0])
    # What comes between two stars may be taken where it occurs first, so nothing is tried twice.
    return _compiled(parts[0] + "".join(f"(?>.*?{part})" for part in parts[1:-1]) + f".*{parts[-1]}")


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression, re.IGNORECASE | re.DOTALL)
    except re.error:
        # A range such as `[z-a]` has no characters.
        return _NOTHING


def _translated(piece: str) -> str:
    if piece == "?":
        return "."
    if len(piece) > 2 and piece[0] == "[":
        inner = re.sub(r"[\[\\&~|]|(?<=-)-", r"\\\g<0>", piece[1:-1])
        return f"[{'^' + inner[1:] if inner.startswith('!') else inner}]"
    return re.escape(piece[1:] if len(piece) > 1 and piece[0] == "\\" else piece)


_NOTHING: Final = re.compile("(?!)")

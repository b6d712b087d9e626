"""The workspace: which paths lie in it, and how they are called there."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING, NamedTuple

from .answers import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable


class Place(NamedTuple):
    """A path of the workspace."""

    absolute: str
    """It, absolute and without `.` and `..`; links are not followed."""
    relative: str
    """It, as seen from its root; "." for the root itself."""
    root: str
    """The root that holds it."""


class Workspace:
    """The working directory and the further roots beside it.

    Args:
        cwd: The working directory, absolute, from which relative paths lead.
        further: Roots beside it.
        is_confined: Whether paths outside are refused; else every path is seen from `cwd`.
    """

    def __init__(self, cwd: str, further: Iterable[str] = (), *, is_confined: bool = True) -> None:
        self.cwd = resolved("/", cwd)
        self.roots = (self.cwd, *(resolved(self.cwd, root) for root in further))
        self.is_confined = is_confined
        self._real_roots: dict[str, str] = {}

    def absolute(self, path: str) -> str:
        """Give the absolute path, as text: no file is looked at."""
        return resolved(self.cwd, path)

    def place(self, path: str) -> Place:
        """Find the root of a path.

        Raises:
            Refusal: No file can have that path, or it is outside.
        """
        if not path or "\0" in path:
            raise Refusal("invalid_tool_input", "Path must be a non-empty string without null bytes.")
        absolute = self.absolute(path)
        if not self.is_confined:
            return Place(absolute, posixpath.relpath(absolute, self.cwd), self.cwd)
        for root in self.roots:
            if holds(root, absolute):
                return Place(absolute, absolute[len(root) :].lstrip("/") or ".", root)
        raise Refusal("path_not_allowed", f"Path {path} is outside the PilotDeck workspace.")

    def require_inside(self, place: Place, real: str, path: str) -> None:
        """See to it that the file itself lies below the real path of the root, links followed.

        Raises:
            Refusal: A link leads out.
        """
        if not self.is_confined or holds(self._real_roots.get(place.root, place.root), real):
            return
        # The root may be a link, and may have become another one since.
        self._real_roots[place.root] = os.path.realpath(place.root)
        if not holds(self._real_roots[place.root], real):
            raise outside(path)


def outside(path: str) -> Refusal:
    """Say that a link leads out of the workspace."""
    return Refusal("path_not_allowed", f"Path {path} resolves outside the PilotDeck workspace.")


def resolved(base: str, path: str) -> str:
    """Join a path to an absolute one, without `.`, `..` and doubled slashes."""
    joined = posixpath.normpath(posixpath.join(base, path))
    return joined[1:] if joined.startswith("//") else joined


def holds(root: str, path: str) -> bool:
    """Tell whether a path is a root or below it; a first name that begins with two dots counts as outside.

    The contract's own test does not tell `..name` from `..`, and so it stands here.
    """
    if path == root:
        return True
    below = root if root == "/" else f"{root}/"
    return path.startswith(below) and not path.startswith("..", len(below))

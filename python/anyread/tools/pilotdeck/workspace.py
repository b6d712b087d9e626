"""The workspace: which paths are in it, their names there, and why a file cannot be opened."""

from __future__ import annotations

import errno
import os
import posixpath
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from anyread.errors import (
    AccessError,
    BadPathError,
    DeniedError,
    DirectoryError,
    NotFoundError,
    NotRegularFileError,
    OutsideRootError,
    ReadError,
)
from anyread.running.effects import Work
from anyread.tools.files import open_file, target_of

from .answers import RefusedCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread.reader import Reader
    from anyread.running.effects import Steps
    from anyread.tools.files import File

IMAGE_TYPES: Final = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
"""Media types of images by extension; to this contract, files with other extensions are not images."""
_UNRESOLVED: Final = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ENOENT}
"""Errors of paths that lead to no file, which does not exist for this contract."""


class WorkspaceFile(NamedTuple):
    """A path in the workspace; links are not followed."""

    given: str
    """The path as passed."""
    absolute: str
    """The absolute path, without `.` and `..`."""
    relative: str
    """The path relative to its root; "." for the root itself."""
    root: str
    """The root that contains it."""

    @property
    def kind(self) -> Literal["text", "image", "pdf", "notebook"]:
        """The kind of file, by its extension."""
        extension = extension_of(self.absolute)
        if extension in IMAGE_TYPES:
            return "image"
        if extension == ".pdf":
            return "pdf"
        return "notebook" if extension == ".ipynb" else "text"


class Workspace:
    """The working directory and further roots.

    Args:
        cwd: The absolute working directory, which relative paths start from.
        further: Roots besides it.
        is_confined: Whether paths outside are refused; otherwise every path is relative to `cwd`.
    """

    def __init__(self, cwd: str, further: Iterable[str] = (), *, is_confined: bool = True) -> None:
        self.cwd = resolved("/", cwd)
        self.roots = (self.cwd, *(resolved(self.cwd, root) for root in further))
        self.is_confined = is_confined
        self._real_roots: dict[str, str] = {}

    def absolute(self, path: str) -> str:
        """Return the absolute path without accessing any file."""
        return resolved(self.cwd, path)

    def find(self, path: str) -> WorkspaceFile:
        """Find the root of a path.

        Raises:
            RefusedCall: No file can have that path, or it is outside.
        """
        if not path or "\0" in path:
            raise RefusedCall("invalid_tool_input", "Path must be a non-empty string without null bytes.")
        absolute = self.absolute(path)
        if not self.is_confined:
            return WorkspaceFile(path, absolute, posixpath.relpath(absolute, self.cwd), self.cwd)
        for root in self.roots:
            if holds(root, absolute):
                return WorkspaceFile(path, absolute, absolute[len(root) :].lstrip("/") or ".", root)
        raise RefusedCall("path_not_allowed", f"Path {path} is outside the PilotDeck workspace.")

    def open(self, reader: Reader, place: WorkspaceFile) -> Steps[File]:
        """Open a file that is in the workspace, links followed.

        Raises:
            RefusedCall: It cannot be opened, is not a regular file, or a link leads out of the workspace.
        """
        try:
            file = yield from open_file(reader, place.absolute)
        except (DirectoryError, NotRegularFileError) as error:
            real = yield from Work(
                lambda _: os.path.realpath(place.absolute), target_of(reader, place.absolute)
            )
            self._require_inside(place, real)
            raise RefusedCall("file_conflict", f"{place.absolute} is not a regular file.") from error
        except OutsideRootError as error:
            raise _outside(place.given) from error
        except ReadError as error:
            raise self._not_opened(place, error) from error
        self._require_inside(place, file.resolved_path)
        return file

    def _require_inside(self, place: WorkspaceFile, real: str) -> None:
        if not self.is_confined or holds(self._real_roots.get(place.root, place.root), real):
            return
        # The root may be a link, and may have become another one since.
        self._real_roots[place.root] = os.path.realpath(place.root)
        if not holds(self._real_roots[place.root], real):
            raise _outside(place.given)

    def _not_opened(self, place: WorkspaceFile, error: ReadError) -> RefusedCall:
        path, number = place.absolute, getattr(error, "errno", 0)
        if isinstance(error, NotFoundError | BadPathError) or number in _UNRESOLVED:
            if self.is_confined:
                return RefusedCall("file_not_found", f"File {place.given} does not exist.")
            # Without a workspace to check, the reference begins with a stat.
            message = f"ENOENT: no such file or directory, stat '{path}'"
        elif isinstance(error, DeniedError):
            return RefusedCall("permission_denied", error.message)
        elif isinstance(error, AccessError):
            message = f"EACCES: permission denied, open '{path}'"
        elif number:
            name = errno.errorcode.get(number, "EIO")
            message = f"{name}: {os.strerror(number).lower()}, open '{path}'"
        else:
            message = error.message
        return RefusedCall("tool_execution_failed", message)


def _outside(path: str) -> RefusedCall:
    return RefusedCall("path_not_allowed", f"Path {path} resolves outside the PilotDeck workspace.")


def require_size(size_bytes: int, maximum: int, relative: str) -> None:
    """Refuse a file that is too large for its kind.

    Raises:
        RefusedCall: It has more than `maximum` bytes.
    """
    if size_bytes > maximum:
        message = f"{relative} has {size_bytes:,} bytes, over the limit of {maximum:,} bytes for its kind."
        raise RefusedCall("tool_execution_failed", message, sizeBytes=size_bytes, maxBytes=maximum)


def extension_of(path: str) -> str:
    """Return the extension in lower case, with its dot; a name whose only dot comes first has none."""
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:].lower() if dot > 0 else ""


def resolved(base: str, path: str) -> str:
    """Join a path to an absolute one, without `.`, `..` and doubled slashes."""
    joined = posixpath.normpath(posixpath.join(base, path))
    return joined[1:] if joined.startswith("//") else joined


def holds(root: str, path: str) -> bool:
    """Report whether a path is a root or below it.

    The contract's own test confuses `..name` with `..`, so a first name that starts with two dots is outside.
    """
    if path == root:
        return True
    below = root if root == "/" else f"{root}/"
    return path.startswith(below) and not path.startswith("..", len(below))

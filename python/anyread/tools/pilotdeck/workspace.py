"""The workspace: which paths are in it, their relative names, and why a file cannot be opened."""

from __future__ import annotations

import errno
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
from anyread.paths import real_path
from anyread.tools.files import located
from anyread.tools.javascript import resolved
from anyread.tools.media_types import IMAGE_TYPES, extension_of
from anyread.tools.system_errors import node_message

from .answers import RefusedCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread.open_file import OpenFile
    from anyread.reader import Reader

FileKind = Literal["text", "image", "pdf", "notebook"]

_KINDS: Final[dict[str, FileKind]] = {
    **dict.fromkeys(IMAGE_TYPES, "image"),
    ".pdf": "pdf",
    ".ipynb": "notebook",
}
_UNRESOLVED: Final = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ENOENT}
"""Errors of paths that lead to no file; in this contract, the file does not exist."""


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

    kind: FileKind
    """The kind of file, by its extension."""


class Workspace:
    """The working directory and further roots.

    Args:
        cwd: The absolute working directory, which relative paths start from.
        further: Further roots.
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

    def find(self, path: str, absolute: str) -> WorkspaceFile:
        """Find the root of a path.

        Args:
            path: The path as passed.
            absolute: The same, as `absolute` returns it.

        Raises:
            RefusedCall: The path is invalid, or outside the workspace.
        """
        if not path or "\0" in path:
            raise RefusedCall("invalid_tool_input", "Path must be a non-empty string without null bytes.")
        if not self.is_confined:
            relative = posixpath.relpath(absolute, self.cwd)
            return WorkspaceFile(path, absolute, relative, self.cwd, kind_of(absolute))
        for root in self.roots:
            if holds(root, absolute):
                relative = absolute[len(root) :].lstrip("/") or "."
                return WorkspaceFile(path, absolute, relative, root, kind_of(absolute))
        raise RefusedCall("path_not_allowed", f"Path {path} is outside the PilotDeck workspace.")

    def open(self, reader: Reader, entry: WorkspaceFile) -> OpenFile:
        """Open a file that is in the workspace; links are followed.

        Raises:
            RefusedCall: The file cannot be opened, is not regular, or a link leads out of the workspace.
        """
        try:
            file = reader.open_sync(entry.absolute, repair=False)
        except (DirectoryError, NotRegularFileError) as error:
            self._require_inside(entry, located(reader, entry.absolute))
            raise RefusedCall("file_conflict", f"{entry.absolute} is not a regular file.") from error
        except OutsideRootError as error:
            raise _outside(entry.given) from error
        except ReadError as error:
            raise self._not_opened(entry, error) from error
        self._require_inside(entry, file.resolved_path)
        return file

    def _require_inside(self, entry: WorkspaceFile, real: str) -> None:
        if real == entry.absolute or not self.is_confined:
            return
        if holds(self._real_roots.get(entry.root, entry.root), real):
            return
        # The root may be a link, whose target may have changed.
        self._real_roots[entry.root] = real_path(entry.root)
        if not holds(self._real_roots[entry.root], real):
            raise _outside(entry.given)

    def _not_opened(self, entry: WorkspaceFile, error: ReadError) -> RefusedCall:
        path, number = entry.absolute, getattr(error, "errno", 0)
        if isinstance(error, NotFoundError | BadPathError) or number in _UNRESOLVED:
            if self.is_confined:
                return RefusedCall("file_not_found", f"File {entry.given} does not exist.")
            # Without confinement, the reference begins with a stat.
            message = node_message(errno.ENOENT, "stat", path)
        elif isinstance(error, DeniedError):
            return RefusedCall("permission_denied", error.message)
        elif isinstance(error, AccessError):
            message = node_message(errno.EACCES, "open", path)
        elif number:
            message = node_message(number, "open", path)
        else:
            message = error.message
        return RefusedCall("tool_execution_failed", message)


def _outside(path: str) -> RefusedCall:
    return RefusedCall("path_not_allowed", f"Path {path} resolves outside the PilotDeck workspace.")


def require_size(size_bytes: int, maximum: int, relative: str) -> None:
    """Refuse a file that is too large.

    Raises:
        RefusedCall: The file has more than `maximum` bytes.
    """
    if size_bytes > maximum:
        message = f"{relative} has {size_bytes:,} bytes, over the limit of {maximum:,} bytes for its kind."
        raise RefusedCall("tool_execution_failed", message, sizeBytes=size_bytes, maxBytes=maximum)


def kind_of(path: str) -> FileKind:
    """Return the kind of a file, by its extension."""
    return _KINDS.get(extension_of(path), "text")


def holds(root: str, path: str) -> bool:
    """Return whether a path is a root or below it.

    As in the reference, a path is outside if its first name below the root starts with two dots.
    """
    if path == root:
        return True
    below = root if root == "/" else f"{root}/"
    return path.startswith(below) and not path.startswith("..", len(below))

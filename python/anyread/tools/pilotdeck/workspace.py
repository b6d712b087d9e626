"""The workspace: which paths are in it, why a file cannot be opened, and whether it may be overwritten."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from anyread.arguments.paths import real_path
from anyread.arguments.request import LARGEST
from anyread.errors import (
    BadPathError,
    DeniedError,
    DirectoryError,
    NotFoundError,
    NotRegularFileError,
    OutsideRootError,
    ReadError,
)
from anyread.tools.parts.files import located
from anyread.tools.parts.paths import is_in, relative_path, resolved
from anyread.tools.parts.system_errors import FailedCall

from .answers import RefusedCall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread.reader import Reader
    from anyread.reading.open_file import OpenFile
    from anyread.session import FileState, Record

    from .arguments import ReadFileArguments

_BOM = b"\xef\xbb\xbf"
_NOT_READ = "File has not been read yet. Read it first before writing to it."
_CHANGED = "File has changed since the last read. Read it again before writing to it."
_UNRESOLVED: Final = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ENOENT}
"""Errors of paths that lead to no file; in this contract, the file does not exist."""


class WriteSnapshot(NamedTuple):
    """The last read of a text or a notebook, stored in the session's record as the fact `write_snapshot`."""

    absolute_path: str
    """The path that was read; links are not followed."""
    modified_ms: int
    """When the file was last modified, in milliseconds since 1970 in UTC."""
    content_hash: str
    """SHA-256 in hexadecimal, with U+FFFD for invalid bytes and without the byte order mark of a text."""
    offset: int | None
    """The requested first line; `None`: omitted."""
    limit: int | None
    """The requested number of lines; `None`: all."""


class Workspace:
    """The working directory and further roots.

    Args:
        cwd: The absolute working directory, which relative paths start from.
        further: Further roots.
        is_confined: Whether paths outside are refused; otherwise every path is relative to `cwd`.
    """

    def __init__(self, cwd: str, further: Iterable[str], *, is_confined: bool) -> None:
        self.cwd = resolved("/", cwd)
        self._further = [resolved(self.cwd, root) for root in further]
        self._is_confined = is_confined

    def open(self, reader: Reader, given: ReadFileArguments) -> tuple[OpenFile, str]:
        """Open a file in the workspace, and return it with its path relative to its root; links are followed.

        Raises:
            RefusedCall: The path is invalid, the file cannot be opened, is not regular, or is outside.
        """
        path, name = given.absolute, given.file_path
        if not name or "\0" in name:
            raise RefusedCall("invalid_tool_input", "Path must be a non-empty string without null bytes.")
        root = self.cwd if not self._is_confined or _holds(self.cwd, path) else self._other_root(given)
        try:
            file = reader.open_sync(path, repair=False)
        except (DirectoryError, NotRegularFileError) as error:
            self._require_inside(given, root, located(reader, path))
            raise RefusedCall("file_conflict", f"{path} is not a regular file.") from error
        except OutsideRootError as error:
            raise _outside(name) from error
        except ReadError as error:
            raise self._not_opened(given, error, FailedCall(reader, path, error)) from error
        self._require_inside(given, root, file.resolved_path)
        return file, relative_path(root, path) or "."

    def _other_root(self, given: ReadFileArguments) -> str:
        for root in self._further:
            if _holds(root, given.absolute):
                return root
        raise RefusedCall("path_not_allowed", f"Path {given.file_path} is outside the PilotDeck workspace.")

    def _require_inside(self, given: ReadFileArguments, root: str, real: str) -> None:
        # The root may be a link, whose target may have changed.
        if self._is_confined and not (_holds(root, real) or _holds(real_path(root), real)):
            raise _outside(given.file_path)

    def _not_opened(self, given: ReadFileArguments, error: ReadError, failed: FailedCall) -> RefusedCall:
        if isinstance(error, DeniedError):
            return RefusedCall("permission_denied", error.message)
        if isinstance(error, NotFoundError | BadPathError) or failed.code in _UNRESOLVED:
            if self._is_confined:
                return RefusedCall("file_not_found", f"File {given.file_path} does not exist.")
            # Without confinement, the reference begins with a stat.
            message = f"ENOENT: no such file or directory, stat '{given.absolute}'"
        else:
            message = failed.node("open", given.absolute)
        return RefusedCall("tool_execution_failed", message)


def text_hash(file: OpenFile, *, kind: str) -> str:
    """Hash the file itself, and return the hash of its text, which for most files is the same."""
    file_hash = file.sha256()
    start = len(_BOM) if kind == "text" and file.head(len(_BOM)) == _BOM else 0
    if not start and file.utf8_fault() is None:
        return file_hash

    def digest() -> str:
        found = hashlib.sha256()
        for piece in file.decoded(start, LARGEST, "replace"):
            found.update(piece.encode())
        return found.hexdigest()

    return file.work(digest, file.size_bytes)


def refused_write(state: FileState, absolute: str, record: Record | None) -> str | None:
    """Word why a file must not be written to; `None`: it may.

    A file that does not exist may be created. After a read of a range, a new modification time is a change;
    after a read of a complete text, or by another tool of the session, only `state` counts.

    Args:
        state: The state of the file since its last read.
        absolute: Its absolute path.
        record: Its last read.
    """
    try:
        status = os.stat(absolute)  # noqa: PTH116 - `Path` costs an import
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        # It may exist, so the earlier read cannot be confirmed.
        return _CHANGED
    if not stat.S_ISREG(status.st_mode):
        return f"{absolute} is not a regular file."
    if record is None or state == "unread" or record.kind not in {"text", "notebook"}:
        return _NOT_READ
    snapshot: WriteSnapshot | None = record.facts.get("write_snapshot")
    is_whole = snapshot is None or (snapshot.offset is None and snapshot.limit is None)
    is_touched = snapshot is not None and status.st_mtime_ns // 1_000_000 != snapshot.modified_ms
    return _CHANGED if state != "fresh" or (is_touched and not is_whole) else None


def _outside(name: str) -> RefusedCall:
    return RefusedCall("path_not_allowed", f"Path {name} resolves outside the PilotDeck workspace.")


def _holds(root: str, path: str) -> bool:
    """Return whether a path is a root or below it.

    As in the reference, a path is outside if its first name below the root starts with two dots.
    """
    return is_in(path, root) and not path.startswith("..", len(root.rstrip("/")) + 1)

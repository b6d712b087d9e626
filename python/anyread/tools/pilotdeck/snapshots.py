"""Write snapshots: the last read of a text, which decides whether it may be overwritten."""

from __future__ import annotations

import hashlib
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from anyread.arguments.request import LARGEST

if TYPE_CHECKING:
    from anyread.reading.open_file import OpenFile
    from anyread.session import FileState, Record

_BOM = b"\xef\xbb\xbf"
_NOT_READ = "File has not been read yet. Read it first before writing to it."
_CHANGED = "File has changed since the last read. Read it again before writing to it."


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

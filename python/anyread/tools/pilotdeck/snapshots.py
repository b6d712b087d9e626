"""Write snapshots: what was read of a text, and whether it may be written over."""

from __future__ import annotations

import codecs
import hashlib
import os
import stat
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from anyread.tools.utf8 import fault_of

from .text import BOM, blocks_of

if TYPE_CHECKING:
    from anyread.running.effects import Steps
    from anyread.session import FileState, Record
    from anyread.tools.files import File

_lossy_decoder = partial(codecs.getincrementaldecoder("utf-8"), "replace")
_NOT_READ = "File has not been read yet. Read it first before writing to it."
_CHANGED = "File has changed since the last read. Read it again before writing to it."


class Snapshot(NamedTuple):
    """The last read of a text or a notebook; in the session it is the fact `write_snapshot` of its record."""

    absolute_path: str
    """The path that was read, links not followed."""
    modified_ms: int
    """When the file was last modified, milliseconds since 1970 in UTC."""
    content_hash: str
    """SHA-256 of the text in hexadecimal: lossily decoded, and of a text file without byte order mark."""
    offset: int | None
    """The first line asked for; `None`: none in particular."""
    limit: int | None
    """Lines asked for; `None`: all."""

    @property
    def is_whole(self) -> bool:
        """Whether all of the file was asked for."""
        return self.offset is None and self.limit is None


def snapshot_hash(file: File, data: bytes, *, is_text: bool) -> Steps[str]:
    """Hash what the contract hashes of a file; for most files that is the file, whose hash is known.

    Args:
        file: A file whose own hash was requested.
        data: All its bytes.
        is_text: Whether it was read as a text, whose byte order mark is not hashed.
    """

    def digest() -> str:
        start = len(BOM) if is_text and data.startswith(BOM) else 0
        if not start and file.content_hash is not None and fault_of(blocks_of(data)) is None:
            return file.content_hash
        found, decoder = hashlib.sha256(), _lossy_decoder()
        for block in blocks_of(data, start):
            found.update(decoder.decode(block).encode())
        found.update(decoder.decode(b"", final=True).encode())
        return found.hexdigest()

    return (yield from file.work(digest, len(data)))


def refusal(state: FileState, absolute: str, record: Record | None) -> str | None:
    """Word why a file must not be written to; `None`: it may.

    What does not exist may be created. A range of lines vouches for its file only while that has not
    been touched; a whole text also if it was touched and still is the same.
    A text that another tool of the session read has no snapshot; its state decides.

    Args:
        state: How the file stands to its last read.
        absolute: Its path.
        record: Its last read.
    """
    try:
        status = os.stat(absolute)  # noqa: PTH116 - `Path` costs an import
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return f"{absolute} is not a regular file."
    if record is None or state == "unread" or record.kind not in {"text", "notebook"}:
        return _NOT_READ
    snapshot: Snapshot | None = record.facts.get("write_snapshot")
    is_partial = snapshot is not None and not snapshot.is_whole
    is_touched = snapshot is not None and status.st_mtime_ns // 1_000_000 != snapshot.modified_ms
    return _CHANGED if state != "fresh" or (is_touched and is_partial) else None

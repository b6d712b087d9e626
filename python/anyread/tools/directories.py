"""Directories as contracts list them, by the rules of a reader."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from anyread.errors import TooLargeError
from anyread.paths import encoded
from anyread.running.effects import Work

from .files import target_of

if TYPE_CHECKING:
    from anyread.reader import Reader
    from anyread.running.effects import Steps

MAX_ENTRIES: Final = 200_000
"""The maximum number of entries of a directory that is listed; sorting needs all of them."""


class DirectoryEntry(NamedTuple):
    """An entry of a directory."""

    name: str
    """Its name."""
    kind: Literal["directory", "file", "link", "other"]
    """What it is, with a link followed; "link": its target is missing or may not be read."""
    is_link: bool
    """Whether it is a symbolic link."""
    size_bytes: int
    """The size in bytes of what it is."""

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory, or a link to one."""
        return self.kind == "directory"


def list_directory(reader: Reader, path: str) -> Steps[list[DirectoryEntry]]:
    """List a directory: entries that deny rules match are left out, the others are in no order.

    Raises:
        ReadError: The directory does not exist, is denied, is outside of the roots, …
        TooLargeError: It has more than `MAX_ENTRIES` entries.
    """
    engine = reader._engine  # noqa: SLF001 - as in `files.open_file`
    found, complete = yield from engine.list_directory(encoded(path), maximum=MAX_ENTRIES)
    if not complete:
        raise TooLargeError(path, size=MAX_ENTRIES + 1, maximum=MAX_ENTRIES, unit="entries")
    return [DirectoryEntry(os.fsdecode(name), kind, is_link, size) for name, kind, is_link, size in found]


def stat_errno(reader: Reader, path: str) -> Steps[int]:
    """Return the errno of looking up a path that could not be opened; 0: it exists."""
    return (yield from Work(partial(_stat_errno, path), target_of(reader, path)))


def _stat_errno(path: str, _cancel: object) -> int:
    try:
        os.stat(path)  # noqa: PTH116 - text
    except OSError as error:
        return error.errno or 0
    except ValueError:
        return 0
    return 0

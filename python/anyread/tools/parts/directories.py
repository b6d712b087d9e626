"""Directories as contracts list them, by the rules of a reader."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from unicodedata import normalize

from anyread.arguments.paths import encoded
from anyread.errors import AmbiguousPathError, ReadError, TooLargeError
from anyread.running.calls import work

from .files import target_of
from .paths import joined, relative_path, with_slashes
from .utf8 import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread.reader import Reader

MAX_ENTRIES: Final = 200_000
"""The maximum number of entries of a directory that is listed; sorting needs all of them."""


class DirectoryEntry(NamedTuple):
    """An entry of a directory."""

    name: str
    """Its name."""
    kind: Literal["directory", "file", "link", "other", "unreadable"]
    """What it is, with a link followed; "link": its target is missing or may not be read."""
    is_link: bool
    """Whether it is a symbolic link."""
    size_bytes: int
    """The size in bytes of what it is."""

    @property
    def is_directory(self) -> bool:
        """Whether it is a directory, or a link to one."""
        return self.kind == "directory"


def list_directory(reader: Reader, path: str) -> list[DirectoryEntry]:
    """List a directory: entries that deny rules match are left out, the others are in no order.

    This may block, so the call that it is a part of moves to a thread, where it may sort the entries too.

    Args:
        reader: The reader whose roots and deny rules apply.
        path: The directory.

    Raises:
        ReadError: The directory does not exist, is denied, is outside of the roots, …
        TooLargeError: It has more than `MAX_ENTRIES` entries.
    """
    return work(lambda _: _entries(reader, path), target_of(reader, path))


def names_in(reader: Reader, path: str) -> list[str]:
    """Return the names that `list_directory` finds; none if it fails."""
    try:
        return [entry.name for entry in list_directory(reader, path)]
    except ReadError:
        return []


def _entries(reader: Reader, path: str) -> list[DirectoryEntry]:
    found, complete = reader.engine.list_directory(encoded(path), maximum=MAX_ENTRIES)
    if not complete:
        raise TooLargeError(path, size=MAX_ENTRIES + 1, maximum=MAX_ENTRIES, unit="entries")
    return [DirectoryEntry(os.fsdecode(name), kind, is_link, size) for name, kind, is_link, size in found]


def visible_entries(
    reader: Reader, path: str, *, levels: int, follow_links: bool = True, is_sorted: bool = False
) -> Iterator[tuple[str, DirectoryEntry]]:
    """List a directory and the directories in it, without hidden entries, each with its path below `path`.

    Args:
        reader: As in `list_directory`.
        path: The directory.
        levels: How many levels are listed. A directory below that cannot be listed has no entries, and
            neither has one on another mount that may hang.
        follow_links: Whether links to directories are listed too.
        is_sorted: Whether the entries of each directory are sorted by name.

    Yields:
        The entries; each directory is followed by its own entries. Their paths can be encoded as UTF-8.

    Raises:
        ReadError: As in `list_directory`.
    """
    found = [entry for entry in list_directory(reader, path) if not entry.name.startswith(".")]
    mount = target_of(reader, path).remote_mount()
    for entry in sorted(found) if is_sorted else found:
        yield encodable(entry.name), entry
        if levels == 1 or not entry.is_directory or (entry.is_link and not follow_links):
            continue
        directory = joined(path, entry.name)
        if target_of(reader, directory).remote_mount() not in {None, mount}:
            continue
        below = visible_entries(
            reader, directory, levels=levels - 1, follow_links=follow_links, is_sorted=is_sorted
        )
        with suppress(ReadError):
            for name, each in below:
                yield f"{encodable(entry.name)}/{name}", each


def composed_path(reader: Reader, base: str, path: str) -> str:
    """Return a path below a directory, with names as the directories spell them in another Unicode form.

    Raises:
        AmbiguousPathError: Several names differ from one of the path only in this.
    """
    current, names = base, with_slashes(relative_path(base, path)).split("/")
    for index, name in enumerate(names):
        wanted = normalize("NFC", name)
        found = names_in(reader, current)
        same = [name] if name in found else [each for each in found if normalize("NFC", each) == wanted]
        if len(same) > 1:
            raise AmbiguousPathError(name, candidates=tuple(same))
        if not same:
            return "/".join([current, *names[index:]])
        current = f"{current}/{same[0]}"
    return current

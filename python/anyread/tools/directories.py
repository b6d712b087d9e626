"""Directories as contracts list them, by the rules of a reader."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from unicodedata import normalize

from anyread.errors import AmbiguousPathError, ReadError, TooLargeError
from anyread.paths import encoded

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


def visible_entries(
    reader: Reader, path: str, *, levels: int, follow_links: bool = True
) -> Steps[list[tuple[str, DirectoryEntry]]]:
    """List a directory and the directories in it, without hidden entries, each with its path below `path`.

    Args:
        reader: The reader whose roots and deny rules apply.
        path: The directory.
        levels: How many levels are listed; a directory below that cannot be listed has no entries.
        follow_links: Whether links to directories are listed too.

    Returns:
        The entries in no order, but each directory is followed by its own entries.

    Raises:
        ReadError: As in `list_directory`.
    """
    found = []
    for entry in (yield from list_directory(reader, path)):
        if entry.name.startswith("."):
            continue
        found.append((entry.name, entry))
        if levels > 1 and entry.is_directory and (follow_links or not entry.is_link):
            directory = os.path.join(path, entry.name)  # noqa: PTH118 - text
            below = visible_entries(reader, directory, levels=levels - 1, follow_links=follow_links)
            try:
                found += [(f"{entry.name}/{name}", each) for name, each in (yield from below)]
            except ReadError:
                continue
    return found


def in_order(found: list[tuple[str, DirectoryEntry]]) -> list[tuple[str, DirectoryEntry]]:
    """Sort `visible_entries`: by name in each directory, and each directory before its entries."""
    return sorted(found, key=lambda each: each[0].split("/"))


def composed_path(reader: Reader, base: str, path: str) -> Steps[str]:
    """Return a path below a directory, with names as the directories spell them in another Unicode form.

    Raises:
        AmbiguousPathError: Several names differ from one of the path only in this.
    """
    current, names = base, path[len(base) :].strip("/").split("/")
    for index, name in enumerate(names):
        try:
            found = [entry.name for entry in (yield from list_directory(reader, current))]
        except ReadError:
            found = []
        wanted = normalize("NFC", name)
        same = [name] if name in found else [each for each in found if normalize("NFC", each) == wanted]
        if len(same) > 1:
            raise AmbiguousPathError(name, candidates=tuple(same))
        if not same:
            return "/".join([current, *names[index:]])
        current = f"{current}/{same[0]}"
    return current

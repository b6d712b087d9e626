"""Directories as contracts list them, by the rules of a reader."""

from __future__ import annotations

import os
from contextlib import suppress
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar
from unicodedata import normalize

from anyread.errors import AmbiguousPathError, ReadError, TooLargeError
from anyread.paths import encoded

from .files import target_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from anyread._native import Cancel
    from anyread.reader import Reader

T = TypeVar("T")

MAX_ENTRIES: Final = 200_000
"""The maximum number of entries of a directory that is listed; sorting needs all of them."""
_PIECE: Final = 1_000
"""Entries that are sorted or joined with one call, for about a millisecond."""


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


def list_directory(reader: Reader, path: str, cancel: Cancel | None) -> Iterator[DirectoryEntry]:
    """List a directory: entries that deny rules match are left out, the others are in no order.

    Call it in `work`, because it may block, and filter and sort the entries there too: other threads run in
    between, and an event loop would stop for as long as it takes.

    Args:
        reader: The reader whose roots and deny rules apply.
        path: The directory.
        cancel: The flag that `work` passes; once it is set, the iterator raises `InterruptedError`.

    Raises:
        ReadError: The directory does not exist, is denied, is outside of the roots, …
        TooLargeError: It has more than `MAX_ENTRIES` entries.
    """
    engine = reader._engine  # noqa: SLF001 - only contracts list directories
    found, complete = engine.list_directory(encoded(path), maximum=MAX_ENTRIES)
    if not complete:
        raise TooLargeError(path, size=MAX_ENTRIES + 1, maximum=MAX_ENTRIES, unit="entries")
    for name, kind, is_link, size in found:
        if cancel is not None and cancel.cancelled:
            raise InterruptedError
        yield DirectoryEntry(os.fsdecode(name), kind, is_link, size)


def visible_entries(
    reader: Reader,
    path: str,
    cancel: Cancel | None,
    *,
    levels: int,
    follow_links: bool = True,
    is_sorted: bool = False,
) -> Iterator[tuple[str, DirectoryEntry]]:
    """List a directory and the directories in it, without hidden entries, each with its path below `path`.

    Args:
        reader: As in `list_directory`.
        path: The directory.
        cancel: As in `list_directory`.
        levels: How many levels are listed. A directory below that cannot be listed has no entries, and
            neither has one on another mount that may hang.
        follow_links: Whether links to directories are listed too.
        is_sorted: Whether the entries of each directory are sorted by name.

    Yields:
        The entries; each directory is followed by its own entries.

    Raises:
        ReadError: As in `list_directory`.
    """
    mount = target_of(reader, path).remote_mount()
    found: Iterator[DirectoryEntry]
    found = (entry for entry in list_directory(reader, path, cancel) if not entry.name.startswith("."))
    if is_sorted:
        # The garbage collector need not visit plain tuples of strings and numbers.
        found = map(DirectoryEntry._make, in_order(map(tuple, found), itemgetter(0)))
    for entry in found:
        yield entry.name, entry
        if levels == 1 or not entry.is_directory or (entry.is_link and not follow_links):
            continue
        directory = os.path.join(path, entry.name)  # noqa: PTH118 - text
        if target_of(reader, directory).remote_mount() not in {None, mount}:
            continue
        below = visible_entries(
            reader, directory, cancel, levels=levels - 1, follow_links=follow_links, is_sorted=is_sorted
        )
        with suppress(ReadError):
            for name, each in below:
                yield f"{entry.name}/{name}", each


def in_order(found: Iterable[T], key: Callable[[T], Any]) -> Iterator[T]:
    """Sort in short steps, as `sorted` does: one call of that would hold the interpreter until its end.

    What is not taken is not sorted completely, so the start of a long list is ready early.
    """
    items = iter(found)
    # An iterator frees its piece when it ends; to free all of them at the end would take too long.
    pieces = map(iter, iter(lambda: sorted(islice(items, _PIECE), key=key), []))
    return merge(*pieces, key=key)


def joined_lines(lines: Iterator[str]) -> str:
    """Join the lines of a listing in short steps, as in `in_order`; none of them is empty."""
    return "\n".join(iter(lambda: "\n".join(islice(lines, _PIECE)), ""))


def composed_path(reader: Reader, base: str, path: str, cancel: Cancel | None) -> str:
    """Return a path below a directory, with names as the directories spell them in another Unicode form.

    Call it in `work`, as `list_directory`.

    Raises:
        AmbiguousPathError: Several names differ from one of the path only in this.
    """
    current, names = base, path[len(base) :].strip("/").split("/")
    for index, name in enumerate(names):
        wanted = normalize("NFC", name)
        try:
            found = (entry.name for entry in list_directory(reader, current, cancel))
            same = [each for each in found if each == name or normalize("NFC", each) == wanted]
        except ReadError:
            same = []
        if name in same:
            same = [name]
        if len(same) > 1:
            raise AmbiguousPathError(name, candidates=tuple(same))
        if not same:
            return "/".join([current, *names[index:]])
        current = f"{current}/{same[0]}"
    return current

"""Directories: their entries as parts, one line each."""
# ruff: noqa: D102 - `Parts` documents the methods

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from anyread._native import display_path
from anyread.errors import WrongKindError
from anyread.formats.notebook.wording import size
from anyread.formats.parts import Part, Parts
from anyread.results.directory import DirectoryPage, Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import Opened
    from anyread.arguments import Request
    from anyread.formats.parts import How
    from anyread.results.notices import Notice
    from anyread.running.engine import ReaderEngine

_MOST_ENTRIES = 1_000_000
_MARKS = {"directory": "/", "link": "@", "other": "="}


class Directory(NamedTuple):
    """A directory, with the facts that an opened file has."""

    engine: ReaderEngine
    name: bytes
    path: str
    media_type: str = "inode/directory"
    is_text: bool = False
    size_bytes: int = 0
    modified_ns: int = 0
    version: str = ""
    state: str = ""
    notices: tuple[Notice, ...] = ()

    @property
    def resolved_path(self) -> str:
        """The path; that of a directory is not resolved."""
        return self.path

    def recheck(self) -> bool:
        """Return whether it is unchanged: a listing is made at once, and is of the moment."""
        return True

    @classmethod
    def of(cls, engine: ReaderEngine, name: bytes) -> Directory:
        """Describe the directory at a path."""
        return cls(engine, name, display_path(name))


def parts_of(opened: Directory | Opened, _request: Request | None, how: How) -> EntriesParts:
    """List a directory.

    Raises:
        WrongKindError: It is a file.
        ReadError: It cannot be listed; deny rules and roots apply.
    """
    if not isinstance(opened, Directory):
        raise WrongKindError(opened.path, argument="kind", kind=opened.media_type)
    found, is_all = opened.engine.list_directory(opened.name, maximum=_MOST_ENTRIES)
    # By code points, which UTF-8 keeps in order.
    return EntriesParts(sorted(found), how, is_all=is_all)


class EntriesParts(Parts[Part]):
    """The entries of a directory, by name."""

    def __init__(self, entries: Sequence[tuple[bytes, str, bool, int]], how: How, *, is_all: bool) -> None:
        self._entries, self._is_all = entries, is_all
        self.count = len(entries)
        self.most = how.limits.max_lines

    def facts(self) -> Mapping[str, object]:
        return {"entries": self.count}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Part]:
        for number in numbers:
            name, kind, _, size_bytes = self._entries[number - 1]
            about = f"\t{size(size_bytes)}" if kind == "file" else ""
            yield Part(number, [f"{display_path(name)}{_MARKS.get(kind, '')}{about}"]).since(column)
            column = 1

    def page(self, parts: Sequence[Part], common: dict[str, Any]) -> DirectoryPage:
        shown = [self._entries[part.number - 1] for part in parts]
        entries = [Entry(display_path(name), kind, length, is_link) for name, kind, is_link, length in shown]
        return DirectoryPage(**common, entries=tuple(entries))

"""Directories: their entries as parts, one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread._native import display_path
from anyread.formats.notebook.wording import size
from anyread.formats.parts import Part, PlainParts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
    kind: str = "directory"
    media_type: str = "inode/directory"
    size_bytes: int = 0
    modified_ns: int = 0
    version: str = ""
    state: str = ""
    notices: tuple[Notice, ...] = ()

    @property
    def resolved_path(self) -> str:
        """The path; that of a directory is not resolved."""
        return self.path

    @classmethod
    def of(cls, engine: ReaderEngine, name: bytes) -> Directory:
        """Describe the directory at a path."""
        return cls(engine, name, display_path(name))


def open(opened: Directory, _request: Request, how: How) -> EntriesParts:
    """List a directory.

    Raises:
        ReadError: It cannot be listed; deny rules and roots apply.
    """
    entries, is_all = opened.engine.list_directory(opened.name, maximum=_MOST_ENTRIES)
    found = sorted(entries, key=lambda entry: (entry[1] != "directory", entry[0]))
    return EntriesParts(found, how, is_all=is_all)


class EntriesParts(PlainParts):
    """The entries of a directory: directories first, then files, by the bytes of their names."""

    def __init__(self, entries: list[tuple[bytes, str, bool, int]], how: How, *, is_all: bool) -> None:
        self._entries, self._is_all = entries, is_all
        self.count = len(entries)
        self.most = how.limits.max_lines

    def facts(self) -> Mapping[str, object]:
        return {"entries": self.count, "is_all": self._is_all}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Part]:
        for number in numbers:
            name, kind, _, size_bytes = self._entries[number - 1]
            about = f"\t{size(size_bytes)}" if kind == "file" else ""
            yield Part(number, [f"{display_path(name)}{_MARKS.get(kind, '')}{about}"]).since(column)
            column = 1

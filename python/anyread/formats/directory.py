"""Directories: their entries as parts, one line each."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from anyread._native import Directory
from anyread.errors import TooLargeError, WrongKindError
from anyread.errors.base import size
from anyread.formats.parts import Part, Parts
from anyread.kinds import kind_of
from anyread.listing.file_lists import MAX_ENTRIES, rules_in
from anyread.results.directory import DirectoryPage, Entry
from anyread.results.notices import entries_left_out, make_notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import Cancel, Opened
    from anyread.arguments.request import Request
    from anyread.engine import ReaderEngine
    from anyread.formats.parts import How
    from anyread.results.notices import Notice

    from .selection import Selection

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_MARKS = {"directory": "/", "link": " (link)", "other": " (special file)", "unreadable": " (unreadable)"}


def opened(engine: ReaderEngine, name: bytes, cancel: Cancel | None) -> Directory:
    """Open a directory without the entries that its project ignores; this may block.

    Raises:
        ReadError: It cannot be listed; deny rules and roots apply.
        TooLargeError: It has more than `MAX_ENTRIES` entries, or fewer with long names.
    """
    directory = engine.directory(name, most=MAX_ENTRIES, cancel=cancel)
    if not directory.is_complete:
        most = len(directory)
        directory.close()
        raise TooLargeError(directory.path, size=most + 1, maximum=most, unit="entries")
    try:
        prefix, rules, left_out = rules_in(engine, os.fsdecode(directory.real_path), cancel)
        directory.leave_out(prefix, rules, cancel)
        if left_out:
            directory.notices = (*directory.notices, make_notice("rules_left_out", paths=left_out))
    except BaseException:
        # Whoever keeps the error would keep the descriptor.
        directory.close()
        raise
    return directory


def parts_of(opened: Directory | Opened, _request: Request | None, how: How) -> EntriesParts:
    """Return the entries of a directory.

    Raises:
        WrongKindError: It is a file.
    """
    if not isinstance(opened, Directory):
        kind = kind_of(opened.media_type, is_text=opened.is_text)
        raise WrongKindError(opened.path, argument="kind", kind=kind)
    return EntriesParts(opened, how)


class EntriesParts(Parts[Part]):
    """The entries of a directory, in the order of the code points of their names."""

    def __init__(self, directory: Directory, how: How) -> None:
        self._directory = directory
        self._shown: dict[int, Entry] = {}
        self.count = len(directory)
        self.most = how.limits.max_lines

    def facts(self) -> Mapping[str, object]:
        return {"entries": self.count}

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Part]:
        for number in numbers:
            # Only now: a page shows a few of perhaps a million entries.
            name, kind, is_link, length, target = self._directory.entry(number - 1)
            entry = Entry(name, kind, is_link, length if kind == "file" else 0, target)
            self._shown[number] = entry
            yield Part(number, [_line(entry)]).since(column)
            column = 1

    def marks(self, parts: Sequence[Part]) -> list[str]:
        left_out = entries_left_out(self._directory.ignored, self._directory.denied)
        return [left_out] if left_out else []

    def notices(self, parts: Sequence[Part], chosen: Selection) -> list[Notice]:
        facts = {"ignored": self._directory.ignored, "denied": self._directory.denied}
        return [] if self.count else [make_notice("no_entries", **facts)]

    def page(self, parts: Sequence[Part], common: dict[str, Any]) -> DirectoryPage:
        entries = tuple(self._shown[part.number] for part in parts)
        directory = self._directory
        return DirectoryPage(**common, entries=entries, ignored=directory.ignored, denied=directory.denied)


def _line(entry: Entry) -> str:
    """Return the line of an entry; names contain anything, also line breaks."""
    target = f" -> {entry.target}" if entry.target else ""
    mark = "" if target.endswith("/") else _MARKS.get(entry.type, "")
    about = f"\t{size(entry.size_bytes)}" if entry.type == "file" else ""
    return _BREAKS.sub(lambda found: repr(found[0])[1:-1], entry.name + target) + mark + about

"""The files below a directory in which a search has a hit, as parts: a heading each, and the first hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyread.arguments.patterns import MOST_HITS
from anyread.errors import ReadError
from anyread.errors.base import counted
from anyread.results.directory import DirectoryPage
from anyread.results.notices import make_notice

from .budget import footer_line
from .parts import Part, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anyread.results import Page
    from anyread.results.notices import Notice

    from .selection import Selection

HITS_OF_FILE = 5
"""How many hits are shown of each file; the footer of its lines names the call for the next ones."""
_MOST_NAMED = 20
"""The most files that could not be searched and are named."""


class _FilePart(Part):
    """The hits in a file."""

    __slots__ = ("_last",)

    def __init__(self, number: int, text: str, last: int) -> None:
        super().__init__(number, [text])
        self._last = last

    @property
    def last(self) -> int:
        return self._last


class TreeParts(Parts[_FilePart]):
    """The files of a tree, in the order of their paths; those without a hit have no part.

    Args:
        paths: The paths of all files.
        search: Returns the page of a file with its first hits; `None` if it has none, or is of a kind that is
            not searched.
        limit: The most files of a page.
    """

    has_gaps = True

    def __init__(self, paths: Sequence[str], search: Callable[[str], Page | None], limit: int | None) -> None:
        self._paths, self._search = paths, search
        self.count, self.most = len(paths), limit or MOST_HITS
        self._failed: list[str] = []

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[_FilePart]:
        number, text = 0, ""
        for following in numbers:
            page = self._found(self._paths[following - 1])
            if page is None:
                continue
            if number:
                # Only now it is known what follows.
                yield _FilePart(number, text, following - 1).since(column)
                column = 1
            path = self._paths[following - 1]
            number, text = following, f"{footer_line(path)}\n{page.text}\n"
        if number:
            yield _FilePart(number, text, self.count or number).since(column)

    def _found(self, path: str) -> Page | None:
        try:
            return self._search(path)
        except ReadError:
            self._failed.append(path)
            return None

    def nothing(self) -> str:
        return f"[no hits in {counted(len(self._paths), 'files')}]"

    def notices(self, parts: Sequence[_FilePart], chosen: Selection) -> list[Notice]:
        failed = self._failed
        if not failed:
            return []
        return [make_notice("not_searched", count=len(failed), paths=tuple(failed[:_MOST_NAMED]))]

    def page(self, parts: Sequence[_FilePart], common: dict[str, Any]) -> DirectoryPage:
        return DirectoryPage(**common)

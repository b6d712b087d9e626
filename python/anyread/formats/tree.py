"""The files below a directory in which a search has a hit, as parts: a heading each, and the first hits."""

from __future__ import annotations

import os
from bisect import bisect_left
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

from anyread._native import Opened
from anyread.arguments.paths import displayed, encoded
from anyread.arguments.patterns import MOST_HITS
from anyread.arguments.request import ARGUMENTS, DEFAULTS
from anyread.errors import ReadError, ReadTimeoutError
from anyread.errors.base import as_literal, counted
from anyread.kinds import BY_KIND
from anyread.results.directory import DirectoryPage
from anyread.results.notices import make_notice
from anyread.results.page import BasePage
from anyread.running.calls import current_call, work
from anyread.values import replaced

from . import is_searched, read_opened
from .budget import footer_line
from .composing import Composed
from .directory import opened as opened_directory
from .parts import How, Part, Parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from anyread.arguments.request import ReadArguments, Request
    from anyread.engine import ReaderEngine
    from anyread.results import Page
    from anyread.results.notices import Notice

    from .selection import Selection

_HITS_OF_FILE = 5
"""How many hits are shown of each file; the footer of its lines names the call for the next ones."""
_MOST_NAMED = 20
"""The most files that could not be searched and are named."""
_FIRST_FILES, _MOST_FILES = 16, 256
"""How many files one call of the core searches, at first and at most."""
_THREADS = os.cpu_count() or 1
_Pdf = Literal["pdf"]
_PDF: _Pdf = "pdf"
"""What a PDF is that was not searched."""


class FilePart(Part):
    """The hits in a file."""

    __slots__ = ("_last", "page")

    def __init__(self, number: int, page: Page) -> None:
        super().__init__(number, [f"{footer_line(page.path)}\n{page.text}\n"])
        self.page, self._last = page, number

    @property
    def last(self) -> int:
        return self._last

    def followed_by(self, number: int) -> None:
        """Say which number the next part has."""
        self._last = number - 1


class TreeParts(Parts[FilePart]):
    """The files of a tree, in the order of their paths; those without a hit have no part.

    Args:
        paths: The paths of all files.
        search: Returns for each of some files the page with its first hits, or why it was not searched.
        limit: The most files of a page.
    """

    has_gaps = True
    count: int

    def __init__(
        self,
        paths: Sequence[str],
        search: Callable[[Sequence[str]], Iterable[Page | ReadError | _Pdf | None]],
        limit: int | None,
    ) -> None:
        self._paths, self._search = paths, search
        self.count, self.most = len(paths), limit or MOST_HITS
        self._failed: list[str] = []
        self._looked_into = self._pdfs = 0

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[FilePart]:
        before: FilePart | None = None
        for number, page in self._found(next(iter(numbers), self.count + 1)):
            self._looked_into += isinstance(page, BasePage)
            self._pdfs += page is _PDF
            if isinstance(page, ReadTimeoutError):
                # The next call begins with this file.
                if before is not None:
                    before.followed_by(number)
                    yield before.since(column)
                raise page
            if isinstance(page, ReadError):
                self._failed.append(self._paths[number - 1])
            # Without room for its hits, the footer of a file names the call for them.
            elif isinstance(page, BasePage) and (page.next is not None or getattr(page, "hits", None)):
                if before is not None:
                    # Only now it is known what follows.
                    before.followed_by(number)
                    yield before.since(column)
                    column = 1
                before = FilePart(number, page)
        if before is not None:
            before.followed_by(self.count + 1)
            yield before.since(column)

    def _found(self, first: int) -> Iterator[tuple[int, Page | ReadError | _Pdf | None]]:
        size = _FIRST_FILES
        while first <= self.count:
            some = self._paths[first - 1 : first - 1 + size]
            yield from enumerate(self._search(some), first)
            first, size = first + len(some), min(2 * size, _MOST_FILES)

    def nothing(self) -> str:
        return "\n".join(
            filter(None, [f"[no hits in {counted(self._looked_into, 'files')}]", self.below([])])
        )

    def below(self, parts: Sequence[FilePart]) -> str:
        return f'[{counted(self._pdfs, "PDFs")} not searched: pass kind="pdf"]' if self._pdfs else ""

    def notices(self, parts: Sequence[FilePart], chosen: Selection) -> list[Notice]:
        failed = self._failed
        if not failed:
            return []
        return [make_notice("not_searched", count=len(failed), paths=tuple(failed[:_MOST_NAMED]))]

    def page(self, parts: Sequence[FilePart], common: dict[str, Any]) -> DirectoryPage:
        return DirectoryPage(**common)


def search_tree(
    engine: ReaderEngine,
    name: bytes,
    paths: Sequence[str],
    request: Request,
    how: How,
    *,
    note: Callable[[Page, Request], None] | None,
) -> Page:
    """Return a page with the files that have a hit.

    Args:
        engine: The core.
        name: The directory.
        paths: The files below it.
        request: The call; its `at` is the first file.
        how: The settings of the reader.
        note: Records what is shown of a file.

    Raises:
        ReadError: The directory cannot be opened.
    """
    kind, what, begin = request["kind"], request["find"], request["at"]
    of_file: Request = {**DEFAULTS, "find": what, "limit": _HITS_OF_FILE, "kind": kind}

    def search(some: Sequence[str]) -> Iterator[Page | ReadError | _Pdf | None]:
        names = [encoded(path) for path in some]
        read = partial(engine.read_batch, max_bytes=None, max_tokens=None, threads=_THREADS, keep=False)
        for file, found in zip(names, read(names, [of_file]), strict=True):
            try:
                # One on a mount that may hang is read in a thread of that mount.
                each = engine.read(file, of_file) if found is None else found
                yield _read(each, file) if isinstance(each, Opened) else cast("Page | ReadError", each)
            except ReadError as error:
                yield error

    def _read(found: Opened, file: bytes) -> Page | _Pdf | None:
        target = engine.target(file)
        with closing(found):
            current_call().drop(id(found))
            if is_searched(found, how, target, kind):
                return read_opened(found, of_file, how, target)
            return _PDF if found.media_type == "application/pdf" else None

    how = how._replace(
        limits=how.limits.lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"])
    )
    opening = partial(opened_directory, engine, name)
    with closing(work(opening, engine.target(name))) as directory:
        window: Request = {**request, "limit": None, "find": None, "at": None}
        if begin is not None:
            window["offset"] = 1 + _first(paths, begin, displayed(name))
        form = BY_KIND["directory"]._replace(unit=("file", "files"))
        composed = Composed(form, directory, TreeParts(paths, search, request["limit"]), window, how)
        composed.choose()
        page: Page = composed.page()
    for part in composed.parts if note is not None else ():
        if note is not None and part.following is None:
            note(part.page, of_file)
    if page.next is None:
        return page
    # The number of a file changes when others come and go.
    after: ReadArguments = {**page.next.arguments, "find": what, "limit": request["limit"]}
    number = after.get("offset", 1)
    begin = paths[number - 1]
    if begin.encode(errors="replace").decode() != begin:
        # An address is text.
        return replaced(page, next=replaced(page.next, arguments=after))
    del after["offset"]
    after["at"] = begin
    footer = page.footer.replace(f"offset={number}", f"at={as_literal(begin)}")
    text = f"{page.text.removesuffix(page.footer)}{footer}"
    return replaced(page, text=text, footer=footer, next=replaced(page.next, arguments=after))


def _first(paths: Sequence[str], begin: str, directory: str) -> int:
    """Return the position of the first path that is not before one, which may be relative to the directory.

    Raises:
        BadArgumentError: There is none.
    """
    for path in (begin, f"{directory.rstrip('/')}/{begin.removeprefix('./')}"):
        # The list is sorted by bytes, which differs for names that are not UTF-8.
        first = bisect_left(paths, encoded(path), key=encoded)
        if first < len(paths) and (paths[first].startswith(path) or path.startswith(directory)):
            return first
    raise ARGUMENTS["at"].refusal(directory, begin, "the path of a file below the directory, as in `next`")

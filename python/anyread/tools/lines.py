"""Lines of a file as the line feeds of its UTF-8 make them, for contracts that number them so.

The reader's own engine finds, cuts and numbers them, in any window of a file of any size; here is put
right where its definition of a text is another one: a byte order mark is a character of the first line,
and a carriage return never ends a line.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from anyread import _native
from anyread.arguments import LARGEST
from anyread.errors import OffsetPastEndError
from anyread.gutter import Gutter

from .files import HEAD_BYTES, INLINE_BYTES, like, read_page

if TYPE_CHECKING:
    from anyread.reader import Reader
    from anyread.results import TextPage
    from anyread.running.effects import Steps

    from .files import File

_BOM = "\ufeff"
_JUDGED_WHOLE_BYTES = 1024 * 1024
"""Bytes up to which the line ending of a page is that of the whole file."""


class Window(NamedTuple):
    """Some lines of a file; `total` is exact."""

    total: int
    numbered: str | None
    """The lines with their numbers, if nothing in them needs care; `None`: look at `lines`."""
    lines: list[str]
    """The lines without their line feeds, each perhaps cut; empty if `numbered` has them."""
    longer: frozenset[int]
    """Which of `lines`, from 0, go on in the file."""
    has_final_newline: bool = False
    """Whether the file ends with a line feed; of an empty window it is not known."""

    @classmethod
    def empty(cls, total: int) -> Window:
        """Return a window in which no line is."""
        return cls(total, None, [], frozenset())

    def unnumbered(self, separator: str) -> Window:
        """Take the numbers off again, each of which ends with `separator`."""
        if self.numbered is None:
            return self
        lines = [line.partition(separator)[2] for line in self.numbered.split("\n")]
        return self._replace(numbered=None, lines=lines)


@lru_cache(maxsize=64)
def gutter_of(width: int, separator: str) -> Gutter:
    """Make a gutter; many files have numbers of the same width."""
    return Gutter(width, separator)


class LineReader:
    """Reads windows of lines, with no budget but a length for each line.

    Args:
        reader: Whose roots and rules hold.
        gutter: How `Window.numbered` is numbered.
        max_line_chars: Characters of one line that are given.
        max_bytes: Bytes of a window in UTF-8, numbers included, after which it may end early.
        keeps_returns: Whether the carriage return before a line feed belongs to the line.
    """

    def __init__(
        self, reader: Reader, *, gutter: Gutter, max_line_chars: int, max_bytes: int, keeps_returns: bool
    ) -> None:
        limits = replace(
            reader.limits,
            max_line_chars=max_line_chars,
            fill_one_line=False,
            max_bytes=max_bytes,
            max_tokens=LARGEST,
            tokenizer=None,
            over_budget="page",
            exact_total=True,
            nul="keep",
        )
        self._reader = like(reader, limits=limits, gutter=gutter)
        self._gutter, self._max_line_chars = gutter, max_line_chars
        self._keeps_returns = keeps_returns

    def window(
        self, file: File, path: str, start: int, count: int, *, gutter: Gutter | None = None
    ) -> Steps[Window]:
        """Read `count` lines after the first `start`; `path` is what `file` was opened by.

        `gutter` is for this window; `None`: that of all.

        Raises:
            ReadError: As `Reader.read`, but there is no end to be past.
        """
        whole = file.whole()
        if whole is not None and len(whole) <= INLINE_BYTES:
            return self._in_memory(whole, start, count, gutter or self._gutter)
        if count < 1 or start >= LARGEST:
            return Window.empty((yield from self.total(file, path)))
        try:
            page = yield from self._page(path, start + 1, min(count, LARGEST), gutter)
        except OffsetPastEndError:
            return Window.empty((yield from self.total(file, path)))
        if page.line_ending == "cr" or (page.bom and not page.total_lines):
            return self._only_line(file) if start == 0 else Window.empty(1)
        return self._window(page) if page.total_lines else Window.empty(0)

    def total(self, file: File, path: str) -> Steps[int]:
        """Count the lines of a file."""
        whole = file.whole()
        if whole is not None:
            return _native.count_lines(whole)
        page = yield from self._page(path, 1, 1)
        total = page.total_lines or 0
        # A byte order mark alone is a character, and so a line.
        return 1 if page.line_ending == "cr" or (page.bom and not total) else total

    def _page(self, path: str, offset: int, limit: int, gutter: Gutter | None = None) -> Steps[TextPage]:
        asked = {"offset": offset, "limit": limit, "encoding": "utf-8", "kind": "text", "gutter": gutter}
        return cast("Steps[TextPage]", read_page(self._reader, path, **asked))

    def _window(self, page: TextPage) -> Window:
        total = page.total_lines or 0
        is_cut = page.next is not None and "column" in page.next.arguments
        is_plain = not (page.clipped or is_cut or (page.bom and page.start_line == 1))
        if is_plain and not (self._keeps_returns and self._may_have_returns(page)):
            text = page.text[: -len(page.footer) - 1] if page.footer else page.text
            return Window(total, text, [], frozenset(), page.final_newline)
        content = page.content if self._keeps_returns else page.content.replace("\r\n", "\n")
        lines = content.removesuffix("\n").split("\n")
        if page.bom and page.start_line == 1:
            lines[0] = _BOM + lines[0]
        longer = {clip.arguments["offset"] - page.start_line for clip in page.clipped}
        cut = frozenset(longer | {len(lines) - 1} if is_cut else longer)
        return Window(total, None, lines, cut, page.final_newline)

    @staticmethod
    def _may_have_returns(page: TextPage) -> bool:
        """Return whether lines of the page may end in carriage returns, which numbered text leaves out."""
        is_judged = 0 < page.size_bytes <= _JUDGED_WHOLE_BYTES
        return page.line_ending != "lf" if is_judged else "\r" in page.content

    def _in_memory(self, data: bytes, start: int, count: int, gutter: Gutter) -> Window:
        total, numbered = _native.number_lines(
            data,
            min(start, LARGEST),
            max(0, min(count, LARGEST)),
            gutter=gutter,
            max_chars=self._max_line_chars,
            keeps_returns=self._keeps_returns,
        )
        has_final_newline = data.endswith(b"\n")
        if numbered is not None:
            return Window(total, numbered, [], frozenset(), has_final_newline)
        text = data.decode("utf-8", "replace")
        lines = (text if self._keeps_returns else text.replace("\r\n", "\n")).split("\n")[:total]
        return Window(total, None, lines[start : start + count], frozenset(), has_final_newline)

    def _only_line(self, file: File) -> Window:
        """Return the one line of a file that has no line feed, but carriage returns or a byte order mark."""
        maximum = self._reader.limits.max_line_chars
        text = file.head(HEAD_BYTES).decode("utf-8", "replace")
        return Window(1, None, [text[:maximum]], frozenset({0} if len(text) > maximum else ()))

"""Lines of a file as the line feeds of its UTF-8 make them, for contracts that number them so.

The reader's own engine finds, cuts and numbers them, in any window of a file of any size; here is put
right where its definition of a text is another one: a byte order mark is a character of the first line,
and a carriage return never ends a line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from anyread.arguments import LARGEST
from anyread.errors import OffsetPastEndError

from .exchange import INLINE_BYTES, Page, Step

if TYPE_CHECKING:
    from collections.abc import Generator

    from anyread.gutter import Gutter
    from anyread.reader import Reader
    from anyread.results import TextPage

    from .exchange import File

_BOM = "\ufeff"


class Window(NamedTuple):
    """Some lines of a file; `total` is exact."""

    total: int
    numbered: str | None
    """The lines with their numbers, if nothing in them needs care; `None`: look at `lines`."""
    lines: list[str]
    """The lines without their line feeds, each perhaps cut; empty if `numbered` has them."""
    longer: frozenset[int]
    """Which of `lines`, from 0, go on in the file."""

    @classmethod
    def empty(cls, total: int) -> Window:
        """Give a window in which no line is."""
        return cls(total, None, [], frozenset())

    def unnumbered(self, separator: str) -> Window:
        """Take the numbers off again, each of which ends with `separator`."""
        if self.numbered is None:
            return self
        lines = [line.partition(separator)[2] for line in self.numbered.split("\n")]
        return self._replace(numbered=None, lines=lines)


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
        from anyread.reader import Reader as OwnReader

        limits = replace(
            reader.limits,
            max_line_chars=max_line_chars,
            max_bytes=max_bytes,
            max_tokens=LARGEST,
            tokenizer=None,
            over_budget="page",
            exact_total=True,
            nul="keep",
        )
        self._reader = OwnReader(
            roots=reader.roots, deny=reader.deny, limits=limits, gutter=gutter, mmap=reader.mmap
        )
        self._keeps_returns = keeps_returns

    def window(self, file: File, path: str, start: int, count: int) -> Generator[Step[Any], Any, Window]:
        """Read `count` lines after the first `start`; `path` is what `file` was opened by.

        Raises:
            ReadError: As `Reader.read`, but there is no end to be past.
        """
        if count < 1 or start >= LARGEST:
            return Window.empty((yield from self.total(path)))
        try:
            page = yield from self._page(path, offset=start + 1, limit=min(count, LARGEST))
        except OffsetPastEndError:
            return Window.empty((yield from self.total(path)))
        if not page.total_lines:
            return Window.empty(0)
        if page.line_ending == "cr":
            return self._only_line(file) if start == 0 else Window.empty(1)
        return self._window(page)

    def total(self, path: str) -> Generator[Step[Any], Any, int]:
        """Count the lines of a file."""
        page = yield from self._page(path, offset=1, limit=1)
        return min(page.total_lines or 0, 1) if page.line_ending == "cr" else page.total_lines or 0

    def _page(self, path: str, *, offset: int, limit: int) -> Generator[Step[Any], Any, TextPage]:
        step = _OwnPage(self._reader, path, offset=offset, limit=limit, encoding="utf-8", kind="text")
        page = yield from step
        return cast("TextPage", page)

    def _window(self, page: TextPage) -> Window:
        total = page.total_lines or 0
        is_cut = page.next is not None and "column" in page.next.arguments
        if not (page.clipped or is_cut or (page.bom and page.start_line == 1)) and not (
            self._keeps_returns and "\r" in page.content
        ):
            text = page.text[: -len(page.footer) - 1] if page.footer else page.text
            return Window(total, text, [], frozenset())
        content = page.content if self._keeps_returns else page.content.replace("\r\n", "\n")
        lines = content.removesuffix("\n").split("\n")
        if page.bom and page.start_line == 1:
            lines[0] = _BOM + lines[0]
        longer = {clip.arguments["offset"] - page.start_line for clip in page.clipped}
        return Window(total, None, lines, frozenset(longer | {len(lines) - 1} if is_cut else longer))

    def _only_line(self, file: File) -> Window:
        """Give the one line of a file that has carriage returns and no line feed."""
        maximum = self._reader.limits.max_line_chars
        text = file.head(INLINE_BYTES).decode("utf-8", "replace")
        return Window(1, None, [text[:maximum]], frozenset({0} if len(text) > maximum else ()))


class _OwnPage(Page):
    """Read a page by another reader than the host's."""

    __slots__ = ("_own",)

    def __init__(self, own: Reader, path: str, **arguments: Any) -> None:
        super().__init__(path, **arguments)
        self._own = own

    def now(self, reader: Reader) -> Any:  # noqa: ARG002 - as every step
        return super().now(self._own)

    async def later(self, reader: Reader) -> Any:  # noqa: ARG002 - as every step
        return await super().later(self._own)

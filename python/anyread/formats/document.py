"""Documents of Word: the core writes them as Markdown, and this module makes parts of the lines.

The reasons are in docs/design/023-documents.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyread._native import document_lines
from anyread.arguments.request import ReadArguments
from anyread.errors import WrongKindError
from anyread.kinds import kind_of
from anyread.results.document import DocumentLine, DocumentPage
from anyread.results.notices import make_notice

from .fallback import unchanged
from .parts import Part, Parts, continuation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import DocumentLines, Opened
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How
    from .selection import Selection

_FIRST_LINES = 64
"""How many lines are rendered at first if the call does not say how many it wants."""
_PAST_END = 1 << 53
"""The number of a line that no document has."""


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a document.

    Raises:
        WrongKindError: It is no document.
        UnsupportedFormatError: It is in a format that is not read.
    """
    kind = kind_of(opened.media_type, is_text=opened.is_text)
    if kind not in {"document", "binary"}:
        raise WrongKindError(opened.path, argument="kind", kind=kind)
    return LineParts(opened, None if request is None else request["limit"], how)


class LinePart(Part):
    """A line."""

    __slots__ = ("_head", "line")

    def __init__(self, number: int, text: str, head: str) -> None:
        super().__init__(number, [text])
        self.line, self._head = text, head

    @property
    def head(self) -> str:
        return self._head


class LineParts(Parts[LinePart]):
    """The lines of a document."""

    def __init__(self, opened: Opened, limit: int | None, how: How) -> None:
        self._opened, self._limit, self._how = opened, limit, how
        self.count, self.most = None, how.limits.max_lines
        self._known: DocumentLines | None = None
        self._clipped: list[tuple[int, int]] = []

    def counted(self) -> int:
        return self._lines(_PAST_END, 1, chars=1).total or 0

    def facts(self) -> Mapping[str, object]:
        found = self._lines(_PAST_END, 1, chars=1)
        return {
            "text_lines": found.total,
            "has_tracked_changes": found.tracked_changes > 0,
            "has_macros": found.has_macros,
        }

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[LinePart]:
        limits = self._how.limits
        lines: dict[int, tuple[str, int]] = {}
        # One more than a page has shows whether anything follows.
        size, last = _FIRST_LINES if self._limit is None else self._limit + 1, 0
        for number in numbers:
            if self.count is not None and number > self.count:
                return
            if number > last:
                # Where a page goes on inside a line, the line is shown as far as the page has room.
                chars = limits.max_line_chars if column == 1 else limits.max_bytes
                found = self._lines(number, 1 if column > 1 else size, column=column, chars=chars)
                if found.total is not None:
                    self.count = found.total
                if not found.lines:
                    return
                lines = {line: (text, characters) for line, text, characters in found.lines}
                last, size = found.lines[-1][0], size * 2
            if number not in lines:
                # A decoder may say anything.
                return
            text, characters = lines[number]
            part = LinePart(number, text, self._how.gutter.before(number))
            if column > 1:
                part.column, part.characters = column, characters
            elif characters > len(text):
                part.show([f"{text}… (+{characters - len(text):,} chars)"], None)
                self._clipped.append((number, len(text) + 1))
            yield part
            column = 1

    def _lines(self, first: int, lines: int, *, column: int = 1, chars: int) -> DocumentLines:
        limits = self._how.limits
        with unchanged(self._opened):
            self._known = self._how.native(document_lines)(
                self._opened,
                first=first,
                lines=lines,
                column=column,
                chars=chars,
                max_bytes=limits.max_bytes,
                max_inflated_bytes=limits.max_inflated_bytes,
                cancel=self._how.cancel,
            )
        return self._known

    def marks(self, parts: Sequence[LinePart]) -> list[str]:
        clipped = len(self._shown_clipped(parts))
        return [f"{clipped:,} clipped"] if clipped else []

    def _shown_clipped(self, parts: Sequence[LinePart]) -> list[tuple[int, int]]:
        shown = {part.number for part in parts}
        return [found for found in self._clipped if found[0] in shown]

    def notices(self, parts: Sequence[LinePart], chosen: Selection) -> list[Notice]:
        known = self._known
        if known is None:
            return []
        facts = {
            "tracked_changes": known.tracked_changes > 0,
            "hidden_runs": known.hidden_runs > 0,
            "macros": known.has_macros,
        }
        notices = [make_notice(code) for code, is_so in facts.items() if is_so]
        return notices + ([make_notice("lossy", encoding="utf-8")] if known.is_lossy else [])

    def page(self, parts: Sequence[LinePart], common: dict[str, Any]) -> DocumentPage:
        lines = tuple(DocumentLine(part.number, part.line) for part in parts)
        clipped = tuple(
            continuation(self._opened, ReadArguments(offset=line, column=column, limit=1))
            for line, column in self._shown_clipped(parts)
        )
        return DocumentPage(**common, lines=lines, clipped=clipped)

"""Documents of Word: the core writes them as Markdown, and this module makes parts of the lines.

The reasons are in docs/design/023-documents.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from anyread._native import document_lines
from anyread.arguments.request import ReadArguments
from anyread.results.document import DocumentLine, DocumentPage
from anyread.results.notices import make_notice

from .fallback import require_kind, unchanged
from .parts import Part, Parts, continuation
from .pictures import MarkedParts, PackageImage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import DocumentLines, Opened
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How, Picture
    from .selection import Selection

_FIRST_LINES = 16
"""How many lines are rendered at first of a range; then always twice as many."""
_PAST_END = 1 << 53
"""The number of a line that no document has."""
_Image: TypeAlias = tuple[str, str, tuple[int, int] | None, int]
_Line: TypeAlias = tuple[int, str, int, list[tuple[int, _Image]]]


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a document.

    Raises:
        WrongKindError: It is no document.
        UnsupportedFormatError: It is in a format that is not read.
    """
    require_kind(opened, "document")
    return LineParts(opened, request, how)


class LinePart(Part):
    """A line, or the part of it that a page begins with or that the core returned."""

    __slots__ = ("_head", "_unclipped", "_whole", "line")

    def __init__(self, line: _Line, pieces: Sequence[str | Picture], head: str, *, column: int) -> None:
        number, self.line, self._whole, _ = line
        super().__init__(number, pieces)
        self._head, self._unclipped = head, pieces
        if column > 1:
            self.column, self.characters = column, self._whole
        elif self.is_clipped:
            self.show([*pieces, f"… (+{self._whole - len(self.line):,} chars)"], None)

    @property
    def is_clipped(self) -> bool:
        """Whether it is shortened because it is long; where a page goes on inside it, it is not."""
        return self.column == 1 and self.characters is None and self._whole > len(self.line)

    def within(self, most_bytes: int) -> None:
        # The next page goes on where the line is cut, so that nothing says how much is left out.
        if self.is_clipped:
            self.show(self._unclipped, self._whole)
        super().within(most_bytes)

    @property
    def head(self) -> str:
        return self._head


class LineParts(MarkedParts[LinePart]):
    """The lines of a document."""

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        super().__init__(opened, request, how)
        self.count, self.most = None, how.limits.max_lines
        # One more than a page has shows whether anything follows; how long a range is, is not known here.
        is_window = request is not None and request["ranges"] is None
        limit = self.most if request is None else request["limit"] or self.most
        self._lines_at_first = limit + 1 if is_window else _FIRST_LINES
        self._known: DocumentLines | None = None

    def counted(self) -> int:
        return self._lines(_PAST_END, 1, chars=1).total or 0

    def facts(self) -> Mapping[str, object]:
        found = self._lines(_PAST_END, 1, chars=1)
        return {
            "text_lines": found.total,
            "images": found.images,
            "has_tracked_changes": found.tracked_changes > 0,
            "has_macros": found.has_macros,
        }

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[LinePart]:
        limits = self._how.limits
        lines: dict[int, _Line] = {}
        size, last = self._lines_at_first, 0
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
                lines = {line[0]: line for line in found.lines}
                last, size = found.lines[-1][0], size * 2
            if number not in lines:
                # A decoder may say anything.
                return
            line = lines[number]
            head = self._how.gutter.before(number)
            yield LinePart(line, self._pieces(line), head, column=column)
            column = 1

    def _pieces(self, line: _Line) -> list[str | Picture]:
        """Return the text of a line and its images, each after its mark."""
        _, text, _, images = line
        if not images:
            return [text]
        pieces: list[str | Picture] = []
        start = 0
        for end, image in images:
            pieces += [text[start:end], self._placed(PackageImage(*image))]
            start = end
        return [*pieces, text[start:]]

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
                index_bytes=limits.index_bytes,
                cancel=self._how.cancel,
            )
        return self._known

    def marks(self, parts: Sequence[LinePart]) -> list[str]:
        clipped = sum(part.is_clipped for part in parts)
        return [f"{clipped:,} clipped"] if clipped else []

    def notices(self, parts: Sequence[LinePart], chosen: Selection) -> list[Notice]:
        known = self._known
        if known is None:
            return []
        left_out = self._images_left_out(parts, "lines")
        facts = {
            "tracked_changes": known.tracked_changes > 0,
            "hidden_runs": known.hidden_runs > 0,
            "macros": known.has_macros,
        }
        notices = [make_notice(code) for code, is_so in facts.items() if is_so] + left_out
        return notices + ([make_notice("lossy", encoding="utf-8")] if known.is_lossy else [])

    def page(self, parts: Sequence[LinePart], common: dict[str, Any]) -> DocumentPage:
        if not parts:
            common["text"] = "[no lines]"
        lines = tuple(DocumentLine(part.number, part.line) for part in parts)
        clipped = tuple(
            continuation(self._opened, ReadArguments(offset=part.number, column=len(part.line) + 1, limit=1))
            for part in parts
            if part.is_clipped
        )
        return DocumentPage(**self._complete(parts, common), lines=lines, clipped=clipped)

"""Word documents: the core writes them as Markdown, and this module makes parts of the lines.

The reasons are in docs/design/023-documents.md.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from anyread._native import document_lines
from anyread.errors import NoSuchNameError
from anyread.results.document import DocumentPage
from anyread.results.notices import make_notice

from .chart import ChartParts
from .fallback import chart_number, require_kind, unchanged
from .headings import Heading, following, found_in, is_heading, outline
from .parts import LONG_LINE, NEAR_CHARS, Part, Parts, near_hit
from .pictures import MarkedParts, PackageImage, without_markup
from .text import MOST_SHOWN, section

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import DocumentLines, Opened
    from anyread.arguments.gutter import Gutter
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How, Picture
    from .selection import Selection

_FIRST_LINES = 16
"""How many lines are rendered at first of a range; then always twice as many."""
_MOST_TOGETHER = 256
"""The most lines of one part: enough for whole documents, and few enough not to be split often."""
_LONGEST_MARK = 2_048
"""More characters than the mark of an image has."""
_LINES_AT_ONCE = 10_000
"""How many lines are rendered at a time to look for a heading."""
_MOST_LOOKED_AT = 50_000
"""The most lines of which an outline names the headings."""
_LINES_AT_FIRST, _LINES_AROUND = 250, 2_500
"""How many lines before and after a line the heading of its section is looked for, at first and at most; more
than a page shows of a section."""
_BYTES_AROUND = 1 << 18
"""How many bytes of these lines are looked at, however little the page may have."""
_PAST_END = 1 << 53
"""The number of a line that no document has."""
_Image: TypeAlias = tuple[str, str, tuple[int, int] | None, int]
_Special: TypeAlias = tuple[int, list[tuple[int, _Image]]]
"""The characters of a line, and its images."""


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a document.

    Raises:
        WrongKindError: It is no document.
        UnsupportedFormatError: It is in a format that is not read.
    """
    require_kind(opened, "document")
    if request is not None and (number := chart_number(request["at"])) is not None:
        return ChartParts(opened, request, how, DocumentPage, number)
    return LineParts(opened, request, how)


def named(opened: Opened, request: Request, how: How) -> tuple[Request, list[Notice]]:
    """Replace the name of a heading by the lines of its section; that of a chart stays.

    Raises:
        NoSuchNameError: The document has no such heading.
    """
    try:
        return section(opened, request, LineParts(opened, None, how).all_lines(), "document")
    except NoSuchNameError:
        if chart_number(request["at"]) is None:
            raise
        return request, []


def around(opened: Opened, _request: Request, how: How, line: int) -> tuple[int, int] | None:
    """Return the section that a line is in, or so much of it around the line as a page shows of a block."""
    return LineParts(opened, None, how).section(line) if how.blocks else None


class LinePart(Part):
    """A line, or the part of it that a page begins with or that the core returned."""

    __slots__ = ("_head", "lines")

    def __init__(
        self, number: int, line: str, whole: int, pieces: Sequence[str | Picture], head: str, *, column: int
    ) -> None:
        super().__init__(number, pieces)
        self.lines, self._head = [line], head
        if column > 1 or whole > len(line):
            self.column, self.characters = column, whole

    @property
    def head(self) -> str:
        return self._head


class LinesPart(Part):
    """Several lines that are shown whole and have no images: a page may have thousands of them."""

    __slots__ = ("_gutter", "lines")

    def __init__(self, number: int, lines: list[str], gutter: Gutter) -> None:
        super().__init__(number, [gutter.numbered(number, lines)])
        self.lines, self._gutter = lines, gutter

    @property
    def size(self) -> int:
        return len(self.lines)

    @property
    def last(self) -> int:
        return self.number + len(self.lines) - 1

    def split(self, size: int) -> list[LinePart | LinesPart]:
        lines = self.lines
        return [
            lines_part(self.number, lines[:size], self._gutter),
            lines_part(self.number + size, lines[size:], self._gutter),
        ]


def lines_part(number: int, lines: list[str], gutter: Gutter) -> LinePart | LinesPart:
    """Return the part for lines that are shown whole and have no images."""
    if len(lines) > 1:
        return LinesPart(number, lines, gutter)
    (line,) = lines
    return LinePart(number, line, len(line), lines, gutter.before(number), column=1)


class LineParts(MarkedParts[LinePart | LinesPart]):
    """The lines of a document."""

    are_lines = True

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        super().__init__(opened, request, how)
        self.count, self.most = None, how.limits.max_lines
        # One more than a page has shows whether anything follows; how long a range is, is not known here.
        is_window = request is not None and request["ranges"] is None
        limit = self.most if request is None else request["limit"] or self.most
        self._lines_at_first = limit + 1 if is_window else _FIRST_LINES
        self._known: DocumentLines | None = None
        self._has_outline = how.has_room_for_outline(request)
        self._outline: list[Heading] | None = None
        self._searched: list[int] = []
        """The headings that a search has passed."""
        self._long: set[int] = set()
        """The long lines that it has passed."""
        self._rendered: tuple[int, list[str]] = 1, []
        """The lines that were rendered at first, of which a page shows a part."""

    def shows(self, number: int) -> bool:
        return self._how.gutter.shows(number)

    def counted(self) -> int:
        return self._lines(_PAST_END, 1).total or 0

    def facts(self) -> Mapping[str, object]:
        headings = outline(self._headings())
        # Goes on where the last line was rendered.
        found = self._lines(_PAST_END, 1)
        return {
            "headings": headings,
            "text_lines": found.total,
            "images": found.images,
            "has_tracked_changes": found.tracked_changes > 0,
            "has_macros": found.has_macros,
        }

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[LinePart | LinesPart]:
        gutter = self._how.gutter
        lines: list[str] = []
        special: dict[int, _Special] = {}
        # `lines` begin with line `first`. Those from `start` to before `end` become one part; `stop` is the
        # highest `end` that it may have.
        first = start = end = stop = 0
        size = self._lines_at_first
        for number in numbers:
            if number == end < stop and number not in special:
                end += 1
                continue
            if start < end:
                yield lines_part(start, lines[start - first : end - first], gutter)
            if not first <= number < first + len(lines):
                if self.count is not None and number > self.count:
                    return
                if column > 1:
                    found = self._lines(number, 1, column=column)
                else:
                    size, found = self._how.in_time(size, partial(self._lines, number))
                if found.total is not None:
                    self.count = found.total
                if found.text is None:
                    return
                first, lines, size = number, found.text.split("\n"), size * 2
                if not start:
                    self._rendered = first, lines
                special = {line: (whole, images) for line, whole, images in found.special}
                self._shorten(lines, special, first)
            start, end = number, number + 1
            stop = min(first + len(lines), start + _MOST_TOGETHER)
            if column > 1 or number in special:
                line = lines[number - first]
                whole, images = special.get(number, (len(line), []))
                pieces = self._pieces(line, images)
                yield LinePart(number, line, whole, pieces, gutter.before(number), column=column)
                start, column = end, 1
        if start < end:
            yield lines_part(start, lines[start - first : end - first], gutter)

    def _shorten(self, lines: list[str], special: dict[int, _Special], first: int) -> None:
        """After a search, keep of long lines only what is near a hit."""
        pattern = self._how.pattern
        if pattern is None:
            return
        for index, line in enumerate(lines):
            if len(line) > LONG_LINE:
                lines[index] = near_hit(line, pattern)
                special.pop(first + index, None)

    def texts_of(self, part: LinePart | LinesPart) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(part.lines, part.number):
            if is_heading(line):
                self._searched.append(number)
            if len(line) > 2 * NEAR_CHARS:
                self._long.add(number)
            for text in without_markup(line):
                yield number, text

    def is_long(self, number: int) -> bool:
        return number in self._long

    def heading_before(self, number: int) -> int | None:
        before = bisect_right(self._searched, number)
        return self._searched[before - 1] if before else None

    def _pieces(self, text: str, images: list[tuple[int, _Image]]) -> list[str | Picture]:
        """Return the text of a line and its images, each after its mark."""
        pieces: list[str | Picture] = []
        start = 0
        for end, image in images:
            pieces += [text[start:end], self._marked(PackageImage(*image, is_measured=True))]
            start = end
        return [*pieces, text[start:]]

    def _headings(self) -> list[Heading]:
        lines = islice(self._how.interruptible(self.all_lines()), _MOST_LOOKED_AT)
        return [*found_in(lines, "document")]

    def below(self, parts: Sequence[LinePart | LinesPart]) -> str:
        (first, lines), last = self._rendered, parts[-1].last
        end = first + len(lines) - 1
        if not self._has_outline or last >= end:
            return ""
        if self._outline is None:
            # Rendering more would take many times as long as the page.
            heads = ((number, line) for number, line in enumerate(lines, first) if line[:1] == "#")
            self._outline = [*found_in(heads, "document")]
        coming = self._outline[bisect_right(self._outline, last, key=attrgetter("line")) :]
        up_to = "" if self.count == end else f", up to line {end:,}"
        return following("headings that follow, with their lines", coming, up_to)

    def all_lines(self) -> Iterator[tuple[int, str]]:
        """Yield all lines with their numbers."""
        first, total = 1, None
        while total is None or first <= total:
            found = self._lines(first, _LINES_AT_ONCE)
            if found.text is None:
                return
            lines = found.text.split("\n")
            yield from enumerate(lines, first)
            first, total = first + len(lines), found.total

    def section(self, line: int, around: int = _LINES_AT_FIRST) -> tuple[int, int] | None:
        """Return the lines of the section around a line; `None`: it is in none."""
        start = max(1, line - around)
        found = self._lines(start, 2 * around + 1, max_bytes=_BYTES_AROUND)
        lines = [] if found.text is None else found.text.split("\n")
        if line >= start + len(lines):
            # The page says if there is no such line; otherwise the lines before it are too long to look at.
            return (line, line) if found.total is not None and line > found.total else None
        heads = [start + at for at, text in enumerate(lines) if is_heading(text)]
        first = max((head for head in heads if head <= line), default=None)
        if first is None:
            return self.section(line, _LINES_AROUND) if around < _LINES_AROUND and start > 1 else None
        last = min((head for head in heads if head > line), default=start + len(lines)) - 1
        while last > line and not lines[last - start].strip():
            last -= 1
        if last - first >= MOST_SHOWN:
            first = min(max(first, line - MOST_SHOWN // 2), last - MOST_SHOWN + 1)
        return first, min(last, first + MOST_SHOWN - 1)

    def _lines(
        self, first: int, lines: int, *, column: int = 1, max_bytes: int | None = None
    ) -> DocumentLines:
        limits = self._how.limits
        with unchanged(self._opened):
            self._known = self._how.native(document_lines)(
                self._opened,
                first=first,
                lines=lines,
                column=column,
                # A paragraph is one line, however long it is; a page ends before the mark of an image.
                chars=limits.max_bytes + _LONGEST_MARK,
                max_bytes=limits.max_bytes if max_bytes is None else max_bytes,
                max_inflated_bytes=limits.max_inflated_bytes,
                cancel=self._how.cancel,
            )
        return self._known

    def nothing(self) -> str:
        return "[no lines]"

    def notices(self, parts: Sequence[LinePart | LinesPart], chosen: Selection) -> list[Notice]:
        known = self._known
        if known is None:
            return []
        left_out = self._images_left_out(parts, "lines")
        facts = {
            "tracked_changes": known.tracked_changes > 0,
            "hidden_runs": known.hidden_runs > 0,
            "unknown_labels": known.has_unknown_labels,
            "macros": known.has_macros,
        }
        notices = [make_notice(code) for code, is_so in facts.items() if is_so] + left_out
        if known.unseen_runs:
            notices.append(make_notice("unseen_runs", count=known.unseen_runs))
        return notices + ([make_notice("lossy", encoding="utf-8")] if known.is_lossy else [])

    def page(self, parts: Sequence[LinePart | LinesPart], common: dict[str, Any]) -> DocumentPage:
        common["lines"] = [(part.number, part.lines) for part in parts]
        return DocumentPage(**self._complete(parts, common))

"""The parts that a call chooses, and what is left of them: the one kind of continuation that pages have.

A page goes on at a part (line, page, cell, entry), at a character inside it, and then in the ranges after it.
`Rest` is that value. As arguments of the next call it is written as the call was: `ranges`, `pages`, or
`offset` and `limit`; in each form `column` is the character at which the first part begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from anyread.arguments.page_range import PageRange
from anyread.arguments.request import ARGUMENTS
from anyread.arguments.settings import LARGEST
from anyread.errors import NoSuchPageError, OffsetPastEndError
from anyread.errors.base import as_literal

from .budget import FOOTER, footer_line, next_clause, text_bytes

if TYPE_CHECKING:
    from anyread.arguments.request import ReadArguments, Request

_Ranges = Sequence[tuple[int, int]]


class Rest(NamedTuple):
    """Where a page goes on: at a character of the first part of some ranges. It is never empty."""

    ranges: _Ranges
    column: int = 1


@dataclass(frozen=True)
class Selection:
    """The parts that a call chooses, in the order of the file."""

    unit: tuple[str, str]
    """What one part is called, and several."""
    count: int | None
    """How many the file has; `None`: that is not known yet, and `ranges` may end at `LARGEST`."""
    ranges: _Ranges
    """What is chosen, as pairs of the first and the last; they neither overlap nor touch."""
    form: Literal["ranges", "pages", "window"]
    """How the call said it."""
    column: int = 1
    """The first character of the first part."""
    limit: int | None = None
    """The parts of a window."""
    estimate: int | None = None
    """About how many there are, if `count` is not known."""
    missing: _Ranges = ()
    """Ranges that were requested, in which the file has nothing."""
    is_clamped: bool = False
    """Whether `pages` went past the end."""
    is_open: bool = False
    """Whether `pages` go on to the end of the file."""
    is_narrowed: bool = False
    """Whether several pages were requested, and a region of one."""

    @classmethod
    def of(
        cls,
        request: Request,
        *,
        count: int | None,
        unit: tuple[str, str],
        path: str,
        takes: frozenset[str],
        start: int = 1,
        estimate: int | None = None,
    ) -> Selection:
        """Return what a call chooses of a file.

        Raises:
            OffsetPastEndError: It chooses nothing, or begins after the last part.
            NoSuchPageError: `pages` begin after the last one.
        """
        column, end = request["column"], LARGEST if count is None else count
        # A page that ended because of its time may have shown all without seeing the end.
        most = end + (request["since_version"] is not None)
        if request["ranges"] is not None:
            found, missing = _merged(request["ranges"], end)
            # In an empty file, no range leads to anything.
            if not found and missing and end and missing[0][0] > most:
                raise OffsetPastEndError(path, offset=missing[0][0], total_lines=end, unit=unit[1])
            return cls(unit, count, found, "ranges", column, estimate=estimate, missing=missing)
        pages = PageRange.requested(request, end) if "pages" in takes else None
        is_window = request["pages"] is None and request["region"] is None and pages is not None
        if "pages" in takes and not is_window:
            first, last = (1, end) if pages is None else (pages.first, pages.last or end)
            if first > max(1, end):
                raise NoSuchPageError(path, value=str(pages), page_count=end)
            chosen = first if request["region"] is not None else min(last, end)
            if request["pages"] is not None:
                _refuse_besides_pages(path, request, chosen - first + 1)
            return cls(
                unit,
                count,
                ((first, chosen),) if end else (),
                "pages",
                column,
                is_clamped=last > end,
                is_open=pages is None or pages.last is None,
                is_narrowed=pages is not None and chosen < min(last, end),
            )
        offset, limit = request["offset"], request["limit"]
        first = offset if offset > 0 else max(1, end + 1 + offset)
        if first > max(1, most):
            raise OffsetPastEndError(path, offset=offset, total_lines=end, unit=unit[1])
        first = max(first, start)
        # Without a count, only the part after a page tells whether it is the last one.
        last = end if limit is None or count is None else min(end, first + limit - 1)
        ranges = ((first, last),) if first <= last else ()
        return cls(unit, count, ranges, "window", column, limit, estimate)

    @staticmethod
    def needs_count(request: Request) -> bool:
        """Return whether a call counts from the end, other than to name the end itself."""
        pairs = [(span, span) if isinstance(span, int) else span for span in request["ranges"] or ()]
        return request["offset"] < 0 or any(first < 0 or last < -1 for first, last in pairs)

    @property
    def first(self) -> int:
        """The first part chosen."""
        return self.ranges[0][0] if self.ranges else 1

    @property
    def last(self) -> int:
        """The last part chosen."""
        return self.ranges[-1][1] if self.ranges else 0

    @property
    def _end(self) -> int:
        return LARGEST if self.count is None else self.count

    @property
    def numbers(self) -> Iterator[int]:
        """The numbers of all parts that are chosen."""
        return chain.from_iterable(range(first, last + 1) for first, last in self.ranges)

    def rest(self, last: int, following: int | None = None) -> Rest | None:
        """Return what a page leaves out that ends with a part, perhaps before a character of it."""
        after = last - (following is not None)
        # A window goes on to the end of the file, as a page of text does.
        ranges = self.ranges if self.form != "window" else ((self.first, self._end),)
        left = [(max(first, after + 1), end) for first, end in ranges if end > after]
        return Rest(left, following or 1) if left else None

    def arguments(self, rest: Rest) -> ReadArguments:
        """Write the rest as the arguments of the next call, in the form of this one."""
        begin = rest.ranges[0][0]
        found: ReadArguments = {}
        if self.form == "ranges":
            # The end of the file need not be known to be named.
            found["ranges"] = [(first, -1 if last == LARGEST else last) for first, last in rest.ranges]
        elif self.form == "pages":
            is_open = self.is_open and self.first < self.last
            found["pages"] = str(PageRange(begin, None if is_open else self.last))
        else:
            found["offset"] = begin
            if self.limit is not None:
                left = self.limit - (begin - self.first)
                found["limit"] = left if 0 < left < self.limit else self.limit
        if rest.column > 1:
            found["column"] = rest.column
        return found

    def gap(self, before: int, number: int) -> str:
        """Return the line for what is left out between two parts; empty if nothing is."""
        left_out = [
            (last + 1, first - 1)
            for (_, last), (first, _) in pairwise(self.ranges)
            if before <= last and first <= number
        ]
        return f"[{self.named(left_out)} not shown]\n" if left_out else ""

    def footer(
        self,
        shown: tuple[int, int],
        about: str,
        marks: Sequence[str],
        rest: Rest | None,
        following: ReadArguments,
    ) -> str:
        """Return the last line of a page that shows some parts.

        Args:
            shown: The numbers of the first and the last one.
            about: What is shown, if their numbers do not say enough.
            marks: Further clauses.
            rest: What is left out.
            following: The arguments of the next call; none after the last page.
        """
        first, last = shown
        total = self.total(last, rest)
        clauses = [about or f"{self.named(self._until(last))} of {total}", *marks]
        if self.missing:
            clauses.append(f"the file has no {self.named(self.missing)}")
        if following:
            clauses.append(next_clause(written(following)))
        footer = footer_line(*clauses)
        if self.form != "ranges" or text_bytes(footer) <= FOOTER.bytes:
            return footer
        brief = f"{self.named([(first, last)])} of {total}, in several ranges"
        if rest is None:
            return footer_line(brief)
        inside = f", column {rest.column}," if rest.column > 1 else ""
        return footer_line(brief, next_clause(f"the ranges from {rest.ranges[0][0]:,}{inside} on"))

    def _until(self, number: int) -> _Ranges:
        """Return what is chosen up to a part."""
        return [(first, min(last, number)) for first, last in self.ranges if first <= number]

    def total(self, last: int, rest: Rest | None) -> str:
        """Return how many parts the file has, as far as a page that ends with one of them knows."""
        if self.count is not None:
            return f"{self.count:,}"
        seen = max(last, rest.ranges[0][0] if rest else 0)
        return f"about {self.estimate:,}" if (self.estimate or 0) > seen else f"at least {seen:,}"

    def named(self, pairs: _Ranges) -> str:
        """Return "page 3" or "pages 3-5, 8"."""
        is_one = len(pairs) == 1 and pairs[0][0] == pairs[0][1]
        numbers = (f"{first:,}" if first == last else f"{first:,}-{last:,}" for first, last in pairs)
        return f"{self.unit[not is_one]} {', '.join(numbers)}"


def _refuse_besides_pages(path: str, request: Request, chosen: int) -> None:
    """Refuse an `offset`, and a `limit` that is less than the pages chosen; others may be filled in."""
    offset, limit = request["offset"], request["limit"]
    for name, value, is_filled_in in (
        ("offset", offset, offset == 1),
        ("limit", limit, limit is None or limit >= chosen),
    ):
        if not is_filled_in:
            raise ARGUMENTS[name].refusal(path, value, "omitted together with `pages`")


def written(arguments: Mapping[str, Any]) -> str:
    """Write arguments as a footer shows them."""
    words = []
    for name, value in arguments.items():
        if name == "ranges":
            words.append(f"ranges={[list(pair) for pair in value]}")
        elif name != "limit":
            words.append(f"{name}={as_literal(value) if isinstance(value, str) else value}")
    return ", ".join(words)


def _merged(
    ranges: Iterable[int | tuple[int, int]], count: int
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the ranges in order, cut at the end of the file, and those in which it has nothing."""
    found, missing = [], []
    for span in ranges:
        first, last = (span, span) if isinstance(span, int) else span
        begin, end = (number if number > 0 else count + 1 + number for number in (first, last))
        begin, end = max(1, begin), min(end, count)
        if begin <= end:
            found.append((begin, end))
        else:
            missing.append((first, last))
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if merged and begin <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged, missing

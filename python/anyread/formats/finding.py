"""Finds the parts of a file that match a pattern: rows, slides, pages, cells, and lines of documents.

The texts are those that pages show, without marks and however long they are. A page of a search is one of
ranges, with another footer, and goes on after the last hit that it shows.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from anyread.arguments.gutter import Gutter
from anyread.arguments.patterns import compiled
from anyread.arguments.request import LARGEST
from anyread.errors.base import counted
from anyread.results.notices import make_notice
from anyread.values import replaced

from .budget import footer_line
from .fallback import at_lines
from .parts import LONG_LINE, near_hit
from .selection import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from anyread._native import Pattern
    from anyread.arguments.request import ReadArguments, Request
    from anyread.kinds import Format
    from anyread.results.notices import Notice

    from .parts import AnyOpened, How, P, Parts, ReadsFormat

_MOST_BYTES = 64 << 10
"""How much of a part is looked at at once; a hit may not go on after it."""
_NEAR = 2
"""How many lines are shown before and after a hit."""
_SHORT = 20
"""How many lines a part may have that is shown whole."""


class Found(NamedTuple):
    """What a search found."""

    hits: list[int]
    """The numbers of the parts that match, and perhaps a few more than a page shows on purpose."""
    is_exact: bool
    """Whether these are all hits."""
    chosen: Selection
    """The parts that the call chose."""
    last: int
    """The last part that was looked at."""
    begins: dict[int, int]
    """The first character of the piece of a part that has the hit; more than 1 only in very long ones."""
    pattern: Pattern
    beyond: str = ""
    """The address of what follows the last part: the next sheet."""
    sheets: int = 1
    """How many sheets were looked at."""
    notices: Sequence[Notice] = ()

    def after(self, last: int) -> ReadArguments:
        """Return the call for the hits after a part; empty if there are none."""
        is_over = self.is_exact and (not self.hits or self.hits[-1] <= last)
        if is_over:
            return {"at": self.beyond} if self.beyond else {}
        rest = self.chosen.rest(last)
        return {} if rest is None else self.chosen.arguments(rest)

    def between(self, first: int, last: int) -> tuple[int, ...]:
        """Return the hits among some parts."""
        return tuple(hit for hit in self.hits if first <= hit <= last)

    def shown(self, file: Parts[P], numbers: Iterable[int], how: How) -> Iterator[P]:
        """Yield the parts with hits: of those that are long, what is near the hits."""
        for number in numbers:
            for part in file.show([number], column=self.begins.get(number, 1)):
                texts = "\n".join(text for _, text in file.texts_of(part)).split("\n")
                found = near_hits(part.words(), texts, self.pattern, how)
                if found is not None:
                    part.column = 1
                    part.show([found], None)
                yield part

    def about(self, first: int, last: int) -> str:
        """Return how many hits are on a page."""
        shown, total = len(self.between(first, last)), len(self.hits)
        if self.is_exact:
            return counted(total, "hits") if shown == total else f"{shown:,} of {counted(total, 'hits')}"
        return f"{shown:,} of at least {counted(total, 'hits')}"


def widened(how: How) -> How:
    """Return settings with which parts have all of their texts, in whatever row or cell it is."""
    most = _MOST_BYTES
    return how._replace(limits=replaced(how.limits, max_bytes=most, max_line_chars=most, max_tokens=most))


def searched(
    form: Format, module: ReadsFormat, opened: AnyOpened, request: Request, how: How
) -> tuple[Request, Found]:
    """Find what a call looks for, and return the call that shows it.

    Raises:
        ReadError: As `parts_of` of the module.
    """
    whole: Request = {**request, "find": None, "limit": None, "max_bytes": None, "max_tokens": None}
    wide = widened(how)._replace(gutter=Gutter.NONE, budget=None)
    with closing(module.parts_of(opened, whole, wide)) as parts:
        pattern, literal = compiled(request["find"] or "")
        if parts.count is None and Selection.needs_count(whole):
            parts.count = parts.counted()
        most = None if how.limits.exact_total else (request["limit"] or 0) + 1
        found = _matching(form, parts, opened, whole, pattern, most)
        is_literal = pattern.is_literal
        if not found.hits and literal is not None:
            found, is_literal = _matching(form, parts, opened, whole, literal, most), True
        ranges = list(_shown(parts, found, request["limit"]))
        beyond = parts.beyond() if found.is_exact else ""
    # That the pattern is no expression matters most where nothing is found.
    is_told = is_literal and (found.hits or pattern.is_literal)
    notices = [make_notice("literal_pattern")] if is_told else []
    shown = at_lines(request, ranges, at=request["at"])
    shown |= {"limit": request["limit"], "pages": None, "column": 1}
    return shown, found._replace(notices=notices, beyond=beyond)


def _matching(  # noqa: PLR0917 - bound by position
    form: Format,
    parts: Parts[Any],
    opened: AnyOpened,
    request: Request,
    pattern: Pattern,
    most: int | None,
) -> Found:
    """Return the parts that match; at most so many."""

    def chosen() -> Selection:
        return Selection.of(
            request,
            count=parts.count,
            unit=parts.unit or form.unit,
            path=opened.path,
            takes=form.takes,
            start=parts.start,
        )

    selected = chosen()
    found = Found([], is_exact=False, chosen=selected, last=0, begins={}, pattern=pattern)
    hits, last = found.hits, 0
    for last, begin in parts.searched(selected, pattern, most):
        # Several texts of a part are one hit.
        if begin and (not hits or hits[-1] != last):
            hits.append(last)
            found.begins[last] = begin
            if most is not None and len(hits) >= most:
                return found._replace(last=last)
    # Now their number is known. Decoding may have ended before all of them, for want of time.
    selected = chosen()
    if last < selected.last and not parts.has_gaps and parts.count is not None:
        return found._replace(chosen=selected, last=last)
    return found._replace(is_exact=True, chosen=selected, last=selected.last)


def _shown(parts: Parts[Any], found: Found, limit: int | None) -> Iterator[tuple[int, int]]:
    """Yield what is shown of the hits, as pairs of a first and a last part."""
    first, last = found.chosen.first, found.last
    for hit in found.hits[:limit]:
        if parts.are_lines:
            begin = end = hit
            while begin > max(first, hit - _NEAR) and not parts.is_long(begin - 1):
                begin -= 1
            while end < min(max(last, hit), hit + _NEAR) and not parts.is_long(end + 1):
                end += 1
            heading = parts.heading_before(hit)
            if heading is not None and first <= heading < begin:
                yield heading, heading
            yield begin, end
        else:
            yield hit, hit


def near_hits(text: str, plain: Sequence[str], pattern: Pattern, how: How) -> str | None:
    """Return the lines of a text that are near the hits in it; `None` if it is short, and shown whole.

    Args:
        text: The text, as it is shown.
        plain: Its lines without marks.
        pattern: What was found.
        how: The settings of the reader.
    """
    lines = text.split("\n")
    if len(lines) <= _SHORT and len(text) <= LONG_LINE:
        return None
    if len(plain) != len(lines):
        plain = lines
    separator = how.gutter.separator or "\0"
    kept: set[int] = set()
    heading = None
    for index, (line, words) in enumerate(zip(lines, plain, strict=True)):
        if line.startswith("[") and line.endswith("]"):
            heading = index
        if pattern.find(words) is not None or pattern.find(words.partition(separator)[2]) is not None:
            # The heading says which output of a cell it is.
            kept |= {*range(max(0, index - _NEAR), index + _NEAR + 1), index if heading is None else heading}
    shown: list[str] = []
    passed = 0
    for index in sorted(kept & {*range(len(lines))}):
        shown += [f"[{counted(index - passed, 'lines')} not shown]"] if index > passed else []
        shown.append(near_hit(lines[index], pattern))
        passed = index + 1
    if not shown:
        return None
    left = len(lines) - passed - (not lines[-1])
    shown += [f"[{counted(left, 'lines')} not shown]"] if left > 0 else []
    return "\n".join(shown) + "\n" * text.endswith("\n")


def no_hits(found: Found, unit: tuple[str, str], following: str) -> str:
    """Return the text of a page without hits, with a clause about parts that were not looked at."""
    if found.sheets > 1:
        return footer_line(*filter(None, [f"no hits in {found.sheets:,} sheets", following]))
    first, last = found.chosen.first, found.last
    one = first == last
    numbers = f"{first:,}" if one else f"{first:,} to the end" if last == LARGEST else f"{first:,}-{last:,}"
    return footer_line(*filter(None, [f"no hits in {unit[not one]} {numbers}", following]))

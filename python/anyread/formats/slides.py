"""Presentations: the core shows slides as Markdown, and this module makes parts of them.

The reasons are in docs/design/024-slides.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from anyread._native import Presentation
from anyread.errors import NoSuchNameError
from anyread.errors.base import one_line
from anyread.results.notices import make_notice
from anyread.results.slides import Slide, SlidesPage

from .budget import footer_line
from .chart import ChartParts
from .fallback import chart_number, require_kind, unchanged
from .headings import Heading, following, outline
from .parts import Part
from .pictures import MarkedParts, PackageImage, absent_mark, without_markup

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from anyread._native import Opened, ShownSlide
    from anyread.arguments.request import Request
    from anyread.results.notices import Notice

    from .parts import How, Parts, Picture
    from .selection import Selection

_FIRST_SLIDES = 8
"""The slides that are read at first; then twice as many."""
_MOST_LOOKED_AT = 300
"""The most slides of which `info` has the titles."""
_TITLES_THAT_FOLLOW = 40
"""The slides after a page that are read for their titles: about as many as its line has room for."""
_MOST_NAMED = 20
"""The most hidden slides that a footer or a notice names."""


def parts_of(opened: Opened, request: Request | None, how: How) -> Parts[Any]:
    """Open a presentation.

    Raises:
        NoSuchNameError: It has no such chart.
        WrongKindError: It is no presentation.
        UnsupportedFormatError: It is in a format that is not read.
        DamagedFileError: It is damaged.
        PasswordRequiredError: It is encrypted.
        FileChangedError: The file changed meanwhile.
    """
    require_kind(opened, "slides")
    if request is not None and request["at"] is not None:
        number = chart_number(request["at"])
        if number is None:
            raise NoSuchNameError(opened.path, value=request["at"], unit="chart")
        return ChartParts(opened, request, how, SlidesPage, number)
    with unchanged(opened):
        return SlideParts(opened, request, how)


class SlidePart(Part):
    """A slide."""

    __slots__ = ("_head", "_last", "slide")

    def __init__(self, slide: ShownSlide, head: str, pieces: Sequence[str | Picture], last: int) -> None:
        super().__init__(slide.number, pieces)
        self.slide, self._head, self._last = slide, head, last

    @property
    def head(self) -> str:
        return self._head

    @property
    def last(self) -> int:
        return self._last

    @property
    def is_clipped(self) -> bool:
        return self.slide.is_cut


class SlideParts(MarkedParts[SlidePart]):
    """The slides of a presentation."""

    has_gaps = True

    def __init__(self, opened: Opened, request: Request | None, how: How) -> None:
        super().__init__(opened, request, how)
        limits = how.limits
        self._native = how.native(Presentation)(
            opened, max_inflated_bytes=limits.max_inflated_bytes, cancel=how.cancel
        )
        self._hidden = [number for number, hidden in enumerate(self._native.hidden, 1) if hidden]
        self._left_out: list[int] = []
        self._has_outline = how.has_room_for_outline(request)
        self._titles: dict[int, str] = {}
        self.count: int = len(self._native.hidden)

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[SlidePart]:
        wanted = self._without_hidden([*numbers])
        coming, most, left_out = iter(wanted), _FIRST_SLIDES, self._left_out
        while chosen := [*islice(coming, most)]:
            most, slides = self._how.in_time(len(chosen), partial(self._shown, chosen))
            for slide in slides:
                # Those that are left out after it belong to it, also in the ranges after it.
                after = bisect_right(wanted, slide.number)
                end = bisect_left(left_out, wanted[after]) if after < len(wanted) else len(left_out)
                last = max(slide.number, left_out[end - 1]) if end else slide.number
                yield SlidePart(slide, self._heading(slide), self._pieces(slide), last).since(column)
                column = 1
            # What was not shown is after the budget of any page.
            if len(slides) < len(chosen):
                coming = iter([*chosen[len(slides) :], *coming])
            most *= 2

    def shows(self, number: int) -> bool:
        return True

    def texts_of(self, part: SlidePart) -> Iterator[tuple[int, str]]:
        for number, text in super().texts_of(part):
            for plain in without_markup(text):
                yield number, plain

    def _shown(self, numbers: list[int], size: int) -> Sequence[ShownSlide]:
        most, cancel = self._how.limits.max_bytes, self._how.cancel
        with unchanged(self._opened):
            return self._native.show(numbers[:size], max_bytes=most, cancel=cancel)

    def _without_hidden(self, numbers: list[int]) -> list[int]:
        """Leave hidden slides out of ranges; one that is named by its number alone is shown."""
        hidden = self._native.hidden
        wanted: list[int] = []
        left_out: list[int] = []
        for at, number in enumerate(numbers):
            is_alone = (
                number - 1 not in numbers[max(0, at - 1) : at] and number + 1 not in numbers[at + 1 : at + 2]
            )
            (wanted if is_alone or not hidden[number - 1] else left_out).append(number)
        self._left_out = left_out if wanted else []
        return wanted or numbers

    def _heading(self, slide: ShownSlide) -> str:
        clauses = [f"slide {slide.number:,} of {self.count:,}"]
        clauses += [f"layout {one_line(slide.layout)}"] if slide.layout else []
        clauses += ["hidden"] if slide.is_hidden else []
        return f"{footer_line(*clauses)}\n"

    def _pieces(self, slide: ShownSlide) -> list[str | Picture]:
        """Return the content, the notes and the comments of a slide, and the images after their marks."""
        pieces: list[str | Picture] = []
        images = 0
        for piece in slide.pieces:
            if isinstance(piece, str):
                pieces.append(piece)
                continue
            images += 1
            found, description = piece
            if found is None:
                pieces.append(f"{absent_mark(images, description=description)}\n")
                continue
            image = PackageImage(*found, is_measured=True)
            pieces += [image.mark(images, description=description), self._marked(image), "\n"]
        words = [f"[notes] {slide.notes}\n"] if slide.notes else []
        for author, text in slide.comments:
            clauses = filter(None, ("comment", one_line(author)))
            words.append(f"{footer_line(*clauses)} {' '.join(text.split())}\n")
        return [*pieces, "".join(words)]

    def _chosen(self, number: int) -> dict[str, Any]:
        return {"pages": str(number)}

    def nothing(self) -> str:
        return "[no slides]"

    def marks(self, parts: Sequence[SlidePart]) -> list[str]:
        left_out = self._passed(parts)
        more = ", …" if len(left_out) > _MOST_NAMED else ""
        return [f"hidden: {', '.join(map(str, left_out[:_MOST_NAMED]))}{more}"] if left_out else []

    def _passed(self, parts: Sequence[SlidePart]) -> list[int]:
        """Return the hidden slides that a page leaves out."""
        return self._left_out[: bisect_right(self._left_out, parts[-1].last if parts else 0)]

    def _titles_of(self, first: int, last: int) -> list[Heading]:
        """Return the titles of some slides that are not hidden."""
        hidden = self._native.hidden
        numbers = [number for number in range(first, last + 1) if not hidden[number - 1]]
        missing = [number for number in numbers if number not in self._titles]
        while missing and (slides := self._shown(missing, len(missing))):
            self._titles |= {each.number: " ".join((each.title or "").split()) for each in slides}
            missing = missing[len(slides) :]
        return [Heading(number, 1, self._titles.get(number, "")) for number in numbers]

    def below(self, parts: Sequence[SlidePart]) -> str:
        last = parts[-1].last
        end = min(self.count, last + _TITLES_THAT_FOLLOW)
        if not self._has_outline or last >= self.count:
            return ""
        # Without them if there is too little time.
        found = self._how.in_time(2, lambda size: self._titles_of(last + 1, end) if size > 1 else [])[1]
        up_to = "" if end == self.count else f", up to slide {end:,}"
        return following("titles that follow, with their slides", found, up_to)

    def notices(self, parts: Sequence[SlidePart], chosen: Selection) -> list[Notice]:
        notices = []
        if passed := self._passed(parts):
            notices.append(make_notice("hidden_slides", slides=passed[:_MOST_NAMED]))
        cut = [part.number for part in parts if part.slide.is_cut]
        if cut:
            notices.append(make_notice("slide_too_long", slides=cut))
        if any(part.slide.is_lossy for part in parts):
            notices.append(make_notice("lossy", encoding="utf-8"))
        if unseen := sum(part.slide.unseen_runs for part in parts):
            notices.append(make_notice("unseen_runs", count=unseen))
        notices += self._images_left_out(parts, "slides")
        if chosen.is_narrowed:
            notices.append(make_notice("region_of_one_page", page=chosen.first))
        if chosen.is_clamped:
            notices.append(make_notice("pages_clamped", page_count=self.count))
        return notices

    def page(self, parts: Sequence[SlidePart], common: dict[str, Any]) -> SlidesPage:
        slides = tuple(
            Slide(
                part.number,
                part.slide.title,
                part.slide.layout,
                "".join(piece for piece in part.pieces if isinstance(piece, str)),
                part.slide.is_hidden,
            )
            for part in parts
        )
        common = self._complete(parts, common) | {"media_type": self._native.media_type}
        return SlidesPage(**common, slides=slides, hidden=tuple(self._hidden))

    def facts(self) -> Mapping[str, object]:
        return {
            "kind": "slides",
            "media_type": self._native.media_type,
            "slides": self.count,
            "titles": outline(self._titles_of(1, min(self.count, _MOST_LOOKED_AT))),
            "hidden_slides": self._hidden,
            "has_macros": self._native.has_macros,
            "is_encrypted": False,
        }

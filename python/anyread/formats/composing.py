"""Composes the page of a file that is made of parts: which parts, within which budgets, and what follows.

The rule is that of text, which the core cuts (docs/design/004-footer-and-budgets.md). Parts are added while
they fit. If something is left out, parts are removed from the end until the footer fits with the rest. Only
the first part is ever cut: at the end of a line if one is near, or before an image that does not fit. An
image with which a page begins is scaled down to what its texts leave, which is at least half of the tokens.
What is cut off is what the next page begins with, so nothing is lost, and each page shows something new.
A page also ends before a part or an image for which the time of the call is too short.
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic

from anyread.arguments.page_range import PageRange
from anyread.arguments.request import repeated
from anyread.arguments.settings import LEAST_BYTES
from anyread.errors import BadArgumentError, DecoderTimeoutError, ReadTimeoutError
from anyread.results import Continuation
from anyread.results.notices import make_notice
from anyread.running.deadline import current_deadline
from anyread.values import DERIVED

from .budget import Budget, Cost, footer_line, next_clause, text_bytes
from .finding import no_hits, widened
from .parts import P, continuation
from .selection import Selection, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anyread.arguments.request import ReadArguments, Request
    from anyread.kinds import Format
    from anyread.results import Page
    from anyread.results.notices import Notice

    from .finding import Found
    from .parts import AnyOpened, How, Part, Parts, ReadsFormat
    from .selection import Rest

_LINES_AT_END = 32
"""How many lines at the end of a page are counted one by one if it is too long."""


class Composed(Generic[P]):
    """A page of parts, complete except for the pixels of its images.

    Args:
        form: The format of the file.
        opened: The file.
        file: The file as parts.
        request: The call.
        how: The settings and the budget.
        found: What a search found.
    """

    def __init__(  # noqa: PLR0917 - bound by position
        self,
        form: Format,
        opened: AnyOpened,
        file: Parts[P],
        request: Request,
        how: How,
        found: Found | None = None,
    ) -> None:
        self.form = form._replace(unit=file.unit or form.unit, takes=form.takes - file.without)
        self.opened, self.file, self.how, self.found = opened, file, how, found
        self.request = self._numbered(request)
        self.budget = how.budget or Budget.of(how.limits, how.model.token_factor)
        if file.count is None and Selection.needs_count(request):
            file.count = file.counted()
        self.chosen = self._selected()
        self.parts: list[P] = []
        """The parts that are shown."""
        self.is_cut = False
        """Whether its only part is shown in part."""
        self.is_late = False
        """Whether it ends because the time of the call is over."""
        self._exceeded: Cost | None = None
        """What the parts cost when they first did not fit."""
        self._counted: int | None = None
        self._final: tuple[str, str] | None = None
        """The text and the footer of the page, once nothing changes any more."""

    def _numbered(self, request: Request) -> Request:
        """Replace the label of a page by its number."""
        label = str(request["pages"] or "")
        if not label or PageRange.parse(label) is not None:
            return request
        number = self.file.page_of(label)
        if number is None:
            reason = 'page numbers from 1, such as "3", "1-5" or "2-", or the label of one page'
            raise BadArgumentError(self.opened.path, argument="pages", value=label, reason=reason)
        return {**request, "pages": str(number)}

    def _selected(self) -> Selection:
        return Selection.of(
            self.request,
            count=self.file.count,
            unit=self.form.unit,
            path=self.opened.path,
            takes=self.form.takes,
            start=self.file.start,
            estimate=self.file.estimate,
        )

    @property
    def _counts_pages(self) -> bool:
        """Whether `offset` and `limit` count the pages of a file that has no other unit."""
        return self.chosen.form == "window" and "pages" in self.form.takes

    # -- what is shown

    def choose(self) -> None:
        """Choose the parts, and cut the first one if it alone does not fit.

        Raises:
            BadArgumentError: `column` is after the last character of the first part.
            OverBudgetError: The page is over a budget and `Limits.over_budget` is "error", or the first part
                does not fit and only whole parts are asked for.
            ReadError: As `Parts.show`.
        """
        if self.file.is_whole or self._has_no_hits:
            return
        # One more than a page has shows whether anything follows, if the number of parts does not.
        most, is_known = self.chosen.limit or self.file.most, self.chosen.count is not None
        if self._counts_pages:
            most = min(most, self.file.most)
        last = self.chosen.limit if self.file.has_gaps else most + (not is_known)
        numbers = islice(self.chosen.numbers, last)
        if self.found is None or self.file.are_lines or self.file.shortens_hits:
            parts = self._in_time(self.file.show(numbers, column=self.chosen.column))
        else:
            parts = self._in_time(self.found.shown(self.file, numbers, self.how))
        parts, first, used = self._take(parts, most)
        self._take_count()
        # Estimates add up; with a tokenizer, the tokens of a text are not the sum of those of its parts.
        footer = self.footer() if self.parts else ""
        if self.budget.tokenizer is not None or footer or self._below():
            while self.parts and not self._fits(cost := self._whole_cost(footer)):
                part = self.parts.pop()
                self.parts += part.split(part.size - self._surely_too_many(part, cost))[:1]
                footer = self.footer()
        shows_nothing = first is not None and not self.parts
        if (self._exceeded and self.how.limits.over_budget == "error") or (shows_nothing and self.how.whole):
            raise self.budget.refusal(
                self._exceeded or used,
                path=self.opened.path,
                largest_limit=self._shown,
                of=self.form.unit[1],
                first=self.chosen.first,
            )
        if first is not None and not self.parts:
            # Characters are counted in the text of one line, without its number.
            first = (first.split(1) or [first])[0]
            self._cut(first)
            if self.chosen.count is None and first.following is None:
                # All of it is shown, and only the part after it tells whether it is the last one.
                next(parts, None)
                self._take_count()

    def _surely_too_many(self, part: P, cost: Cost) -> int:
        """Return how many at the end of a part that holds several do not fit, whatever the footer is.

        The cost of the whole page takes long to count, and a line below the parts may need the room of many.
        """
        over, size = cost.minus(self.budget.most), part.size
        if self.budget.tokenizer is not None or size == 1:
            return 1
        # Only the end, because numbering lines takes time, too.
        _, rest = part.split(max(1, size - _LINES_AT_END))
        count = 0
        while rest.size > 1 and any(over):
            rest, last = rest.split(rest.size - 1)
            over, count = over.minus(self._cost(last)), count + 1
        # The footer may get shorter.
        return max(1, count - 1)

    def _in_time(self, parts: Iterator[P]) -> Iterator[P]:
        """Yield parts until the time of the call is over; without any, that is an error."""
        deadline, cancel, part = current_deadline(), self.how.cancel, None
        try:
            for part in parts:
                yield part
                if deadline.is_over or (cancel is not None and cancel.cancelled):
                    raise deadline.error()
        except (InterruptedError, ReadTimeoutError, DecoderTimeoutError):
            if part is None:
                raise
            self.is_late = True

    def settle(self) -> None:
        """Decode the images of its parts, in a thread that may use decoders."""
        try:
            self.file.settle()
        except (InterruptedError, ReadTimeoutError):
            missing = [[picture.block is None for picture in part.pictures] for part in self.parts]
            index = next(index for index, images in enumerate(missing) if any(images))
            if not index and not self.parts[0].before_picture(missing[0].index(True)):
                raise
            self.parts, self.is_cut, self.is_late = self.parts[: index or 1], not index, True

    def _take(self, parts: Iterator[P], most: int) -> tuple[Iterator[P], P | None, Cost]:
        """Take the parts that fit.

        Returns:
            The parts that are left, the first of all, and the cost of those that were taken and of the next.
        """
        (most_bytes, most_tokens), used_bytes, used_tokens = self.budget.most, 0, 0
        images, first, left = self._most_images, None, most
        while left and (part := next(parts, None)) is not None:
            if not self.parts:
                first = part
                self._check_column(part)
            elif self.chosen.form == "ranges" and not (
                self.file.shows(self._last) and self.file.shows(part.number)
            ):
                part.gap = self.chosen.gap(self._last, part.number)
            # Numbers instead of a `Cost`, because a page may have thousands of parts.
            part_bytes, part_tokens = self._cost(part)
            fits = used_bytes + part_bytes <= most_bytes and used_tokens + part_tokens <= most_tokens
            if part.size > 1 and (part.size > left or not fits):
                room = (
                    (most_bytes - used_bytes) / part_bytes,
                    (most_tokens - used_tokens) / max(1, part_tokens),
                )
                likely = max(1, int(part.size * min(*room, 0.5)))
                parts = chain(part.split(min(left, likely)), parts)
                continue
            images -= len(part.pictures)
            used_bytes, used_tokens = used_bytes + part_bytes, used_tokens + part_tokens
            # A part of which the format has only the beginning is larger than any page.
            if (
                not (fits or self._fits(Cost(used_bytes, used_tokens)))
                or images < 0
                or part.following is not None
            ):
                break
            self.parts.append(part)
            left -= part.size
        else:
            # Only the part after a page tells whether it is the last one.
            next(parts, None)
        return parts, first, Cost(used_bytes, used_tokens)

    @property
    def _shown(self) -> int:
        """How many parts are shown."""
        return sum(part.size for part in self.parts)

    @property
    def _last(self) -> int:
        """The number of the last part that is shown."""
        return self.parts[-1].number + self.parts[-1].size - 1

    def _take_count(self) -> None:
        """Choose again if the end of the file was reached, so that the number of its parts is known."""
        if self.chosen.count is None and self.file.count is not None:
            self.chosen = self._selected()

    def _fits(self, used: Cost) -> bool:
        fits = used.is_within(self.budget.most)
        if not fits and self._exceeded is None:
            self._exceeded = used
        return fits

    @property
    def _most_images(self) -> int:
        most = self.how.limits.max_images
        return min(most, self.how.model.max_images or most)

    def _cut(self, part: P) -> None:
        """Show only the first part: its beginning, as far as texts and images fit.

        It ends before the first image that does not fit. Only an image with which a page begins is scaled
        down: to what its texts leave, which is at least half of the tokens.
        """
        self.is_cut = True
        self.parts = [part]
        most = self._most_images
        if not part.before_picture(most):
            for picture in part.pictures[most:]:
                picture.refuse(f"over {most:,} images", has_no_room=True)
        whole = part.pieces, part.characters
        self._cut_texts(part)
        # Twice, because the line of an image that is scaled down is longer.
        for _ in range(2):
            left = self.budget.most.minus(self.budget.cost(self.text())).tokens
            if self._image_tokens(part) <= left:
                return
            self.file.shrink(part, left)
            if not part.pictures:
                # Its texts get what the image would have needed, and say that it is not there.
                part.show(*whole)
                while not part.before_picture(0):
                    part.pictures[0].refuse("over the token budget", has_no_room=True)
                self._cut_texts(part)
                return

    def _cut_texts(self, part: P) -> None:
        """Shorten a part until it fits with a footer; its first image may be scaled to half of the tokens."""
        room, half = self.budget.most.minus(self.budget.footer), self.budget.most.tokens // 2
        most = max(LEAST_BYTES, room.bytes)
        while True:
            part.within(most)
            tokens = [picture.tokens for picture in part.pictures]
            image_tokens = min(half, tokens[0]) + sum(tokens[1:]) if tokens else 0
            used = self._cost(part, image_tokens=image_tokens)
            # A footer may be longer, or a function of the host may count more tokens in it.
            if used.is_within(room) and self.budget.cost(self.text(), image_tokens).is_within(
                self.budget.most
            ):
                return
            if most <= LEAST_BYTES:
                # The lines of images are not among these bytes.
                if len(tokens) < 2 or not part.before_picture(len(tokens) - 1):
                    return
                continue
            over = max(used.bytes / max(1, room.bytes), used.tokens / max(1, room.tokens))
            most = max(LEAST_BYTES, int(min(most * 0.9, most / over)))

    def _check_column(self, part: P) -> None:
        column, characters = self.chosen.column, part.characters or 0
        if column > 1 and column > max(1, characters):
            one = f"{self.form.unit[0]} {part.number:,}"
            within = (
                f"from 1 to {characters:,}, the characters of" if characters else "1: there is no text on"
            )
            raise BadArgumentError(
                self.opened.path, argument="column", value=str(column), reason=f"{within} {one}"
            )

    # -- what it costs

    def _image_tokens(self, part: Part) -> int:
        return sum(picture.tokens for picture in part.pictures)

    def _cost(self, part: Part, *, image_tokens: int | None = None) -> Cost:
        cost, pictures = self.budget.cost(part.text() + self.file.joint), part.pictures
        if not pictures:
            return cost
        for picture in pictures:
            cost = cost.plus(picture.spare)
        if image_tokens is None:
            image_tokens = sum(picture.tokens for picture in pictures)
        return cost.plus(Cost(0, image_tokens))

    def _whole_cost(self, footer: str) -> Cost:
        """Return the cost of the page as it is."""
        cost = self.budget.cost(self._joined(footer))
        for part in self.parts:
            for picture in part.pictures:
                cost = cost.plus(picture.spare).plus(Cost(0, picture.tokens))
        return cost

    @property
    def tokens(self) -> int | None:
        """The tokens of the page; `None`: those of its text alone, which need not be counted now."""
        images = sum(self._image_tokens(part) for part in self.parts)
        if self._counted is None and not images and not self.is_cut:
            return None
        return images + (self.budget.count(self.text()) if self._counted is None else self._counted)

    # -- what it says

    def text(self) -> str:
        """Join the parts and the footer."""
        if self._final is not None:
            return self._final[0]
        return self._joined(self.footer())

    def _joined(self, footer: str) -> str:
        texts = self.file.texts(self.parts) if self.parts else [self._nothing()]
        return self.file.joint.join([*texts, *filter(None, (self._below(), footer))])

    @property
    def _has_no_hits(self) -> bool:
        return self.found is not None and not self.found.hits

    def _nothing(self) -> str:
        """Return the text of a page without parts."""
        if self.found is not None and self._has_no_hits and self.found.last:
            after = self._after_hits()
            return no_hits(self.found, self.form.unit, next_clause(written(after)) if after else "")
        return self.file.nothing()

    def _below(self) -> str:
        """Return the line before the footer; empty if there is none, or no room for it."""
        has_room = self.parts and self.found is None and any(self.budget.footer)
        return self.file.below(self.parts) if has_room else ""

    def footer(self) -> str:
        """Return the line that says what is left out; empty if nothing is, or if there is no room for it."""
        if self._final is not None:
            return self._final[1]
        about = self.file.about(self.parts)
        if not self.parts or not (about or any(self.budget.footer)):
            return ""
        if self.found is not None:
            about = self.found.about(self.parts[0].number, self._last)
            clauses = [about, self._within_part(), *self.file.marks(self.parts)]
            after = self._after_hits()
            if after:
                clauses.append(next_clause(written(after)))
            return footer_line(*filter(None, clauses))
        rest, beyond, chosen = self.rest(), self._beyond(), self.chosen
        is_part = chosen.form != "window" and (chosen.first > 1 or chosen.last != chosen.count)
        marks = self.file.marks(self.parts)
        is_needed = rest or beyond or marks or about or chosen.missing or (is_part and self._shown > 1)
        if not is_needed and chosen.form != "ranges":
            return ""
        shown = self.parts[0].number, self._last
        following: ReadArguments = {"at": beyond} if beyond else {}
        if rest is not None:
            following = chosen.arguments(rest)
            if self.request["at"]:
                following = {"at": self.request["at"], **following}
        return chosen.footer(shown, about or self._within_part(), marks, rest, following)

    def _within_part(self) -> str:
        """Return which characters of a part are shown, if only they are."""
        last = self.parts[-1]
        following = last.following
        if following is None or len(self.parts) > 1:
            return ""
        named = self.chosen.named([(last.number, last.number)])
        shown = f"characters {last.column:,}-{following - 1:,} of {last.characters or 0:,}"
        return f"{named} of {self.chosen.total(last.number, self.rest())}, {shown}"

    def _after_hits(self) -> ReadArguments:
        """Return where the search goes on; empty if no hit follows."""
        if self.found is None:
            return {}
        # Without a hit there may be parts that were not looked at.
        after = self.found.after(self.parts[-1].last if self.parts else self.found.last)
        at = self.request["at"]
        return {"at": at, **after} if at and after else after

    def rest(self) -> Rest | None:
        """Return where the next page begins; `None` after the last part."""
        if self.file.is_whole:
            return None
        if not self.parts:
            # Nothing is there, such as in a range of blank lines.
            return None
        last = self.parts[-1]
        return self.chosen.rest(last.last if last.following is None else last.number, last.following)

    def _beyond(self) -> str:
        """Return the address of what follows all parts, on the page that ends with the last one."""
        return self.file.beyond() if self.rest() is None and not self.is_late else ""

    @property
    def next(self) -> Continuation | None:
        """The call that shows what follows."""
        if self.found is not None:
            after = self._after_hits()
            again = repeated(self.request, self.form.kind)
            if not after:
                return None
            limit = self.request["limit"]
            after |= {} if limit is None else {"limit": limit}
            return continuation(self.opened, again | after)
        rest, region = self.rest(), self.file.region_after(self.parts)
        if region is not None:
            return continuation(self.opened, {"region": region, **repeated(self.request, self.form.kind)})
        again = repeated(self.request, self.form.kind)
        if rest is None:
            beyond = self._beyond()
            return continuation(self.opened, {**again, "at": beyond}) if beyond else None
        arguments = self.chosen.arguments(rest) | again
        if rest.column > 1 and self.request["region"] is not None:
            arguments["region"] = self.request["region"]
        return continuation(self.opened, arguments)

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices about the file and the page."""
        opened, since = self.opened, self.request["since_version"]
        notices = list(opened.notices)
        is_noted = any(found.code == "changed_since" for found in notices)
        if since is not None and (not since or since != opened.state) and not is_noted:
            notices.append(make_notice("changed_since", version=opened.version))
        if self._counts_pages:
            pages = str(PageRange(self.chosen.first, self.chosen.last))
            notices.append(make_notice("window_of_pages", unit=self.form.unit[1], pages=pages))
        notices += self.file.notices(self.parts, self.chosen)
        notices += [] if self.found is None else self.found.notices
        if self.is_late and self.rest() is not None:
            notices.append(make_notice("stopped_by_time"))
        if self.is_cut or not self.parts:
            notices += self.budget.notices(Cost(text_bytes(self.text()), self.tokens or 0))
        return tuple(notices)

    # -- the page

    @property
    def _is_shortened(self) -> bool:
        """Whether something in its parts is not shown, so that following `next` does not show all."""
        pictures = (piece for part in self.parts for piece in part.pieces if not isinstance(piece, str))
        return self.file.clipped(self.parts) > 0 or any(picture.is_left_out for picture in pictures)

    def page(self) -> Page:
        """Return the page; its images have been decoded."""
        # Only now: an image that could not be decoded has changed its line.
        footer = self.footer()
        text = self._joined(footer)
        if self.found is not None and not self.parts:
            footer = text
        self._final = text, footer
        if self.budget.tokenizer is not None:
            self._counted = self.budget.count(text)
        opened, following, parts, tokens = self.opened, self.next, self.parts, self.tokens
        first = parts[0].number if parts else self.chosen.first
        common = {
            "path": opened.path,
            "resolved_path": opened.resolved_path,
            "media_type": opened.media_type,
            "size_bytes": opened.size_bytes,
            "modified_ns": opened.modified_ns,
            "version": opened.version,
            "truncated": following is not None or self._is_shortened,
            "next": following,
            "notices": self.notices(),
            "text": text,
            "first": first,
            "last": self._last if parts else first - 1,
            "count": self.chosen.count,
            "hits": () if self.found is None or not parts else self.found.between(first, self._last),
            "footer": footer,
            "token_estimate": DERIVED if tokens is None else tokens,
        }
        page: Page = self.file.page(self.parts, common)
        return page


def composed(  # noqa: PLR0917 - bound by position
    form: Format,
    module: ReadsFormat,
    opened: AnyOpened,
    request: Request,
    how: How,
    found: Found | None = None,
) -> Composed[Any]:
    """Open a file with the module of its format, and choose what a page shows of it.

    Raises:
        ReadError: As `parts_of` of the module, and `Composed.choose`.
    """
    # Of long texts with a hit, what is near it is chosen from all of them; workbooks do that by themselves.
    is_whole = found is not None and form.kind != "sheet"
    file = module.parts_of(opened, request, widened(how) if is_whole else how)
    try:
        page = Composed[Any](form, opened, file, request, how, found)
        page.choose()
        file.end(page.parts)
    finally:
        file.close()
    return page

"""Composes the page of a file that is made of parts: which parts, within which budgets, and what follows.

The rule is that of text, which the core cuts (docs/design/004-footer-and-budgets.md). Parts are added while
they fit. If something is left out, parts are removed from the end until the footer fits with the rest. Only
the first part is ever cut: its texts up to the budget, and its images are scaled down to what the texts leave,
which is up to half of the tokens. What is cut off is what the next page begins with, so nothing is lost, and
each page shows something that the one before did not.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from anyread.arguments import repeated
from anyread.budget import LEAST_BYTES, Budget, Cost, Filling, text_bytes
from anyread.errors import BadArgumentError
from anyread.results import Continuation, TextBlock
from anyread.results.notices import make_notice
from anyread.selection import Selection

from .parts import How, Part, Parts, Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread._native import Opened
    from anyread.arguments import Request
    from anyread.results.blocks import Block
    from anyread.results.notices import Notice
    from anyread.results.page import BasePage

    from .parts import ReadsFormat

    from anyread.kinds import Format


class Composed:
    """A page of parts, complete except for the pixels of its images.

    Args:
        form: The format of the file.
        opened: The file.
        parts: The file as parts.
        request: The call.
        how: The settings and the budget.
    """

    def __init__(self, form: Format, opened: Opened, parts: Parts, request: Request, how: How) -> None:
        self.form, self.opened, self.source, self.request, self.how = form, opened, parts, request, how
        self.budget = how.budget or Budget.of(how.limits, how.model.token_factor)
        self.chosen = Selection.of(
            request, count=parts.count, unit=form.unit, path=opened.path, takes=form.takes
        )
        self.parts: list[Part] = []
        """The parts that are shown."""
        self.is_cut = False
        """Whether its only part is shown in part."""
        self._counted: int | None = None
        self._final: tuple[str, str] | None = None
        """The text and the footer of the page, once nothing changes any more."""

    # -- what is shown

    def choose(self) -> None:
        """Choose the parts, and cut the first one if it alone does not fit.

        Raises:
            BadArgumentError: `column` is after the last character of the first part.
            OverBudgetError: The page is over a budget and `Limits.over_budget` is "error".
            ReadError: As `Parts.show`.
        """
        if self.source.is_whole:
            return
        limits, filling = self.how.limits, Filling[Part](self.budget)
        most = self.chosen.limit or self.source.most
        images = min(limits.max_images, self.how.model.max_images or limits.max_images)
        stream = self.source.show(islice(self.chosen.numbers, most), column=self.chosen.column)
        first: Part | None = None
        is_full = False
        for part in stream:
            if first is None:
                first = part
                self._check_column(part)
                self._refuse_more(part, images)
            elif self.chosen.form == "ranges":
                part.gap = self.chosen.gap(filling.parts[-1].number, part.number)
            pictures = part.pictures
            images -= len(pictures)
            # A part of which the format has only the beginning is larger than any page.
            if (images < 0 and part is not first) or not filling.add(part, self._cost(part, pictures)):
                is_full = True
            if part.following is not None:
                if filling.parts and filling.parts[-1] is part:
                    filling.parts.pop()
                is_full = True
            if is_full:
                break
        self.parts = filling.parts
        filling.end(self._whole_cost, has_footer=bool(self.parts and self.footer()))
        self.parts = filling.parts
        if limits.over_budget == "error":
            filling.refuse(self.opened.path, of=self.form.unit[1], first=self.chosen.first)
        if first is not None and not self.parts and not self.how.whole:
            self._cut(first)

    def _cut(self, part: Part) -> None:
        """Show only the first part: as much of its texts as fits, and its images as that allows."""
        self.is_cut = True
        self.parts = [part]
        whole = part.pieces, part.characters
        self._cut_texts(part, whole)
        left = self.budget.most.minus(self.budget.cost(self.text())).tokens
        if self._image_tokens(part) > left:
            count = len(part.pictures)
            self.source.shrink(part, left)
            if len(part.pictures) < count:
                # Its texts get what the images would have needed, and say that they are not there.
                self._cut_texts(part, (whole[0], whole[1]) if part.pictures else (_texts(whole[0]), whole[1]))

    def _cut_texts(self, part: Part, whole: tuple[Sequence[str | Picture], int | None]) -> None:
        """Shorten the texts of a part until it fits with a footer, and with half of the tokens for images."""
        room, half = self.budget.most.minus(self.budget.footer), self.budget.most.tokens // 2
        most = max(LEAST_BYTES, room.bytes)
        while True:
            part.show(*whole)
            part.within(most)
            used = self._cost(part, part.pictures, images=False).plus(Cost(0, min(half, self._image_tokens(part))))
            if used.is_within(room) or most <= LEAST_BYTES:
                return
            over = max(used.bytes / max(1, room.bytes), used.tokens / max(1, room.tokens))
            most = max(LEAST_BYTES, int(min(most * 0.9, most / over)))

    def _check_column(self, part: Part) -> None:
        column, characters = self.chosen.column, part.characters or 0
        if column > 1 and column > max(1, characters):
            one = f"{self.form.unit[0]} {part.number:,}"
            within = f"from 1 to {characters:,}, the characters of" if characters else "1: there is no text on"
            raise BadArgumentError(
                self.opened.path, argument="column", value=str(column), reason=f"{within} {one}"
            )

    def _refuse_more(self, part: Part, most: int) -> None:
        """Leave out the images of the first part that are more than a result may have."""
        for picture in part.pictures[most:]:
            picture.refuse(f"over {most:,} images", has_no_room=True)

    # -- what it costs

    def _image_tokens(self, part: Part) -> int:
        return sum(picture.tokens for picture in part.pictures)

    def _cost(self, part: Part, pictures: Sequence[Picture], *, images: bool = True) -> Cost:
        cost = self.budget.cost(part.text() + self.source.joint)
        for picture in pictures:
            cost = cost.plus(picture.spare).plus(Cost(0, picture.tokens if images else 0))
        return cost

    def _whole_cost(self, parts: Sequence[Part]) -> Cost:
        self.parts = [*parts]
        cost = self.budget.cost(self.text())
        for part in parts:
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
        texts = [text for part in self.parts if (text := part.text().removesuffix("\n"))]
        footer = self.footer()
        return self.source.joint.join([*texts, footer] if footer else texts)

    def footer(self) -> str:
        """Return the line that says what is left out; empty if nothing is, or if there is no room for it."""
        if self._final is not None:
            return self._final[1]
        about = self.source.about(self)
        if not self.parts or not (about or any(self.budget.footer)):
            return ""
        rest, chosen = self.rest(), self.chosen
        shown = [part.number for part in self.parts]
        is_part = chosen.form != "window" and (chosen.first > 1 or chosen.last < chosen.count)
        marks = self.source.marks(self.parts)
        is_needed = rest or marks or about or chosen.missing or (is_part and len(shown) > 1)
        if not is_needed and chosen.form != "ranges":
            return ""
        return chosen.footer(shown, about or self._within_part(), marks, rest)

    def _within_part(self) -> str:
        """Return which characters of a part are shown, if only they are."""
        last = self.parts[-1]
        following = last.following
        if following is None or len(self.parts) > 1:
            return ""
        named = self.chosen.named([(last.number, last.number)])
        shown = f"characters {last.column:,}-{following - 1:,} of {last.characters or 0:,}"
        return f"{named} of {self.chosen.count:,}, {shown}"

    def rest(self) -> Any:
        """Return where the next page begins; `None` after the last part."""
        if self.source.is_whole:
            return None
        if not self.parts:
            return self.chosen.rest(self.chosen.first - 1)
        last = self.parts[-1]
        return self.chosen.rest(last.number, last.following)

    @property
    def next(self) -> Continuation | None:
        """The call that shows what follows."""
        rest = self.rest()
        if rest is None:
            return None
        last = self.parts[-1].number if self.parts else self.chosen.first - 1
        arguments = self.chosen.arguments(rest, last) | repeated(self.request, self.form.kind)
        if rest.column > 1 and self.request["region"] is not None:
            arguments["region"] = self.request["region"]
        return self.continuation(arguments)

    def continuation(self, arguments: Any) -> Continuation:
        """Return a call for the version of the file that this page shows."""
        return Continuation({**arguments, "since_version": self.opened.state}, self.opened.version)

    def blocks(self) -> tuple[Block, ...]:
        """Return the page as blocks: texts, and each image after its line."""
        blocks: list[Block] = []
        words: list[str] = []

        def end_text() -> None:
            if text := "".join(words).strip("\n"):
                blocks.append(TextBlock(text))
            words.clear()

        for part in self.parts:
            words.append(f"{part.gap}{part.head}")
            for piece in part.pieces:
                words.append(piece if isinstance(piece, str) else piece.line())
                if not isinstance(piece, str) and piece.block is not None:
                    end_text()
                    blocks.append(piece.block)
            words.append("\n" if self.source.joint == "\n\n" else self.source.joint)
        words.append(self.footer())
        end_text()
        return tuple(blocks)

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the parts that are shown, and how many the file has."""
        first = self.parts[0].number if self.parts else self.chosen.first
        last = self.parts[-1].number if self.parts else first - 1
        return {"first": first, "last": last, "count": self.chosen.count}

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices about the file and the page."""
        opened, since = self.opened, self.request["since_version"]
        notices = list(opened.notices)
        is_noted = any(found.code == "changed_since" for found in notices)
        if since is not None and (not since or since != opened.state) and not is_noted:
            notices.append(make_notice("changed_since", version=opened.version))
        notices += self.source.notices(self)
        if self.is_cut:
            notices += self.budget.notices(Cost(text_bytes(self.text()), self.tokens or 0))
        return tuple(notices)

    # -- the page

    def page(self) -> BasePage:
        """Return the page; its images have been decoded."""
        # Only now: an image that could not be decoded has changed its line.
        self._final = self.text(), self.footer()
        if self.budget.tokenizer is not None:
            self._counted = self.budget.count(self.text())
        opened, following = self.opened, self.next
        common = {
            "path": opened.path,
            "resolved_path": opened.resolved_path,
            "media_type": opened.media_type,
            "size_bytes": opened.size_bytes,
            "modified_ns": opened.modified_ns,
            "version": opened.version,
            "truncated": following is not None,
            "next": following,
            "notices": self.notices(),
            "text": self.text(),
        }
        return self.source.page(self, common)


def _texts(pieces: Sequence[str | Picture]) -> list[str | Picture]:
    """Return the pieces without the images that are shown."""
    return [piece for piece in pieces if isinstance(piece, str) or not piece.is_shown]


def composed(
    form: Format, module: ReadsFormat, opened: Opened, request: Request, how: How, **options: Any
) -> Composed:
    """Open a file with the module of its format, and choose what a page shows of it.

    Raises:
        ReadError: As `open` of the module, and `Composed.choose`.
    """
    parts = module.open(opened, request, how, **options)
    try:
        found = Composed(form, opened, parts, request, how)
        found.choose()
        parts.end(found.parts)
    finally:
        parts.close()
    return found

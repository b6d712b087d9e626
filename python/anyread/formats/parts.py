"""What a format provides: an opened file as numbered parts. What a page shows of them is in `composing`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from anyread.budget import Budget, Cost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from anyread._native import Cancel, Opened
    from anyread.arguments import Request
    from anyread.gutter import Gutter
    from anyread.limits import Limits
    from anyread.model import Model
    from anyread.results.blocks import ImageBlock
    from anyread.results.notices import Notice
    from anyread.results.page import BasePage

    from .composing import Composed


class How(NamedTuple):
    """How a file is read: the settings of the reader, and what this call leaves of them."""

    limits: Limits
    model: Model
    gutter: Gutter
    passwords: tuple[str, ...] = ()
    budget: Budget | None = None
    """What the page may cost; `None`: as `limits` say."""
    whole: bool = False
    """Whether only whole parts are shown, perhaps none; otherwise a page always shows something."""
    cancel: Cancel | None = None
    """The flag that ends the work."""


class Picture:
    """An image of a part, which has a size before it has pixels."""

    tokens = 0
    """What it costs as it would be shown now."""
    is_shown = True
    """Whether it is shown at all."""
    spare = Cost(0, 0)
    """By how much the text may grow if it turns out that it cannot be shown."""
    block: ImageBlock | None = None
    """The image; `None` until it is decoded, or if it cannot be."""

    def line(self) -> str:
        """Return the line before it, or instead of it; empty if it needs none."""
        return ""

    is_left_out = False
    """Whether it is not shown because the page has no room for it."""

    def refuse(self, reason: str, *, has_no_room: bool = False) -> None:
        """Do not show it."""
        self.is_shown, self.tokens, self.is_left_out = False, 0, has_no_room


@dataclass(slots=True, eq=False)
class Part:
    """What is shown of one page, cell, paragraph or entry."""

    number: int
    """Its number, counted from 1."""
    pieces: Sequence[str | Picture]
    """Its texts and images, in order."""
    column: int = 1
    """The first character shown of its texts, counted from 1."""
    characters: int | None = None
    """The characters of all its texts, if `pieces` do not have all of them."""
    gap: str = field(default="", kw_only=True)
    """The line for what is left out before it."""
    _text: str | None = field(default=None, init=False)

    @property
    def head(self) -> str:
        """What precedes its pieces; it is not cut, and `column` does not count it."""
        return ""

    @property
    def pictures(self) -> list[Picture]:
        """Its images that are shown."""
        return [piece for piece in self.pieces if not isinstance(piece, str) and piece.is_shown]

    @property
    def following(self) -> int | None:
        """The character at which the next page goes on inside it; `None`: all of it is shown."""
        if self.characters is None:
            return None
        end = self.column + sum(len(piece) for piece in self.pieces if isinstance(piece, str))
        return end if end <= self.characters else None

    def text(self) -> str:
        """Return it as text, with a line for each image that needs one."""
        text = self._text
        if text is None:
            has_images = False
            pieces = []
            for piece in self.pieces:
                if isinstance(piece, str):
                    pieces.append(piece)
                else:
                    has_images = True
                    pieces.append(piece.line())
            text = f"{self.gap}{self.head}{''.join(pieces)}"
            # The line of an image changes if it cannot be shown.
            self._text = None if has_images else text
        return text

    def show(self, pieces: Sequence[str | Picture], characters: int | None) -> None:
        """Show other pieces of it; `characters` as the field."""
        self.pieces, self.characters, self._text = pieces, characters, None

    def since(self, column: int) -> Self:
        """Leave out what is before a character; images before it were shown with it."""
        if column > 1:
            self.show(self._sliced(column - 1, None), self._characters())
            self.column = column
        return self

    def within(self, most_bytes: int) -> None:
        """Keep only the beginning of its texts, up to the end of a line if one is near."""
        texts = "".join(piece for piece in self.pieces if isinstance(piece, str))
        shown = beginning(texts, most_bytes)
        if len(shown) < len(texts):
            self.show(self._sliced(0, len(shown)), self._characters())

    def _characters(self) -> int:
        if self.characters is not None:
            return self.characters
        return self.column - 1 + sum(len(piece) for piece in self.pieces if isinstance(piece, str))

    def _sliced(self, start: int, end: int | None) -> list[str | Picture]:
        kept: list[str | Picture] = []
        at = 0
        for piece in self.pieces:
            if isinstance(piece, str):
                first, last = max(0, start - at), len(piece) if end is None else min(len(piece), end - at)
                at += len(piece)
                if first < last:
                    kept.append(piece[first:last])
            elif (at > start or start == 0) and (end is None or at < end):
                kept.append(piece)
        return kept


def beginning(text: str, most_bytes: int) -> str:
    """Return the beginning of a text, of at most so many bytes, up to the end of a line if one is near."""
    shown = text.encode()[:most_bytes].decode("utf-8", "ignore")
    if len(shown) < len(text):
        line_end = shown.rfind("\n") + 1
        shown = shown[:line_end] if line_end > len(shown) // 2 else shown
    return shown


class Parts(Protocol):
    """An opened file as numbered parts.

    The composer calls `show` once, `shrink` at most twice, `settle` once for what it has chosen, and then `page`.
    Everything before `settle` runs where the file was opened (a worker thread, or one that may use decoders).
    """

    count: int
    """How many parts the file has."""
    most: int
    """The most parts of one page, if the call does not say."""
    joint: str
    """What stands between two parts."""
    is_whole: bool
    """Whether the file itself is sent, so that no part is shown."""

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[Part]:
        """Yield parts, the first from a character on; the composer stops when the page is full."""

    def shrink(self, part: Part, tokens: int) -> None:
        """Scale the images of a part down to so many tokens in all, or refuse those that cannot be."""

    def end(self, parts: Sequence[Part]) -> None:
        """Take what the parts that were chosen still need, and release the rest; there was no error."""

    def close(self) -> None:
        """Release everything, also after an error."""

    def settle(self, parts: Sequence[Part]) -> None:
        """Decode the images of the parts that were chosen; in a thread that may use decoders."""

    def about(self, composed: Composed) -> str | None:
        """Return the first clause of the footer if the numbers of the parts do not say enough; else `None`."""

    def marks(self, parts: Sequence[Part]) -> list[str]:
        """Return what is deliberately shortened in some parts, as clauses of the footer."""

    def notices(self, composed: Composed) -> list[Notice]:
        """Return what else there is to know about the parts that are shown."""

    def page(self, composed: Composed, common: dict[str, Any]) -> BasePage:
        """Return the page, with the fields that all pages have, and the format's own."""

    def facts(self) -> Mapping[str, object]:
        """Return the facts about the file, for `info`, the outputs of tools, and `survey`."""


class PlainParts:
    """What formats do whose parts are nothing but text."""

    most = 2_000
    joint = "\n"
    is_whole = False

    def shrink(self, part: Part, tokens: int) -> None:
        pass

    def end(self, parts: Sequence[Part]) -> None:
        pass

    def close(self) -> None:
        pass

    def settle(self, parts: Sequence[Part]) -> None:
        pass

    def about(self, composed: Composed) -> str | None:
        return None

    def marks(self, parts: Sequence[Part]) -> list[str]:
        return []

    def notices(self, composed: Composed) -> list[Notice]:
        return []

    def page(self, composed: Composed, common: dict[str, Any]) -> BasePage:
        from anyread.results.parts import PartsPage

        facts = self.facts()  # type: ignore[attr-defined] # of the format
        own = {"kind": composed.form.kind, "unit": composed.form.unit, "facts": facts}
        return PartsPage(**own, footer=composed.footer(), **composed.numbers(), **common)


class ReadsFormat(Protocol):
    """The module of a format."""

    def open(self, opened: Opened, request: Request, how: How) -> Parts:
        """Open a file as parts.

        Raises:
            ReadError: It cannot be, for example because it is damaged.
        """

"""What a format provides: an opened file as numbered parts. What a page shows of them is in `composing`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import partial
from itertools import dropwhile, zip_longest
from operator import gt
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from anyread.arguments.request import DEFAULTS
from anyread.errors.base import counted
from anyread.results import Continuation, TextBlock
from anyread.running.deadline import current_deadline

from .budget import Budget, Cost, text_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from anyread._native import Cancel, Pattern
    from anyread.arguments.gutter import Gutter
    from anyread.arguments.limits import Limits
    from anyread.arguments.request import ReadArguments, Request
    from anyread.decoding.host.core_calls import CoreCalls
    from anyread.decoding.host.pool import Pool
    from anyread.models.model import Model
    from anyread.results.blocks import Block, ImageBlock
    from anyread.results.notices import Notice

    from .selection import Selection


_T = TypeVar("_T")
_ITEMS_AT_ONCE = 8
"""After how many items loops in Python look whether the work shall end."""
LONG_LINE = 2_000
"""The characters of a line from which on a search shows only what is near a hit."""
NEAR_CHARS = 200
"""How many characters before and after the hit that are."""
_TOKENS_WITH_OUTLINE = 4_000
"""From how many tokens on a page has an outline, which has at most 300; and from four times as many bytes."""
Values: TypeAlias = Literal["shown", "raw", "formulas"]
"""What is shown of the cells of a workbook."""


class AnyOpened(Protocol):
    """What a format reads: a file that the core has opened, or a directory."""

    @property
    def path(self) -> str:
        """The path as given."""

    @property
    def resolved_path(self) -> str:
        """The absolute path, with links followed."""

    @property
    def media_type(self) -> str:
        """The media type detected from the content."""

    @property
    def is_text(self) -> bool:
        """Whether the content is text."""

    @property
    def size_bytes(self) -> int:
        """The size in bytes."""

    @property
    def modified_ns(self) -> int:
        """The time of the last modification, nanoseconds since 1970 in UTC."""

    @property
    def version(self) -> str:
        """The version; empty while a rewrite could go undetected."""

    @property
    def state(self) -> str:
        """The version, even while a rewrite could go undetected."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What is known about the path and the type."""

    def recheck(self) -> bool:
        """Return whether it is unchanged since it was opened."""


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
    pool: Pool | None = None
    """The decoders to use; `None`: those of the process."""
    prefers_text: bool = False
    """Whether a page with a sound text is shown without its image."""
    in_strips: bool = True
    """Whether a tall image is shown in strips, one per page; otherwise all of it, scaled down."""
    blocks: bool = True
    """Whether a single line is shown with the block around it; otherwise with ten lines before and after."""
    values: Values = "shown"
    """What is shown of the cells of a workbook."""
    pattern: Pattern | None = None
    """What was found, which is shown of texts that are too long."""
    core: CoreCalls | None = None
    """The core in a decoder, which parses the file if a sandbox is required; otherwise `None`."""

    def native(self, function: _T) -> _T:
        """Return a function or a class of the core as it is, or as one that runs in the decoder."""
        return function if self.core is None else self.core.function(function)

    @property
    def has_room(self) -> bool:
        """Whether a page may be so large that an outline or names of columns are a small part of it."""
        size, tokens = self.limits.max_bytes, self.limits.max_tokens
        if self.budget is not None:
            size, tokens = self.budget.most
        return tokens >= _TOKENS_WITH_OUTLINE and size >= 4 * _TOKENS_WITH_OUTLINE

    def has_room_for_outline(self, request: Request | None) -> bool:
        """Return whether a page begins the file and has room for an outline."""
        window = ("offset", "limit", "ranges", "pages", "region", "at", "column")
        return (
            request is not None and self.has_room and all(request[name] == DEFAULTS[name] for name in window)  # type: ignore[literal-required] # its names
        )

    def require_uninterrupted(self) -> None:
        """Raise `InterruptedError` if the work shall end, for loops over very many small things."""
        if self.cancel is not None and self.cancel.cancelled:
            raise InterruptedError

    def interruptible(self, items: Iterable[_T]) -> Iterator[_T]:
        """Yield items, and look now and then whether the work shall end."""
        for number, item in enumerate(items):
            if not number % _ITEMS_AT_ONCE:
                self.require_uninterrupted()
            yield item

    def in_time(self, size: int, fetch: Callable[[int], _T]) -> tuple[int, _T]:
        """Fetch several parts in half of the time that the call has left, or else one of them.

        So a page can show what precedes a place that takes too long.

        Returns:
            How many were requested, and the result.
        """
        deadline, cancel = current_deadline(), self.cancel
        if cancel is None or size < 2:
            return size, fetch(size)
        cancel.end_in((deadline.work_ends - time.monotonic()) / 2)
        try:
            return size, fetch(size)
        except InterruptedError:
            size = 1
        finally:
            cancel.end_in(None)
        return size, fetch(size)


class Picture:
    """An image of a part, which has a size before it has pixels."""

    tokens = 0
    """What it costs as it would be shown now."""
    is_shown = True
    """Whether it is shown at all."""
    is_left_out = False
    """Whether it is not shown because the page has no room for it."""
    spare = Cost(0, 0)
    """By how much the text may grow if it turns out that it cannot be shown."""
    block: ImageBlock | None = None
    """The image; `None` until it is decoded, or if it cannot be."""

    def line(self) -> str:
        """Return the line before it, or instead of it; empty if it needs none."""
        return ""

    def added_to(self, text: str) -> str:
        """Return a text that precedes it, with its line."""
        return text + self.line()

    def mark_begin(self, text: str) -> int:
        """Return where in a text that precedes it its mark begins; without a mark, that is the end."""
        return len(text)

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
    def last(self) -> int:
        """The last number before the next part; its own, unless the numbers after it have no parts."""
        return self.number

    @property
    def is_clipped(self) -> bool:
        """Whether it is shortened, so that following `next` does not show all of it."""
        return False

    @property
    def size(self) -> int:
        """How many consecutive parts of the file it holds; `number` is that of the first."""
        return 1

    def split(self, size: int) -> list[Any]:
        """Divide it in two, the first with `size` of its parts; one that holds a single part is not divided.

        Returns:
            The two; empty if it is not divided.
        """
        return []

    @property
    def pictures(self) -> list[Picture]:
        """Its images that are shown."""
        if len(self.pieces) == 1 and isinstance(self.pieces[0], str):
            # Thousands of lines have none.
            return []
        return [piece for piece in self.pieces if not isinstance(piece, str) and piece.is_shown]

    @property
    def following(self) -> int | None:
        """The character at which the next page goes on inside it; `None`: all of it is shown."""
        if self.characters is None:
            return None
        end = self.column + sum(len(piece) for piece in self.pieces if isinstance(piece, str))
        return end if end <= self.characters else None

    def words(self) -> str:
        """Return its texts without images."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))

    def text(self) -> str:
        """Return it as text, with a line for each image that needs one."""
        text = self._text
        if text is None:
            has_images = False
            pieces = [self.gap, self.head]
            for piece in self.pieces:
                if isinstance(piece, str):
                    pieces.append(piece)
                else:
                    has_images = True
                    pieces[-1] = piece.added_to(pieces[-1])
            text = "".join(pieces)
            # The line of an image changes if it cannot be shown.
            self._text = None if has_images else text
        return text

    def show(self, pieces: Sequence[str | Picture], characters: int | None) -> None:
        """Show other pieces of it; `characters` as the field."""
        self.pieces, self.characters, self._text = pieces, characters, None

    def since(self, column: int) -> Self:
        """Leave out what is before a character, and the images before it."""
        if column > 1:
            self.show(self._sliced(column - 1, None), self._characters())
            self.column = column
        return self

    def within(self, most_bytes: int) -> None:
        """Keep only the beginning of it, up to the end of a line if one is near, or up to an image."""
        texts, left, previous = "", most_bytes, 0
        for piece, following in zip_longest(self.pieces, self.pieces[1:], fillvalue=""):
            if isinstance(piece, str):
                shown = beginning(piece, max(0, left))
                if not piece[len(shown) :].strip("\n"):
                    # A page with nothing but the line break would show nothing new.
                    shown = piece
                elif texts.strip("\n"):
                    # After something else, a line that would fit on a page of its own is not cut.
                    begin, end = shown.rfind("\n") + 1, piece.find("\n", len(shown))
                    if text_bytes(piece[begin : None if end < 0 else end]) <= most_bytes:
                        shown = shown[:begin]
                mark = len(piece) if isinstance(following, str) else following.mark_begin(piece)
                if mark < len(shown) < len(piece):
                    # What a page begins with is shown whatever it costs.
                    shown = piece[:mark] if f"{texts}{piece[:mark]}".strip("\n") else piece
                texts += shown
                left -= text_bytes(shown)
                if len(shown) < len(piece):
                    self._end_at(len(texts))
                    return
                continue
            left -= text_bytes(piece.line())
            end = max(previous, _last_line(texts))
            # One that only its own line precedes is shown whatever it costs, so that each page advances.
            if left < 0 and 0 < end < len(texts):
                self._end_at(end)
                return
            previous = len(texts)

    def before_picture(self, index: int) -> bool:
        """End before the line that precedes one of the images that are shown, counted from 0.

        Returns:
            Whether that leaves anything; without such an image, nothing changes.
        """
        texts, previous = "", 0
        for piece in self.pieces:
            if isinstance(piece, str):
                texts += piece
            elif piece.is_shown and index:
                index, previous = index - 1, len(texts)
            elif piece.is_shown:
                end = max(previous, _last_line(texts))
                if not 0 < end < len(texts):
                    return False
                self._end_at(end)
                return True
        return True

    def _end_at(self, end: int) -> None:
        self.show(self._sliced(0, end), self._characters())

    def _characters(self) -> int:
        if self.characters is not None:
            return self.characters
        return self.column - 1 + sum(len(piece) for piece in self.pieces if isinstance(piece, str))

    def _sliced(self, start: int, end: int | None) -> list[str | Picture]:
        """Return the texts between two characters, and the images after one of these characters."""
        kept: list[str | Picture] = []
        at = 0
        for piece in self.pieces:
            if isinstance(piece, str):
                first, last = max(0, start - at), len(piece) if end is None else min(len(piece), end - at)
                at += len(piece)
                if first < last:
                    kept.append(piece[first:last])
            elif (at > start or start == 0) and (end is None or at <= end):
                kept.append(piece)
        return kept


def continuation(opened: AnyOpened, arguments: ReadArguments) -> Continuation:
    """Return a call for the version of the file that was opened."""
    return Continuation({**arguments, "since_version": opened.state}, opened.version)


def blocks_of(file: Parts[P], parts: Sequence[P], text: str) -> tuple[Block, ...]:
    """Return the text of a page as blocks: texts, and each image after the line that it is in.

    Without an image, there are none.
    """
    joint = file.joint
    if not any(picture.block for part in parts for picture in part.pictures):
        return ()
    blocks: list[Block] = []
    words: list[str] = [""]
    waiting: list[ImageBlock] = []

    def end_text() -> None:
        if text := "".join(words).strip("\n"):
            blocks.append(TextBlock(text))
        words[:] = [""]

    def end_line() -> None:
        if waiting:
            end_text()
            blocks.extend(waiting)
            waiting.clear()

    for part in parts:
        words.append(f"{part.gap}{part.head}")
        for piece in part.pieces:
            if not isinstance(piece, str):
                words[-1] = piece.added_to(words[-1])
                if piece.block is not None:
                    waiting.append(piece.block)
                if words[-1].endswith("\n"):
                    end_line()
                continue
            end = piece.find("\n") + 1 if waiting else 0
            if end:
                words.append(piece[:end])
                end_line()
            words.append(piece[end:])
        end_line()
        whole = part.text()
        ends_line = not file.are_lines and (not whole or whole.endswith("\n"))
        words.append(joint.removeprefix("\n") if ends_line else joint)
    shown = joint.join(file.texts(parts))
    words.append(text[len(shown) :].removeprefix(joint))
    end_text()
    return tuple(blocks)


P = TypeVar("P", bound=Part)
"""The parts of a format."""


def _last_line(text: str) -> int:
    """Return where the last line of a text begins."""
    return text.rfind("\n", 0, max(0, len(text) - 1)) + 1


def beginning(text: str, most_bytes: int) -> str:
    """Return the beginning of a text, of at most so many bytes, up to the end of a line if one is near."""
    shown = text.encode()[:most_bytes].decode("utf-8", "ignore")
    if len(shown) < len(text):
        line_end = shown.rfind("\n") + 1
        shown = shown[:line_end] if line_end > len(shown) // 2 else shown
    return shown


def near_hit(line: str, pattern: Pattern, most: int = LONG_LINE) -> str:
    """Return a line; if it has more than `most` characters, what is near its first hit, or its beginning."""
    if len(line) <= most:
        return line
    begin, end = pattern.find(line) or (0, 0)
    end = min(len(line), min(end, begin + LONG_LINE) + NEAR_CHARS)
    begin = max(0, begin - NEAR_CHARS)
    before = f"[{counted(begin, 'characters')}] … " if begin else ""
    after = f" … [{counted(len(line) - end, 'characters')}]" if end < len(line) else ""
    return f"{before}{line[begin:end]}{after}"


class Parts(Generic[P]):
    """An opened file as numbered parts; a format overrides what its parts have besides text.

    The composer calls `show` once, `shrink` at most once, `end`, `close`, then `settle` if images are shown,
    and last `page`. Everything before `settle` runs where the file was opened: in a worker thread, or in one
    that may use decoders.
    """

    count: int | None
    """How many parts the file has; `None` while that is not known. `show` sets it when it reaches the end."""
    unit: tuple[str, str] | None = None
    """What one part is called, and several; `None`: as the format says."""
    without: frozenset[str] = frozenset()
    """The arguments of the format that do not choose these parts."""
    most = 2_000
    """The most parts of one page, if the call does not say."""
    joint = "\n"
    """What stands between two parts."""
    is_whole = False
    """Whether the file itself is sent, so that no part is shown."""
    are_lines = False
    """Whether parts are lines without their ends; otherwise, one without text takes no line."""
    has_gaps = False
    """Whether some numbers have no part; `show` then finds the end itself, and sets `count`."""
    shortens_hits = False
    """Whether it shows only what is near a hit of long texts by itself, as those do whose parts are lines."""
    start = 1
    """The first number that may have a part."""
    estimate: int | None = None
    """About how many parts there are, while `count` is not known."""

    def shows(self, number: int) -> bool:
        """Return whether a part is shown with its number, so that a jump to or from it is visible."""
        return False

    def counted(self) -> int:
        """Return how many parts there are, for a call that counts from the end."""
        if self.count is None:
            raise NotImplementedError
        return self.count

    def texts(self, parts: Sequence[P]) -> list[str]:
        """Return the texts of the parts that are shown, which the page joins."""
        texts = [part.text() for part in parts]
        return texts if self.are_lines else [line for text in texts if (line := text.removesuffix("\n"))]

    def page_of(self, label: str) -> int | None:
        """Return the number of the part with a label; `None` if there is none, as in most formats."""
        return None

    def show(self, numbers: Iterable[int], *, column: int) -> Iterator[P]:
        """Yield parts in rising order, the first from a character on; the composer stops when a page is full.

        The text of a part depends on the file and the settings, never on the budget.
        """
        raise NotImplementedError

    def searched(self, chosen: Selection, pattern: Pattern, most: int | None) -> Iterator[tuple[int, int]]:
        """Yield the numbers of parts that a search looks at, in order: one or several times each.

        With each comes the first character of the piece that has a hit, or 0 if there is none in it. After
        `most` hits, nothing more is asked for.
        """
        first, column = chosen.first, chosen.column
        while first:
            numbers = dropwhile(partial(gt, first), chosen.numbers)
            first, begin = 0, column
            for part in self.show(numbers, column=begin):
                for number, text in self.texts_of(part):
                    yield number, 0 if pattern.find(text) is None else begin
                begin = 1
                if part.following is not None:
                    # What is too long for one page goes on in the next one.
                    first, column = part.number, part.following
                    break

    def texts_of(self, part: P) -> Iterable[tuple[int, str]]:
        """Return the texts of a part that a search looks at, of one line or of several, with their number."""
        return [(part.number, part.words())]

    def heading_before(self, number: int) -> int | None:
        """Return the heading of a line that was searched; `None`: it has none."""
        return None

    def is_long(self, number: int) -> bool:
        """Return whether a line that was searched is too long to be shown beside a hit."""
        return False

    def shrink(self, part: P, tokens: int) -> None:
        """Scale the images of a part down to so many tokens in all, or refuse those that cannot be."""

    def end(self, parts: Sequence[P]) -> None:
        """Take what the parts that were chosen still need; there was no error."""

    def close(self) -> None:
        """Release everything, also after an error."""

    def settle(self) -> None:
        """Decode the images of the parts that `end` got; in a thread that may use decoders."""

    def about(self, parts: Sequence[P]) -> str | None:
        """Return the first clause of the footer if the numbers of the parts do not say enough."""
        return None

    def region_after(self, parts: Sequence[P]) -> tuple[int, int, int, int] | None:
        """Return the region of the last part with which the next page goes on; `None`: not with a region."""
        return None

    def beyond(self) -> str:
        """Return the address of what follows the last part; empty if nothing does."""
        return ""

    def nothing(self) -> str:
        """Return the text of a page without parts."""
        return ""

    def below(self, parts: Sequence[P]) -> str:
        """Return a line about the parts, which stands before the footer; empty if there is none."""
        return ""

    def clipped(self, parts: Sequence[P]) -> int:
        """Return how many of some parts are clipped."""
        return sum(part.is_clipped for part in parts)

    def marks(self, parts: Sequence[P]) -> list[str]:
        """Return what is deliberately shortened in some parts, as clauses of the footer."""
        clipped = self.clipped(parts)
        return [f"{clipped:,} clipped"] if clipped else []

    def notices(self, parts: Sequence[P], chosen: Selection) -> list[Notice]:
        """Return what else there is to know about the parts that are shown, and about what was chosen."""
        return []

    def page(self, parts: Sequence[P], common: dict[str, Any]) -> Any:
        """Return the page, a `PartsPage`: the format's own fields besides `common`, which all pages have."""
        raise NotImplementedError

    def facts(self) -> Mapping[str, object]:
        """Return the facts about the file, for `info`."""
        return {}


class ReadsFormat(Protocol):
    """The module of a format."""

    def parts_of(self, opened: Any, request: Request | None, how: How) -> Parts[Any]:
        """Open a file as parts; without a request, only for its facts.

        Raises:
            ReadError: It cannot be, for example because it is damaged.
        """

"""Several places in one answer: a heading for each file, what is shown of it, and one footer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ._native import count_tokens
from .budget import footer_line, next_clause, without_next
from .errors import OutsideRootError
from .errors.base import escaped_path
from .results import Failed, NotShown, TextBlock, TextPage, Unchanged
from .results.image import ImageView

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .errors import ReadError
    from .many import ManyResult
    from .reader import Reader
    from .results import Block, Page

MOST_PLACES = 64
"""The maximum number of places in one call."""
_HEADING_TOKENS = 24
"""The tokens that a heading has besides the path."""
_FOOTER_TOKENS = 200
_FOOTER_CHARS = 400
"""How much of the places that are not shown the footer names."""


class Burst(NamedTuple):
    """What a call with several places shows."""

    blocks: list[Block]
    pages: list[Page]
    """The pages that are shown."""
    errors: list[ReadError]
    """Why others are not."""
    rest: list[str]
    """The places that are not shown, because the answer is full."""


def read(
    reader: Reader, places: Sequence[str], *, max_tokens: int | None, worded: Callable[[ReadError], str] = str
) -> Burst:
    """Read places and join what is shown of them.

    Args:
        reader: The reader.
        places: The places, such as `a.py:10-20,80`; those of one file are shown where the first is named.
        max_tokens: The tokens of the whole answer, if they are fewer than the reader's.
        worded: Returns the text of an error.
    """
    limit = min(reader.limits.max_tokens, max_tokens or reader.limits.max_tokens)
    headings = sum(2 * count_tokens(place, None) + _HEADING_TOKENS for place in places)
    room = max(1, limit - _FOOTER_TOKENS)
    answer = _Answer(room, worded)
    for result in reader.read_many_sync(places, budget_tokens=max(room // 2, room - headings)):
        answer.add(result)
    return answer.end()


class _Answer:
    def __init__(self, room: int, worded: Callable[[ReadError], str]) -> None:
        self.room = room
        """The tokens that are left."""
        self.worded = worded
        self.burst = Burst([], [], [], [])
        self.outside: list[str] = []

    def add(self, result: ManyResult) -> None:
        if isinstance(result, NotShown):
            self.burst.rest.append(_place(result.path, result.next))
        elif isinstance(result, Failed):
            self.burst.errors.append(result.error)
            if isinstance(result.error, OutsideRootError):
                self.outside.append(result.path)
            elif not self.has_added(f"==> {escaped_path(result.path)} <==\n{self.worded(result.error)}"):
                self.burst.rest.append(result.path)
        elif not isinstance(result, Unchanged):
            self.show(result)

    def show(self, page: Page) -> None:
        footer = "" if isinstance(page, ImageView) else page.footer
        about = without_next(footer) if isinstance(page, TextPage) else ""
        notices = "".join(f"\n[notice: {notice.message}]" for notice in page.notices)
        heading = f"==> {escaped_path(page.path)}{' · ' if about else ''}{about} <=={notices}"
        if not self.has_added(heading, page.token_estimate):
            self.burst.rest.append(page.path)
            return
        self.burst.pages.append(page)
        for block in page.blocks:
            if not isinstance(block, TextBlock):
                self.burst.blocks.append(block)
            elif text := block.text.removesuffix(footer).rstrip("\n"):
                self.append(text, "\n")
        if page.next is not None:
            self.burst.rest.append(_place(page.path, page.next))

    def has_added(self, text: str, more: int = 0) -> bool:
        """Add a heading or an error, if there is room for it and for so many more tokens."""
        tokens = count_tokens(text, None) + more
        if tokens > self.room:
            return False
        self.room -= tokens
        self.append(text, "\n\n")
        return True

    def append(self, text: str, between: str) -> None:
        blocks = self.burst.blocks
        last = blocks[-1] if blocks else None
        if isinstance(last, TextBlock):
            blocks[-1] = TextBlock(f"{last.text}{between}{text}")
        else:
            blocks.append(TextBlock(text))

    def end(self) -> Burst:
        if self.outside:
            self.append(f"[outside the directories that may be read: {_listed(self.outside)}]", "\n\n")
        if self.burst.rest:
            following = next_clause(f"places=[{_listed(self.burst.rest)}]")
            self.append(footer_line("the answer is full", following), "\n\n")
        return self.burst


def _listed(texts: Sequence[str]) -> str:
    named: list[str] = []
    for text in texts:
        named.append(f'"{escaped_path(text)}"')
        if named[1:] and sum(map(len, named)) > _FOOTER_CHARS:
            named.pop()
            break
    more = f" and {len(texts) - len(named):,} more" if len(named) < len(texts) else ""
    return ", ".join(named) + more


def _place(path: str, following: Mapping[str, Any]) -> str:
    """Write the call that reads the rest of a file as a place."""
    if "ranges" in following:
        return f"{path}:{written(following['ranges'])}"
    if "pages" in following:
        return f"{path}:{following['pages']}"
    offset = following.get("offset", 1)
    return path if offset == 1 else f"{path}:{offset}-"


def written(spans: Sequence[int | tuple[int, int]]) -> str:
    """Write lines as in a place: `10-20,80,500-`."""
    pairs = ("-".join(map(str, span)) if isinstance(span, tuple) else str(span) for span in spans)
    # The last line of a file is not named.
    return ",".join(pair.removesuffix("-1") if pair.endswith("--1") else pair for pair in pairs)

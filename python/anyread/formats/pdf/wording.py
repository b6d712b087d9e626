"""What the text of PDF pages says: the line before each page, the footer, and where the next call starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anyread.budget import footer_line, next_clause

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.arguments import Request
    from anyread.budget import Budget
    from anyread.decoding.host.document import DecodedPage
    from anyread.selection import Selection

_LEGIBLE = 1.0
"""Pixels per point below which small print is illegible, so that the page suggests a region."""


class Part(NamedTuple):
    """A page and what is shown of it."""

    page: DecodedPage
    text: str
    """What is shown of its text."""
    is_image_left_out: bool = False
    """Whether its image does not fit the budget."""
    gap: str = ""
    """The line for the pages between the page before it and this one, if `ranges` leave some out."""

    @property
    def shows_text(self) -> bool:
        """Whether the text of the page is shown; unreadable text is omitted if there is an image."""
        return bool(self.page.text) and not (self.page.is_unreadable and self.page.image is not None)


class PagesText:
    """The text of some pages.

    Args:
        request: The request.
        page_count: The number of pages of the file.
        budget: The budget of the call.
    """

    def __init__(self, request: Request, page_count: int, budget: Budget) -> None:
        self.request, self.page_count, self.budget = request, page_count, budget
        self.first = self.last = 1
        """The first and the last page requested."""
        self.chosen: Selection | None = None
        """The pages that `ranges` choose."""

    def begin(self, page: DecodedPage) -> int:
        """Return the number of the first character shown of a page."""
        return self.request["column"] if page.number == self.first else 1

    def following(self, part: Part) -> int | None:
        """Return the character at which the next call starts; `None` if the rest of the page is shown."""
        following = self.begin(part.page) + len(part.text)
        return following if part.text and following <= part.page.characters else None

    def text(self, parts: Sequence[Part]) -> str:
        """Join pages and their footer."""
        footer = self.footer(parts)
        return "\n\n".join([self.shown(part) for part in parts] + ([footer] if footer else []))

    def shown(self, part: Part) -> str:
        """Return a page as text: the line that precedes its text or replaces it, and the text."""
        page = part.page
        marker = f"[page {page.number:,} of {self.page_count:,}"
        if self.request["region"] is not None:
            marker += " · region=({}, {}, {}, {}) in points".format(*self.request["region"])
        elif self.begin(page) > 1:
            marker += f" from character {self.begin(page):,}"
        elif page.image is not None and page.image.width < _LEGIBLE * page.width_points:
            size = f"{page.width_points:,}×{page.height_points:,} points"
            shown = f"shown at {page.image.width:,}×{page.image.height:,}"
            marker += f" · {size}, {shown}; region=(x, y, width, height) in points shows a part larger"
        marker = f"{part.gap}{marker}"
        if not part.shows_text:
            return f"{marker}: {self.why_no_text(part)}]"
        return f"{marker}{' · its image is over the budget' if part.is_image_left_out else ''}]\n{part.text}"

    def why_no_text(self, part: Part) -> str:
        """Return why no text of a page is shown."""
        page = part.page
        only_image = "" if page.image is not None else "; it can only be shown as an image"
        reasons = [
            (page.is_damaged, "it is damaged and cannot be shown"),
            (bool(page.text), "its text layer is unreadable; see the image"),
            (self.request["region"] is not None, "no text"),
            (page.is_blank, "blank"),
            (bool(page.missing_fonts), "its text cannot be shown, because its fonts are missing"),
            (part.is_image_left_out, "no text layer; its image is over the budget"),
        ]
        return next((reason for applies, reason in reasons if applies), f"no text layer{only_image}")

    def next_pages(self, parts: Sequence[Part]) -> str | None:
        """Return the pages that follow, as an argument."""
        end = parts[-1]
        shown = end.page.number
        is_cut = self.following(end) is not None
        if shown == self.last and not is_cut:
            return None
        begin = shown if is_cut else shown + 1
        is_open = self.last == self.page_count
        is_one = begin == self.last and (self.first == self.last or not is_open)
        return str(self.last) if is_one else f"{begin}-{'' if is_open else self.last}"

    def footer(self, parts: Sequence[Part]) -> str:
        """Return the line that says what is left out; empty if nothing is, or if there is no room for it."""
        count, first, end = self.page_count, self.first, parts[-1]
        if self.chosen is not None:
            following = self.following(end)
            shown = [part.page.number for part in parts]
            rest = [] if following is None else [f'more: pages="{shown[-1]}", column={following}']
            return self.chosen.footer(shown, rest) if any(self.budget.footer) else ""
        last, following, next_pages = end.page.number, self.following(end), self.next_pages(parts)
        is_part = self.last < count or first > 1
        # The marker of a single page already contains its number and the page count.
        is_needed = next_pages is not None or (is_part and len(parts) > 1)
        if not is_needed or not any(self.budget.footer):
            return ""
        pages = f"page {first:,}" if first == last else f"pages {first:,}-{last:,}"
        about, more = f"{pages} of {count:,}", f'pages="{next_pages}"'
        if following is not None:
            about += f", characters {self.begin(end.page):,}-{following - 1:,} of {end.page.characters:,}"
            more += f", column={following}"
        return footer_line(about) if next_pages is None else footer_line(about, next_clause(more))

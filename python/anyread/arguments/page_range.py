"""Page ranges as callers write them: "3", "1-5" or "2-"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# `re` compiles it on first use, and most processes never use it.
_RANGE = r"([0-9]{1,15})(?:(-)([0-9]{1,15})?)?"


class PageRange(NamedTuple):
    """A first and a last page, counted from 1."""

    first: int
    last: int | None
    """`None`: the last page of the file."""

    @property
    def is_rising(self) -> bool:
        """Whether it starts at page 1 or later, and does not end before it starts."""
        return self.first >= 1 and (self.last is None or self.last >= self.first)

    @classmethod
    def parse(cls, text: str) -> PageRange | None:
        """Parse a range; `None` if the text is not one.

        Example:
            >>> PageRange.parse("2-")
            PageRange(first=2, last=None)
        """
        found = re.fullmatch(_RANGE, text.strip())
        if found is None:
            return None
        first, dash, last = found.groups()
        return cls(int(first), int(last) if last else None if dash else int(first))

    @classmethod
    def requested(cls, request: Mapping[str, Any], count: int) -> PageRange | None:
        """Return the pages that a checked request chooses of `count`; `None`: all of them."""
        if request["pages"] is not None:
            return cls.parse(str(request["pages"]))
        offset, limit = request["offset"], request["limit"]
        first = offset if offset > 0 else max(1, count + 1 + offset)
        if first == 1 and (limit is None or limit >= count):
            return None
        return cls(first, None if limit is None else first + limit - 1)

    def __str__(self) -> str:
        if self.last == self.first:
            return str(self.first)
        return f"{self.first}-{'' if self.last is None else self.last}"

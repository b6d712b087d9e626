"""Ranges of pages as callers write them: "3", "1-5" or "2-"."""

from __future__ import annotations

import re
from typing import NamedTuple

# Compiled by `re` when it is first used, which most processes never do.
_RANGE = r"([0-9]{1,15})(?:(-)([0-9]{1,15})?)?"


class PageRange(NamedTuple):
    """A first and a last page, counted from 1."""

    first: int
    last: int | None
    """`None`: the last page of the file."""

    @property
    def is_rising(self) -> bool:
        """Whether it has at least one page, and none before the first."""
        return self.first >= 1 and (self.last is None or self.last >= self.first)

    @classmethod
    def parse(cls, text: str) -> PageRange | None:
        """Parse a range; `None` if the text is none.

        Example:
            >>> PageRange.parse("2-")
            PageRange(first=2, last=None)
        """
        found = re.fullmatch(_RANGE, text.strip())
        if found is None:
            return None
        first, dash, last = found.groups()
        return cls(int(first), int(last) if last else None if dash else int(first))

    def __str__(self) -> str:
        if self.last == self.first:
            return str(self.first)
        return f"{self.first}-{'' if self.last is None else self.last}"

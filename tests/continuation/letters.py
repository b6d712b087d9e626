"""The letters that pages show, joined over `next`, are those of one call without limits, in any budget.

A letter is a character that no word of anyread has, so nothing need be known about how a format is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import count, zip_longest
from typing import Any

import anyread
from anyread import Limits, Model, Reader
from continuation import maker
from continuation.texts import letters
from continuation.walker import Fault, Walk, is_text

LEAST_TOKENS = 60
MOST_PAGES = 30
"""A longer chain is judged by its beginning."""
CLIPPED = re.compile(
    r" … \[(?:[\d,]+ )?more(?: bytes?)?: offset=\d+, column=\d+\]$|… \(\+[\d,]+ chars\)$", re.MULTILINE
)
NAMES = re.compile(r"^(\[sheet .* · columns? [A-Z]+(?:-[A-Z]+)?\]\n).*\n", re.MULTILINE)
"""The names of columns above rows further down, which are shown with their row, too."""


def judge(walk: Walk) -> None:
    """Read the file of a case page by page, in several budgets; the rest of a clipped line is read, too."""
    case, follows_clipped = walk.case, is_text(walk.case.files[0])
    limits, arguments = case.limits(is_whole=True), walk.arguments()
    unlimited = replace(limits, max_line_chars=maker.END) if follows_clipped else limits
    try:
        whole = NAMES.sub(r"\1", Pages(walk, unlimited).read(arguments).text)
    except anyread.OffsetPastEndError:
        # Nothing is in any of the ranges.
        return
    # Budgets for the first line alone, but not for a footer too, are the most difficult.
    wanted, least = letters(whole), walk.count(whole.partition("\n")[0])
    pages = Pages(walk, limits)
    budgets = (*range(case.max_tokens, case.max_tokens + 20, 5), *range(least, least + 40, 8))
    for tokens in sorted({max(LEAST_TOKENS, budget) for budget in budgets}):
        pages.budget = {"max_tokens": tokens, "max_bytes": case.max_bytes}
        found, following = "", arguments
        for _ in range(MOST_PAGES):
            page = pages.read(following)
            found += pages.shown(page) if follows_clipped else letters(NAMES.sub(r"\1", page.text))
            walk.compared += 1
            if not (wanted.startswith(found) if page.next else wanted == found):
                begin = next(n for n in count() if found[n : n + 1] != wanted[n : n + 1])
                raise Fault("letters", f"{found[begin:][:40]!r} instead of {wanted[begin:][:40]!r}")
            if page.next is None:
                break
            following = dict(page.next)


END = {"limit": None, "max_tokens": None, "max_bytes": None}
"""What a call without limits leaves out."""


class Pages:
    """Reads pages of the file of a case."""

    budget: Mapping[str, int | None] = END

    def __init__(self, walk: Walk, limits: Limits) -> None:
        self.walk, self.name = walk, walk.case.files[0].name
        context = walk.case.context
        self.reader = Reader(
            roots=[walk.directory],
            limits=limits,
            model=Model.text_only(),
            directories="list",
            context=context,
        )

    def read(self, arguments: Mapping[str, Any]) -> Any:
        call = {**arguments, **self.budget}
        self.walk.note(f"read({self.name!r}, {call})")
        return self.reader.read_sync(self.name, **call)

    def shown(self, page: Any) -> str:
        """Return the letters of a page, with the rest of each line that is clipped."""
        (piece, *pieces), clips = CLIPPED.split(page.text), getattr(page, "clipped", ())
        # The last line may be one that `next` continues.
        if not 0 <= len(pieces) - len(clips) <= ((page.next or {}).get("column", 1) > 1):
            raise Fault("clipped", f"{len(pieces)} lines are clipped, and {len(clips)} are named")
        found = letters(piece)
        for clip, piece in zip_longest(clips, pieces, fillvalue=None):
            following = dict(clip or {})
            line = following.get("offset")
            while following.get("column", 1) > 1 and following["offset"] == line:
                rest = self.read(following)
                found += letters(rest.text)
                following = dict(rest.next or {})
            found += letters(piece or "")
        return found

"""The lines that fit into an answer of Kimi Code's `Read`, and its status, which counts too."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_CHARS = 500_000
"""The most UTF-16 units of an answer."""


class KimiCall(NamedTuple):
    """The arguments of a call."""

    given: str
    path: str
    line: int
    """The first line; negative: from the end."""
    column: int
    """The UTF-16 units of the first line that are left out."""
    limit: int | None
    requested: int
    """The UTF-16 units that were requested, of which `most` are the highest."""

    @property
    def most(self) -> int:
        """The UTF-16 units of the answer."""
        return min(self.requested, MAX_CHARS)


class PageError(Exception):
    """The call cannot be answered; the text says why."""


class Page(NamedTuple):
    """What can be shown: lines of a file, from the line `first` on."""

    call: KimiCall
    first: int
    lines: Sequence[str]
    last: int
    """The last line that was requested; `lines` may end before."""
    total: int
    notes: Sequence[str]
    """Sentences about the file."""

    def forward(self) -> str:
        """Show the whole lines that fit; if the first does not, a part of it."""
        call, first, lines = self.call, self.first, list(self.lines)
        column, line = call.column, _encoded(lines[0] if lines else "")
        length, about = len(line) // 2, ""
        if column:
            if column > length or not lines:
                read = "Read the line from column 0 to inspect its current contents."
                raise PageError(
                    f"column_offset={column} is past the end of the starting line {first}. {read}"
                )
            if _is_inside(line, column):
                use = "Use a character boundary or the Next Read arguments."
                raise PageError(f"column_offset={column} splits a Unicode character in line {first}. {use}")
            lines[0] = line[2 * column :].decode("utf-16-le")
            about = f"Line {first} fragment: columns [{column}, {length}) of {length}. Line complete."
        rows = [f"{number}\t{text}\n" for number, text in enumerate(lines, first)]

        def part(count: int) -> tuple[int, list[str], str]:
            left = None if call.limit is None else call.limit - count
            is_all = first + count > self.last
            return first, rows[:count], "" if is_all else self._next(line_offset=first + count, n_lines=left)

        return self._longest(rows, about, part) or self._fragment(line, length)

    def tail(self, first: int) -> str:
        """Show the newest lines that fit; `first` is the first line that was requested."""
        rows = [f"{number}\t{text}\n" for number, text in enumerate(self.lines, self.first)]

        def part(count: int) -> tuple[int, list[str], str]:
            start = self.last + 1 - count
            following = self._next(line_offset=first, n_lines=start - first) if start > first else ""
            return start, rows[len(rows) - count :], following

        return self._longest(rows[::-1], "", part) or self._fragment(b"", 0)

    def _longest(
        self, rows: list[str], about: str, part: Callable[[int], tuple[int, list[str], str]]
    ) -> str | None:
        """Return the answer with the most rows that fits with its status."""
        most = sum(1 for size in accumulate(map(_units, rows)) if size <= self.call.most)
        for count in range(most, 0 if rows else -1, -1):
            first, shown, following = part(count)
            found = self._answer(first, shown, about, following)
            if _units(found) <= self.call.most:
                return found
        return None

    def _fragment(self, line: bytes, length: int) -> str:
        """Show a part of the first line, with room for the longest number of a column in its status."""
        call, first, column = self.call, self.first, self.call.column

        def answer(start: int, end: int, text: str) -> str:
            about = f"Line {first} fragment: columns [{start}, {end}) of {length}. Line continues."
            following = self._next(line_offset=first, column_offset=end, n_lines=call.limit)
            return self._answer(first, [f"{first}\t{text}\n"], about, following)

        room = call.most - _units(answer(column, min(column + call.most, length), ""))
        end = column + room - _is_inside(line, column + room)
        if not line or end <= column:
            what = "file text and the Read status" if self.lines else "the Read status"
            raise PageError(f"max_chars={call.most} is too small for {what}. Increase max_chars.")
        return answer(column, end, line[2 * column : 2 * end].decode("utf-16-le"))

    def _next(self, **arguments: int | None) -> str:
        given: dict[str, Any] = {"path": self.call.given, **arguments, "max_chars": self.call.most}
        given = {name: value for name, value in given.items() if value is not None}
        return f"Next Read: {json.dumps(given, ensure_ascii=False, separators=(',', ':'))}"

    def _answer(self, first: int, rows: Sequence[str], about: str, following: str) -> str:
        count, call = len(rows), self.call
        read = f"{count} line{'s' if count > 1 else ''} read from file starting from line {first}."
        is_end = not about.endswith("continues.") and first + count - 1 >= self.total
        capped = f"Requested max_chars={call.requested} was capped at the configured maximum {call.most}."
        sentences = [
            read if count else "No lines read from file.",
            f"Total lines in file: {self.total}.",
            "Character limit reached." if following else "Requested range complete.",
            f"Effective max_chars: {call.most}.",
            "End of file reached." if is_end else "",
            about,
            capped if call.requested > MAX_CHARS else "",
            following,
            *self.notes,
        ]
        status = " ".join(filter(None, sentences))
        shown = "".join(rows) or "<system>Tool output is empty.</system>\n"
        return f"{shown}<system>{status}</system>"


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le")


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(_encoded(text)) // 2


def _is_inside(line: bytes, column: int) -> bool:
    """Return whether a column is between the halves of a surrogate pair."""
    unit = line[2 * column : 2 * column + 2]
    return bool(unit) and 0xDC <= unit[1] <= 0xDF

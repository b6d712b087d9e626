"""A process that reads a live file in one of several ways, and checks each line that it gets.

It is run as a script, so that a signal ends only this process, and writes its counts as JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import re
import sys
import time
from bisect import bisect_left
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import anyread
from anyread import Gutter, errors
from helpers.live_writer import line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anyread import TextPage

PLENTY = 10**9
LIMITS = anyread.Limits(max_lines=PLENTY, max_tokens=PLENTY, max_bytes=PLENTY, exact_total=True)
REFUSALS = (errors.FileChangedError, errors.OffsetPastEndError, errors.NotFoundError)
POLL_S = 0.001
GIVE_UP_S = 100
"""The most time for one strategy."""


class Checks:
    """Checks pages of a live file, and counts them."""

    def __init__(self, path: str, rows: int, *, is_overwritten: bool) -> None:
        self.path = path
        self.rows = rows
        self.is_overwritten = is_overwritten
        self.seen: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.starts = [0]
        self.offsets = itertools.accumulate(len(line(1, row)) for row in itertools.count(1))

    def rows_in(self, size: int) -> int:
        """Return the number of lines in a file of `size` bytes; the last one may be incomplete."""
        while self.starts[-1] < size:
            self.starts.append(next(self.offsets))
        return bisect_left(self.starts, size)

    def page(self, page: TextPage) -> None:
        """Check and count a page."""
        total = self.rows_in(page.size_bytes)
        fault = self.fault(page.content, page.start_line)
        if fault is None and page.total_lines != total:
            fault = f"{page.total_lines} lines in {page.size_bytes} bytes, which are {total}"
        self.note(fault)

    def note(self, fault: str | None) -> None:
        """Count a read, and keep what is wrong with it."""
        self.seen["reads"] += 1
        if fault is not None:
            self.seen["wrong"] += 1
            self.wrong.append(fault)

    def fault(self, text: str, row: int) -> str | None:
        """Return what is wrong with lines that begin with a row, or `None`.

        The file may end inside a line.
        """
        lines = text.splitlines(keepends=True)
        last: int | None = None
        for index, shown in enumerate(lines):
            is_complete = index < len(lines) - 1 or shown.endswith("\n")
            if not re.match(r"\d{10} ", shown) and not is_complete:
                return None if re.fullmatch(r"\d{0,10}", shown) else f"row {row + index} is {shown!r}"
            found = self.number(shown, row + index, last, is_complete=is_complete)
            if found is None:
                return f"row {row + index}, which follows line {last}, is {shown!r}"
            last = found
        return None

    def number(self, shown: str, row: int, last: int | None, *, is_complete: bool) -> int | None:
        """Return the number that the line after `shown` continues, or `None` if no such line was written.

        While a file is rewritten over its old lines, it has new lines, then perhaps a line whose start is new
        and whose rest is old, and then old lines. A line has the same width in both states.
        """
        if not shown[:10].isdecimal():
            return None
        number = int(shown[:10])
        expected = line(number, row)
        if shown == (expected if is_complete else expected[: len(shown)]):
            is_next = (
                last is None
                or number == last + 1
                or (self.is_overwritten and number == self.before(last + 1))
            )
            return number if is_next else None
        if not self.is_overwritten:
            return None
        for digits in range(11):
            # The first digits are of the new number, and the rest are of the old one.
            unit = 10 ** (10 - digits)
            new = number - number % unit + (number + self.rows) % unit
            old = self.before(new)
            if last in {None, new - 1} and is_splice(shown, line(new, row), line(old, row)):
                return old
        return None

    def before(self, number: int) -> int:
        """Return the number of the line that line `number` overwrites."""
        return max(0, number - self.rows)


def is_splice(shown: str, new: str, old: str) -> bool:
    """Return whether a line starts as `new` and ends as `old`."""
    equal = next(
        (index for index, pair in enumerate(zip(shown, new, strict=False)) if pair[0] != pair[1]), len(new)
    )
    return len(shown) == len(old) and shown[equal:] == old[equal:]


def ranges(rows: int) -> Iterator[tuple[int, int]]:
    """Return offsets and limits of reads, without end."""
    generator = random.Random(rows)
    while True:
        offset = generator.choice((1, -1, -20, generator.randint(1, rows), generator.randint(1, rows)))
        yield offset, generator.choice((1, 20, 300))


def blocking(*, keeps_index: bool = True) -> Callable[[Checks, int], None]:
    """Return a strategy that reads windows by blocking."""

    def read(checks: Checks, count: int) -> None:
        reader = anyread.Reader(limits=LIMITS, gutter=Gutter.NONE)
        end = time.monotonic() + GIVE_UP_S
        for offset, limit in ranges(checks.rows):
            if not keeps_index:
                anyread.clear_caches()
            try:
                page = reader.read_sync(checks.path, offset=offset, limit=limit)
            except REFUSALS as error:
                checks.seen[error.code] += 1
            else:
                checks.page(page)  # type: ignore[arg-type]
            if checks.seen["reads"] >= count or time.monotonic() > end:
                break
        checks.seen["indexed"] = reader.stats()["indexed"]

    return read


def nowait(checks: Checks, count: int) -> None:
    """Read windows on an event loop, inline where the engine allows it."""

    async def read() -> None:
        limits = replace(LIMITS, inline_bytes=1024 * 1024)
        reader = anyread.Reader(limits=limits, gutter=Gutter.NONE)
        end = time.monotonic() + GIVE_UP_S
        for offset, limit in ranges(checks.rows):
            try:
                page = await reader.read(checks.path, offset=offset, limit=limit)
            except REFUSALS as error:
                checks.seen[error.code] += 1
            else:
                checks.page(page)  # type: ignore[arg-type]
            if checks.seen["reads"] >= count or time.monotonic() > end:
                break
        checks.seen["inline"] += reader.stats()["inline"]

    asyncio.run(read())


def follow(checks: Checks, count: int) -> None:
    """Follow the file, again from its start after each hundred parts."""

    async def read() -> None:
        end = time.monotonic() + GIVE_UP_S
        while checks.seen["reads"] < count and time.monotonic() < end:
            try:
                async with anyread.follow(checks.path, offset=1, poll_s=POLL_S) as tail:
                    for _ in range(100):
                        appended = await anext(tail)
                        assert appended.start_line is not None
                        checks.note(checks.fault(appended.text, appended.start_line))
                        checks.seen[str(appended.after)] += 1
            except REFUSALS as error:
                checks.seen[error.code] += 1

    asyncio.run(read())


STRATEGIES: dict[str, Callable[[Checks, int], None]] = {
    "whole": blocking(),
    "nowait": nowait,
    "follow": follow,
    "indexed": blocking(),
    "scanned": blocking(keeps_index=False),
}
"""The ways to read; "whole" differs from "indexed" only by the size of the file."""


def main(path: str, rows: str, changes: str, *counts: str) -> None:
    """Read a file in each of some ways, given as `name=count`, and write what was seen.

    Args:
        path: The file.
        rows: The number of its lines when it is full.
        changes: What its writer does, as in `live_writer.CHANGES`.
        counts: The strategies, and how many reads each of them must answer.
    """
    found = {}
    for name, count in (given.split("=") for given in counts):
        checks = Checks(path, int(rows), is_overwritten="rewrite" in changes)
        STRATEGIES[name](checks, int(count))
        found[name] = {"seen": checks.seen, "wrong": checks.wrong[:5]}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])

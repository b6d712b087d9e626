"""Find the errors of a moment: `python -m examples.log_at LOG 2026-11-22T14:30:00 10`.

The lines of the log start with their time, so a binary search over line numbers finds a
moment with about thirty reads. The first read counts all lines once; the others find
theirs with the index.
`python -m examples.log_at --make 10 LOG` writes a log of 10 GB to try it with.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import anyread

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.MULTILINE)
ERROR = re.compile(r"\b(?:ERROR|FATAL)\b (?P<what>\D*)")
CONTEXT = 2
"""Lines shown before and after the first error."""

FIRST = datetime(2026, 11, 22, 14, 0)  # noqa: DTZ001 - a log in local time
OUTAGE = range(1_800, 1_810)
"""The seconds of `make_log` in which requests fail."""


@dataclass
class Report:
    """What happened in a log from one moment to another."""

    total_lines: int
    first_line: int
    """The first line at or after the start."""
    lines: int = 0
    """How many lines there are until the end."""
    errors: Counter[str] = field(default_factory=Counter)
    """How often each error occurred."""
    excerpt: str = ""
    """The first error with the lines around it, as a model should see it."""


def report(log: Path, start: str, seconds: int) -> Report:
    """Report the errors of some seconds from a time such as "2026-11-22T14:30:00"."""
    reader = anyread.Reader(limits=anyread.Limits(exact_total=True, max_tokens=100_000))
    end = (datetime.fromisoformat(start) + timedelta(seconds=seconds)).isoformat()
    total = reader.read_sync(log, kind="text", limit=1).total_lines or 0
    first = line_at(reader, log, start, total)
    found = Report(total, first)
    if first > total:
        return found
    for page in reader.pages_sync(log, kind="text", offset=first):
        for number, line in enumerate(page.content.splitlines(), page.start_line):
            if TIME.match(line) and line >= end:
                return found
            found.lines += 1
            if error := ERROR.search(line):
                found.errors[error["what"].strip()] += 1
                if not found.excerpt:
                    around = max(1, number - CONTEXT)
                    found.excerpt = reader.read_sync(
                        log, offset=around, limit=2 * CONTEXT + 1
                    ).text
    return found


def line_at(reader: anyread.Reader, log: Path, moment: str, total: int) -> int:
    """Return the number of the first line at or after a moment, or `total` + 1."""
    low, high = 1, total + 1
    while low < high:
        middle = (low + high) // 2
        # Lines without a time, such as those of a traceback, belong to the line before
        # them.
        window = reader.read_sync(log, kind="text", offset=middle, limit=200).content
        time = TIME.search(window)
        if time is not None and time[0] < moment:
            low = middle + 1
        else:
            high = middle
    return low


def make_log(log: Path, gigabytes: float) -> None:
    """Write the log of an hour, with ten seconds in which requests fail."""
    lines_per_second = max(10, round(gigabytes * 1e9 / 3_600 / 61))
    calm = "".join(
        f"@ INFO request {n} served in {n * 7919 % 90} ms by worker {n % 64}\n"
        for n in range(lines_per_second)
    )
    outage = "".join(
        f"@ ERROR cannot reach the database, attempt {n}\n"
        if n % 10 == 7
        else f"@ INFO request {n} waits\n"
        for n in range(lines_per_second)
    )
    with log.open("wb") as file:
        for second in range(3_600):
            time = (FIRST + timedelta(seconds=second)).isoformat()
            file.write(
                (outage if second in OUTAGE else calm).replace("@", time).encode()
            )


def main() -> None:
    """Print the report, or write a log."""
    if sys.argv[1] == "--make":
        make_log(Path(sys.argv[3]), float(sys.argv[2]))
        return
    found = report(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    print(
        f"{found.lines:,} lines from line {found.first_line:,} of {found.total_lines:,}"
    )
    for what, count in found.errors.most_common():
        print(f"{count:>9,}  {what}")
    print(found.excerpt)


if __name__ == "__main__":
    main()

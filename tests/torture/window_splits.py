"""Compare random windows of random files with the text that Python's codecs decode.

`python -m torture.window_splits SEED COUNT DIRECTORY` prints how many windows it compared and what differs.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyread import Limits, TextPage
from helpers.texts import TextReader
from torture.encoded_files import KIB, MIB, EncodedFile, random_codecs, random_file

PLENTY = 10**9
WHOLE = TextReader(
    limits=Limits(max_lines=PLENTY, max_bytes=PLENTY, max_tokens=PLENTY, max_line_chars=PLENTY)
)
BUDGETS = [
    TextReader(limits=Limits(max_bytes=size, max_tokens=PLENTY, max_line_chars=PLENTY))
    for size in (1, 7, 64, 700, 5_000, 70_000)
]
_MOST_DIFFERENCES = 10


@dataclass
class Tally:
    """How many windows were compared, and those that differ."""

    compared: int = 0
    files: int = 0
    encodings: set[str] = field(default_factory=set)
    differences: list[str] = field(default_factory=list)


class Lines:
    """Where the lines of a text are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.endings = ("\r",) if "\r" in text and "\n" not in text else ("\r\n", "\n")
        found = [match.end() for match in re.finditer(self.endings[-1], text)]
        self.starts = [0, *found] if not found or found[-1] < len(text) else [0, *found[:-1]]
        self.count = len(self.starts)
        self.has_long = any(b - a > MIB // 4 for a, b in itertools.pairwise([*self.starts, len(text)]))

    def start(self, number: int) -> int:
        """Return the position of line `number`; after the last line, the end of the text."""
        return self.starts[number - 1] if number <= self.count else len(self.text)

    def body(self, number: int) -> str:
        """Return a line without its ending."""
        line = self.text[self.start(number) : self.start(number + 1)]
        ending = next((ending for ending in self.endings if line.endswith(ending)), "")
        return line.removesuffix(ending)


def sizes(rng: random.Random) -> tuple[int, list[int], int, int]:
    """Choose size, borders, maximum line length and number of windows of the next file."""
    kind = rng.random()
    line_chars = rng.choice((0, 3, 12, 80, 300))
    if kind < 0.80:
        return rng.randrange(2 * KIB), [], line_chars, 1_000
    if kind < 0.90:
        return 66 * KIB, [rng.choice((4, 8, 16, 32)) * KIB, 64 * KIB], max(line_chars, 12), 500
    if kind < 0.97:
        blocks = sorted(rng.sample(range(2, 64), 8))
        borders = [16 * KIB * block for block in blocks] + [MIB]
        return MIB + rng.randrange(64 * KIB), borders, max(line_chars, 80), 3_000
    # One line goes over the borders of blocks, pieces and the index of columns.
    borders = [64 * KIB, 128 * KIB, 256 * KIB, MIB, MIB + 64 * KIB, 2 * MIB]
    return 2 * MIB + 300 * KIB, borders, 3 * MIB, 400


def compare_file(file: EncodedFile, path: Path, count: int, rng: random.Random, tally: Tally) -> None:
    """Read `count` windows of a file, and compare each."""
    path.write_bytes(file.data)
    lines = Lines(file.text)
    arguments: dict[str, Any] = {"kind": "text", "encoding": file.encoding}
    for _ in range(count):
        try:
            page, expected, call = one_window(lines, path, arguments, rng)
            problem = "" if page.content == expected else _difference(page.content, expected)
        except Exception as error:  # noqa: BLE001 - an error is a difference too
            problem, call = repr(error), {}
        tally.compared += 1
        if problem:
            tally.differences.append(f"{file.encoding} {len(file.data)} bytes {call}: {problem}")
            if len(tally.differences) >= _MOST_DIFFERENCES:
                return
    tally.encodings.add(file.encoding or "by its mark")


def one_window(
    lines: Lines, path: Path, arguments: dict[str, Any], rng: random.Random
) -> tuple[TextPage, str, dict[str, Any]]:
    """Read a random window; return its page, the text it must have, and the call."""
    way = rng.random()
    first = rng.randrange(1, lines.count + 1)
    limit = rng.choice((1, 1, 2, 3, 10))
    body = lines.body(first)
    column = rng.randrange(1, len(body) + 1) if body and (way >= 0.5 or lines.has_long) else 1
    call: dict[str, Any] = {"offset": first, "limit": limit, "column": column}
    if rng.random() < 0.1 and column == 1:
        call["offset"] = first - lines.count - 1
    start = lines.start(first) + column - 1
    if way < (0.01 if lines.has_long else 0.75):
        page = WHOLE.text(path, **call, **arguments)
        return page, lines.text[start : lines.start(first + limit)], call
    page = rng.choice(BUDGETS).text(path, **call, **arguments)
    end = lines.start(first + limit)
    if page.next is not None:
        following: Any = page.next.arguments
        end = min(end, lines.start(following["offset"]) + following.get("column", 1) - 1)
    # Every page shows at least one character.
    return page, lines.text[start : max(end, min(start + 1, len(lines.text)))], call


def _difference(found: str, expected: str) -> str:
    pairs = zip(found, expected, strict=False)
    place = next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(found), len(expected)))
    near = slice(max(0, place - 10), place + 20)
    return (
        f"at {place}: {found[near]!a}, not {expected[near]!a} ({len(found)} and {len(expected)} characters)"
    )


def compare(seed: int, count: int, directory: Path) -> Tally:
    """Compare `count` random windows."""
    rng = random.Random(seed)
    tally = Tally()
    codecs = random_codecs(rng)
    while tally.compared < count and len(tally.differences) < _MOST_DIFFERENCES:
        size, borders, line_chars, windows = sizes(rng)
        file = random_file(rng, next(codecs), size, borders, line_chars)
        path = directory / f"{seed}-{tally.files}"
        compare_file(file, path, min(windows, count - tally.compared), rng, tally)
        path.unlink()
        tally.files += 1
    return tally


if __name__ == "__main__":
    done = compare(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
    print(json.dumps({**vars(done), "encodings": sorted(done.encodings)}))

"""Sheets of workbooks: the parts are the rows, with the characters of each cell, or the lines of a cell."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import xlsxwriter

from continuation.texts import counted, lines_of

NAMES = ("Data", "My sheet", "it's", "a!b", "10-20", "2", "B2", "a,b")
"""Names of sheets, some of which look like something else."""
CELL = "B1"
"""The address of the cell that is read as text."""
TEXTS = ("{}", "{}\nline", "a\tb{}", "{}\\ ", "{}: ", '"{}"')
"""What cells have around their numbers."""


def random_parts(chance: random.Random, *, is_small: bool) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Make up the rows of a table, a few cells anywhere or the lines of a cell, and the address of them."""
    lengths = [0, 1, 3, 12] if is_small else [0, 1, 5, 12, 12, 40, 300, 2_100]
    name = chance.choice(NAMES).replace("'", "''")
    if chance.random() < 0.2:
        return ((9,), *((chance.choice(lengths),) for _ in range(chance.randint(0, 12)))), f"'{name}'!{CELL}"
    columns, share = chance.choice([1, 2, 5, 70]), chance.choice([1, 0.8, 0.1])
    rows = [
        tuple(chance.choice(lengths) for _ in range(columns)) if chance.random() < share else ()
        for _ in range(chance.choice([1, 4] if is_small else [1, 9, 60, 300]))
    ]
    at = chance.choice(["", f"'{name}'", f"'{name}'!B1:DZ{len(rows)}"])
    return tuple(row if any(row) else () for row in rows), at


def split(at: str) -> tuple[str, str]:
    """Return the name of a sheet and the area of it that an address names."""
    quoted = re.fullmatch(r"'((?:[^']|'')*)'(?:!(.*))?", at)
    return (quoted[1].replace("''", "'"), quoted[2] or "") if quoted else (NAMES[0], "")


def write(path: Path, parts: Sequence[Sequence[int]], at: str) -> None:
    """Write a workbook; an area begins in column B, and has other cells around it."""
    name, area = split(at)
    below = "below"
    if area == CELL:
        below, parts = "\n".join(lines_of(parts)), ()
    with xlsxwriter.Workbook(str(path)) as workbook:
        sheets = {each: workbook.add_worksheet(each) for each in dict.fromkeys([NAMES[0], name])}
        if name != NAMES[0]:
            sheets[NAMES[0]].write_string(0, 0, "the first sheet")
        sheet = sheets[name]
        for row, lengths in enumerate(parts):
            for column, length in enumerate(lengths):
                start = TEXTS[(row + column) % len(TEXTS)].format(f"{row + 1}:")
                if length:
                    sheet.write_string(row, column + bool(area), counted(start, length, ".é日😀"))
            if area and lengths:
                sheet.write_number(row, 0, row)
        if area:
            sheet.write_string(len(parts), 1, below)

"""JSON records: the parts of a file have the characters of each record, of each entry, or of each line."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from continuation.texts import counted, lines_of


def random_parts(chance: random.Random, *, is_small: bool) -> tuple[tuple[tuple[int, ...], ...], str]:
    """Make up records, the entries of a list in one of them, or the lines of a text; and its address."""
    lengths = [1, 12] if is_small else [1, 40, 80, 300, 3_000, chance.randint(200, 2_000)]
    at = chance.choice(["", "2/list", "2/object", "2/text"])
    parts: list[tuple[int, ...]] = [
        () if not at and chance.random() < 0.1 else (chance.choice(lengths),)
        for _ in range(chance.choice([1, 4] if is_small else [1, 9, 60, 300]))
    ]
    # A blank line at the end is none.
    return (*parts, (5,)), at


def write(path: Path, parts: Sequence[Sequence[int]], at: str) -> None:
    path.write_text(written(parts, at), encoding="utf-8")


def written(parts: Sequence[Sequence[int]], at: str) -> str:
    """Write records as lines; with an address, the second one has the list, the object or the text."""
    if at == "2/text":
        return f"{json.dumps({})}\n{json.dumps({'text': chr(10).join(lines_of(parts))})}\n"
    values = [value(number, *part) if part else "" for number, part in enumerate(parts, 1)]
    if not at:
        return "".join(f"{each}\n" for each in values)
    named = (f'"{number}": {each}' for number, each in enumerate(values))
    return f'{{}}\n{{"list": [{", ".join(values)}], "object": {{{", ".join(named)}}}}}\n'


def value(number: int, length: int) -> str:
    """Write a value of about so many characters: a text, a list or an object."""
    words = [counted(f"{number}:", min(length, 60)), *["x" * 50] * (length // 60)]
    found: Any = [words[0], words, {"id": number, "words": words}][number % 3]
    return json.dumps(found, ensure_ascii=number % 2 == 0)

"""A small file, read as typical read tools in Python do: the rival of the rows P5 to P7."""

from __future__ import annotations


def usual_python(path: str, offset: int = 1, limit: int = 2_000) -> str:
    """Open, read, split, and number a window."""
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - the spelling that is measured
        text = file.read()
    return numbered(text, offset, limit)


def numbered(text: str, offset: int = 1, limit: int = 2_000) -> str:
    """Number a window of a text like `cat -n`, and clip its long lines."""
    shown = []
    for number, line in enumerate(text.splitlines()[offset - 1 : offset - 1 + limit], start=offset):
        clipped = line if len(line) <= 2_000 else line[:2_000] + "..."
        shown.append(f"{number:6d}\t{clipped}")
    return "\n".join(shown)


def bare_python(path: str) -> str:
    """Number a file's lines with as little code as possible: no window, no clipping, no padding."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the spelling that is measured
        text = file.read()
    return "\n".join(f"{number}\t{line}" for number, line in enumerate(text.split("\n"), start=1))

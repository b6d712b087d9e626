"""What `anyread.follow` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from anyread.values import Value

Change: TypeAlias = Literal["rotated", "truncated"]
"""What happened to a followed file: its path leads to another file, or it was cut or rewritten."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Appended(Value):
    """Hold text that was appended to a file."""

    path: str
    """The path as given; bytes that are not UTF-8 are written as `\\xff`."""
    text: str
    """Whole lines with their line endings; the last one may be unfinished."""
    start_line: int | None
    """The number of the line in which the text starts, counted from 1; `None` if it is not known."""
    after: Change | None = None
    """`None` if the text continues the previous one; otherwise it is from the start of a file, because the
    path now leads to another file ("rotated"), or the file was cut or rewritten ("truncated")."""
    encoding: str = "utf-8"
    """The encoding, as the name of an equivalent Python codec; detected again at the start of each file."""
    lossy: bool = False
    """Whether the text has U+FFFD, which replaces what could not be decoded."""
    skipped_bytes: int = 0
    """How many NULs before the text were left out: those that a truncated file begins with if its writer goes
    on at its old position."""

"""Places in files that a text names, such as `a.py:10-20`, `File "a.py", line 3` or `a.ts(4,7)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Place", "places"]


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a text names.

    Example:
        >>> anyread.places("src/a.py:10:5: error: invalid syntax")
        [Place(path='src/a.py', line=10, end_line=None, column=5, wants='statement')]
    """

    path: str
    """The path as written."""
    line: int
    """The line, counted from 1; of a range, the first. 0 if only a name is given."""
    end_line: int | None = None
    """The last line of a range; `None`: it is one line."""
    column: int | None = None
    """The column, if one is given, as the tool counts it."""
    candidates: tuple[str, ...] = field(default=(), compare=False, repr=False)
    """All paths that the text may mean, because names may contain spaces and colons; the longest is first.
    A reader takes the first that exists. Empty: it can only mean `path`."""
    message: str = field(default="", compare=False, repr=False)
    """The line of the text that names the place, or the message of a report in JSON."""
    wants: Literal["block", "statement"] = field(default="block", compare=False)
    """What is to be seen: the block around the line, such as its function, or, if the text says error or
    warning there as compilers and linters do, only the statement and a few lines around it."""

    name: str = field(default="", repr=False)
    """The name of a test, as in `test_a.py::test_b`, or a cell, as in `nb.ipynb:In[17]`; `line` is 0 then."""

    @property
    def is_cell(self) -> bool:
        """Whether `name` is that of a cell of a notebook."""
        return self.name.endswith("]")

    def __str__(self) -> str:
        """Write it as `places=[…]` of a tool accepts it."""
        if self.name:
            return f"{self.path}{':' if self.is_cell else '::'}{self.name}"
        return f"{self.path}:{self.line}" + (f"-{self.end_line}" if self.end_line else "")


def places(text: str) -> list[Place]:
    """Return the places in files that a text names: a traceback, or the output of a compiler, a test or grep.

    Colours of terminals are ignored, and reports in JSON are understood. A place that is named several times
    is returned once. A megabyte takes about half a second, so async code that has large texts calls this in a
    thread.

    Args:
        text: The text. Of a line, the first 16,384 characters are read.

    Returns:
        The places in the order of the text. Their paths are as written; the files may not exist.

    Example:
        >>> found = anyread.places("poem.txt:1: a word is misspelled")
        >>> [str(place) for place in found]
        ['poem.txt:1']
    """
    # Compiling the forms takes longer than finding a few places, and readers of places need only the class.
    from .place_scanner import found_in

    found: dict[object, Place] = {}
    for each in found_in(text):
        place = Place(*each)
        # Equal ones may mean different files.
        found.setdefault((place, place.candidates), place)
    # The lines of tracebacks say more than the names of the tests that failed.
    with_lines = [place for place in found.values() if place.line or place.is_cell]
    return with_lines or list(found.values())

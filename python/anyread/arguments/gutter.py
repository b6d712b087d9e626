"""The format of line numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .settings import require_count


@dataclass(frozen=True, slots=True)
class Gutter:
    """What precedes each shown line.

    The number is right-aligned in `width` columns, followed by the separator.
    The named gutters, with the tokens that each adds to a line (`o200k_base`, Python and C source):

    | name    | looks like   | tokens |
    | ------- | ------------ | ------ |
    | `TAB`   | `12⇥text`    | 1.2    |
    | `BAR`   | `12|text`    | 2.0    |
    | `COLON` | `12: text`   | 2.2    |
    | `CAT_N` | `    12⇥text`| 3.2    |
    | `PIPE`  | `  12 | text`| 3.3    |
    | `ARROW` | `    12→text`| 4.2    |
    | `TENS`  | `⇥text`      | 0.5    |
    | `NONE`  | `text`       | 0      |

    `TENS` is `TAB` with a number only on line 1 and on every tenth line. Numbers are about an eighth of the
    tokens of a page of code; models count lines less exactly without them.

    Args:
        width: The minimum width of the number in columns; shorter numbers are padded with spaces.
        separator: The text between number and line; `None`: no numbers.
        every: Line 1 and lines whose number is a multiple of this have a number, and the others blanks in
            place of it; 1: all lines.

    Raises:
        ValueError: The width is not from 0 to 32, `every` is not from 1 to 1,000,000, or the separator
            contains a line ending.
        TypeError: The width or `every` is not an integer, or the separator is not a string.

    Example:
        >>> print(anyread.read_sync("poem.txt", gutter=anyread.Gutter.COLON).text)
        1: Tyger Tyger, burning bright,
        2: In the forests of the night;
    """

    width: int = 0
    """Columns, 0 to 32."""
    separator: str | None = "\t"
    """The text between number and line; `None`: no numbers."""
    every: int = 1
    """Only line 1 and lines whose number is a multiple of this have a number; 1: all lines."""

    TAB: ClassVar[Gutter]
    CAT_N: ClassVar[Gutter]
    ARROW: ClassVar[Gutter]
    COLON: ClassVar[Gutter]
    PIPE: ClassVar[Gutter]
    BAR: ClassVar[Gutter]
    TENS: ClassVar[Gutter]
    NONE: ClassVar[Gutter]

    def __post_init__(self) -> None:
        require_count("Gutter.width", self.width, least=0, most=32)
        require_count("Gutter.every", self.every, most=1_000_000)
        separator: object = self.separator
        if separator is None:
            return
        reason = f"Gutter.separator must be text on one line, or None: {separator!r}"
        if not isinstance(separator, str):
            raise TypeError(reason)
        if not {"\n", "\r"}.isdisjoint(separator):
            raise ValueError(reason)

    def before(self, number: int) -> str:
        """Return what precedes the line with this number."""
        if self.separator is None:
            return ""
        return (str(number) if self.shows(number) else "").rjust(self.width) + self.separator

    def shows(self, number: int) -> bool:
        """Return whether the line with this number shows it."""
        return self.separator is not None and (self.every == 1 or number == 1 or number % self.every == 0)

    def numbered(self, first: int, lines: list[str]) -> str:
        """Join lines, each after what precedes it; `first` is the number of the first."""
        if self.separator is None:
            return "\n".join(lines)
        if self.every != 1:
            return "\n".join([f"{self.before(number)}{line}" for number, line in enumerate(lines, first)])
        # As `before`, without a call for each line.
        width, separator = self.width, self.separator
        return "\n".join(
            [f"{str(number).rjust(width)}{separator}{line}" for number, line in enumerate(lines, first)]
        )


Gutter.TAB = Gutter()
Gutter.CAT_N = Gutter(6, "\t")
Gutter.ARROW = Gutter(6, "→")
Gutter.COLON = Gutter(0, ": ")
Gutter.PIPE = Gutter(4, " | ")
Gutter.BAR = Gutter(0, "|")
Gutter.TENS = Gutter(every=10)
Gutter.NONE = Gutter(0, None)

GUTTERS: dict[str, Gutter] = {
    name.lower().replace("_", "-"): value for name, value in vars(Gutter).items() if isinstance(value, Gutter)
}
"""The named gutters, as on the command line."""

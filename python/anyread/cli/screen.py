"""The terminal's size, in characters and in pixels."""

from __future__ import annotations

import struct
import sys
from typing import NamedTuple

_CELL = (8, 16)
"""The size of a character in pixels, for terminals that do not report theirs."""


class Screen(NamedTuple):
    """The size of a terminal."""

    columns: int
    rows: int
    cell_width: int
    """Pixels of a column."""
    cell_height: int
    """Pixels of a row."""

    def columns_for(self, width: int, height: int) -> int:
        """Return the columns that an image of this size takes, made smaller so that all of it is visible."""
        # The last row has the prompt, and the row before it the footer.
        rows = max(1, self.rows - 2)
        scale = min(1.0, self.columns * self.cell_width / width, rows * self.cell_height / height)
        return max(1, min(self.columns, round(width * scale / self.cell_width)))

    @property
    def edge(self) -> int:
        """The pixels of the longer edge of an image that fills the terminal."""
        return max(self.columns * self.cell_width, (self.rows - 2) * self.cell_height, 16)


def screen_of_output() -> Screen:
    """Return the size of the terminal on standard output."""
    columns, rows, width, height = 80, 24, 0, 0
    try:
        import fcntl
        import termios

        answer = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", answer)
    except (ImportError, OSError):
        # Windows has no such call.
        pass
    columns, rows = columns or 80, rows or 24
    return Screen(columns, rows, width // columns or _CELL[0], height // rows or _CELL[1])

"""Files of numbered lines, with one size for each way in which an opened file is read."""

from __future__ import annotations

from functools import cache

KIB = 1024
WHOLE = 64 * KIB
"""The size in bytes up to which the tests of opened files read a file when they open it."""

SIZES = {
    "in memory when opened": 9 * KIB,
    "in memory once needed": 300 * KIB,
    "indexed": 3 * KIB * KIB,
    "scanned in windows": 20 * KIB * KIB,
}
"""File sizes in bytes by the way in which an opened file of that size is read."""


@cache
def numbered(size: int) -> bytes:
    """Make about `size` bytes of numbered lines with characters of 1 to 4 bytes."""
    line = "line {} é € 😀\n"
    return "".join(line.format(number) for number in range(1, size // 22 + 1)).encode()

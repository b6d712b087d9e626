"""Files of numbered lines, of every size that is read in another way."""

from __future__ import annotations

KIB = 1024
WHOLE = 64 * KIB
"""Bytes up to which the tests of opened files read a file when they open it."""

SIZES = {
    "in memory when opened": 9 * KIB,
    "in memory once needed": 300 * KIB,
    "indexed": 3 * KIB * KIB,
    "scanned in windows": 20 * KIB * KIB,
}
"""A size for each way in which an opened file is read."""


def numbered(size: int) -> bytes:
    """Make about `size` bytes of lines that tell their number, with characters of every length."""
    line = "line {} é € 😀\n"
    return "".join(line.format(number) for number in range(1, size // 22 + 1)).encode()

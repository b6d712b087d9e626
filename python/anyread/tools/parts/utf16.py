"""UTF-16: the length of a text as JavaScript has it, and the byte order of a file."""

from __future__ import annotations


def units(text: str) -> int:
    """Return the length of a text in code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def is_inside(line: bytes, column: int) -> bool:
    """Return whether a column of a line in UTF-16 LE is between the halves of a surrogate pair."""
    unit = line[2 * column : 2 * column + 2]
    return bool(unit) and 0xDC <= unit[1] <= 0xDF


def byte_order(head: bytes) -> str:
    """Return "LE" or "BE" for UTF-16, with a mark or by the places of zeros; empty: it is none."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return ""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "LE" if head[0] == 0xFF else "BE"
    zeros = [index % 2 for index, byte in enumerate(head) if not byte]
    return ("BE", "LE")[zeros[0]] if len(zeros) > 1 and len(set(zeros)) == 1 else ""

"""Text of codelet: numbered lines, cut by bytes, and only if all of the file is UTF-8."""

from __future__ import annotations

MAX_LINE_BYTES = 2000
"""Bytes of one line in UTF-8 that are shown, the mark of a cut included."""
MAX_LINES = 2000
"""Lines of one call, whatever it asks for."""
SEPARATOR = ": "
_MARK = "..."


def clipped(line: str, *, is_longer: bool = False) -> str:
    """Cut a line to `MAX_LINE_BYTES`, never inside a character.

    Args:
        line: The line, or its first `MAX_LINE_BYTES` characters or more.
        is_longer: Whether it goes on.
    """
    if not is_longer and not over_length(line):
        return line
    return line.encode()[: MAX_LINE_BYTES - len(_MARK)].decode("utf-8", "ignore") + _MARK


def over_length(line: str) -> bool:
    """Tell whether a line has too many bytes."""
    if line.isascii() or len(line) * 4 <= MAX_LINE_BYTES:
        return len(line) > MAX_LINE_BYTES
    return len(line.encode()) > MAX_LINE_BYTES


def formatted(lines: list[str], start: int, longer: frozenset[int]) -> str:
    """Number the lines after the first `start`, cut where they are too long.

    Args:
        lines: The lines.
        start: How many lines are left out before.
        longer: Which of them, from 0, go on in the file.
    """
    return "\n".join(
        f"{start + index + 1}{SEPARATOR}{clipped(line, is_longer=index in longer)}"
        for index, line in enumerate(lines)
    )


def with_remainder(body: str, remaining: int) -> str:
    """Say that lines remain, in the contract's words, which speak of a cap that it does not have."""
    if remaining < 1:
        return body
    return f"{body}\n... [{remaining} lines truncated - output truncated at 30000 chars] ..."

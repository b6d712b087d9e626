"""Text as `read_file` shows it: the lines of a window, their numbers, and the token budget."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple

from .answers import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKENIZER: Final = "o200k_base"
MAX_TOKENS: Final = 25_000
MAX_BYTES: Final = 512 * 1024 * 1024
"""Bytes of a file; the reference cannot hold a longer string."""
_LONGEST_TOKEN_BYTES: Final = 128
_MAX_SHOWN_BYTES: Final = MAX_TOKENS * _LONGEST_TOKEN_BYTES
"""A text of more bytes is over the budget, whatever it says."""
_SKIP_BYTES: Final = 64 * 1024
_BLOCK_BYTES: Final = 4 * 1024 * 1024
_FEW_LINES: Final = 64
_MAX_WAITING: Final = 1_000
"""Parts of a text that are cut into lines together."""
BOM: Final = b"\xef\xbb\xbf"


class Window(NamedTuple):
    """Lines of a text."""

    lines: list[str]
    start: int
    """The first line, counted from 1; past the end: the number of lines and one."""
    total: int
    """How many lines the text has."""
    is_truncated: bool
    """Whether it begins after line 1, or ends before the last because of a limit."""

    @property
    def end(self) -> int:
        """The last line; of an empty window the one before `start`."""
        return self.start + len(self.lines) - 1


def require_readable(data: bytes, absolute: str) -> None:
    """Refuse a file with a NUL anywhere.

    Raises:
        Refusal: It has one.
    """
    if any(b"\0" in block for block in blocks_of(data)):
        raise Refusal("invalid_tool_input", f"{absolute} appears to be a binary file.")


def shown(window: Window, *, is_empty: bool) -> str:
    """Number the lines of a text file, or say in their place why there are none.

    A window of one blank line counts as none too.

    Args:
        window: The lines.
        is_empty: Whether the file has no characters.
    """
    if is_empty:
        return "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    if not any(window.lines[:2]) and len(window.lines) < 2:
        return (
            "<system-reminder>Warning: the file exists but is shorter than the provided offset"
            f" ({window.start}). The file has {window.total} lines.</system-reminder>"
        )
    return numbered(window)


def numbered(window: Window) -> str:
    """Put its number before each line."""
    return "\n".join([f"{number}|{line}" for number, line in enumerate(window.lines, window.start)])


def require_short(text_bytes: int, relative: str) -> None:
    """Refuse a text that is over the token budget by its bytes alone.

    Raises:
        Refusal: It is.
    """
    if text_bytes > _MAX_SHOWN_BYTES:
        raise over_budget(relative)


def over_budget(relative: str) -> Refusal:
    """Say that a text has too many tokens."""
    message = (
        f"File content from {relative} exceeds the text token budget."
        " Use offset and limit to read a smaller portion."
    )
    return Refusal("result_too_large", message)


def file_window(data: bytes, offset: int, limit: int | None, relative: str) -> Window:
    """Give lines of a file, decoded lossily as UTF-8 and without a byte order mark.

    The file is searched as bytes, and only what is shown is decoded: LF is part of no other character.
    A final LF is followed by an empty last line; a lone CR ends none.

    Args:
        data: The whole file.
        offset: First line, counted from 1.
        limit: Lines; `None`: all.
        relative: The file's name, for the error.

    Raises:
        Refusal: The lines are certainly over the token budget.
    """
    base = len(BOM) if data.startswith(BOM) else 0
    if base == len(data):
        return Window([], 1, 0, offset > 1)
    total = 1 + sum(block.count(b"\n") for block in blocks_of(data))
    is_truncated = offset > 1 or (limit is not None and offset - 1 + limit < total)
    if offset > total or limit == 0:
        return Window([], min(offset, total + 1), total, is_truncated)
    begin = _line_start(data, base, offset - 1)
    is_to_end = limit is None or offset - 1 + limit >= total
    end = len(data) if is_to_end or limit is None else _line_start(data, begin, limit)
    require_short(end - begin, relative)
    lines = data[begin:end].decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    if not is_to_end:
        lines.pop()
    return Window(lines, offset, total, is_truncated)


def _line_start(data: bytes, begin: int, lines: int) -> int:
    """Find where the line begins that is so many after the one at `begin`; the file has it."""
    while lines > _FEW_LINES:
        found = data.count(b"\n", begin, begin + _SKIP_BYTES)
        if found >= lines:
            break
        lines -= found
        begin += _SKIP_BYTES
    for _ in range(lines):
        begin = data.find(b"\n", begin) + 1
    return begin


class LineWindow:
    """A window of the lines of a text that arrives in parts; lines outside it are only counted.

    Args:
        offset: First line, counted from 1.
        limit: Lines; `None`: all.
    """

    def __init__(self, offset: int, limit: int | None) -> None:
        self._offset = offset
        self._first = offset - 1
        self._stop: float = inf if limit is None else offset - 1 + limit
        self._total = 0
        self._lines: list[str] = []
        self._chars = 0
        self._ends_in_return = False
        self._waiting: list[str] = []
        self._waiting_chars = 0

    def add(self, parts: list[str]) -> None:
        """Add parts, each of which is one or more lines; the last of them ends where the part does."""
        self._waiting += parts
        self._waiting_chars += sum(map(len, parts))
        if self._waiting_chars > _SKIP_BYTES or len(self._waiting) > _MAX_WAITING:
            self._flush()

    def window(self, relative: str) -> Window:
        """Give the window; a text without parts has one empty line.

        Raises:
            Refusal: The lines are certainly over the token budget.
        """
        if self._waiting or not self._total:
            self._flush()
        require_short(self._chars, relative)
        if self._ends_in_return and self._lines and self._total <= self._stop:
            # Nothing follows the last line, so that its carriage return is not part of a line ending.
            self._lines[-1] += "\r"
        start = self._offset if self._lines else min(self._offset, self._total + 1)
        return Window(self._lines, start, self._total, self._offset > 1 or self._stop < self._total)

    def _flush(self) -> None:
        """Cut what is waiting into lines, a block at a time, so that other threads get the interpreter."""
        text, start = "\n".join(self._waiting), 0
        self._waiting, self._waiting_chars = [], 0
        while (end := text.find("\n", start + _SKIP_BYTES)) >= 0:
            self._add_lines(text[start:end])
            start = end + 1
        self._add_lines(text[start:])

    def _add_lines(self, block: str) -> None:
        self._ends_in_return = block.endswith("\r")
        lines = block.split("\n")
        if "\r" in block:
            lines = [line.removesuffix("\r") for line in lines]
        begin, end = max(0, self._first - self._total), min(len(lines), self._stop - self._total)
        self._total += len(lines)
        if begin < end and self._chars <= _MAX_SHOWN_BYTES:
            shown = lines[begin : int(end)]
            self._lines += shown
            self._chars += sum(map(len, shown))


def blocks_of(data: bytes, start: int = 0) -> Iterator[bytes]:
    """Cut bytes into blocks, so that other threads get the interpreter between them."""
    return (data[at : at + _BLOCK_BYTES] for at in range(start, len(data), _BLOCK_BYTES))

"""Text as `read_file` shows it: the lines of a window, their numbers, and the token budget."""

from __future__ import annotations

from typing import Final, NamedTuple

from .answers import Refusal

TOKENIZER: Final = "o200k_base"
MAX_TOKENS: Final = 25_000
MAX_BYTES: Final = 512 * 1024 * 1024
"""Bytes of a file; the reference cannot hold a longer string either."""
_LONGEST_TOKEN_BYTES: Final = 128
_MAX_SHOWN_BYTES: Final = MAX_TOKENS * _LONGEST_TOKEN_BYTES
"""A text of more bytes is over the budget, whatever it says."""
_SKIP_BYTES: Final = 64 * 1024
_FEW_LINES: Final = 64
_BOM: Final = b"\xef\xbb\xbf"


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
    """Refuse a file with a NUL anywhere, and one that is too long for a string.

    Raises:
        Refusal: It is one of them.
    """
    if b"\0" in data:
        raise Refusal("invalid_tool_input", f"{absolute} appears to be a binary file.")
    if len(data) > MAX_BYTES:
        limit = "Cannot create a string longer than 0x1fffffe8 characters"
        raise Refusal("tool_execution_failed", limit)


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
    base = len(_BOM) if data.startswith(_BOM) else 0
    if base == len(data):
        return Window([], 1, 0, offset > 1)
    total = data.count(b"\n") + 1
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


def text_window(text: str, offset: int, limit: int | None) -> Window:
    """Give lines of a text that was rendered; an empty one has one line."""
    lines = text.replace("\r\n", "\n").split("\n")
    total = len(lines)
    stop = total if limit is None else offset - 1 + limit
    selected = lines[offset - 1 : stop]
    start = offset if selected else min(offset, total + 1)
    return Window(selected, start, total, offset > 1 or stop < total)


def hashed_bytes(data: bytes) -> bytes:
    """Give what a write snapshot hashes of a text file: UTF-8 without a byte order mark."""
    body = data.removeprefix(_BOM)
    return well_formed(body)


def well_formed(data: bytes) -> bytes:
    """Replace what is not UTF-8, as a lossy reader does."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode()
    return data

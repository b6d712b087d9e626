"""Text of codelet: numbered lines, cut by bytes, and only if all of the file is UTF-8."""

from __future__ import annotations

import codecs
import os
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from anyread.paths import encoded
from anyread.tools.exchange import INLINE_BYTES, Step, _engine, _kept

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from anyread.reader import Reader
    from anyread.tools.exchange import File

MAX_LINE_BYTES = 2000
"""Bytes of one line in UTF-8 that are shown, the mark of a cut included."""
MAX_LINES = 2000
"""Lines of one call, whatever it asks for."""
SEPARATOR = ": "
_MARK = "..."
_CHUNK_BYTES = 1024 * 1024


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


class Utf8Fault(Step["str | None"]):
    """Look whether all of a file is UTF-8: why not, as Rust words it, or `None`.

    It is kept while the file's version holds.

    Args:
        file: What was opened.
    """

    __slots__ = ("file",)

    def __init__(self, file: File) -> None:
        self.file = file

    def now(self, reader: Reader) -> str | None:  # noqa: ARG002 - as every step
        """Look on this thread."""
        whole = self.file.whole()
        if whole is not None:
            return fault_of([whole])
        key = ("utf-8", self.file.resolved_path, self.file.version)
        return _kept(key, self.file.version, lambda: fault_of(_chunks(self.file.opened.fileno())))

    async def later(self, reader: Reader) -> str | None:
        """Look in a thread, unless the file is in memory."""
        whole = self.file.whole()
        if whole is not None and len(whole) <= INLINE_BYTES:
            return self.now(reader)
        return await _engine(reader).run(partial(self.now, reader), encoded(self.file.path))


def _chunks(descriptor: int) -> Iterator[bytes]:
    place = 0
    while chunk := os.pread(descriptor, _CHUNK_BYTES, place):
        yield chunk
        place += len(chunk)


def fault_of(chunks: Iterable[bytes]) -> str | None:
    """Say why the bytes of consecutive chunks are not UTF-8; `None`: they are."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    place = 0
    for chunk in chain(chunks, (b"",)):
        pending = len(decoder.getstate()[0])
        # Most text is ASCII, which needs no decoding to be known as sound.
        if pending or not chunk or not chunk.isascii():
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return worded(error, place - pending)
        place += len(chunk)
    return None


def worded(error: UnicodeDecodeError, start: int) -> str:
    """Word a decoding error as Rust does; the decoded bytes began at `start`."""
    place = start + error.start
    if error.reason == "unexpected end of data":
        return f"incomplete utf-8 byte sequence from index {place}"
    return f"invalid utf-8 sequence of {error.end - error.start} bytes from index {place}"

"""An opened file: its facts, bytes and windows, all from one descriptor.

What may wait is a part of the call that runs this code: on an event loop, the call starts again in a thread
(`anyread.running.calls`). Without a call, it waits.
"""

from __future__ import annotations

import codecs
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Self, TypeVar

from anyread import _native
from anyread._native import Layout, Opened, Window
from anyread.arguments.settings import literal
from anyread.errors import BadArgumentError
from anyread.formats.parts import How
from anyread.kinds import by_content, kind_of
from anyread.results import Notice
from anyread.running.calls import INLINE_BYTES, WorkTarget, attempt, work
from anyread.session import Stamp

__all__ = ["Layout", "OpenFile", "Window"]

T = TypeVar("T")

HEAD_BYTES = 8 * 1024
"""The first bytes of a file, which are read to detect its type and kept for `OpenFile.head`."""
INLINE_TOKEN_BYTES = 8 * 1024
"""The same as `INLINE_BYTES` for counting tokens, which takes ten times as long."""
PLAIN = Layout(line_ends="detected", bom="drop")
"""Lines without numbers and byte order mark."""
_CHUNK_BYTES = 256 * 1024
_MOST = 2**63 - 1
_BOM = b"\xef\xbb\xbf"
_POSITIONS = Layout(line_ends="lf", final_newline="starts", clip_length=0)


class OpenFile:
    """An opened file of any kind; `close` it, or it is closed when nothing refers to it any more.

    Its methods may block: on an event loop, call them in a thread, as with `asyncio.to_thread`.
    In a contract they are a part of the running call, which moves to a thread by itself.
    All facts and bytes come from the descriptor, so they are those of one file even if its path gets another.

    Args:
        reader: The settings of the reader that opened it.
        opened: The core's object for it.
        target: Returns the target of `work` on it.

    Example:
        >>> with anyread.Reader().open_sync("poem.txt") as file:
        ...     print(file.kind, file.window(2, 1).text)
        text In the forests of the night;
    """

    __slots__ = ("_data", "_target", "content_hash", "is_whole", "opened", "reader", "size_bytes", "version")

    def __init__(self, reader: How, opened: Opened, target: Callable[[], WorkTarget]) -> None:
        self.opened = opened
        """The core's object for it, which the formats read."""
        self._target = target
        self.reader = reader
        """The settings of the reader that opened it."""
        self.version = opened.version
        """The version of its content; empty while a rewrite could go unnoticed."""
        self.size_bytes = opened.size_bytes
        """Its size in bytes when it was opened."""
        self._data = opened.head
        self.is_whole = opened.is_whole
        """Whether its content was read when it was opened, so that no other read of it waits."""
        self.content_hash: str | None = None
        """SHA-256 of all its bytes in hexadecimal, once `sha256` has computed it."""

    def __repr__(self) -> str:
        try:
            what = f"{self.kind} {self.path!r}"
        except ValueError:
            what = "closed"
        return f"<{type(self).__name__} {what}: {self.size_bytes:,} bytes>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; whatever needs it raises `ValueError` from now on."""
        self.opened.close()

    @property
    def path(self) -> str:
        """The path as given; bytes that are not UTF-8 are escaped."""
        return self.opened.path

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, with links followed."""
        return self.opened.resolved_path

    @property
    def is_text(self) -> bool:
        """Whether the content is text, by its first bytes, whatever format shows it."""
        return self.opened.is_text

    @property
    def kind(self) -> str:
        """The kind, by its first bytes: that of a read, or "binary"."""
        return kind_of(self.opened.media_type, is_text=self.opened.is_text)

    @property
    def media_type(self) -> str:
        """The media type, detected from its first bytes."""
        return by_content(self.opened.media_type)

    @property
    def modified_ns(self) -> int:
        """When it was last modified, in nanoseconds since 1970 in UTC."""
        return self.opened.modified_ns

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices about how the path was found."""
        return self.opened.notices

    @property
    def stamp(self) -> Stamp:
        """Its identity, size and times."""
        return Stamp._make(self.opened.stamp).comparable()

    @property
    def target(self) -> WorkTarget:
        """The target of `work` on this file."""
        return self._target()

    def is_verified(self) -> bool | None:
        """Return whether all of the text in a gzip file was decompressed and has its declared checksums.

        The first call, or the first window, reads it completely. `None`: the file is not decompressed.
        """
        if not self.opened.is_gzip:
            return None
        found = work(lambda cancel: self.opened.gzip(cancel, may_wait=True), self.target)
        return found is not None and found[1] is None

    def is_unchanged(self) -> bool:
        """Return whether the file is the same as when it was opened, without reading it."""
        return self.opened.recheck()

    def head(self, size: int) -> bytes:
        """Return its first bytes: at most `size`, which is at most `HEAD_BYTES`.

        Raises:
            BadArgumentError: `size` is negative.
        """
        self._check(size=size)
        return self._data[:size]

    def work(self, function: Callable[[], T], size_bytes: int | None = None) -> T:
        """Run a function, in a thread if it may take long and the call runs on an event loop.

        Args:
            function: The function.
            size_bytes: Bytes that it processes; up to `INLINE_BYTES`, no thread is used. `None`: unknown.
        """
        if size_bytes is not None and size_bytes <= INLINE_BYTES:
            return function()
        return work(lambda _: function(), self.target)

    def read(self, maximum: int) -> bytes:
        """Read its bytes from the start, at most `maximum`.

        Raises:
            BadArgumentError: `maximum` is negative, or over 2^63 - 1.
        """
        self._check(maximum=maximum)
        if maximum <= len(self._data) or self.is_whole:
            return self._data[:maximum]
        return work(lambda _: self.opened.read(maximum), self.target)

    def read_range(self, start: int, size: int) -> bytes:
        """Read at most `size` of its bytes from the offset `start`.

        Raises:
            BadArgumentError: One of them is negative, or over 2^63 - 1.
        """
        self._check(start=start, size=size)
        if self.is_whole or start + size <= len(self._data):
            return self._data[start : start + size]
        return work(lambda _: self.opened.read_at(start, size), self.target)

    def decoded(self, start: int, end: int, errors: str) -> Iterator[str]:
        """Decode its bytes between two offsets as UTF-8, in bounded memory; use it in `work`.

        Args:
            start: The offset of the first byte.
            end: The offset of the byte after the last one; it may be past the end of the file.
            errors: What to do with bytes that are not UTF-8, as in `bytes.decode`.

        Raises:
            BadArgumentError: `start` is negative, or `end` is before it or over 2^63 - 1.
        """
        self._check(start=start)
        self._check(least=start, end=end)
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        while data := self.opened.read_at(start, min(_CHUNK_BYTES, end - start)):
            yield decoder.decode(data)
            start += len(data)
        yield decoder.decode(b"", final=True)

    def window(
        self,
        offset: int,
        limit: int,
        layout: Layout = PLAIN,
        *,
        column: int = 1,
        encoding: str | None = None,
        first_number: int | None = None,
    ) -> Window:
        """Show lines as text, with U+FFFD for each part that cannot be decoded.

        Args:
            offset: The first line, counted from 1; negative: from the end. Past the end, the window has no
                lines.
            limit: The maximum number of lines.
            layout: Where lines end, how they are shown, and the budget of the window.
            column: The first character of the first line, counted from 1; `Window.next` has the line and
                the column at which a window continues.
            encoding: The encoding; `None`: the detected one.
            first_number: The number shown before the first line; `None`: its own.

        Raises:
            FileChangedError: The bytes were changed in place after the file was opened.
            OverBudgetError: The lines do not fit, in a layout that refuses them.
            BadArgumentError: The encoding is unknown, or a number is out of range.
        """
        self._check(limit=limit, column=column)
        self._check(least=-_MOST, offset=offset, first_number=first_number or 0)
        opened = self.opened
        try:
            return opened.window(
                offset, limit, layout, column=column, encoding=encoding, first_number=first_number
            )
        except BlockingIOError:
            pass
        read = partial(opened.window, column=column, encoding=encoding, first_number=first_number)
        return work(lambda cancel: read(offset, limit, layout, cancel=cancel, may_wait=True), self.target)

    def _check(self, *, least: int = 0, **arguments: int) -> None:
        """Refuse integers that are below `least` or do not fit into 64 bits."""
        for name, value in arguments.items():
            if not least <= value <= _MOST:
                reason = f"an integer from {least:,} to 2^63 - 1"
                raise BadArgumentError(self.path, argument=name, value=literal(value), reason=reason)

    def span(self, first: int, last: int, total: int) -> tuple[int, int]:
        """Return the offsets at which lines begin and end, without the last line feed; zeros: there are none.

        Args:
            first: The first line, counted from 1.
            last: The last line.
            total: The number of lines, of which a final line feed starts one more.
        """
        if first > min(last, total):
            return 0, 0
        start, end = 0, self.size_bytes
        if first > 1:
            start = self.window(first, 1, _POSITIONS, encoding="utf-8").start_byte
        if last < total:
            end = self.window(last + 1, 1, _POSITIONS, encoding="utf-8").start_byte - 1
        return start, end

    def plain_text(self, window: Window) -> str | None:
        """Return the lines of a window without numbers, joined by LF; `None`: only another window has them.

        They are decoded from memory, which takes a tenth of the time of a window.

        Args:
            window: Lines that end with LF, of which nothing was left out.
        """
        if not self.is_whole or window.clipped or window.lossy:
            return None
        data = self._data[window.start_byte : window.end_byte]
        is_plain = b"\r" not in data and not data.startswith(_BOM)
        return data.decode().removesuffix("\n") if is_plain else None

    def sha256(self) -> str:
        """Hash all its bytes; the hash is cached for its version, and in `content_hash`."""
        if self.content_hash is None:
            self.content_hash = attempt(self.opened.sha256, self._target)
        return self.content_hash

    def utf8_fault(self) -> str | None:
        """Describe the first invalid UTF-8 in Rust's words; `None`: all of it is valid."""
        check = attempt(self.opened.check_utf8, self._target)
        if check.is_valid:
            return None
        if check.length is None:
            return f"incomplete utf-8 byte sequence from index {check.index}"
        return f"invalid utf-8 sequence of {check.length} bytes from index {check.index}"

    def decoding_fault(self) -> str | None:
        """Describe the first invalid UTF-8 as Python does; `None`: all of it is valid."""
        check = attempt(self.opened.check_utf8, self._target)
        if check.is_valid:
            return None
        return python_fault(self.read_range(check.index, 4), check.index)

    def find_nul(self) -> int:
        """Return the position of its first NUL byte; -1: it has none."""
        return attempt(self.opened.find_nul, self._target)

    def all_tokens_over(self, tokenizer: str, maximum: int) -> int | None:
        """Do the same as `tokens_over` for the complete file; the count is cached for its version."""
        if 0 < self.size_bytes <= maximum:
            return None
        tokens = self.count_all_tokens(tokenizer)
        return tokens if tokens > maximum else None

    def count_all_tokens(self, tokenizer: str) -> int:
        """Count the tokens of the complete file, decoded as UTF-8; the count is cached for its version."""
        return attempt(partial(self.opened.count_tokens, tokenizer), self._target)

    def count_tokens(self, text: str, tokenizer: str) -> int:
        """Count the tokens of a text of it, by "o200k_base" or "cl100k_base"; counts are cached."""
        size_bytes = 0 if len(text) <= INLINE_TOKEN_BYTES else None
        return self.work(partial(_count_tokens, text, tokenizer), size_bytes)

    def tokens_over(self, text: str, tokenizer: str, maximum: int) -> int | None:
        """Return the number of tokens of a text of it if that is over `maximum`, else `None`.

        A text of at most `maximum` bytes is not counted, because a token has at least one byte.
        """
        if len(text) * 4 <= maximum:
            return None
        if len(text) <= maximum and (text.isascii() or len(text.encode()) <= maximum):
            return None
        tokens = self.count_tokens(text, tokenizer)
        return tokens if tokens > maximum else None


_COUNTS: OrderedDict[tuple[str, int, int], int] = OrderedDict()
"""Token counts, the most recent last. Each operation is atomic: a fork could leave a lock locked."""
_MAX_COUNTS = 4_096


def _count_tokens(text: str, tokenizer: str) -> int:
    # The key has a hash of the text, because texts would stay in memory. Collisions are improbable with 64
    # bits and the length, and cannot be constructed because every process has its own hash seed.
    key = (tokenizer, len(text), hash(text))
    count = _COUNTS.pop(key, None)
    if count is None:
        count = _native.count_tokens(text, tokenizer)
    _COUNTS[key] = count
    if len(_COUNTS) > _MAX_COUNTS:
        _COUNTS.popitem(last=False)
    return count


def python_fault(data: bytes, index: int) -> str:
    """Return Python's message about bytes that are not UTF-8; `index` is their offset in the file."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        first, last = index + error.start, index + error.end - 1
        where = f"byte 0x{data[error.start]:02x} in position {first}"
        if last > first:
            where = f"bytes in position {first}-{last}"
        return f"'utf-8' codec can't decode {where}: {error.reason}"
    return "'utf-8' codec can't decode the file"

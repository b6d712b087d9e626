"""Files as contracts read them: each is opened once, and all facts come from that descriptor.

What may wait moves the call from an event loop to a thread (`anyread.running.calls`), where it starts again::

    file = open_file(reader, path)
    data = file.read(maximum)
    page = read_page(reader, path, limit=100)

Failures are leaves of `ReadError`.
"""

from __future__ import annotations

import codecs
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from anyread import _native
from anyread._native import Layout, Window
from anyread.paths import encoded, real_path
from anyread.reader import Reader
from anyread.results import Page, Unchanged
from anyread.running.calls import WorkTarget, work
from anyread.session import Stamp

from .utf8 import python_fault

T = TypeVar("T")

INLINE_BYTES = 64 * 1024
"""Work on up to this many bytes runs in the calling thread: a hop to another one would take longer."""
HEAD_BYTES = 8 * 1024
"""The first bytes of a file, which are read to detect its type and kept for `File.head`."""
INLINE_TOKEN_BYTES = 8 * 1024
"""The same as `INLINE_BYTES` for counting tokens, which takes ten times as long."""
_CHUNK_BYTES = 256 * 1024
_BOM = b"\xef\xbb\xbf"
_POSITIONS = Layout(line_ends="lf", final_newline="starts", clip_length=0)


def open_file(reader: Reader, path: str, *, repair: bool = False) -> File:
    """Open a file of any kind, and detect its type.

    Args:
        reader: The reader whose roots and deny rules apply.
        path: The path; a relative one is resolved as the reader does.
        repair: Whether similar spellings are tried if the path is not found.

    Raises:
        ReadError: The file does not exist, is denied, is not a regular file, …
    """
    engine = reader._engine  # noqa: SLF001 - tools open files by the reader's rules, one layer below its pages
    return File(reader, engine.open(encoded(path), repair=repair, whole=INLINE_BYTES))


def read_page(reader: Reader, path: str, **arguments: Any) -> Page | Unchanged:
    """Read a file as `Reader.read` does; `arguments` are those of that method."""
    return reader._read(path, **arguments)  # noqa: SLF001 - what `read` and `read_sync` run


def target_of(reader: Reader, path: str) -> WorkTarget:
    """Return the target of `work` on the file at a path."""
    return reader._engine.target(encoded(path))  # noqa: SLF001 - as in `open_file`


def located(reader: Reader, path: str) -> str:
    """Return a path with links followed, as `real_path` does, but without blocking the event loop."""
    return work(lambda _: real_path(path), target_of(reader, path))


def like(reader: Reader, **changes: Any) -> Reader:
    """Return a copy of a reader, with some of its arguments changed."""
    own = {
        "roots": reader.roots,
        "deny": reader.deny,
        "limits": reader.limits,
        "model": reader.model,
        "gutter": reader.gutter,
        "notebook": reader.notebook,
        "mmap": reader.mmap,
        "pdf_passwords": reader.pdf_passwords,
    }
    return type(reader)(**{**own, **changes})


class File:
    """An opened file, which is closed when nothing refers to it anymore.

    Args:
        reader: The reader that opened it.
        opened: The core's object for it.
    """

    __slots__ = (
        "_data",
        "content_hash",
        "is_whole",
        "opened",
        "reader",
        "size_bytes",
        "version",
    )

    def __init__(self, reader: Reader, opened: _native.Opened) -> None:
        self.reader = reader
        """The reader that opened it."""
        self.opened = opened
        """The core's object for it, which the formats read."""
        self.version = opened.version
        """The version of its content; empty while a rewrite could go unnoticed."""
        self.size_bytes = opened.size_bytes
        """Its size in bytes when it was opened."""
        self._data = opened.head
        self.is_whole = opened.is_whole
        """Whether its content was read when it was opened, so that no other read of it waits."""
        self.content_hash: str | None = None
        """SHA-256 of all its bytes in hexadecimal, once `sha256` has computed it."""

    @property
    def path(self) -> str:
        """The path as given; bytes that are not UTF-8 are escaped."""
        return self.opened.path

    @property
    def resolved_path(self) -> str:
        """The absolute path of the file, with links followed."""
        return self.opened.resolved_path

    @property
    def media_type(self) -> str:
        """The media type, detected from its first bytes."""
        return self.opened.media_type

    @property
    def modified_ns(self) -> int:
        """When it was last modified, in nanoseconds since 1970 in UTC."""
        return self.opened.modified_ns

    @property
    def stamp(self) -> Stamp:
        """Its identity, size and times."""
        return Stamp._make(self.opened.stamp)

    @property
    def target(self) -> WorkTarget:
        """The target of `work` on this file."""
        return target_of(self.reader, self.path)

    def head(self, size: int) -> bytes:
        """Return its first bytes: at most `size`, which is at most `HEAD_BYTES`."""
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
        """Read its bytes from the start, at most `maximum`."""
        if maximum <= len(self._data) or self.is_whole:
            return self._data[:maximum]
        return work(lambda _: self.opened.read(maximum), self.target)

    def read_range(self, start: int, size: int) -> bytes:
        """Read at most `size` of its bytes from the offset `start`."""
        if self.is_whole or start + size <= len(self._data):
            return self._data[start : start + size]
        return work(lambda _: self.opened.read_at(start, size), self.target)

    def decoded(self, start: int, end: int, errors: str) -> Iterator[str]:
        """Decode its bytes between two offsets as UTF-8, in bounded memory; use it in `work`.

        Args:
            start: The offset of the first byte.
            end: The offset of the byte after the last one; it may be past the end of the file.
            errors: What to do with bytes that are not UTF-8, as in `bytes.decode`.
        """
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        while data := self.opened.read_at(start, min(_CHUNK_BYTES, end - start)):
            yield decoder.decode(data)
            start += len(data)
        yield decoder.decode(b"", final=True)

    def window(
        self,
        offset: int,
        limit: int,
        layout: Layout,
        *,
        encoding: str | None = "utf-8",
        first_number: int | None = None,
    ) -> Window:
        """Show lines as text, with U+FFFD for each part that cannot be decoded.

        Args:
            offset: The first line, counted from 1; past the end, the window has no lines.
            limit: The maximum number of lines.
            layout: Where lines end, and how they are shown.
            encoding: The encoding; `None`: the detected one.
            first_number: The number shown before the first line; `None`: its own.
        """
        opened = self.opened
        window = opened.window_now(offset, limit, layout, encoding=encoding, first_number=first_number)
        if window is not None:
            return window
        read = partial(opened.window, offset, limit, layout, encoding=encoding, first_number=first_number)
        return work(lambda cancel: read(cancel=cancel), self.target)

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
            start = self.window(first, 1, _POSITIONS).start_byte
        if last < total:
            end = self.window(last + 1, 1, _POSITIONS).start_byte - 1
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
            self.content_hash = self.opened.sha256_now() or work(self.opened.sha256, self.target)
        return self.content_hash

    def utf8_fault(self) -> str | None:
        """Describe the first invalid UTF-8 in Rust's words; `None`: all of it is valid."""
        check = self.opened.check_utf8_now()
        if check is None:
            check = work(self.opened.check_utf8, self.target)
        if check.is_valid:
            return None
        if check.length is None:
            return f"incomplete utf-8 byte sequence from index {check.index}"
        return f"invalid utf-8 sequence of {check.length} bytes from index {check.index}"

    def decoding_fault(self) -> str | None:
        """Describe the first invalid UTF-8 as Python does; `None`: all of it is valid."""
        check = self.opened.check_utf8_now()
        if check is None:
            check = work(self.opened.check_utf8, self.target)
        if check.is_valid:
            return None
        return python_fault(self.read_range(check.index, 4), check.index)

    def find_nul(self) -> int:
        """Return the position of its first NUL byte; -1: it has none."""
        found = self.opened.find_nul_now()
        return work(self.opened.find_nul, self.target) if found is None else found

    def all_tokens_over(self, tokenizer: str, maximum: int) -> int | None:
        """Do the same as `tokens_over` for the complete file; the count is cached for its version."""
        if 0 < self.size_bytes <= maximum:
            return None
        tokens = self.opened.count_tokens_now(tokenizer)
        if tokens is None:
            tokens = work(partial(self.opened.count_tokens, tokenizer), self.target)
        return tokens if tokens > maximum else None

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

"""Files as contracts read them: each is opened once, and all that is said of it comes from there.

Everything here that may wait is written as steps (`anyread.running.effects`)::

    file = yield from open_file(reader, path)
    data = yield from file.read(maximum)
    page = yield from read_page(reader, path, limit=100)

What goes wrong with a file is raised there as a leaf of `ReadError`.
"""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from anyread import _native
from anyread.paths import encoded
from anyread.reader import Reader
from anyread.results import Page, Unchanged
from anyread.running.effects import Steps, Work, WorkTarget
from anyread.session import Stamp

T = TypeVar("T")

INLINE_BYTES = 64 * 1024
"""Bytes up to which work on them is done where the call runs: a hop to a thread would cost more."""
HEAD_BYTES = 8 * 1024
"""Bytes of a file that detecting its type has read, so that they can be had again without waiting."""
INLINE_TOKEN_BYTES = 8 * 1024
"""The same for counting tokens, which takes ten times as long."""
_HASH_CHUNK_BYTES = 1024 * 1024


def open_file(reader: Reader, path: str, *, repair: bool = False) -> Steps[File]:
    """Open a file of any kind by the reader's roots and rules, and detect its type.

    Args:
        reader: Whose roots and rules hold.
        path: The path; relative ones are looked for where the reader does.
        repair: Whether a path that is not found is looked for under similar spellings.

    Raises:
        ReadError: It was not found, is denied, is a directory or no regular file, …
    """
    engine = reader._engine  # noqa: SLF001 - tools open files by the reader's rules, one layer below its pages
    return File(reader, (yield from engine.open(encoded(path), repair=repair, whole=INLINE_BYTES)))


def read_page(reader: Reader, path: str, **arguments: Any) -> Steps[Page | Unchanged]:
    """Read a file as a reader does, within that reader's limits; `arguments` are those of `Reader.read`."""
    return reader._steps(path, **arguments)  # noqa: SLF001 - the steps behind `read` and `read_sync`


def target_of(reader: Reader, path: str) -> WorkTarget:
    """Describe the file of a path for `Work` on it."""
    return reader._engine.target(encoded(path))  # noqa: SLF001 - as in `open_file`


def like(reader: Reader, **changes: Any) -> Reader:
    """Make a reader by the same roots, rules and passwords, with some of its arguments changed."""
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
    """An opened file; it is closed when nothing refers to it any more.

    Args:
        reader: The reader that opened it.
        opened: It, as the core has opened it.
    """

    __slots__ = (
        "_data",
        "_is_whole",
        "content_hash",
        "media_type",
        "modified_ns",
        "opened",
        "path",
        "reader",
        "resolved_path",
        "size_bytes",
        "stamp",
        "version",
    )

    def __init__(self, reader: Reader, opened: _native.Opened) -> None:
        self.reader = reader
        """The reader that opened it."""
        self.opened = opened
        """The file as the formats take it."""
        self.path = opened.path
        """The path as given, bytes that are not UTF-8 escaped."""
        self.resolved_path = opened.resolved_path
        """The absolute path of the file, links followed."""
        self.media_type = opened.media_type
        """The media type, detected from its first bytes."""
        self.modified_ns = opened.modified_ns
        """When it was last modified, nanoseconds since 1970 in UTC."""
        self.version = opened.version
        """Its state; empty while a rewrite could go unseen."""
        self.stamp = Stamp(*opened.stamp)
        """Its identity and times."""
        self.size_bytes = self.stamp.size_bytes
        """Its size in bytes when it was opened."""
        self._data = opened.head
        self._is_whole = opened.is_whole
        self.content_hash: str | None = None
        """SHA-256 of all its bytes in hexadecimal, once `sha256` was asked for it."""

    @property
    def target(self) -> WorkTarget:
        """The file as `Work` on it names it."""
        return target_of(self.reader, self.path)

    def head(self, size: int) -> bytes:
        """Return its first bytes: at most `size`, which is at most `HEAD_BYTES`."""
        return self._data[:size]

    def whole(self) -> bytes | None:
        """Return all its bytes if they are in memory."""
        return self._data if self._is_whole else None

    def work(self, function: Callable[[], T], size_bytes: int | None = None) -> Steps[T]:
        """Run a function, in a thread if it may take long and the call runs on an event loop.

        Args:
            function: What to run.
            size_bytes: Bytes that it works on; up to `INLINE_BYTES` it runs where the call does. `None`: it
                may take long.
        """
        if size_bytes is not None and size_bytes <= INLINE_BYTES:
            return function()
        return (yield from Work(lambda _: function(), self.target))

    def read(self, maximum: int) -> Steps[bytes]:
        """Read its bytes from the start, at most `maximum`, and keep them."""
        if maximum <= HEAD_BYTES or self._is_whole:
            return self._filled(maximum)
        return (yield from self.work(lambda: self._filled(maximum)))

    def _filled(self, maximum: int) -> bytes:
        if not self._is_whole and len(self._data) < maximum:
            self._data = self.opened.read(maximum)
            # Files of `/proc` have no size, and end where a read does.
            self._is_whole = len(self._data) < maximum or 0 < self.size_bytes <= len(self._data)
        return self._data[:maximum]

    def sha256(self) -> Steps[str]:
        """Hash all its bytes; the hash is kept while its version holds, and in `content_hash`."""
        if self.content_hash is None:
            size = self.size_bytes if self._is_whole else None
            self.content_hash = yield from self.work(lambda: self.kept("sha256", self._digest), size)
        return self.content_hash

    def _digest(self) -> str:
        whole = self.whole()
        if whole is not None:
            return hashlib.sha256(whole).hexdigest()
        digest, place = hashlib.sha256(), 0
        while chunk := os.pread(self.opened.fileno(), _HASH_CHUNK_BYTES, place):
            digest.update(chunk)
            place += len(chunk)
        return digest.hexdigest()

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Return what was made under this name of this version of the file, or make it."""
        key = (name, self.resolved_path, self.version)
        made = kept(key, self.version, make)
        # What was read after it was opened may be of a later state.
        if not self.opened.is_whole and not self.opened.recheck():
            _KEPT.pop(key, None)
        return made

    def count_tokens(self, text: str, tokenizer: str) -> Steps[int]:
        """Count the tokens of a text of it exactly; counts are kept.

        Args:
            text: What to count.
            tokenizer: "o200k_base" or "cl100k_base".
        """
        # By its hash, not by itself: the texts would stay in memory. 64 bits and the length, and a hash that
        # every process keys differently, leave nothing to chance or to guess.
        key = ("tokens", tokenizer, len(text), hash(text))

        def counted() -> int:
            return kept(key, "held", lambda: _native.count_tokens(text, tokenizer))

        return (yield from self.work(counted, 0 if len(text) <= INLINE_TOKEN_BYTES else None))

    def tokens_over(self, text: str, tokenizer: str, maximum: int) -> Steps[int | None]:
        """Judge a text of it against a budget: its exact tokens if they are over `maximum`, else `None`.

        Nothing is counted where the budget cannot be reached: a token is at least a byte.
        """
        if len(text) * 4 <= maximum or (len(text) <= maximum and len(text.encode()) <= maximum):
            return None
        tokens = yield from self.count_tokens(text, tokenizer)
        return tokens if tokens > maximum else None


_KEPT: OrderedDict[Hashable, Any] = OrderedDict()
"""What was made last comes last. Threads share it by single operations: a fork could leave a lock locked."""
_MAX_KEPT = 4_096
_NOTHING = object()


def kept(key: Hashable, version: str, make: Callable[[], T]) -> T:
    """Return what was made under this key, or make it; nothing is kept of a file whose state is unsure."""
    if not version:
        return make()
    found = _KEPT.pop(key, _NOTHING)
    made: T = make() if found is _NOTHING else found
    _KEPT[key] = made
    if len(_KEPT) > _MAX_KEPT:
        _KEPT.popitem(last=False)
    return made

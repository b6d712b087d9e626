"""What a profile asks for while it answers a call, and who gets it: an event loop, or a thread.

A step is yielded with `yield from`, which has the type of its answer::

    file = yield from Open(path)
    data = yield from Read(file, maximum)

What goes wrong is thrown into the profile there.
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Generic, TypeVar

from anyread import _native
from anyread.arguments import ReadArguments
from anyread.paths import encoded
from anyread.reader import Reader
from anyread.results import Page as AnyPage
from anyread.results import Unchanged
from anyread.running.deadline import call_deadline
from anyread.running.engine import Engine
from anyread.running.inline import BUDGET_S, turn
from anyread.session import Stamp

T = TypeVar("T")
V = TypeVar("V")

INLINE_BYTES = 64 * 1024
"""Bytes up to which work on them is done where the call runs: a hop to a thread would cost more."""
HEAD_BYTES = 8 * 1024
"""Bytes of a file that recognising it has looked at, so that they can be had again without waiting."""
INLINE_TOKEN_BYTES = 8 * 1024
"""The same for counting tokens, which takes ten times as long."""
_HASH_CHUNK_BYTES = 1024 * 1024


# ------------------------------------------------------------------------------------------------------------
# Who drives a call


def run_sync(steps: Generator[Step[Any], Any, T], reader: Reader, *, path: str = "") -> T:
    """Answer the steps of a call on this thread; `path` is what an error of the call's deadline names."""
    with call_deadline(path, reader.limits.timeout_s):
        return _run_sync(steps, reader)


def _run_sync(steps: Generator[Step[Any], Any, T], reader: Reader) -> T:
    try:
        step = next(steps)
        while True:
            try:
                answer = step.now(reader)
            except Exception as error:  # noqa: BLE001 - the profile decides what becomes of it
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


async def run(steps: Generator[Step[Any], Any, T], reader: Reader, *, path: str = "") -> T:
    """Answer the steps of a call without blocking the event loop; what runs on it is charged to its turn."""
    with call_deadline(path, reader.limits.timeout_s):
        return await _run(steps, reader)


async def _run(steps: Generator[Step[Any], Any, T], reader: Reader) -> T:
    answer: Any = None
    error: Exception | None = None
    try:
        while True:
            if turn.spent_s > BUDGET_S:
                await turn.give_way()
            started = perf_counter()
            try:
                step = steps.send(answer) if error is None else steps.throw(error)
            finally:
                turn.spent_s += perf_counter() - started
            answer = error = None
            try:
                answer = await step.later(reader)
            except Exception as failure:  # noqa: BLE001 - the profile decides what becomes of it
                error = failure
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def engine_of(reader: Reader) -> Engine:
    """Give what a reader opens files with."""
    return reader._engine  # noqa: SLF001 - tools open files by the reader's rules, one layer below its pages


class Step(ABC, Generic[T]):
    """Something that a profile needs from outside; `yield from` it."""

    def __iter__(self) -> Generator[Step[Any], Any, T]:
        answer: T = yield self
        return answer

    @abstractmethod
    def now(self, reader: Reader) -> T:
        """Get it on this thread."""

    @abstractmethod
    async def later(self, reader: Reader) -> T:
        """Get it without blocking the event loop."""


# ------------------------------------------------------------------------------------------------------------
# Files


class File:
    """A file that is opened; it is closed when nobody holds it any more."""

    __slots__ = (
        "_data",
        "_is_whole",
        "content_hash",
        "media_type",
        "modified_ns",
        "opened",
        "path",
        "resolved_path",
        "size_bytes",
        "stamp",
        "version",
    )

    def __init__(self, opened: _native.Opened) -> None:
        self.opened = opened
        """The file as the formats take it."""
        self.path = opened.path
        """The path as given, bytes that are not UTF-8 escaped."""
        self.resolved_path = opened.resolved_path
        """The absolute path of the file, links followed."""
        self.media_type = opened.media_type
        """The media type that its bytes say."""
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
        """SHA-256 of all its bytes in hexadecimal, once `Sha256` was asked for it."""

    def head(self, size: int) -> bytes:
        """Give its first bytes: at most `size`, which is at most `HEAD_BYTES`."""
        return self._data[:size]

    def whole(self) -> bytes | None:
        """Give all its bytes if they are in memory."""
        return self._data if self._is_whole else None

    def fill(self, maximum: int) -> bytes:
        """Read it, at most `maximum` bytes, and keep them."""
        if not self._is_whole and len(self._data) < maximum:
            self._data = self.opened.read(maximum)
            # Files of `/proc` have no size, and end where a read does.
            self._is_whole = len(self._data) < maximum or 0 < self.size_bytes <= len(self._data)
        return self._data[:maximum]

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Give what was made under this name of this version of the file, or make it."""
        key = (name, self.resolved_path, self.version)
        made = kept(key, self.version, make)
        # What was read after it was opened may be of a later state.
        if not self.opened.is_whole and not self.opened.recheck():
            _KEPT.pop(key, None)
        return made

    def hash(self) -> str:
        """Give the SHA-256 of all its bytes, read in chunks if they are not in memory."""
        if self.content_hash is None:
            self.content_hash = self.kept("sha256", self._digest)
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


@dataclass(frozen=True, slots=True)
class Open(Step[File]):
    """Open and recognise a file of any kind, by the reader's roots and rules.

    `ReadError` leaves are thrown: not found, denied, a folder, no regular file, …
    """

    path: str
    """The path; relative ones are looked for where the reader does."""
    repair: bool = False
    """Whether a path that is not found is looked for under similar spellings."""

    def now(self, reader: Reader) -> File:
        """Open it on this thread."""
        return File(engine_of(reader).open_sync(encoded(self.path), repair=self.repair, whole=INLINE_BYTES))

    async def later(self, reader: Reader) -> File:
        """Open it on the loop's thread if nothing there can block, else in a thread."""
        name, engine = encoded(self.path), engine_of(reader)
        opened = engine.open_now(name, whole=INLINE_BYTES)
        return File(opened or await engine.open(name, repair=self.repair, whole=INLINE_BYTES))


@dataclass(frozen=True, slots=True)
class Read(Step[bytes]):
    """Read the raw bytes of a file from its start."""

    file: File
    """What was opened."""
    maximum: int
    """Bytes to read at most."""

    def now(self, reader: Reader) -> bytes:
        """Read it here, or in a thread if the call has a deadline."""
        if self.maximum <= HEAD_BYTES or self.file.whole() is not None:
            return self.file.fill(self.maximum)
        return engine_of(reader).run_sync(partial(self.file.fill, self.maximum), encoded(self.file.path))

    async def later(self, reader: Reader) -> bytes:
        """Read it in a thread, unless opening it brought it along."""
        if self.maximum <= HEAD_BYTES or self.file.whole() is not None:
            return self.file.fill(self.maximum)
        return await engine_of(reader).run(partial(self.file.fill, self.maximum), encoded(self.file.path))


@dataclass(frozen=True, slots=True)
class Sha256(Step[str]):
    """Hash all bytes of a file; kept while its version holds. `file.content_hash` has it from then on."""

    file: File
    """What was opened."""

    def __iter__(self) -> Generator[Step[Any], Any, str]:
        # Hashing what is in memory takes less than asking for it.
        if self._is_short():
            return self.file.hash()
        return (yield from super(Sha256, self).__iter__())

    def _is_short(self) -> bool:
        return self.file.whole() is not None and self.file.size_bytes <= INLINE_BYTES

    def now(self, reader: Reader) -> str:
        """Hash it here, or in a thread if the call has a deadline."""
        return engine_of(reader).run_sync(self.file.hash, encoded(self.file.path))

    async def later(self, reader: Reader) -> str:
        """Hash it in a thread if it is large."""
        return await engine_of(reader).run(self.file.hash, encoded(self.file.path))


class Page(Step["AnyPage | Unchanged"]):
    """Read a file as a reader does, within that reader's limits.

    Args:
        path: The file.
        by: The reader, such as one that `like` gave; `None`: the host's.
        arguments: Those of `Reader.read`.
    """

    __slots__ = ("arguments", "by", "path")

    def __init__(self, path: str, *, by: Reader | None = None, **arguments: Any) -> None:
        self.path, self.by = path, by
        self.arguments: ReadArguments = arguments  # type: ignore[assignment]

    def now(self, reader: Reader) -> AnyPage | Unchanged:
        """Read it on this thread."""
        return (self.by or reader).read_sync(self.path, **self.arguments)

    async def later(self, reader: Reader) -> AnyPage | Unchanged:
        """Read it without blocking the event loop."""
        return await (self.by or reader).read(self.path, **self.arguments)


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


# ------------------------------------------------------------------------------------------------------------
# Work


@dataclass(frozen=True, slots=True)
class Work(Step[V]):
    """Run a pure function that may take long: in a thread if the call runs on an event loop."""

    function: Callable[[], V]
    """What to run."""
    size_bytes: int = INLINE_BYTES + 1
    """Bytes that it works on; up to `INLINE_BYTES` it runs where the call does."""

    def now(self, reader: Reader) -> V:
        """Run it here, or in a thread if it may take long and the call has a deadline."""
        if self.size_bytes <= INLINE_BYTES:
            return self.function()
        return engine_of(reader).run_sync(self.function, b"/")

    async def later(self, reader: Reader) -> V:
        """Run it here if it is short, else in a thread."""
        if self.size_bytes <= INLINE_BYTES:
            return self.function()
        # No file is touched: any path that leads into no mount will do.
        return await engine_of(reader).run(self.function, b"/")


@dataclass(frozen=True, slots=True)
class CountTokens(Step[int]):
    """Count the tokens of a text exactly; counts are kept."""

    text: str
    """What to count."""
    tokenizer: str
    """"o200k_base" or "cl100k_base"."""

    def now(self, reader: Reader) -> int:
        """Count here, or in a thread if it may take long and the call has a deadline."""
        if len(self.text) <= INLINE_TOKEN_BYTES:
            return self._counted()
        return engine_of(reader).run_sync(self._counted, b"/")

    def _counted(self) -> int:
        # By its hash, not by itself: the texts would stay in memory. 64 bits and the length, and a
        # hash that is keyed anew in every process, leave nothing to chance or to guess.
        key = ("tokens", self.tokenizer, len(self.text), hash(self.text))
        return kept(key, "held", lambda: _native.count_tokens(self.text, self.tokenizer))

    async def later(self, reader: Reader) -> int:
        """Count here if it is short, else in a thread."""
        if len(self.text) <= INLINE_TOKEN_BYTES:
            return self._counted()
        return await engine_of(reader).run(self._counted, b"/")


@dataclass(frozen=True, slots=True)
class TokensOver(Step["int | None"]):
    """Judge a text against a budget: its exact tokens if they are over it, else `None`.

    Nothing is counted where the budget cannot be reached: a token is a byte at least.
    """

    text: str
    """What to judge."""
    tokenizer: str
    """"o200k_base" or "cl100k_base"."""
    maximum: int
    """Tokens that are allowed."""

    def now(self, reader: Reader) -> int | None:
        """Judge here."""
        return (
            None if self._cannot_exceed() else self._over(CountTokens(self.text, self.tokenizer).now(reader))
        )

    async def later(self, reader: Reader) -> int | None:
        """Judge here if that is quick, else in a thread."""
        if self._cannot_exceed():
            return None
        return self._over(await CountTokens(self.text, self.tokenizer).later(reader))

    def _cannot_exceed(self) -> bool:
        text, maximum = self.text, self.maximum
        return len(text) * 4 <= maximum or (len(text) <= maximum and len(text.encode()) <= maximum)

    def _over(self, tokens: int) -> int | None:
        return tokens if tokens > self.maximum else None


# ------------------------------------------------------------------------------------------------------------
# What is kept


_KEPT: OrderedDict[Hashable, Any] = OrderedDict()
"""What was made last comes last. Threads share it by single operations: a fork could leave a lock locked."""
_MAX_KEPT = 4_096
_NOTHING = object()


def kept(key: Hashable, version: str, make: Callable[[], T]) -> T:
    """Give what was made under this key, or make it; nothing is kept of a file whose state is unsure."""
    if not version:
        return make()
    found = _KEPT.pop(key, _NOTHING)
    made: T = make() if found is _NOTHING else found
    _KEPT[key] = made
    if len(_KEPT) > _MAX_KEPT:
        _KEPT.popitem(last=False)
    return made

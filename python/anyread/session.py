"""The reads of a session, for detecting unchanged files and for refusing to overwrite unseen changes."""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar
from weakref import WeakSet

from . import results
from .arguments.paths import AnyPath, displayed, encoded, real_path
from .arguments.places import FilePlace
from .arguments.request import ARGUMENTS, Request
from .arguments.settings import require_count
from .results import TextBlock, TextPage

_K = TypeVar("_K")
_sessions: WeakSet[Session] = WeakSet()


def _after_fork() -> None:
    # A lock may have been held by a thread that does not exist in this process.
    for session in _sessions:
        session._lock = threading.Lock()  # noqa: SLF001 - its own module


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

FileState: TypeAlias = Literal["fresh", "modified", "deleted", "unread"]
"""The state of a file compared with its last read: the same, changed, deleted, or never read."""

_HASH_CHUNK_BYTES = 1024 * 1024


class Stamp(NamedTuple):
    """A file's identity, size and times, which show most changes without reading the file."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Take the relevant fields of a stat."""
        times = status.st_mtime_ns, status.st_ctime_ns
        return cls(status.st_dev, status.st_ino, status.st_size, *times).comparable()

    def comparable(self) -> Stamp:
        """Return it without what Python has otherwise on Windows, where `st_ctime` is the creation."""
        return self._replace(device=0, changed_ns=0) if os.name == "nt" else self

    @classmethod
    def of_version(cls, version: str) -> Stamp:
        """Take the same fields from a version that is not empty, as `snapshot.rs` writes it."""
        # After the times, that of a document has how it is shown.
        device, inode, _, size_bytes, *times = version.split("-")[:6]
        major, minor = device.split(".")
        # Times before 1970 are written in two's complement.
        modified_ns, changed_ns = ((int(time, 16) ^ 1 << 63) - (1 << 63) for time in times)
        number = os.makedev(int(major, 16), int(minor, 16))
        return cls(number, int(inode, 16), int(size_bytes, 16), modified_ns, changed_ns)


class Record(NamedTuple):
    """One read: what was shown, and the state of the file."""

    path: str
    """The real path of the file, with symbolic links followed."""
    kind: str
    """The kind as which it was read, as of a page."""
    media_type: str
    """The media type of its content."""
    form: Literal["text", "visual"]
    """Whether the model got text, or images and documents."""
    stat: Stamp | None = None
    """The file's stat, unless it is the one in `version`."""
    version: str = ""
    """Its version, as passed for `unless_version`; empty while a change could go unnoticed."""
    is_settled: bool = False
    """Whether any later change will show in the stamp, because the last one is more than a clock tick ago."""
    content_hash: str | None = None
    """SHA-256 of the entire file in hexadecimal; `None` if it was not read completely."""
    offset: int | None = None
    """The first line (cell) requested, as counted by the contract; `None`: the start."""
    limit: int | None = None
    """The number of lines (cells) requested; `None`: to the end, or to the contract's own limit."""
    pages: str | None = None
    """The pages of a PDF requested; `None`: not specified."""
    read_at: float = 0.0
    """The time of the read, in seconds since 1970 in UTC."""
    key: Hashable = None
    """A value that distinguishes this view of the file from others, such as the range."""
    facts: Mapping[str, Any] = MappingProxyType({})
    """Additional data of the contract."""

    @property
    def stamp(self) -> Stamp:
        """The file's stat when it was opened, or when its content was last found to be the same."""
        return self.stat or Stamp.of_version(self.version)


class Session:
    """A record of what has been read; bounded and thread-safe.

    Files are identified by their real paths, so that a link and its target are one file.
    A path may be passed as it was passed to the reader: relative to its first root, a file URL, or a
    spelling that the reader repaired.
    `check` and `changed` access the file system, and may block.

    Args:
        max_records: The maximum number of records; the oldest are dropped first.
        on_read: A function that is called with each `Record`, outside any lock, for example for
            metrics; its exceptions reach the caller of the read.

    Raises:
        ValueError: `max_records` is below 1.
        TypeError: An argument has the wrong type.

    Example:
        >>> session = anyread.Session()
        >>> reader = anyread.Reader(session=session)
        >>> page = await reader.read("src/main.py")
        >>> session.check("src/main.py")
        'fresh'
    """

    def __init__(
        self, *, max_records: int = 10_000, on_read: Callable[[Record], object] | None = None
    ) -> None:
        require_count("Session.max_records", max_records)
        if on_read is not None and not callable(on_read):
            raise TypeError(f"Session.on_read must be a function of a Record: {on_read!r}")
        self._max_records = max_records
        self._on_read = on_read
        self._lock = threading.Lock()
        _sessions.add(self)
        # The views of each file by key; files and views are in the order of their last read.
        self._files: OrderedDict[str, OrderedDict[Hashable, Record]] = OrderedDict()
        # For each path as passed to a reader: the directory at which it starts, and where it led.
        self._given: OrderedDict[str, tuple[str, str]] = OrderedDict()
        # For each place at which a page goes on: the file, and its version.
        self._next: OrderedDict[FilePlace, tuple[str, str]] = OrderedDict()
        # The last version of each file whose content hash is known, with that hash.
        self._hashes: dict[str, tuple[str, str]] = {}
        self._count = 0

    @property
    def records(self) -> tuple[Record, ...]:
        """All records, by file; the file that was read last is last, and so is its last view."""
        with self._lock:
            return tuple(record for views in self._files.values() for record in views.values())

    def note(self, record: Record) -> None:
        """Remember a read, in place of an earlier one of the same view."""
        path, version, content_hash = record.path, record.version, record.content_hash
        with self._lock:
            if content_hash is None:
                known = self._hashes.get(path)
                if known is not None and known[0] == version:
                    record = record._replace(content_hash=known[1])
            elif version:
                self._hashes[path] = version, content_hash
            views = self._files.get(path)
            if views is None:
                views = self._files[path] = OrderedDict()
            else:
                self._files.move_to_end(path)
            key = record.key
            if key in views:
                views.move_to_end(key)
            else:
                self._count += 1
            views[key] = record
            while self._count > self._max_records:
                self._drop_oldest()
        if self._on_read is not None:
            self._on_read(record)

    def record_of(self, page: results.Page, request: Request) -> Record:
        """Make the record of a page that a reader returned; this may call `os.stat`, which may block."""
        path, version, pages = page.resolved_path, page.version, request["pages"]
        # By position, because passing the names takes longer than to record the read.
        return Record(
            path,
            page.kind,
            page.media_type,
            "text" if isinstance(page, TextPage) or _is_text(page) else "visual",
            None if version else _stamp_now(page),
            version,
            bool(version),
            self.known_hash(path, version) or _hash_of(page),
            request["offset"],
            request["limit"],
            None if pages is None else str(pages),
            time.time(),
            (page.kind, *_in_key(request)),
        )

    def note_page(self, page: results.Page, record: Record, base: str) -> None:
        """Remember a page that a reader returned, and where its path led.

        Args:
            page: The page.
            record: What `record_of` made of it.
            base: The directory at which the reader's relative paths start; empty: the working directory.
        """
        place = None if page.next is None else FilePlace.of_next(page.path, page.next)
        with self._lock:
            if page.next is not None and place is not None and place.spans:
                self._put(self._next, place, (page.resolved_path, page.next["since_version"]))
            if page.path != page.resolved_path:
                self._put(self._given, page.path, (base, page.resolved_path))
        self.note(record)

    def version_of_next(self, place: FilePlace) -> str | None:
        """Return the version of the file of which a page goes on at a place; `None` if none does.

        Args:
            place: The place, such as `src/a.py:60-`, with the path as it was passed to the reader.
        """
        found = self._next.get(place)
        return None if found is None else found[1]

    def has_read(self, path: AnyPath) -> bool:
        """Return whether any part of the file has been read."""
        return self.snapshot(path) is not None

    def snapshot(self, path: AnyPath, *, is_real: bool = False) -> Record | None:
        """Return the last read of the file; `None` if there was none.

        Args:
            path: The file.
            is_real: Whether `path` has no links, as that of a record, so that it need not be resolved.
        """
        name = str(path) if is_real else self._known(path)
        with self._lock:
            views = self._files.get(name)
            return views[next(reversed(views))] if views else None

    def view(self, path: AnyPath, key: Hashable, *, is_real: bool = False) -> Record | None:
        """Return the read of one view of the file; `None` if there was none.

        Args:
            path: The file.
            key: What distinguishes the view from others of the file, as in its record.
            is_real: As in `snapshot`.
        """
        name = str(path) if is_real else self._known(path)
        with self._lock:
            views = self._files.get(name)
            return views.get(key) if views else None

    def known_hash(self, path: str, version: str) -> str | None:
        """Return the content hash that a view of this version of the file has; `path` is its real path."""
        known = self._hashes.get(path)
        return known[1] if known is not None and known[0] == version else None

    def check(self, path: AnyPath) -> FileState:
        """Return whether the file is unchanged since it was last read.

        The file's stat is compared. If it differs, or was recorded too soon after a change, the content
        hash is compared instead, if there is one.

        Returns:
            "fresh", "modified", "deleted" or "unread".
        """
        record = self.snapshot(path)
        return "unread" if record is None else self._state(record)

    def changed(self) -> dict[str, FileState]:
        """Return the files that are "modified" or "deleted" since they were last read, by real path."""
        with self._lock:
            last = [views[next(reversed(views))] for views in self._files.values()]
        states = {record.path: self._state(record) for record in last}
        return {path: state for path, state in states.items() if state != "fresh"}

    def forget(self, path: AnyPath | None = None) -> bool:
        """Forget all reads of a file, for example after writing to it; `None`: of all files.

        Returns:
            Whether there was any.
        """
        name = None if path is None else self._known(path)
        with self._lock:
            earlier = self._count
            if name is None:
                self._files.clear()
                self._hashes.clear()
                self._given.clear()
                self._next.clear()
                self._count = 0
            else:
                for place in [place for place, (file, _) in self._next.items() if file == name]:
                    del self._next[place]
                self._count -= len(self._files.pop(name, ()))
                self._hashes.pop(name, None)
            return self._count < earlier

    def _known(self, path: AnyPath) -> str:
        """Return the real path of a file, without resolving it again if it is already known."""
        if isinstance(path, str) and path in self._files:
            return path
        base, led_to = self._given.get(displayed(path), ("", ""))
        # A link is followed again, because it may lead to another file now.
        found = real_path(os.path.join(_on_disk(base), encoded(path)))  # noqa: PTH118 - paths are bytes
        # What does not exist was repaired by the reader, or is a file URL.
        return led_to if led_to and not os.path.lexists(found) else displayed(found)

    def _state(self, record: Record) -> FileState:
        try:
            name = _on_disk(record.path)
            stamp = Stamp.of(os.stat(name))  # noqa: PTH116 - `Path` costs an import
            if stamp == record.stamp and (record.is_settled or record.content_hash is None):
                return "fresh"
            if record.content_hash is None or stamp.size_bytes != record.stamp.size_bytes:
                return "modified"
            content_hash = hash_file(name)
        except (FileNotFoundError, NotADirectoryError):
            return "deleted"
        except OSError:
            # The file exists but cannot be read, so the earlier read cannot be confirmed.
            return "modified"
        if content_hash != record.content_hash:
            return "modified"
        self._settle(record, stamp)
        return "fresh"

    def _settle(self, record: Record, stamp: Stamp) -> None:
        """Store the new stat for the same content, settled if the last change is long enough ago."""
        copying_ns = min(stamp.size_bytes, _MOST_WRITTEN) * _WRITE_NS_PER_BYTE
        age_ns = time.time_ns() - max(stamp.modified_ns, stamp.changed_ns)
        is_settled = age_ns > SETTLED_NS + copying_ns
        found = record._replace(stat=stamp, is_settled=is_settled)
        with self._lock:
            views = self._files.get(record.path)
            if views is not None and views.get(record.key) is record:
                views[record.key] = found

    def _put(self, kept: OrderedDict[_K, tuple[str, str]], key: _K, value: tuple[str, str]) -> None:
        kept[key] = value
        kept.move_to_end(key)
        if len(kept) > self._max_records:
            kept.popitem(last=False)

    def _drop_oldest(self) -> None:
        path, views = next(iter(self._files.items()))
        views.popitem(last=False)
        self._count -= 1
        if not views:
            del self._files[path]
            self._hashes.pop(path, None)


def _stamp_now(page: results.Page) -> Stamp:
    """Return the stamp of a file that was read without a version, if it is still as the page describes it."""
    try:
        stamp = Stamp.of(os.stat(_on_disk(page.resolved_path)))  # noqa: PTH116 - as above
    except OSError:
        stamp = _NO_STAMP
    if (stamp.size_bytes, stamp.modified_ns) != (page.size_bytes, page.modified_ns):
        # The file has already changed: no later stat may be equal to the recorded one.
        stamp = _NO_STAMP._replace(size_bytes=page.size_bytes, modified_ns=page.modified_ns)
    return stamp


def _is_text(page: results.Page) -> bool:
    return all(isinstance(block, TextBlock) for block in page.blocks)


def _hash_of(page: results.Page) -> str | None:
    """Return the hash of a small file that the page shows completely; `None` for other files."""
    if not isinstance(page, TextPage) or page.truncated or page.start_line > 1 or page.lossy:
        return None
    if page.size_bytes > _HASHED_BYTES or not page.encoding.startswith(_EXACT):
        return None
    try:
        data = f"{_BOM if page.bom else ''}{page.content}".encode(page.encoding)
    except (UnicodeError, LookupError):
        return None
    return hashlib.sha256(data).hexdigest() if len(data) == page.size_bytes else None


_NOT_IN_KEY = {"since_version", "gutter", "unless_version"}
_in_key = itemgetter(*(name for name in ARGUMENTS if name not in _NOT_IN_KEY))
"""Returns the arguments that determine what is read of a file."""
_HASHED_BYTES = 64 * 1024
_EXACT = ("ascii", "utf-8", "utf-16", "utf-32", "windows-125", "iso8859", "iso-8859", "koi8", "gb18030")
"""How the names of encodings begin in which a text has only one form in bytes."""
_BOM = "\ufeff"
_NO_STAMP = Stamp(0, 0, -1, -1, -1)

SETTLED_NS = 2_000_000_000
"""The age at which a file's stat is trusted: some file systems have a resolution of 2 s.

A `write` changes the times when it begins, so the time that it may take is added, as in `snapshot.rs`.
"""
_MOST_WRITTEN = 2 << 30
"""The most bytes of one `write`."""
_WRITE_NS_PER_BYTE = 20
"""How long a `write` that is still copying may take for each byte: 50 MB/s."""


def hash_file(path: str | bytes) -> str:
    """Return the SHA-256 of a file in hexadecimal, in constant memory.

    Raises:
        OSError: The file cannot be opened or read; opening a FIFO or a device does not block.
    """
    # Without O_NONBLOCK, opening a FIFO that has replaced the file would wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123 - a descriptor
        digest = hashlib.sha256()
        while chunk := file.read(_HASH_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _on_disk(path: str) -> bytes:
    r"""Return the bytes of a displayed path, in which bytes that are not UTF-8 are written as `\xff`."""
    name = path.encode()
    if b"\\x" not in name or os.path.lexists(name):
        return name
    return re.sub(rb"\\x([0-9a-f]{2})", lambda byte: bytes.fromhex(byte[1].decode()), name)

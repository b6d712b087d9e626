"""Follow a file that grows, as `tail -F` does, across rotation and truncation.

The file is read through the descriptor that was opened, so that text written before a rotation is not
lost when the path already leads to the new file.
The file is polled, because no notification of the kernel works on all file systems.
"""

from __future__ import annotations

import codecs
import errno
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeGuard

import anyio

from anyread._native import Layout, Opened, detect_encoding
from anyread.arguments.paths import AnyPath, encoded
from anyread.arguments.request import checked
from anyread.arguments.settings import require_seconds
from anyread.engine import ReaderEngine
from anyread.errors import (
    AccessError,
    BinaryFileError,
    DeniedError,
    DirectoryError,
    FileChangedError,
    NotFoundError,
    OutsideRootError,
    UnsupportedFormatError,
)
from anyread.kinds import kind_of
from anyread.results import TextPage, Unchanged
from anyread.results.appended import Appended, Change
from anyread.running import loop, threads
from anyread.running.calls import current_call, work

from .one_waiter import OneWaiter

if TYPE_CHECKING:
    from anyread._native import Cancel

CHUNK_BYTES = 256 * 1024
"""The maximum number of bytes read at a time; more arrives in parts."""
SAMPLE_BYTES = 64
"""Bytes before the position that are compared, to detect that the file was rewritten in place."""
_IN_THE_WAY = (NotFoundError, DirectoryError, AccessError)
"""What may be at the path of a file for a while during a rotation."""
_SURE = 0.5
"""From this confidence on a detected encoding is final."""


class _Following:
    """What iterators over a growing file have in common; they are no generators, so need no cleanup."""

    def __init__(
        self,
        engine: ReaderEngine,
        path: AnyPath,
        *,
        offset: int | None,
        encoding: str | None,
        kind: str | None,
        poll_s: float,
        quiet_s: float,
    ) -> None:
        require_seconds("follow(poll_s=…)", poll_s)
        require_seconds("follow(quiet_s=…)", quiet_s)
        self._request = checked(path, offset=1 if offset is None else offset, encoding=encoding, kind=kind)
        self._is_from_end = offset is None
        self._engine, self._name = engine, encoded(path)
        self._poll_s, self._quiet_s = poll_s, quiet_s
        self._progress: _Progress | None = None
        self._is_closed = False
        self._waiter = OneWaiter()

    def poll_sync(self) -> Appended | None:
        """Check the file once by blocking this thread, without waiting for more text.

        Returns:
            The text; `None`: no further line is complete.

        Raises:
            RuntimeError: Another task or thread is waiting for text.
            ReadError: As `read`; the next call tries again.
        """
        with self._waiter:
            return self._moved_to(threads.run(self._poll_once))

    def _moved_to(self, found: tuple[_Progress | None, Appended | None]) -> Appended | None:
        # The progress is updated only here, so that a cancelled wait loses nothing.
        self._progress, appended = found
        return appended

    def _poll_once(self) -> tuple[_Progress | None, Appended | None]:
        try:
            return self._poll_file()
        except FileChangedError:
            # It was truncated during a read; the next poll finds what it has now.
            return self._progress, None

    def _poll_file(self) -> tuple[_Progress, Appended | None]:
        progress, found = self._progress or self._begin(), None
        # A rotation may have moved the old file, and not created the new one or set its permissions yet.
        with suppress(*_IN_THE_WAY):
            found = self._engine.open(self._name, repair=True, whole=0)
        progress, appended = work(lambda _: self._polled(progress, found), self._engine.target(self._name))
        current_call().leave_open(progress.opened)
        return progress, appended

    def _polled(self, progress: _Progress, found: Opened | None) -> tuple[_Progress, Appended | None]:
        if not progress.is_of(found):
            progress = self._without_denied(progress)
        while True:
            if not progress.position and progress.is_of(found) and not self._has_begun(progress, found):
                return progress, None
            previous = progress
            progress, appended = progress.poll(None if progress.is_of(found) else found, self._quiet_s)
            # A file that was just found, or truncated, is read at once.
            if appended is not None or progress.position or progress is previous:
                return progress, appended

    def _has_begun(self, progress: _Progress, found: Opened) -> bool:
        """Return whether a file that is read from its start has content; refuse it if it is not text."""
        if found.is_gzip:
            raise _compressed(found)
        if (
            kind_of(found.media_type, is_text=found.is_text) == "text"
            or self._request["kind"] is not None
            or progress.starts_with_hole()
        ):
            return found.size_bytes > 0
        raise _binary(found)

    def _begin(self) -> _Progress:
        """Detect the encoding, open the file, and find the first position."""
        page = self._first_line(offset=self._request["offset"])
        opened = self._engine.open(self._name, repair=True, whole=0)
        is_counted = opened.size_bytes <= self._engine.limits.count_bytes
        layout = Layout(line_ends="detected", total="always" if is_counted else "known")
        is_from_end, offset = self._is_from_end, self._request["offset"]

        def progress(cancel: Cancel | None) -> _Progress:
            window = opened.window(offset, 1, layout, encoding=page.encoding, cancel=cancel, may_wait=True)
            # A negative number counts from the end, which moves while the file grows.
            position, line = window.start_byte, window.first_line if window.first_line > 0 else None
            if is_from_end:
                # If the last line has no line ending, the appended text continues it.
                total = window.total_lines
                line = total + (window.final_newline or not total) if total is not None else None
                position = opened.size_bytes
            # Read now, because the file may be rewritten before the first poll.
            size = min(SAMPLE_BYTES, position)
            sample = opened.read_at(position - size, size)
            newline = "\r" if page.line_ending == "cr" else "\n"
            return _Progress(
                opened,
                position,
                line,
                sample,
                self._request["encoding"],
                page.encoding,
                is_decided=page.size_bytes > 0 and self._is_decided(page, opened, position),
                newline=newline,
            )

        current_call().leave_open(opened)
        return work(progress, self._engine.target(self._name))

    def _is_decided(self, page: TextPage, opened: Opened, position: int) -> bool:
        """Return whether the text of a file, or the caller, has decided its encoding."""
        if self._request["encoding"] is not None or page.bom:
            return True
        if page.encoding != "utf-8":
            return page.encoding_confidence >= _SURE
        start = max(0, position - CHUNK_BYTES)
        return not (opened.read_at(0, CHUNK_BYTES).isascii() and opened.read_at(start, CHUNK_BYTES).isascii())

    def _first_line(self, *, offset: int) -> TextPage:
        page = self._engine.read(self._name, {**self._request, "offset": offset, "limit": 1})
        if isinstance(page, Opened):
            raise _binary(page)
        if isinstance(page, Unchanged):
            raise TypeError("the request of a follower has no version")
        if page.compression is not None:
            raise _compressed(page)
        return page

    def _without_denied(self, progress: _Progress) -> _Progress:
        """Drop the rest of a file that was moved to where it may not be read."""
        moved = progress.opened.current_path()
        try:
            # It may have been removed, or have got other permissions.
            with suppress(*_IN_THE_WAY):
                self._engine.open(moved, repair=False, whole=0)
        except (DeniedError, OutsideRootError):
            end = progress.opened.current_size()
            return replace(progress, position=end, sample=b"", unfinished=b"")
        return progress


class Follow(_Following):
    """Iterate over the text that is appended to a file; a cancelled wait loses nothing."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Appended:
        with self._waiter:
            while not self._is_closed:
                appended = self._moved_to(await loop.run(self._poll_once))
                if appended is not None:
                    return appended
                await anyio.sleep(self._poll_s)
        raise StopAsyncIteration

    async def poll(self) -> Appended | None:
        """Do the same as `poll_sync` without blocking the event loop."""
        with self._waiter:
            return self._moved_to(await loop.run(self._poll_once))

    async def aclose(self) -> None:
        """End the iteration, and close the file."""
        self._is_closed, self._progress = True, None

    async def __aenter__(self) -> Self:
        """Open the file, so that everything appended from now on is returned."""
        if self._progress is None:
            self._progress = await loop.run(self._begin)
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()


class FollowSync(_Following):
    """Iterate over the text that is appended to a file by blocking this thread."""

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Appended:
        while not self._is_closed:
            appended = self.poll_sync()
            if appended is not None:
                return appended
            time.sleep(self._poll_s)
        raise StopIteration

    def close(self) -> None:
        """End the iteration, and close the file."""
        self._is_closed, self._progress = True, None

    def __enter__(self) -> Self:
        """Open the file, so that everything appended from now on is returned."""
        if self._progress is None:
            self._progress = threads.run(self._begin)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _compressed(found: TextPage | Opened) -> UnsupportedFormatError:
    size = found.size_bytes
    return UnsupportedFormatError(
        found.path, media_type="application/gzip", size_bytes=size, is_followed=True
    )


def _binary(opened: Opened) -> BinaryFileError:
    return BinaryFileError(opened.path, media_type=opened.media_type, size_bytes=opened.size_bytes)


@dataclass(frozen=True, slots=True)
class _Progress:
    """A position in an opened file, and what is known about the text before it."""

    opened: Opened
    position: int
    """The offset of the first byte that was not read yet."""
    line: int | None
    """The number of the line that begins with `unfinished`; `None`: unknown."""
    sample: bytes
    """The last bytes before `position`."""
    requested: str | None
    """The encoding that the caller named; `None`: detected."""
    encoding: str = "utf-8"
    """The name of a Python codec."""
    is_decided: bool = False
    """Whether the encoding is final, which ASCII does not decide."""
    newline: str = "\n"
    """What ends a line; a CR only as long as there is no LF."""
    state: tuple[bytes, int] | None = None
    """The state of the decoder at the start of `unfinished`; `None`: as at the start of a file."""
    unfinished: bytes = b""
    """The start of a line that was read but not returned yet."""
    skipped_bytes: int = 0
    """The NULs before the text of the file."""
    changed_at: float = 0.0
    """When something was last read, on the clock `time.monotonic`."""
    after: Change | None = None
    """What happened to the file since text was last returned."""

    def poll(self, following: Opened | None, quiet_s: float) -> tuple[_Progress, Appended | None]:
        """Read what was appended; return the progress, and the text if it has a whole line; may block.

        Args:
            following: The file to which the path leads now; `None`: the same file, or no file.
            quiet_s: Seconds without growth after which an unfinished line is returned.
        """
        progress = self.begun() if self.after is not None and not self.position else self
        data = self.opened.read_at(progress.position, CHUNK_BYTES)
        # Checked after the read, because what follows a truncation is no continuation of the old text.
        if self.is_rewritten():
            return self.restarted(self.opened, "truncated")
        if data:
            return progress.with_data(data)
        if following is None:
            return self.when_quiet(quiet_s)
        # The old file has been read to its end.
        return self.restarted(following, "rotated")

    def is_of(self, found: Opened | None) -> TypeGuard[Opened]:
        """Return whether another open has found the same file."""
        return found is not None and found.stamp[:2] == self.opened.stamp[:2]

    def is_rewritten(self) -> bool:
        """Return whether the bytes before the position have changed."""
        start, size = self.position - len(self.sample), len(self.sample)
        return self.opened.current_size() < self.position or self.opened.read_at(start, size) != self.sample

    def starts_with_hole(self) -> bool:
        """Return whether the file was truncated while its writer went on at its old position."""
        return self.after == "truncated" and self.opened.read_at(0, 1) == b"\0"

    def begun(self) -> _Progress:
        """Return the progress from the start of the text of a file that was replaced or truncated."""
        if not self.starts_with_hole():
            return replace(self, encoding="utf-8", is_decided=False, newline="\n")
        # The writer goes on in the same encoding, of which a character may begin with a NUL.
        unit = len("\n".encode(self.encoding))
        size = self._count_nuls() // unit * unit
        return replace(self, position=size, skipped_bytes=size, sample=bytes(min(size, SAMPLE_BYTES)))

    def _count_nuls(self) -> int:
        """Count the NULs at the start of the file, without reading a hole where the system knows it."""
        count = 0
        if hasattr(os, "SEEK_DATA"):
            try:
                count = os.lseek(self.opened.fileno(), 0, os.SEEK_DATA)
            except OSError as error:
                # Where the system knows no holes, they are read.
                if error.errno == errno.ENXIO:
                    return self.opened.current_size()
        while data := self.opened.read_at(count, CHUNK_BYTES):
            rest = data.lstrip(b"\0")
            count += len(data) - len(rest)
            if rest:
                break
        return count

    def restarted(self, opened: Opened, after: Change) -> tuple[_Progress, Appended | None]:
        """Return the progress from the start of a file, and the unfinished line of the old file."""
        ended = self.detected(has_whole_lines=False)
        rest = ended.decoded(ended.unfinished, final=True)[0]
        left = ended.appended(rest) if rest else None
        progress = _Progress(opened, 0, 1, b"", self.requested, self.encoding, self.is_decided, self.newline)
        return replace(progress, after=after), left

    def with_data(self, data: bytes) -> tuple[_Progress, Appended | None]:
        """Return the progress with the next bytes, and the lines that they complete."""
        progress = replace(
            self,
            position=self.position + len(data),
            sample=(self.sample + data)[-SAMPLE_BYTES:],
            unfinished=self.unfinished + data,
            changed_at=time.monotonic(),
        )
        # A line that never ends must not fill the memory.
        is_full = len(progress.unfinished) >= CHUNK_BYTES
        progress = progress.detected(has_whole_lines=True)
        with_lf = replace(progress, newline="\n", line=1)
        if progress.newline == "\r" and with_lf.end_of_lines():
            # With this LF, all that came before it is a part of the first line.
            progress = with_lf
        end = progress.end_of_lines()
        if not end and is_full:
            progress = progress.detected(has_whole_lines=False)
            end = len(progress.unfinished)
        return progress.passing(end)

    def when_quiet(self, quiet_s: float) -> tuple[_Progress, Appended | None]:
        """Return the unfinished line if the file has not grown for `quiet_s`."""
        if not self.unfinished or time.monotonic() - self.changed_at < quiet_s:
            return self, None
        progress = self.detected(has_whole_lines=False)
        return progress.passing(len(progress.unfinished))

    def passing(self, size: int) -> tuple[_Progress, Appended | None]:
        """Return so many bytes of `unfinished` as text, and keep the others for later."""
        text, state = self.decoded(self.unfinished[:size])
        progress = replace(self, state=state, unfinished=self.unfinished[size:])
        if not text:
            return progress, None
        line = None if self.line is None else self.line + text.count(self.newline)
        return replace(progress, line=line, after=None), self.appended(text)

    def appended(self, text: str) -> Appended:
        """Return text that begins at `line`."""
        lossy, skipped = "\ufffd" in text, 0 if self.after is None else self.skipped_bytes
        return Appended(self.opened.path, text, self.line, self.after, self.encoding, lossy, skipped)

    def detected(self, *, has_whole_lines: bool) -> _Progress:
        """Return the progress with the encoding of `unfinished`, and the ends of its lines.

        Args:
            has_whole_lines: Whether to use only whole lines. If the encoding is detected from a part of one,
                it is not final, because a character may be incomplete.
        """
        if self.is_decided:
            return self
        begin = self.position - len(self.unfinished)
        is_start = begin == self.skipped_bytes
        data = self.unfinished
        if has_whole_lines and self.requested is None:
            end = data.rfind(b"\n") + 1
            # The last CR may be a part of CR LF.
            if not end and (self.newline == "\r" or (is_start and b"\r" in data[:-1])):
                end = data.rfind(b"\r") + 1
            data = data[:end]
        # ISO-2022-JP is in ASCII too.
        has_others = not data.isascii() or b"\x1b$" in data
        if not data or not (is_start or has_others):
            return self
        start = max(self.skipped_bytes, begin - CHUNK_BYTES)
        before = self.opened.read_at(start, begin - start)
        encoding, confidence = detect_encoding(before + data, self.requested)
        if not is_start and len("\n".encode(encoding)) > 1:
            # NULs in a text do not make it UTF-16.
            return self
        is_decided = self.requested is not None or (
            has_whole_lines and confidence >= _SURE and (has_others or encoding != "utf-8")
        )
        newline = self.newline
        if is_start and not self.skipped_bytes:
            text = data.decode(encoding, "replace")
            newline = "\r" if "\r" in text and "\n" not in text else "\n"
        progress = replace(self, encoding=encoding, is_decided=is_decided, newline=newline)
        if encoding == self.encoding:
            return progress
        # The old decoder may hold the start of a character.
        pending = b"" if self.state is None else self.state[0]
        return replace(progress, state=None, unfinished=pending + self.unfinished)

    def end_of_lines(self) -> int:
        """Return the offset in `unfinished` after its last line ending; 0: it has none."""
        ending = self.newline.encode(self.encoding)
        begin, end = self.position - len(self.unfinished), self.unfinished.rfind(ending)
        # Units of UTF-16 are counted from the start of the file.
        while end > 0 and (begin + end) % len(ending):
            end = self.unfinished.rfind(ending, 0, end + len(ending) - 1)
        return 0 if end < 0 or (begin + end) % len(ending) else end + len(ending)

    def decoded(self, data: bytes, *, final: bool = False) -> tuple[str, tuple[bytes, int]]:
        decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        if self.state is not None:
            # A state that is not the decoder's own crashes that of ISO-2022-JP.
            decoder.setstate(self.state)
        text = decoder.decode(data, final)
        is_start = self.position == len(self.unfinished)
        return text.removeprefix("\ufeff") if is_start else text, decoder.getstate()

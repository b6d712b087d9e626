"""Follow a file that grows, as `tail -F` does, across rotation and truncation.

The file is read through the descriptor that was opened, so that text written before a rotation is not
lost when the path already leads to the new file.
The file is polled, because no notification of the kernel works on all file systems.
"""

from __future__ import annotations

import codecs
import time
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

import anyio

from ._native import Layout, Opened
from .arguments import checked
from .errors import BinaryFileError, DeniedError, NotFoundError, OutsideRootError
from .one_waiter import OneWaiter
from .paths import AnyPath, encoded
from .results import TextPage, Unchanged
from .results.appended import Appended, Change
from .running import loop, threads
from .running.calls import work
from .running.engine import ReaderEngine
from .settings import require_seconds

if TYPE_CHECKING:
    from ._native import Cancel

CHUNK_BYTES = 256 * 1024
"""The maximum number of bytes read at a time; more arrives in parts."""
SAMPLE_BYTES = 64
"""Bytes before the position that are compared, to detect that the file was rewritten in place."""


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
        self._place: _Place | None = None
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
        with self._waiter.waiting():
            return self._moved_to(threads.run(self._poll_once))

    def _moved_to(self, found: tuple[_Place, Appended | None]) -> Appended | None:
        # The place is updated only here, so that a cancelled wait loses nothing.
        self._place, appended = found
        return appended

    def _poll_once(self) -> tuple[_Place, Appended | None]:
        place = self._place or self._begin()
        following: Opened | None = None
        try:
            found = self._engine.open(self._name, repair=True, whole=0)
            following = None if found.stamp[:2] == place.opened.stamp[:2] else found
        except NotFoundError:
            # A rotation has moved the old file and has not created the new one yet.
            found = None
        return work(
            lambda _: self._polled(place, following, has_moved=found is None or following is not None),
            self._engine.target(self._name),
        )

    def _polled(
        self, place: _Place, following: Opened | None, *, has_moved: bool
    ) -> tuple[_Place, Appended | None]:
        if has_moved:
            place = self._without_denied(place)
        while True:
            if place.encoding is None:
                place = self._detected(place)
                if place.encoding is None and following is None:
                    return place, None
            place, appended = place.poll(following, self._quiet_s)
            if appended is not None or place.encoding is not None:
                return place, appended
            following = None

    def _begin(self) -> _Place:
        """Detect the encoding, open the file, and find the first position."""
        page = self._first_line(offset=self._request["offset"])
        opened = self._engine.open(self._name, repair=True, whole=0)
        is_counted = opened.size_bytes <= self._engine.limits.count_bytes
        layout = Layout(line_ends="detected", total="always" if is_counted else "known")
        is_from_end, offset = self._is_from_end, self._request["offset"]

        def place(cancel: Cancel | None) -> _Place:
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
            return _Place(opened, position, line, sample).decoded_as(page, self._request["encoding"])

        return work(place, self._engine.target(self._name))

    def _first_line(self, *, offset: int) -> TextPage:
        page = self._engine.read(self._name, {**self._request, "offset": offset, "limit": 1})
        if isinstance(page, Opened):
            raise BinaryFileError(page.path, media_type=page.media_type, size_bytes=page.size_bytes)
        if isinstance(page, Unchanged):
            raise TypeError("the request of a follower has no version")
        return page

    def _detected(self, place: _Place) -> _Place:
        """Detect the encoding and the line endings of a file that begins, or do nothing while it is empty."""
        try:
            page = self._first_line(offset=1)
        except NotFoundError:
            return place
        return place.decoded_as(page, self._request["encoding"])

    def _without_denied(self, place: _Place) -> _Place:
        """Drop the rest of a file that was moved to where it may not be read."""
        moved = place.opened.current_path()
        try:
            self._engine.open(moved, repair=False, whole=0)
        except (DeniedError, OutsideRootError):
            end = place.opened.current_size()
            return replace(place, position=end, sample=b"", unfinished="")
        except NotFoundError:
            # It was removed.
            pass
        return place


class Follow(_Following):
    """Iterate over the text that is appended to a file; a cancelled wait loses nothing."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Appended:
        with self._waiter.waiting():
            while not self._is_closed:
                appended = self._moved_to(await loop.run(self._poll_once))
                if appended is not None:
                    return appended
                await anyio.sleep(self._poll_s)
        raise StopAsyncIteration

    async def poll(self) -> Appended | None:
        """Do the same as `poll_sync` without blocking the event loop."""
        with self._waiter.waiting():
            return self._moved_to(await loop.run(self._poll_once))

    async def aclose(self) -> None:
        """End the iteration, and close the file."""
        self._is_closed, self._place = True, None

    async def __aenter__(self) -> Self:
        """Open the file, so that everything appended from now on is returned."""
        if self._place is None:
            self._place = await loop.run(self._begin)
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
        self._is_closed, self._place = True, None

    def __enter__(self) -> Self:
        """Open the file, so that everything appended from now on is returned."""
        if self._place is None:
            self._place = threads.run(self._begin)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class _Place:
    """A position in an opened file, and what is known about the text before it."""

    opened: Opened
    position: int
    """The offset of the first byte that was not read yet."""
    line: int | None
    """The number of the line that begins with `unfinished`; `None`: unknown."""
    sample: bytes
    """The last bytes before `position`."""
    encoding: str | None = None
    """The name of a Python codec; `None` at the start of a file whose encoding was not detected yet."""
    newline: str = "\n"
    """What ends a line."""
    state: tuple[bytes, int] = (b"", 0)
    """The state of the decoder at `position`."""
    unfinished: str = ""
    """The start of a line that was read but not returned yet."""
    changed_at: float = 0.0
    """When something was last read, on the clock `time.monotonic`."""
    after: Change | None = None
    """What happened to the file since text was last returned."""

    def poll(self, following: Opened | None, quiet_s: float) -> tuple[_Place, Appended | None]:
        """Read what was appended; return the place after it, and the text if it has a whole line; may block.

        Args:
            following: The file to which the path leads now; `None`: the same file, or no file.
            quiet_s: Seconds without growth after which an unfinished line is returned.
        """
        if self.is_rewritten():
            return self.restarted(self.opened, "truncated")
        data = self.opened.read_at(self.position, CHUNK_BYTES)
        if data:
            return self.with_data(data)
        if following is None:
            return self.when_quiet(quiet_s)
        # The old file has been read to its end.
        return self.restarted(following, "rotated")

    def decoded_as(self, page: TextPage, encoding: str | None) -> _Place:
        """Return the place with the encoding and line endings of a page, unless its file is empty."""
        if not page.size_bytes and encoding is None:
            return self
        newline = "\r" if page.line_ending == "cr" else "\n"
        return replace(self, encoding=page.encoding, newline=newline)

    def is_rewritten(self) -> bool:
        """Return whether the bytes before the position have changed."""
        start, size = self.position - len(self.sample), len(self.sample)
        return self.opened.current_size() < self.position or self.opened.read_at(start, size) != self.sample

    def restarted(self, opened: Opened, after: Change) -> tuple[_Place, Appended | None]:
        """Return the place at the start of a file, and the unfinished line of the old file."""
        rest = self.unfinished + self._decoded(b"", final=True)[0]
        left = self.appended(rest) if rest else None
        return _Place(opened, 0, 1, b"", after=after), left

    def with_data(self, data: bytes) -> tuple[_Place, Appended | None]:
        """Return the place after the next bytes, and the lines that they complete."""
        text, state = self._decoded(data)
        text = self.unfinished + (text if self.position else text.removeprefix("\ufeff"))
        end = text.rfind(self.newline) + 1
        if not end and len(text) >= CHUNK_BYTES:
            # A line that never ends must not fill the memory.
            end = len(text)
        place = replace(
            self,
            position=self.position + len(data),
            sample=(self.sample + data)[-SAMPLE_BYTES:],
            state=state,
            changed_at=time.monotonic(),
        )
        return place.passing(text[:end], text[end:])

    def when_quiet(self, quiet_s: float) -> tuple[_Place, Appended | None]:
        """Return the unfinished line if the file has not grown for `quiet_s`."""
        if not self.unfinished or time.monotonic() - self.changed_at < quiet_s:
            return self, None
        return self.passing(self.unfinished, "")

    def passing(self, text: str, unfinished: str) -> tuple[_Place, Appended | None]:
        """Return `text`, and keep `unfinished` for later."""
        if not text:
            return replace(self, unfinished=unfinished), None
        line = None if self.line is None else self.line + text.count(self.newline)
        return replace(self, line=line, unfinished=unfinished, after=None), self.appended(text)

    def appended(self, text: str) -> Appended:
        """Return text that begins at `line`."""
        encoding = self.encoding or "utf-8"
        return Appended(self.opened.path, text, self.line, self.after, encoding, "\ufffd" in text)

    def _decoded(self, data: bytes, *, final: bool = False) -> tuple[str, tuple[bytes, int]]:
        decoder = codecs.getincrementaldecoder(self.encoding or "utf-8")("replace")
        decoder.setstate(self.state)
        return decoder.decode(data, final), decoder.getstate()

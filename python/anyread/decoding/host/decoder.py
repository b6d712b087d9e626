"""One decoder for one file: requests, responses, the deadline, and why a decoder ended."""

from __future__ import annotations

import errno
import math
import signal
import time
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from anyread.decoding.protocol import (
    Frame,
    GoneError,
    LateError,
    MalformedError,
    UnreadError,
    field,
    receive,
    text_field,
)
from anyread.errors import (
    BadArgumentError,
    DamagedFileError,
    DecoderCrashedError,
    DecoderMemoryError,
    DecoderTimeoutError,
    DecoderUnavailableError,
    FileSystemError,
    NoSuchPageError,
    PasswordRequiredError,
    TooLargeError,
    UnsupportedFormatError,
)
from anyread.running.calls import WorkTarget, with_decoder
from anyread.running.deadline import deadline_for

from .children import ReaderSettings
from .starters import RefusedError, UnavailableError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from anyread.arguments.limits import Limits
    from anyread.errors import ReadError, ReadTimeoutError

    from .children import Child, ProcessEnd
    from .pool import Pool

_T = TypeVar("_T")


def _signals(*names: str) -> set[int]:
    """Return the signals with these names that the system has."""
    return {getattr(signal, name) for name in names if hasattr(signal, name)}


_RESTRICTIONS = frozenset({"files", "system_calls"})
_MEMORY_SIGNALS = _signals("SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV", "SIGKILL", "SIGBUS")
_LARGEST_SIGNAL = 128
"""Larger numbers are exceptions of Windows."""
_TIME_SIGNALS = _signals("SIGALRM", "SIGXCPU")
_NEW_ATTEMPTS = 3
_MEMORY_PART = 0.6
"""If a decoder used at least this part of its memory limit when it died, the limit is taken as the cause.

The allocation that failed is not included in the peak.
"""


def _nothing() -> None:
    """Do nothing; the target of a call that only waits for a decoder has no mount and counts no hop."""


class NotBegunError(Exception):
    """The decoder ended before it read its first request, so the request can go to another one."""


class Subject:
    """The file to decode, as errors describe it, and the limits for decoding it.

    Args:
        path: The path as the caller passed it.
        media_type: The media type detected from its first bytes.
        size_bytes: Its size.
        limits: The limits of the reader.
        rules: A number for the roots and deny rules of the reader.
    """

    __slots__ = ("call", "limits", "media_type", "path", "settings", "size_bytes")

    def __init__(self, path: str, *, media_type: str, size_bytes: int, limits: Limits, rules: int) -> None:
        self.path, self.media_type, self.size_bytes, self.limits = path, media_type, size_bytes, limits
        self.settings = ReaderSettings(
            rules,
            limits.decode_memory_bytes,
            math.ceil(limits.decode_timeout_s),
            limits.requires_sandbox,
        )
        self.call = deadline_for(path, limits.timeout_s)
        """The deadline of the whole call."""

    def budget(self, max_file_bytes: int) -> dict[str, int]:
        """Return the fields of a job that set its limits."""
        return {
            "timeout_s": self.settings.timeout_s,
            "memory_bytes": self.settings.memory_bytes,
            "max_file_bytes": max_file_bytes,
            "requires_sandbox": self.settings.requires_sandbox,
        }

    def deadline(self) -> float:
        """Return the deadline for decoding that starts now."""
        return min(time.monotonic() + self.limits.decode_timeout_s, self.call_ends)

    @property
    def call_ends(self) -> float:
        """When the work of the whole call is stopped, on the clock `time.monotonic`."""
        return self.call.work_ends

    def lateness(self) -> ReadTimeoutError | DecoderTimeoutError:
        """Return the error for the deadline that has passed: that of the call or that of decoding."""
        if self.call.is_over:
            return self.call.error(decoding=True)
        return DecoderTimeoutError(self.path, timeout_s=self.limits.decode_timeout_s)


class Decoder:
    """A decoder while it works on one file.

    `close` returns it to the pool, or kills it if a request is still open or a response was invalid.
    """

    def __init__(self, pool: Pool, child: Child, subject: Subject, deadline: float) -> None:
        self._pool, self._child, self._subject, self._deadline = pool, child, subject, deadline
        self._is_returned = False
        self._granted_s = deadline - time.monotonic()
        self._open_requests = 0
        self._has_responded = False
        self._is_fit = True

    @classmethod
    def take(cls, pool: Pool, subject: Subject) -> Self:
        """Wait for a decoder; the time for decoding starts when one is available.

        Raises:
            DecoderUnavailableError: No decoder can be started.
            ReadTimeoutError: The deadline of the call passed.
        """
        with_decoder(WorkTarget(subject.path, _nothing, _nothing))
        subject.call.wait(pool)
        try:
            child = pool.acquire(subject.call_ends, subject.settings)
        except (LateError, UnavailableError, OSError) as error:
            raise _no_decoder(pool, subject, error) from error
        finally:
            subject.call.wait(None)
        return cls(pool, child, subject, subject.deadline())

    @classmethod
    def take_idle(cls, pool: Pool, subject: Subject, deadline: float | None = None) -> Self | None:
        """Take a decoder if one is idle, otherwise `None`; `deadline` replaces that of the subject."""
        try:
            child = pool.try_acquire(subject.call_ends if deadline is None else deadline, subject.settings)
        except (LateError, OSError):
            # The caller has another one.
            return None
        return None if child is None else cls(pool, child, subject, deadline or subject.deadline())

    @classmethod
    def begin(
        cls,
        pool: Pool,
        subject: Subject,
        header: dict[str, Any],
        payload: bytes = b"",
        *,
        descriptors: Sequence[int] = (),
        max_payload_bytes: int,
    ) -> tuple[Self, Frame]:
        """Take a decoder and return its response to a first request; retry if the decoder is just ending.

        Raises:
            ReadError: As `take` and `answer`.
        """
        # All decoders may have just been killed, and are then tried before new ones.
        attempts = pool.capacity + _NEW_ATTEMPTS
        for _ in range(attempts):
            decoder = cls.take(pool, subject)
            try:
                decoder.ask(header, payload, descriptors=descriptors)
                return decoder, decoder.answer(max_payload_bytes=max_payload_bytes)
            except NotBegunError:
                decoder.close()
            except BaseException:
                decoder.close()
                raise
        raise DecoderCrashedError(
            subject.path, reason=f"{attempts} in a row ended before they read the request"
        )

    def second(self) -> Self | None:
        """Take a second decoder for the same file and deadline if one is free; otherwise `None`."""
        return self.take_idle(self._pool, self._subject, self._deadline)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Return the decoder to the pool; a violation of the protocol is reported as `distrust` does."""
        try:
            if isinstance(error, MalformedError):
                self.distrust(error)
        finally:
            self.close()

    def fileno(self) -> int:
        """Return the descriptor that is readable when the decoder has responded or ended."""
        return self._child.connection.fileno()

    @property
    def deadline(self) -> float:
        """When the decoder must have responded, on the clock `time.monotonic`."""
        return self._deadline

    @property
    def has_open_request(self) -> bool:
        """Whether a request has no response yet."""
        return self._open_requests > 0

    @property
    def time_left(self) -> float:
        """The fraction of its time that is left: 1 at the start, 0 at the deadline."""
        return (self._deadline - time.monotonic()) / self._granted_s if self._granted_s > 0 else 0.0

    def ask(self, header: dict[str, Any], payload: bytes = b"", *, descriptors: Sequence[int] = ()) -> None:
        """Send a request; `answer` returns the responses in the same order."""
        self._open_requests += 1
        child, deadline = self._child, self._deadline
        self._guarded(lambda: child.send(header, payload, descriptors=descriptors, deadline=deadline))

    def answer(self, *, max_payload_bytes: int) -> Frame:
        """Return the response to the oldest open request.

        Raises:
            ReadError: The decoder refused the file, did not respond in time, or died.
        """
        connection, deadline = self._child.connection, self._deadline
        frame = self._guarded(
            lambda: receive(connection, max_payload_bytes=max_payload_bytes, deadline=deadline)
        )
        self._has_responded = True
        try:
            self._is_fit = field(frame.header, "fit", bool)
            # After the check, so that a decoder with an unchecked response is never reused.
            self._open_requests -= 1
            if "restrictions" in frame.header:
                found = field(frame.header, "restrictions", list)
                self._pool.restrictions = _RESTRICTIONS & set(map(str, found))
            if "error" in frame.header:
                self._refuse(frame.header)
        except MalformedError as error:
            self.distrust(error)
        return frame

    def tell(self, header: dict[str, Any]) -> None:
        """Send a request that has no response."""
        self.ask(header)
        self._open_requests -= 1

    def distrust(self, error: Exception) -> NoReturn:
        """Report an invalid response, after which the decoder is not reused.

        Raises:
            DecoderCrashedError: Always.
        """
        self._is_fit = False
        reason = f"it sent an invalid response ({error})"
        raise DecoderCrashedError(self._subject.path, reason=reason) from error

    def close(self) -> None:
        """Return the decoder to the pool."""
        if not self._is_returned:
            self._is_returned = True
            self._pool.release(self._child, is_fit=self._is_fit and not self._open_requests)

    def _guarded(self, function: Callable[[], _T]) -> _T:
        try:
            return function()
        except MalformedError as error:
            self.distrust(error)
        except LateError:
            self._is_fit = False
            raise self._subject.lateness() from None
        except (OSError, GoneError) as error:
            self._is_fit = False
            if time.monotonic() >= self._deadline:
                # Limits of its own may have ended it.
                raise self._subject.lateness() from None
            if isinstance(error, OSError):
                raise failed(self._subject, error) from error
            if isinstance(error, UnreadError) and not self._has_responded:
                raise NotBegunError from None
        raise self._death(self._child.ending()) from None

    def _death(self, ending: ProcessEnd | None) -> Exception:
        path, memory_bytes = self._subject.path, self._subject.limits.decode_memory_bytes
        if self._pool.is_closed:
            return _ended(path)
        if ending is None or ending.code >= 0:
            how = "ended for an unknown reason" if ending is None else f"exited with code {ending.code}"
            return DecoderCrashedError(path, reason=f"it {how}")
        number = -ending.code
        if number in _TIME_SIGNALS:
            return self._subject.lateness()
        is_exception = number > _LARGEST_SIGNAL
        may_be_memory = is_exception or number in _MEMORY_SIGNALS
        if may_be_memory and ending.peak_bytes >= _MEMORY_PART * memory_bytes:
            return DecoderMemoryError(path, memory_bytes=memory_bytes)
        if ending.memory_ran_out:
            return DecoderMemoryError(path, memory_bytes=memory_bytes, system=True)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"the exception 0x{ending.code + (1 << 32):X}" if is_exception else f"signal {number}"
        return DecoderCrashedError(path, reason=f"it was killed by {name}")

    def _refuse(self, header: dict[str, Any]) -> NoReturn:
        path, media_type = self._subject.path, self._subject.media_type
        code = field(header, "error", str)
        if code == "damaged":
            raise DamagedFileError(path, media_type=media_type, reason=text_field(header, "reason", 500))
        if code == "too_large":
            size, maximum = field(header, "size", int), field(header, "maximum", int)
            raise TooLargeError(path, size=size, maximum=maximum, unit=text_field(header, "unit", 20))
        if code == "password":
            raise PasswordRequiredError(path)
        if code == "unsupported":
            size = self._subject.size_bytes
            raise UnsupportedFormatError(path, media_type=media_type, size_bytes=size)
        if code == "sandbox":
            reason = "`require_sandbox` is set, and this system has no Landlock or no seccomp"
            raise DecoderUnavailableError(path, reason=reason, sandboxed=False)
        if code == "memory":
            raise DecoderMemoryError(path, memory_bytes=self._subject.limits.decode_memory_bytes)
        if code == "pages":
            raise NoSuchPageError(
                path, value=str(field(header, "page", int)), page_count=field(header, "pages", int)
            )
        if code == "region":
            width, height = field(header, "width", int), field(header, "height", int)
            whole, unit = ("page", "points") if media_type == "application/pdf" else ("image", "pixels")
            reason = f"inside the {whole}, which is {width:,} {unit} wide and {height:,} high"
            raise BadArgumentError(path, argument="region", value="outside of it", reason=reason)
        raise MalformedError("its error code is unknown")


def _no_decoder(pool: Pool, subject: Subject, error: LateError | UnavailableError | OSError) -> ReadError:
    """Return the error for the reason why a read got no decoder."""
    path, reason = subject.path, str(error)
    if pool.is_closed:
        return _ended(path)
    if isinstance(error, LateError):
        if subject.call.is_over:
            return subject.call.error(decoding=True)
        return DecoderUnavailableError(path, reason="it did not start in time")
    if isinstance(error, RefusedError):
        return DecoderUnavailableError(path, reason=reason, may_pass=True)
    if isinstance(error, UnavailableError):
        supported = not isinstance(error, UnsupportedError)
        return DecoderUnavailableError(path, reason=reason, supported=supported, install=error.install)
    return failed(subject, error)


def _ended(path: str) -> DecoderUnavailableError:
    reason = "this process is exiting, or has ended its decoders"
    return DecoderUnavailableError(path, reason=reason, may_pass=True)


def failed(subject: Subject, error: OSError) -> FileSystemError:
    """Return the error for a failed system call between the host and its decoder."""
    return FileSystemError(subject.path, errno=error.errno or errno.EIO, operation="decode")

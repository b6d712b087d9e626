"""Decoders on Windows: child processes of the host, each in a job that limits it and ends it with the host.

Source: "Job Objects", `JOBOBJECT_EXTENDED_LIMIT_INFORMATION`, `GetProcessMemoryInfo` and `DuplicateHandle` at
learn.microsoft.com, 2026-06.
"""

from __future__ import annotations

import _winapi
import ctypes
import socket
import subprocess
import sys
from contextlib import suppress
from ctypes import wintypes
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from anyread.decoding.protocol import Socket, UnreadError

from .children import PATIENCE_S, Child, ProcessEnd

if TYPE_CHECKING:
    from collections.abc import Sequence

assert sys.platform == "win32"  # noqa: S101 - for mypy

THIS_PROCESS: Final = -1
"""The handle of the process that uses it."""
_LIMITS_CLASS: Final = 9
_PROCESS_TIME: Final = 0x2
_ONE_PROCESS: Final = 0x8
_PROCESS_MEMORY: Final = 0x100
_NO_DIALOGS: Final = 0x400
_ENDS_WITH_HANDLE: Final = 0x2000
_FIRST_EXCEPTION: Final = 0x80000000
"""The smallest exit code of a process that an exception has ended."""
_kernel: Final = ctypes.WinDLL("kernel32", use_last_error=True)
_kernel.CreateJobObjectW.restype = wintypes.HANDLE
_kernel.AssignProcessToJobObject.argtypes = (wintypes.HANDLE, wintypes.HANDLE)
_kernel.SetInformationJobObject.argtypes = (wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD)
_kernel.K32GetProcessMemoryInfo.argtypes = (wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD)


class _Limits(ctypes.Structure):
    """`JOBOBJECT_EXTENDED_LIMIT_INFORMATION`."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", wintypes.DWORD),
        ("working_set", ctypes.c_size_t * 2),
        ("process_count", wintypes.DWORD),
        ("affinity", ctypes.c_size_t),
        ("priorities", wintypes.DWORD * 2),
        ("transfers", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("others", ctypes.c_size_t * 3),
    )


class _MemoryCounters(ctypes.Structure):
    """`PROCESS_MEMORY_COUNTERS`."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("page_faults", wintypes.DWORD),
        ("others", ctypes.c_size_t * 6),
        ("used", ctypes.c_size_t),
        ("peak", ctypes.c_size_t),
    )


class Memory(NamedTuple):
    """The memory that a process has reserved for itself alone."""

    used_bytes: int
    peak_bytes: int


def memory_of(process: int) -> Memory:
    """Return the memory of a process, given its handle; zeros if it is unknown."""
    found = _MemoryCounters(size=ctypes.sizeof(_MemoryCounters))
    _kernel.K32GetProcessMemoryInfo(process, ctypes.byref(found), found.size)
    return Memory(found.used, found.peak)


def started(command: list[str], environment: dict[str, str]) -> WindowsChild:
    """Start a decoder.

    Raises:
        OSError: The system refused a socket, a process or a job.
    """
    host_end, child_end = socket.socketpair()
    with host_end, child_end:
        host_end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        process = subprocess.Popen(  # noqa: S603 - the command has no input
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            creationflags=subprocess.DETACHED_PROCESS | subprocess.BELOW_NORMAL_PRIORITY_CLASS,
        )
        # gevent and eventlet replace the class of the socket.
        connection = Socket(socket.AF_INET, socket.SOCK_STREAM, 0, host_end.detach())
        child = WindowsChild(connection, process)
        with suppress(OSError), process.stdin as stdin:  # type: ignore[union-attr] # it is a pipe
            stdin.write(child_end.share(process.pid))
    return child


class WindowsChild(Child):
    """A child process of the host.

    Args:
        connection: The socket to it.
        process: The process.

    Raises:
        OSError: The system refused a job.
    """

    def __init__(self, connection: Socket, process: subprocess.Popen[bytes]) -> None:
        super().__init__(connection, process.pid)
        self._process = process
        self._handle = int(process._handle)  # type: ignore[attr-defined] # noqa: SLF001 - has no other name
        self._job: int | None = _kernel.CreateJobObjectW(None, None)
        self._set_limits()
        # If it has ended, its first message finds that out.
        if not _kernel.AssignProcessToJobObject(self._job, self._handle) and process.poll() is None:
            raise ctypes.WinError(ctypes.get_last_error())

    def _set_limits(self, flags: int = 0, **values: int) -> None:
        flags |= _ONE_PROCESS | _NO_DIALOGS | _ENDS_WITH_HANDLE
        limits = _Limits(flags=flags, process_count=1, **values)
        size = ctypes.sizeof(limits)
        if not _kernel.SetInformationJobObject(self._job, _LIMITS_CLASS, ctypes.byref(limits), size):
            raise ctypes.WinError(ctypes.get_last_error())

    def limit(self, memory_bytes: int, processor_s: int) -> None:  # noqa: D102 - as in the base
        self._set_limits(
            _PROCESS_MEMORY | _PROCESS_TIME,
            process_memory=memory_of(self._handle).used_bytes + memory_bytes,
            process_time=processor_s * 10_000_000,
        )

    def send(  # noqa: D102 - as in the base
        self, header: dict[str, Any], payload: bytes, *, descriptors: Sequence[int], deadline: float
    ) -> None:
        try:
            handles = [
                _winapi.DuplicateHandle(
                    THIS_PROCESS,
                    each,
                    self._handle,
                    0,
                    False,  # noqa: FBT003 - it has no names
                    _winapi.DUPLICATE_SAME_ACCESS,
                )
                for each in descriptors
            ]
        except OSError:
            if self._process.poll() is None:
                raise
            raise UnreadError from None
        super().send({**header, "handles": handles}, payload, descriptors=(), deadline=deadline)

    def kill(self) -> None:  # noqa: D102 - as in the base
        with suppress(OSError):
            self._process.kill()

    def ending(self) -> ProcessEnd | None:  # noqa: D102 - as in the base
        try:
            code = self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            return None
        code = code - (1 << 32) if code >= _FIRST_EXCEPTION else code
        return ProcessEnd(code, memory_of(self._handle).peak_bytes, memory_ran_out=False)

    def dispose(self) -> None:  # noqa: D102 - as in the base
        super().dispose()
        job, self._job = self._job, None
        if job is not None:
            # This ends it.
            _winapi.CloseHandle(job)
            self.ending()

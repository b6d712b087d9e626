"""Standard input as a file: `-`, `/dev/stdin` and other names of descriptor 0."""

from __future__ import annotations

import errno
import os
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path

from anyread import Limits
from anyread.errors import FileSystemError, TooLargeError

NAME = "-"
"""The name of standard input in results and errors; a file of this name is read as `./-`."""
_NAMES = frozenset({NAME, "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_MAX_BYTES = Limits().count_bytes
_STEP_BYTES = 1 << 20


def is_stdin(file: str) -> bool:
    """Return whether an argument means standard input."""
    return file in _NAMES


class StandardInput(ExitStack):
    """A copy of standard input for one command, created on first use and removed at the end.

    A copy can be read at any offset and more than once, unlike a pipe.
    """

    @cached_property
    def directory(self) -> str:
        """The directory in which the file `-` is the copy.

        Raises:
            TooLargeError: Standard input is larger than 256 MiB.
            FileSystemError: Standard input cannot be read, or the copy cannot be written.
        """
        from tempfile import TemporaryDirectory

        directory = self.enter_context(TemporaryDirectory(prefix="anyread-"))
        left = _MAX_BYTES
        try:
            with Path(directory, NAME).open("xb") as copy:
                while part := os.read(0, _STEP_BYTES):
                    left -= len(part)
                    if left < 0:
                        raise TooLargeError(NAME, size=_MAX_BYTES - left, maximum=_MAX_BYTES, unit="bytes")
                    copy.write(part)
        except OSError as error:
            raise FileSystemError(NAME, errno=error.errno or errno.EIO, operation="read") from error
        return directory

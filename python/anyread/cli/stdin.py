"""Pipes as files: standard input, and those that a shell names for `<(command)`."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import ExitStack
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


def is_pipe(file: str) -> bool:
    """Return whether an argument means standard input, or a pipe that the shell opened for this command."""
    if is_stdin(file):
        return True
    if not re.fullmatch(r"/(dev|proc/self)/fd/\d+", file):
        return False
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)  # noqa: PTH116 - text
    except OSError:
        return False


class StandardInput(ExitStack):
    """Copies of standard input and other pipes for one command, removed at the end.

    A copy can be read at any offset and more than once, unlike a pipe.
    """

    def __init__(self) -> None:
        super().__init__()
        self._copies: dict[str, str] = {}

    def directory(self, file: str = NAME) -> str:
        """Return the directory in which the file `-` is the copy of a pipe.

        Raises:
            TooLargeError: It is larger than 256 MiB.
            FileSystemError: It cannot be read, or the copy cannot be written.
        """
        name = NAME if is_stdin(file) else file
        if name not in self._copies:
            self._copies[name] = self._copied(0 if name == NAME else int(name.rpartition("/")[2]))
        return self._copies[name]

    def _copied(self, descriptor: int) -> str:
        from tempfile import TemporaryDirectory

        directory = self.enter_context(TemporaryDirectory(prefix="anyread-"))
        left = _MAX_BYTES
        try:
            with Path(directory, NAME).open("xb") as copy:
                while part := os.read(descriptor, _STEP_BYTES):
                    left -= len(part)
                    if left < 0:
                        raise TooLargeError(NAME, size=_MAX_BYTES - left, maximum=_MAX_BYTES, unit="bytes")
                    copy.write(part)
        except OSError as error:
            raise FileSystemError(NAME, errno=error.errno or errno.EIO, operation="read") from error
        return directory

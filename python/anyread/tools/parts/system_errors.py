"""File system errors, in the words of the languages in which the original tools are written."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from anyread.errors import (
    AccessError,
    BadPathError,
    DeniedError,
    DirectoryError,
    FileSystemError,
    NotFoundError,
    OutsideRootError,
    ReadError,
)
from anyread.running.calls import work

from .files import located, target_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread.reader import Reader

MAX_PATH_CHARS: Final = 4095
"""The most bytes of a path in a system call."""
_NODE_WORDS: Final = {
    errno.EISDIR: "illegal operation on a directory",
    errno.ELOOP: "too many symbolic links encountered",
    errno.ENAMETOOLONG: "name too long",
    errno.EIO: "i/o error",
    errno.EMFILE: "too many open files",
    errno.ENFILE: "file table overflow",
    errno.ENOMEM: "not enough memory",
    errno.EBUSY: "resource busy or locked",
}
"""The words of Node.js where they differ from those of the C library."""


class FailedCall:
    """The system call that failed when a file was opened or a directory listed, in the words of a language.

    Args:
        reader: The reader that opened the file.
        path: The path that it opened.
        error: What it raised.
    """

    def __init__(self, reader: Reader, path: str, error: ReadError) -> None:
        self.path, self.error, self._reader = path, error, reader
        known = _known_errno(reader, path, error)
        has_stat = known and not isinstance(error, BadPathError | DirectoryError)
        found = stat_errno(reader, path) if has_stat else 0
        self.code: Final = found or known
        """The errno; 0: this library refuses the path itself."""
        self.is_found: Final = not (found or isinstance(error, BadPathError))
        """Whether the metadata of the file can be read."""

    def node(self, call: str, path: str | None = None) -> str:
        """Word it as Node.js does, where only reading a directory fails, which has no path."""
        if not self.code:
            return self.error.message
        name = errno.errorcode.get(self.code, "EIO")
        words = _NODE_WORDS.get(self.code) or os.strerror(self.code).lower()
        where = "read" if self.code == errno.EISDIR else f"{call} '{path or self.path}'"
        return f"{name}: {words}, {where}"

    def python(self, path: str | None = None) -> Exception:
        """Return the exception of Python; one without a class if no system call failed."""
        if not self.code:
            return Exception(self.error.message)
        return OSError(self.code, os.strerror(self.code), path or self.path)

    def python_resolved(self) -> Exception:
        """Return the exception of Python after `Path.resolve`, which follows links."""
        is_loop = self.code == errno.ELOOP
        return RuntimeError(f"Symlink loop from {self.target!r}") if is_loop else self.python(self.target)

    def rust(self) -> str:
        """Word it as Rust does."""
        return f"{os.strerror(self.code)} (os error {self.code})" if self.code else self.error.message

    @property
    def target(self) -> str:
        """The path with links followed; the path itself if the rules of the host hide where they lead."""
        return self.path if self.code == errno.ENAMETOOLONG else self._shown(located(self._reader, self.path))

    @property
    def lookup(self) -> tuple[str, str]:
        """The call that fails in `realpathSync` of Node.js, "lstat" or "stat", and its path."""
        call, path = work(partial(_failing_lookup, self.path), target_of(self._reader, self.path))
        return call, self._shown(path)

    def _shown(self, path: str) -> str:
        if path != self.path:
            try:
                self._reader.open_sync(path, repair=False)
            except (DeniedError, OutsideRootError):
                return self.path
            except ReadError:
                pass
        return path


def _known_errno(reader: Reader, path: str, error: ReadError) -> int:
    if isinstance(error, BadPathError):
        return 0 if "\0" in error.path else errno.ENAMETOOLONG if error.path else errno.ENOENT
    if isinstance(error, DirectoryError) and error.more and not error.entries:
        return listing_errno(reader, path) or errno.EISDIR
    if isinstance(error, AccessError | DirectoryError | FileSystemError | NotFoundError):
        return error.errno or 0
    return 0


def stat_errno(reader: Reader, path: str) -> int:
    """Return the errno of looking up a path; 0: it exists."""
    return _errno_of(os.stat, reader, path)


def listing_errno(reader: Reader, path: str) -> int:
    """Return the errno of listing a directory; 0: it can be listed."""
    return _errno_of(lambda path: os.scandir(path).close(), reader, path)


def _errno_of(call: Callable[[str], object], reader: Reader, path: str) -> int:
    def attempt(_cancel: object) -> int:
        try:
            # A path with a NUL has no errno.
            with suppress(ValueError):
                call(path)
        except OSError as error:
            return error.errno or 0
        return 0

    return work(attempt, target_of(reader, path))


def _failing_lookup(path: str, _cancel: object) -> tuple[str, str]:
    """Look at each name of a path, as Node.js does when it resolves links."""
    current, names, call = "/", path.split("/"), "lstat"
    while names:
        call, current = "lstat", os.path.join(current, names.pop(0))  # noqa: PTH118 - text
        try:
            if stat.S_ISLNK(os.lstat(current).st_mode):
                call = "stat"
                os.stat(current)  # noqa: PTH116 - text
                parent, link = os.path.dirname(current), os.readlink(current)  # noqa: PTH115, PTH120 - text
                target = os.path.normpath(os.path.join(parent, link))  # noqa: PTH118 - text
                current, names = "/", [*target.split("/"), *names]
        except OSError:
            break
    return call, current

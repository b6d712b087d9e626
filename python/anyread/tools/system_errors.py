"""Errors of the file system, in the words of the languages in which the tools of contracts are written."""

from __future__ import annotations

import errno
import os
from functools import partial
from typing import TYPE_CHECKING, Final

from anyread.errors import (
    AccessError,
    BadPathError,
    DirectoryError,
    FileSystemError,
    NotFoundError,
    ReadError,
)
from anyread.running.calls import work

from .files import target_of

if TYPE_CHECKING:
    from anyread.reader import Reader

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


def node_message(code: int, call: str, path: str | None = None) -> str:
    """Return the message of Node.js for a system call that failed, such as "open"."""
    name, words = errno.errorcode.get(code, "EIO"), _NODE_WORDS.get(code) or os.strerror(code).lower()
    return f"{name}: {words}, {call}" + ("" if path is None else f" '{path}'")


def python_message(code: int, path: str) -> str:
    """Return the message of Python's `OSError`."""
    return f"[Errno {code}] {os.strerror(code)}: {path!r}"


def rust_message(code: int) -> str:
    """Return the message of Rust's `io::Error`."""
    return f"{os.strerror(code)} (os error {code})"


def known_errno(error: ReadError) -> int:
    """Return the errno of the system call that failed; 0: this library refuses the path itself."""
    if isinstance(error, BadPathError):
        return 0 if "\0" in error.path else errno.ENAMETOOLONG if error.path else errno.ENOENT
    if isinstance(error, AccessError | DirectoryError | FileSystemError | NotFoundError):
        return error.errno or 0
    return 0


def system_errno(reader: Reader, path: str, error: ReadError) -> int:
    """Return the same as `known_errno`, but look again where one error of this library has several causes."""
    if isinstance(error, NotFoundError | FileSystemError):
        return stat_errno(reader, path) or known_errno(error)
    if isinstance(error, DirectoryError) and error.more and not error.entries:
        return work(partial(_listing_errno, path), target_of(reader, path))
    return known_errno(error)


def stat_fails(error: ReadError) -> bool:
    """Return whether not even the metadata of the file could be read."""
    if isinstance(error, AccessError):
        return error.part != error.path
    if isinstance(error, FileSystemError):
        return error.errno in {errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}
    return isinstance(error, BadPathError | NotFoundError)


def stat_errno(reader: Reader, path: str) -> int:
    """Return the errno of looking up a path that could not be opened; 0: it exists."""
    return work(partial(_stat_errno, path), target_of(reader, path))


def _stat_errno(path: str, _cancel: object) -> int:
    try:
        os.stat(path)  # noqa: PTH116 - text
    except OSError as error:
        return error.errno or 0
    except ValueError:
        return 0
    return 0


def _listing_errno(path: str, _cancel: object) -> int:
    try:
        os.scandir(path).close()
    except OSError as error:
        return error.errno or 0
    return errno.EISDIR

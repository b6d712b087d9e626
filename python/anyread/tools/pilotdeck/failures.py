"""What the reader's own errors are called in this contract."""

from __future__ import annotations

import errno
import os

from anyread.errors import AccessError, BadPathError, DeniedError, NotFoundError, ReadError

from .answers import Refusal
from .workspace import outside

__all__ = ["execution_failed", "not_opened", "not_regular", "outside", "require_size"]

_UNRESOLVED = {errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTDIR, errno.ENOENT}
"""What ends a path before it leads to a file: the contract knows such a file as one that does not exist."""


def not_regular(absolute: str) -> Refusal:
    """Say that it is a folder, a FIFO, a socket or a device."""
    return Refusal("file_conflict", f"{absolute} is not a regular file.")


def not_opened(error: ReadError, path: str, absolute: str, *, stat: bool) -> Refusal:
    """Say why a file cannot be opened.

    Args:
        error: Why.
        path: The path as it was given.
        absolute: The path that it leads to.
        stat: Whether the first thing to fail is a stat, as it is where no workspace is looked at.
    """
    is_missing = isinstance(error, NotFoundError | BadPathError) or getattr(error, "errno", 0) in _UNRESOLVED
    if is_missing and stat:
        return Refusal("tool_execution_failed", f"ENOENT: no such file or directory, stat '{absolute}'")
    if is_missing:
        return Refusal("file_not_found", f"File {path} does not exist.")
    if isinstance(error, DeniedError):
        return Refusal("permission_denied", error.message)
    if isinstance(error, AccessError):
        return Refusal("tool_execution_failed", f"EACCES: permission denied, open '{absolute}'")
    if isinstance(error, OSError) and error.errno:
        name = errno.errorcode.get(error.errno, "EIO")
        reason = os.strerror(error.errno).lower()
        return Refusal("tool_execution_failed", f"{name}: {reason}, open '{absolute}'")
    return execution_failed(error)


def execution_failed(error: ReadError) -> Refusal:
    """Say of anything else what the reader says of it."""
    return Refusal("tool_execution_failed", error.message)


def require_size(size_bytes: int, maximum: int, relative: str) -> None:
    """Refuse a file that would not be held in memory.

    Raises:
        Refusal: It is over `maximum` bytes.
    """
    if size_bytes > maximum:
        message = f"{relative} has {size_bytes:,} bytes, over the limit of {maximum:,} bytes for its kind."
        raise Refusal("tool_execution_failed", message, sizeBytes=size_bytes, maxBytes=maximum)

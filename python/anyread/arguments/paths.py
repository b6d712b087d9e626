"""Paths between Python and the core: bytes for input, readable text for output."""

from __future__ import annotations

import os
from typing import AnyStr, TypeAlias

from anyread._native import display_path
from anyread.errors import BadPathError

from .settings import literal

_ATTEMPTS = 100
"""How often links are followed that other processes change at the same time."""

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def encoded(path: AnyPath) -> bytes:
    """Return a path as the bytes that the operating system uses.

    Raises:
        BadPathError: It is not a path, or contains characters that no file name can have.
    """
    # This is several times as fast, and most paths are such strings.
    if type(path) is str and path.isascii():
        return path.encode()
    try:
        return os.fsencode(path)
    except TypeError:
        reason = f"a path must be str, bytes or os.PathLike, not {type(path).__name__}"
        raise BadPathError(literal(path), reason=reason) from None
    except UnicodeEncodeError as error:
        name = os.fspath(path)
        if isinstance(name, str):
            name = name.encode("utf-8", "backslashreplace")
        reason = f"no file name can contain its character {error.start + 1:,}"
        raise BadPathError(display_path(name), reason=reason) from None


def displayed(path: AnyPath) -> str:
    r"""Return a path as results and errors show it, with bytes that are not UTF-8 as `\xff`."""
    return display_path(encoded(path))


def working_directory() -> str:
    """Return the working directory; empty if it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109 - text
    except FileNotFoundError:
        return ""


def real_path(path: AnyStr) -> AnyStr:
    """Return a path with links followed, as far as they lead; the path itself if they keep changing.

    This call looks at the file system.
    """
    for _ in range(_ATTEMPTS):
        try:
            return os.path.realpath(path)
        except OSError:
            # What was a link a moment ago is none anymore.
            continue
        except ValueError:
            # No file can have such a name, which opening it reports.
            break
    return path

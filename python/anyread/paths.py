"""Paths between Python and the core: bytes on the way in, readable text on the way out."""

from __future__ import annotations

import os
from typing import TypeAlias

from ._native import display_path
from .errors import BadPathError

AnyPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def encoded(path: AnyPath) -> bytes:
    """Give the bytes that the operating system knows a path by.

    Raises:
        BadPathError: If it is no path, or has characters that no file name can have.
    """
    try:
        return os.fsencode(path)
    except TypeError:
        reason = f"a path is text, bytes or os.PathLike, not {type(path).__name__}"
        raise BadPathError(repr(path)[:200], reason=reason) from None
    except UnicodeEncodeError as error:
        shown = os.fspath(path)
        if isinstance(shown, str):
            shown = shown.encode("utf-8", "backslashreplace")
        reason = f"no file name can hold its character {error.start + 1:,}"
        raise BadPathError(display_path(shown), reason=reason) from None


def displayed(path: AnyPath) -> str:
    r"""Spell a path as results and errors do: bytes that are not UTF-8 as `\xff`."""
    return display_path(encoded(path))

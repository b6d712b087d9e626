"""Permissions of files, which root may override, applied to root too."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION = 0x20080522
_OVERRIDES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH of linux/capability.h."""


@contextmanager
def applied_to_root() -> Iterator[None]:
    """Give up root's right to override permissions, in this thread and until the end."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    # Effective, permitted and inheritable capabilities, each in two halves that alternate.
    sets = (ctypes.c_uint32 * 6)()
    _require(libc.capget(header, sets))
    before = sets[0]
    sets[0] &= ~_OVERRIDES
    _require(libc.capset(header, sets))
    try:
        yield
    finally:
        sets[0] = before
        _require(libc.capset(header, sets))


def _require(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))

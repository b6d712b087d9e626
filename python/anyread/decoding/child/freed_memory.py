"""The memory that a decoder has freed: kept for the next file, and returned to the system after a pause.

By default, glibc returns the memory of a large image as soon as it is freed, and the next image gets it back
page by page: a photograph of 12 megapixels took 7,700 page faults, an eighth of its time.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Final

_KEPT_BYTES: Final = 64 * 1024 * 1024
_MAX_HEAP_BLOCK_BYTES: Final = 32 * 1024 * 1024
"""The largest values that glibc chooses by itself, depending on what was freed before."""
_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
# Resolved before the sandbox. C libraries other than glibc have neither function.
_library = None if sys.platform == "win32" else ctypes.CDLL(None)
_set_option = getattr(_library, "mallopt", None)
_trim = getattr(_library, "malloc_trim", None)


def keep() -> None:
    """Keep freed memory in this process and its forks, up to a maximum."""
    if _set_option is not None:
        _set_option(_TRIM_THRESHOLD, _KEPT_BYTES)
        _set_option(_MMAP_THRESHOLD, _MAX_HEAP_BLOCK_BYTES)


def release() -> None:
    """Return freed memory to the system."""
    if _trim is not None:
        _trim(0)

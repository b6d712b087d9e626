"""The limits that a reader has to keep, and the sizes of test files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What a reader may use."""

    hang_s: float = 2.0
    """Seconds for an answer about something that is not a file, beyond those of a plain read."""
    read_s: float = 20.0
    """Seconds for any other answer."""
    memory_bytes: int = 64 * 1024 * 1024
    """Memory for a window of a large file, beyond that of a plain read."""
    process_bytes: int = 1024 * 1024 * 1024
    """Memory of the reader's processes at which they are ended."""
    characters: int = 300_000
    """Characters of one answer: 256 KiB, and some for line numbers and notes."""
    large_mb: int = 64
    """Size of the large log, in megabytes of 1,000,000 bytes."""
